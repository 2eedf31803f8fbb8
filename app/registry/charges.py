"""What a case makes a carrier owe, what was paid and when, what goes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import ColumnElement, func, select, update

from app import audit
from app.registry.carriers import stream_of
from app.store import Reader, Row, Tx
from app.store.registry_tables import charge, payment
from app.values import Money, Units, iso


@dataclass(frozen=True)
class Charge:
    """Units of the law, worth of one unit on the reference day, amount in reais; who pays."""

    case_id: str
    carrier_id: str
    units: Units
    unit_value: Money
    amount: Money
    reference_on: date
    refund_percent: int | None
    refund: Money | None
    withdrawn: bool = False


def of_case(reader: Reader, case_id: str) -> Charge | None:
    row = reader.first(select(charge).where(charge.c.case_id == case_id))
    if row is None:
        return None
    refund = None if row["refund_cents"] is None else Money(row["refund_cents"])
    return Charge(
        case_id,
        row["carrier_id"],
        Units(row["units"]),
        Money(row["unit_cents"]),
        Money(row["cents"]),
        row["reference_on"],
        row["refund_percent"],
        refund,
        row["withdrawn"],
    )


def owe(tx: Tx, case_id: str, carrier_id: str, units: Units, unit_value: Money, reference_on: date) -> Money:
    """Creates the case's charge, or changes its amount. The unit value is that of the first reference day."""
    existing = of_case(tx, case_id)
    if existing and not existing.withdrawn:
        unit_value, reference_on = existing.unit_value, existing.reference_on
    amount = units.at(unit_value)
    row = {"units": units.hundredths, "cents": amount.cents}
    fixed = {"carrier_id": carrier_id, "unit_cents": unit_value.cents, "reference_on": reference_on}
    if existing:
        changes = {**fixed, **row, "withdrawn": False}
        tx.write(update(charge).where(charge.c.case_id == case_id).values(**changes))
    else:
        tx.add(charge, case_id=case_id, **fixed, **row, withdrawn=False)
    body = {
        **row,
        "unit_cents": unit_value.cents,
        "reference_on": reference_on.isoformat(),
        "case_id": case_id,
    }
    audit.append(tx, stream_of(carrier_id), "owe", body)
    return amount


def withdraw(tx: Tx, case_id: str) -> None:
    """The act that made the case owe was annulled: nothing is owed. What was paid stays recorded.

    A later charge takes the unit value of its own reference day.
    """
    owed = of_case(tx, case_id)
    if owed is None or owed.withdrawn:
        return
    row = {"units": 0, "cents": 0, "withdrawn": True}
    tx.write(update(charge).where(charge.c.case_id == case_id).values(**row))
    audit.append(tx, stream_of(owed.carrier_id), "withdraw", {**row, "case_id": case_id})


def pay(tx: Tx, case_id: str, amount: Money, paid_at: datetime, filing_id: str | None) -> None:
    """Records a payment towards the case's charge, with the instant it was made."""
    owed = of_case(tx, case_id)
    if owed is None:
        return
    payment_id = tx.new_id()
    row = {"id": payment_id, "case_id": case_id, "cents": amount.cents, "filing_id": filing_id}
    tx.add(payment, paid_at=paid_at, **row)
    audit.append(tx, stream_of(owed.carrier_id), "pay", {**row, "paid_at": iso(paid_at)})


def payments(reader: Reader, case_id: str) -> Sequence[Row]:
    """Each payment towards the case's charge, oldest first: `cents`, `paid_at`, `filing_id`."""
    return reader.all(
        select(payment).where(payment.c.case_id == case_id).order_by(payment.c.paid_at, payment.c.id)
    )


def paid(reader: Reader, case_id: str, before: datetime | None = None) -> Money:
    """Sum of the payments, or of those made before the instant `before`."""
    statement = select(func.coalesce(func.sum(payment.c.cents), 0)).where(payment.c.case_id == case_id)
    if before is not None:
        statement = statement.where(payment.c.paid_at < before)
    return Money(int(reader.scalar(statement)))


def settled(reader: Reader, case_id: str, before: datetime | None = None) -> bool:
    """Whether payments (made before `before`) cover what the case makes owe. Nothing owed is not paid."""
    owed = of_case(reader, case_id)
    return owed is not None and paid(reader, case_id, before) >= owed.amount


def missing() -> ColumnElement[int]:
    """Centavos that a charge still lacks; below zero where too much was paid, which settles nothing elsewhere."""
    received = select(func.coalesce(func.sum(payment.c.cents), 0)).where(
        payment.c.case_id == charge.c.case_id
    )
    return charge.c.cents - received.scalar_subquery()


def open_of(reader: Reader, carrier_id: str, *, except_case: str) -> tuple[int, Money]:
    """How many cases of a carrier, besides one, still make it owe, and how much in all."""
    lacking = missing()
    row = reader.one(
        select(func.count().label("cases"), func.coalesce(func.sum(lacking), 0).label("cents"))
        .select_from(charge)
        .where(charge.c.carrier_id == carrier_id, charge.c.case_id != except_case, lacking > 0),
        "",
    )
    return int(row["cases"]), Money(int(row["cents"]))


def refund(tx: Tx, case_id: str, percent: int | None, amount: Money | None) -> None:
    """Orders that `amount`, `percent` hundredths of what was annulled, goes back to the payer; None takes it back."""
    if (owed := of_case(tx, case_id)) is None:
        return
    row = {"refund_percent": percent, "refund_cents": amount.cents if amount else None}
    tx.write(update(charge).where(charge.c.case_id == case_id).values(**row))
    audit.append(tx, stream_of(owed.carrier_id), "refund", {**row, "case_id": case_id})
