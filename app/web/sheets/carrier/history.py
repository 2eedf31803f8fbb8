"""The journal of a carrier's or a person's record, in words: who did what, when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import select

from app import audit, people
from app.audit import Entry
from app.store import Reader
from app.store.cases_tables import cases
from app.store.registry_tables import occurrence
from app.values import Json, Money, Units, parse_instant
from app.web.language import N_, portuguese
from app.web.sheets.carrier.words import CATEGORIES, REGIMES, STATUSES
from app.web.shown import day, instant

VERBS = {
    "register_carrier": N_("Transportador cadastrado"),
    "grant_line": N_("Outorga cadastrada"),
    "register_staff": N_("Pessoa cadastrada"),
    "record_occurrence": N_("Ocorrência registrada"),
    "change_occurrence": N_("Situação da ocorrência mudou"),
    "owe": N_("Cobrança fixada"),
    "withdraw": N_("Cobrança retirada"),
    "pay": N_("Recolhimento registrado"),
    "refund": N_("Devolução ordenada"),
}
_REFUND_UNDONE = N_("Devolução retirada")


@dataclass(frozen=True)
class Told:
    """One entry. `words` are keys of the registers in words, translated where shown; `values` stand as they are."""

    seq: int
    verb: str
    values: tuple[tuple[str, object], ...]
    words: tuple[tuple[str, str], ...]
    number: str | None
    who: str
    at: datetime


@dataclass(frozen=True)
class _About:
    """What entries refer to by id."""

    unit: str
    codes: Mapping[str, str]
    numbers: Mapping[str, str]


_Values = tuple[tuple[str, object], ...]


def history(reader: Reader, stream: str, unit: str) -> list[Told]:
    """The stream as people read it, newest first. `unit`: how the norm calls its unit of account."""
    entries = audit.entries(reader, stream)
    about = _About(unit, _codes(reader, entries), _numbers(reader, entries))
    names = people.names_of(reader, {e.actor for e in entries})
    return [_told(about, entry, names[entry.actor]) for entry in reversed(entries)]


def _told(about: _About, entry: Entry, who: str) -> Told:
    body = entry.body
    undone = entry.act == "refund" and body["refund_cents"] is None
    tell = _VALUES.get(entry.act)
    return Told(
        entry.seq,
        _REFUND_UNDONE if undone else VERBS.get(entry.act, entry.act),
        tuple(pair for pair in (tell(about, body) if tell else ()) if pair[1]),
        _words(body),
        about.numbers.get(body.get("case_id") or ""),
        who,
        entry.at,
    )


def _carrier(_: _About, body: Json) -> _Values:
    return ((N_("Nome"), portuguese(body["name"])), (N_("CNPJ"), body["document"]))


def _grant(_: _About, body: Json) -> _Values:
    until = day(date.fromisoformat(body["until"])) if body["until"] else ""
    since = day(date.fromisoformat(body["since"]))
    return ((N_("Linha"), body["line"]), (N_("Desde"), since), (N_("Até"), until))


def _staff(_: _About, body: Json) -> _Values:
    return ((N_("Matrícula"), body["registration"]),)


def _occurrence(_: _About, body: Json) -> _Values:
    source = "" if body["case_id"] else portuguese(body["source"])
    happened = day(date.fromisoformat(body["happened_on"]))
    return ((N_("Código"), body["code"]), (N_("Ocorrida em"), happened), (N_("Fonte"), source))


def _change(about: _About, body: Json) -> _Values:
    return ((N_("Código"), about.codes.get(body["id"], "")),)


def _charge(about: _About, body: Json) -> _Values:
    units = f"{Units(body['units'])} {about.unit}"
    return ((N_("Multa"), units), (N_("Valor"), Money(body["cents"])))


def _payment(_: _About, body: Json) -> _Values:
    paid_at = instant(parse_instant(body["paid_at"]))
    return ((N_("Valor"), Money(body["cents"])), (N_("Recolhido em"), paid_at))


def _refund(_: _About, body: Json) -> _Values:
    if body["refund_cents"] is None:
        return ()
    return ((N_("A devolver"), Money(body["refund_cents"])),)


_VALUES: dict[str, Callable[[_About, Json], _Values]] = {
    "register_carrier": _carrier,
    "grant_line": _grant,
    "register_staff": _staff,
    "record_occurrence": _occurrence,
    "change_occurrence": _change,
    "owe": _charge,
    "pay": _payment,
    "refund": _refund,
}
_WORDS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("regime", N_("Regime"), REGIMES),
    ("category", N_("Categoria"), CATEGORIES),
    ("status", N_("Estado"), STATUSES),
    ("from", N_("De"), STATUSES),
    ("to", N_("Para"), STATUSES),
)


def _words(body: Json) -> tuple[tuple[str, str], ...]:
    return tuple((label, words.get(body[key], str(body[key]))) for key, label, words in _WORDS if key in body)


def _numbers(reader: Reader, entries: list[Entry]) -> dict[str, str]:
    ids = {e.body["case_id"] for e in entries if e.body.get("case_id")}
    rows = reader.all(select(cases.c.id, cases.c.number).where(cases.c.id.in_(ids)))
    return {row["id"]: row["number"] for row in rows}


def _codes(reader: Reader, entries: list[Entry]) -> dict[str, str]:
    ids = {e.body["id"] for e in entries if e.act == "change_occurrence"}
    rows = reader.all(select(occurrence.c.id, occurrence.c.code).where(occurrence.c.id.in_(ids)))
    return {row["id"]: row["code"] for row in rows}
