"""What is known of a case: what was answered in each form, who is concerned, what is owed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app import people
from app.audit import seal
from app.cases.display import shown
from app.cases.forms import field_spec, properties
from app.cases.history import Folder
from app.errors import NotFound
from app.law.norm import Norm
from app.registry import carriers, charges
from app.store import Reader, Row
from app.values import Json, Money
from app.web.forms.choices import called
from app.web.language import N_

Pair = tuple[str, str]  # label and text, both as the norm says them


@dataclass(frozen=True)
class Answered:
    """The answers of one form, by whom and when."""

    seq: int
    title: str
    who: str
    at: Any
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Parties:
    """Whom and what a case is about. Empty text where it is about nobody or nothing of the kind."""

    carrier: str
    document: str
    infringer: str
    line: str


@dataclass(frozen=True)
class Owed:
    """What the case makes the carrier owe, what was paid and what goes back."""

    units: str
    amount: Money
    paid: Money
    refund: Money | None
    refund_percent: int | None

    @property
    def settled(self) -> bool:
        return self.paid >= self.amount


def parties(reader: Reader, case: Row) -> Parties:
    carrier = carriers.carrier_by_id(reader, case["carrier_id"]) if case["carrier_id"] else {}
    grant = carriers.grant_by_id(reader, case["grant_id"]) if case["grant_id"] else {}
    return Parties(
        carrier.get("name", ""), carrier.get("document", ""), _infringer(reader, case), grant.get("line", "")
    )


def owed(reader: Reader, norm: Norm, case_id: str) -> Owed | None:
    charge = charges.of_case(reader, case_id)
    if charge is None:
        return None
    return Owed(
        f"{charge.units} {norm.unit_name}",
        charge.amount,
        charges.paid(reader, case_id),
        charge.refund,
        charge.refund_percent,
    )


def answered(reader: Reader, norm: Norm, folder: Folder) -> list[Answered]:
    """Every form answered in the case, oldest first, without the votes of a round that is still open."""
    hidden = open_round(folder)
    return [
        Answered(
            row["seq"],
            norm.forms[row["form"]][0].get("title", row["form"]),
            people.name_of(reader, row["by"]),
            row["effective_at"],
            _pairs(reader, norm, row),
        )
        for row in folder.submissions
        if row["form"] in norm.forms and row["work_item_id"] not in hidden
    ]


def services(norm: Norm, folder: Folder) -> list[dict[str, Any]]:
    """When and how the party was served, in the words of the form that says so."""
    forms = {row["id"]: row["form"] for row in folder.submissions}
    return [
        {
            "served_at": row["served_at"],
            "mode": shown(norm, forms.get(row["submission_id"], ""), "modo", row["mode"]),
        }
        for row in folder.services
    ]


def open_round(folder: Folder) -> set[str]:
    """Tasks of seats whose colleagues have yet to vote: nobody sees a vote before all are in."""
    voting = {(i["element"], i["opened_seq"]) for i in folder.items if i["seat"] and i["status"] == "open"}
    return {i["id"] for i in folder.items if i["seat"] and (i["element"], i["opened_seq"]) in voting}


def table_row(norm: Norm, case: Row) -> list[Pair]:
    """The row of the law's table that the case is about, when it is about one."""
    code = str(case["flow"].get("codigo", ""))
    for table in norm.tables.values():
        row = table.rows.get(code)
        if row and row.get("descricao"):
            return [(N_("Código"), code), (N_("O que a lei descreve"), row["descricao"])]
    return []


def _pairs(reader: Reader, norm: Norm, row: Row) -> tuple[Pair, ...]:
    answers: Mapping[str, Json] = {**row["answers"], **(seal.unseal(reader, row["sealed_id"]) or {})}
    schema = norm.forms[row["form"]][0]
    names: Sequence[str] = [name for name in properties(schema) if name in answers]
    return tuple(
        (_title(schema, name), _text(reader, norm, row["form"], name, answers[name])) for name in names
    )


def _title(schema: Json, name: str) -> str:
    return str((field_spec(schema, name) or {}).get("title", name))


def _text(reader: Reader, norm: Norm, form: str, name: str, value: Json) -> str:
    spec = field_spec(norm.forms[form][0], name) or {}
    return called(reader, norm, spec, value) or shown(norm, form, name, value)


def _infringer(reader: Reader, case: Row) -> str:
    kind, _, record = str(case["infringer"] or "").partition(":")
    if kind != "pessoal":
        return ""
    try:
        row = carriers.staff_by_id(reader, record)
    except NotFound:
        return ""
    return f"{carriers.staff_name(reader, row)} ({row['registration']})"
