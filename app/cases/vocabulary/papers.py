"""Fills the fields of an official document from the case, as the norm says where each one comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app import people
from app.audit import seal
from app.cases.display import is_vote, shown, vote_in
from app.cases.dossier import Dossier, latest_answers, newest_term
from app.cases.vocabulary import handed_in
from app.cases.vocabulary.terms import term_of
from app.law.content.sources import CONDITION, WORDED
from app.law.norm import DocumentKind, Term
from app.law.profiles import Unit
from app.registry import carriers, charges, values
from app.store import Row
from app.store.cases_tables import deadline, work_item
from app.values import Json, Units


def content(dossier: Dossier, kind: DocumentKind, flow: Mapping[str, Json]) -> Json:
    """The document's fields, in the norm's order: key, label, article and text. Empty text where nothing is known.

    Votes have their `rows` too: seat, name, vote; `optional` is on what the law asks for only in some cases.
    `signature` is who is to sign; None for what the clock issues.
    """
    sources = _Sources(dossier, flow, latest_answers(dossier.tx, dossier.id, dossier.fallen), None)
    fields: list[dict[str, Json]] = [
        {"key": f.key, "label": f.label, "article": f.article or "", "text": sources.text(f.source)}
        | ({"rows": sources.votes()} if f.source == "votos" else {})
        | ({"optional": True} if f.optional else {})
        for f in kind.fields
    ]
    head = {"title": kind.title, "law": dossier.norm.law, "case": dossier.row["number"]}
    return {**head, "fields": fields, "signature": sources.signature()}


_UNITS = {
    Unit.BUSINESS_DAYS: ("dia útil", "dias úteis"),
    Unit.CALENDAR_DAYS: ("dia", "dias"),
    Unit.HOURS: ("hora", "horas"),
    Unit.MONTHS: ("mês", "meses"),
    Unit.YEARS: ("ano", "anos"),
}


def length_of(term: Term, starts: str | None = None) -> str:
    """A term that has not begun to run, in words: `5 dias úteis, a contar de …`."""
    starts = term.starts if starts is None else starts
    if term.amount is None or term.unit not in _UNITS:
        return term.name
    one, many = _UNITS[term.unit]
    length = f"{term.amount} {one if term.amount == 1 else many}"
    return f"{length}, a contar de: {starts} ({term.article})" if starts else f"{length} ({term.article})"


@dataclass
class _Sources:
    dossier: Dossier
    flow: Mapping[str, Json]
    forms: Mapping[str, Row]
    charge: charges.Charge | None

    def text(self, source: str) -> str:
        head, _, rest = source.partition(".")
        if source.startswith("texto:"):
            return source.removeprefix("texto:").strip()
        if condition := CONDITION.fullmatch(source):
            return self._either(*condition.groups())
        if worded := WORDED.fullmatch(source):
            return self._worded(*worded.groups())
        reader: Callable[[str], Json] | None = getattr(self, f"_{head}", None)
        value = reader(rest) if reader else None
        return "" if value is None else str(value)

    def _formulario(self, path: str) -> Json:
        form, _, name = path.partition(".")
        row = self.forms.get(form)
        if row is None:
            return None
        if name in row["answers"]:
            return self._shown(form, name, row["answers"][name])
        hidden = seal.unseal(self.dossier.tx, row["sealed_id"]) or {}
        return self._shown(form, name, hidden[name]) if name in hidden else None

    def _shown(self, form: str, name: str, value: Json) -> Json:
        return shown(self.dossier.norm, form, name, value)

    def _dado(self, name: str) -> Json:
        return self.flow.get(name)

    def _worded(self, name: str, form: str, field: str) -> str:
        """A flow variable as the form's field calls that option, within a sentence: `procedente em parte`."""
        value = self.flow.get(name)
        called = "" if value is None else str(shown(self.dossier.norm, form, field, value))
        return f"{called[:1].lower()}{called[1:]}"

    def _unidades(self, name: str) -> Json:
        """A flow variable in hundredths of the law's unit, as people read it."""
        value = self.flow.get(name)
        return f"{Units(value)} {self.dossier.norm.unit_name}" if isinstance(value, int) else None

    def _either(self, name: str, yes: str, no: str) -> str:
        value = self.flow.get(name)
        return (yes if value else no).strip() if isinstance(value, bool) else ""

    def _parametro(self, key: str) -> Json:
        """A figure of the norm on the day of the act, as people read it."""
        value = values.parameter_on(self.dossier.tx, self.dossier.norm, key, self.dossier.today)
        return f"{value} {self.dossier.norm.unit_name}" if isinstance(value, Units) else value

    def votes(self) -> list[list[str]]:
        """Seat, name and vote as the form calls it, in the order of the seats."""
        votes, cast = self.flow.get("votos"), self._who_voted()
        seats = {s.key: s.name for board in self.dossier.norm.boards.values() for s in board.seats}
        told, order = votes if isinstance(votes, dict) else {}, list(seats)
        in_order = sorted(told, key=lambda seat: order.index(seat) if seat in order else len(order))
        return [[seats.get(s) or s, *self._vote(cast.get(s), told[s])] for s in in_order]

    def signature(self) -> Json:
        if not self.dossier.author.startswith("pessoa:"):
            return None
        name, office, registration = (self._autor(what) for what in ("nome", "cargo", "matricula"))
        return {"name": name, "office": office, "registration": registration}

    def _votos(self, _: str) -> Json:
        return "; ".join(f"{name or seat}: {vote}" for seat, name, vote in self.votes()) or None

    def _vote(self, cast: Row | None, vote: Json) -> tuple[str, str]:
        """Who voted, and the option as the form calls it: `Paulo Prates`, `procedente em parte`."""
        if cast is None:
            return "", str(vote)
        called = vote_in(self.dossier.norm, cast["form"], {}, vote) or str(vote)
        return people.name_of(self.dossier.tx, cast["closed_by"]), f"{called[:1].lower()}{called[1:]}"

    def _who_voted(self) -> dict[str, Row]:
        rows = self.dossier.tx.all(
            select(work_item.c.element, work_item.c.seat, work_item.c.closed_by, work_item.c.form)
            .where(work_item.c.case_id == self.dossier.id, work_item.c.seat.is_not(None))
            .where(work_item.c.status == "done")
            .order_by(work_item.c.opened_seq)
        )
        return {r["seat"]: r for r in rows if is_vote(self.dossier.definition, r)}

    def _caso(self, name: str) -> Json:
        if name == "numero":
            return self.dossier.row["number"]
        return self._local(self.dossier.row["opened_at"])

    def _protocolo(self, path: str) -> Json:
        """Of the filing whose answers `formulario.…` gives, so that number and text are of the same paper."""
        kind, _, what = path.partition(".")
        given = self.forms.get(self.dossier.norm.filings[kind].form)
        row = handed_in.filed_as(self.dossier.tx, kind, given["id"]) if given else None
        return handed_in.told_of(row, what, self._local) if row else None

    def _prazo(self, key: str) -> Json:
        """Its last day. One that was only shown and is over says nothing of the next that a new decision will begin."""
        over = deadline.c.status.in_(("closed", "met")) & deadline.c.task_id.is_(None)
        row = newest_term(self.dossier, key, ~over)
        return self._local(row["due_at"]) if row else self._to_run(key)

    def _a_correr(self, path: str) -> Json:
        """A term that begins only under one option of its choice, in words; nothing once it has begun."""
        key, _, option = path.partition(".")
        begins = self.dossier.choice(f"{key}.inicio") == option and not newest_term(self.dossier, key)
        return self._to_run(key) if begins else None

    def _to_run(self, key: str) -> Json:
        """A term that has not begun, as the case reads the law: a choice `<key>.inicio` says from when it will run,
        or that there is no such term."""
        term, choice = term_of(self.dossier, key), self.dossier.norm.choices.get(f"{key}.inicio")
        if choice is None or not choice.starts:
            return length_of(term)
        starts = choice.starts.get(self.dossier.choice(choice.key))
        return length_of(term, starts) if starts else None

    def _infrator(self, name: str) -> Json:
        kind, _, record_id = str(self.dossier.row["infringer"] or "").partition(":")
        if kind == "pessoal":
            person = carriers.staff_by_id(self.dossier.tx, record_id)
            return carriers.staff_name(self.dossier.tx, person) if name == "nome" else person["registration"]
        return self._transportador(name)

    def _transportador(self, name: str) -> Json:
        if self.dossier.row["carrier_id"] is None:
            return None
        row = carriers.carrier_by_id(self.dossier.tx, self.dossier.row["carrier_id"])
        return row["document" if name == "documento" else "name"]

    def _outorga(self, _: str) -> Json:
        grant_id = self.dossier.row["grant_id"]
        return carriers.grant_by_id(self.dossier.tx, grant_id)["line"] if grant_id else None

    def _autor(self, name: str) -> Json:
        author = self.dossier.author
        if not author.startswith("pessoa:"):
            return "Relógio do sistema" if name == "nome" else None
        actor = author.removeprefix("pessoa:")
        person = people.by_id(self.dossier.tx, actor)
        if name == "cargo":
            held = people.offices(self.dossier.tx, actor, self.dossier.today)
            roles = self.dossier.norm.roles
            return ", ".join(roles[o.role].name for o in held if o.role in roles)
        return person["registration" if name == "matricula" else "name"]

    def _ato(self, _: str) -> Json:
        return self._local(self.dossier.effective_at)

    def _multa(self, name: str) -> Json:
        """A cell of the rule that the case charges by, as on the day of the charge; before, of the opening."""
        rule = self.dossier.norm.charged(self.dossier.process.key, self.flow)
        if rule is None:
            return None
        table, code = rule
        charge = charges.of_case(self.dossier.tx, self.dossier.id)
        day = charge.reference_on if charge else self.dossier.local_day(self.dossier.row["opened_at"])
        row = table.known_on(code, day) or {table.key_column: code}
        words: Mapping[str, str] = table.settings.get("certezas", {})
        return words.get(row.get(name, ""), row.get(name)) if name == "certeza" else row.get(name)

    def _cobranca(self, name: str) -> Json:
        tx, norm, case_id = self.dossier.tx, self.dossier.norm, self.dossier.id
        owed = self.charge = self.charge or charges.of_case(tx, case_id)
        if owed is None:
            return None
        told: dict[str, Callable[[], Json]] = {
            "ufp": lambda: f"{owed.units} {norm.unit_name}",
            "valor": lambda: str(owed.amount),
            "unidade": lambda: str(owed.unit_value),
            "ato_unidade": lambda: values.act_of_unit(tx, norm, owed.reference_on, owed.unit_value),
            "pago": lambda: str(charges.paid(tx, case_id)),
            "recolhimentos": lambda: handed_in.payments(tx, case_id, self._local),
            "devolucao": lambda: str(owed.refund) if owed.refund else None,
        }
        return told[name]()

    def _local(self, instant: Any) -> str:
        return f"{instant.astimezone(self.dossier.norm.zone):%d/%m/%Y %H:%M}"
