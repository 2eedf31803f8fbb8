"""The cases of a carrier or of a person, and what each made the carrier owe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select

from app.cases.record.near import running
from app.law.norm import Norm
from app.store import Reader, Row
from app.store.cases_tables import cases, deadline
from app.store.registry_tables import charge, payment
from app.values import Money, Units
from app.web.sheets.subject import Owed


@dataclass(frozen=True)
class Charged:
    """A charge of one case; `withdrawn` when the act that made it was annulled."""

    number: str
    owed: Owed
    withdrawn: bool


@dataclass(frozen=True)
class Total:
    """What all charges together still ask for, what was paid, what is to go back, what was paid too much."""

    open: Money
    paid: Money
    refund: Money
    surplus: Money


def cases_of(reader: Reader, whose: ColumnElement[bool]) -> Sequence[Row]:
    """With `next_end`, the nearest end of a running term; open cases first, the newest first."""
    ends = select(func.min(deadline.c.expires_at)).where(
        deadline.c.case_id == cases.c.id, running(reader.now)
    )
    columns = ("number", "process", "status", "opened_at", "closed_at", "infringer")
    return reader.all(
        select(*(cases.c[name] for name in columns), ends.scalar_subquery().label("next_end"))
        .where(whose)
        .order_by(cases.c.closed_at.is_not(None), cases.c.opened_at.desc(), cases.c.id.desc())
    )


def of_carrier(reader: Reader, carrier_id: str) -> Sequence[Row]:
    """Its own cases and those of its staff, for whose faults it answers (Jequié, Art. 95)."""
    return cases_of(reader, cases.c.carrier_id == carrier_id)


def of_person(reader: Reader, staff_id: str) -> Sequence[Row]:
    return cases_of(reader, cases.c.infringer == f"pessoal:{staff_id}")


def charges_of(reader: Reader, norm: Norm, carrier_id: str) -> list[Charged]:
    """The newest case first."""
    paid = select(payment.c.case_id, func.sum(payment.c.cents).label("paid")).group_by(payment.c.case_id)
    paid_of = paid.subquery()
    rows = reader.all(
        select(charge, cases.c.number, func.coalesce(paid_of.c.paid, 0).label("paid"))
        .join(cases, cases.c.id == charge.c.case_id)
        .outerjoin(paid_of, paid_of.c.case_id == charge.c.case_id)
        .where(charge.c.carrier_id == carrier_id)
        .order_by(cases.c.opened_at.desc(), cases.c.id.desc())
    )
    return [Charged(row["number"], _owed(norm, row), bool(row["withdrawn"])) for row in rows]


def total(charges: Sequence[Charged]) -> Total:
    """Added up case by case: what is too much in one settles nothing in another."""
    owed = [one.owed for one in charges]
    return Total(
        Money(sum(max(0, o.amount.cents - o.paid.cents) for o in owed)),
        Money(sum(o.paid.cents for o in owed)),
        Money(sum(o.refund.cents for o in owed if o.refund)),
        Money(sum(o.surplus.cents for o in owed if o.surplus)),
    )


def _owed(norm: Norm, row: Row) -> Owed:
    refund = None if row["refund_cents"] is None else Money(row["refund_cents"])
    units = f"{Units(row['units'])} {norm.unit_name}"
    return Owed(units, Money(row["cents"]), Money(int(row["paid"])), refund, row["refund_percent"])
