"""Whom and what a case is about, and what it makes somebody owe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.errors import NotFound
from app.law.norm import Norm, Table
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
    carrier_id: str = ""
    staff_id: str = ""


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

    @property
    def nothing(self) -> bool:
        """A charge that was annulled or fell with its case: neither settled nor open."""
        return self.amount.cents == 0

    @property
    def open(self) -> Money:
        """What is still to be paid."""
        return Money(max(0, self.amount.cents - self.paid.cents))

    @property
    def surplus(self) -> Money | None:
        """What was paid above what is owed, until somebody has decided what of it goes back."""
        over = Money(self.paid.cents - self.amount.cents)
        return over if over.cents > 0 and self.refund is None else None


def parties(reader: Reader, case: Row) -> Parties:
    carrier = carriers.carrier_by_id(reader, case["carrier_id"]) if case["carrier_id"] else {}
    grant = carriers.grant_by_id(reader, case["grant_id"]) if case["grant_id"] else {}
    infringer = _infringer(reader, case)
    return Parties(
        carrier.get("name", ""),
        carrier.get("document", ""),
        infringer,
        grant.get("line", ""),
        carrier.get("id", ""),
        str(case["infringer"]).partition(":")[2] if infringer else "",
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


def table_row(reader: Reader, norm: Norm, case: Row) -> list[Pair]:
    """The rule of the law's table that the case is about, as when it was charged; before, as when it was opened."""
    rule = norm.charged(case["process"], case["flow"])
    if rule is None:
        return []
    table, code = rule
    charge = charges.of_case(reader, case["id"])
    day = charge.reference_on if charge else case["opened_at"].astimezone(norm.zone).date()
    row = table.known_on(code, day)
    if not row or not row.get("descricao"):
        return []
    return [(N_("Código"), code), (N_("O que a lei descreve"), row["descricao"]), *_doubts(table, row)]


def _doubts(table: Table, row: Mapping[str, str]) -> list[Pair]:
    """A value that was not read with certainty comes with its warning and with why."""
    doubt, note = reading_of(table, row), row.get("nota", "")
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
