"""Whom and what a case is about, and what it makes somebody owe."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import NotFound
from app.law.norm import Norm
from app.registry import carriers, charges
from app.store import Reader, Row
from app.values import Money
from app.web.forms.choices import reading_of
from app.web.language import N_
from app.web.sheets.facts import Pair


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


def table_row(norm: Norm, case: Row) -> list[Pair]:
    """The row of the law's table that the case is about, when it is about one."""
    code = str(case["flow"].get("codigo", ""))
    for key, table in norm.tables.items():
        row = table.rows.get(code)
        if row and row.get("descricao"):
            told = [(N_("Código"), code), (N_("O que a lei descreve"), row["descricao"])]
            return [*told, *_doubts(norm, key, code, row.get("nota", ""))]
    return []


def _doubts(norm: Norm, table: str, code: str, note: str) -> list[Pair]:
    """A value that was not read with certainty comes with its warning and with why."""
    doubt = reading_of(norm, table, code)
    if not doubt:
        return []
    return [(N_("Atenção ao valor"), doubt), *([(N_("Nota sobre a leitura"), note)] if note else [])]


def _infringer(reader: Reader, case: Row) -> str:
    kind, _, record = str(case["infringer"] or "").partition(":")
    if kind != "pessoal":
        return ""
    try:
        row = carriers.staff_by_id(reader, record)
    except NotFound:
        return ""
    return f"{carriers.staff_name(reader, row)} ({row['registration']})"
