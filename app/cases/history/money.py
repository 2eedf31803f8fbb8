"""What a case made somebody owe, what had been paid and what goes back, as of one entry of its journal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from app.audit import Entry
from app.cases.history import kept
from app.cases.history.past import Past
from app.cases.history.trail import path
from app.store import Reader
from app.values import Money, Units, parse_instant


@dataclass(frozen=True)
class Payment:
    """A receipt handed in at the counter: its number, what it is worth and when it was paid."""

    seq: int
    number: str
    amount: Money
    paid_at: datetime


@dataclass(frozen=True)
class Due:
    """What was owed. `refund` is what was ordered to go back, with the percent of it that was annulled."""

    units: Units
    amount: Money
    refund: Money | None
    refund_percent: int | None


def due(past: Past, seq: int) -> Due | None:
    """What the case made owe; None when nothing had made it owe, or that had been annulled."""
    now = past.history[seq]
    if now.units is None:
        return None
    charged = [
        order["result"]["cents"]
        for number in path(past.told[:seq])
        for order in past.told[number - 1].body.get("orders", [])
        if order["order"] == "cobrar"
    ]
    amount = Money(charged[-1] if charged and now.units else 0)
    percent, cents = now.refund or (None, None)
    return Due(Units(now.units), amount, None if cents is None else Money(cents), percent)


def payments(reader: Reader, past: Past, seq: int) -> list[Payment]:
    """What had been paid by then. Annulling an act gives nothing back: a payment stays where it is."""
    return list(_payments(reader, past, seq))


def _payments(reader: Reader, past: Past, seq: int) -> Iterator[Payment]:
    proofs = _proofs(past, seq)
    forms = kept.forms(reader, proofs)
    for entry in proofs:
        form = forms.get(entry.seq)
        told = form.answers.get("valor") if form else None
        if form and isinstance(told, str):
            when = form.answers.get("pago_em")
            instant = parse_instant(when) if isinstance(when, str) else entry.effective_at
            yield Payment(entry.seq, str(entry.body["number"]), Money.parse(told), instant)


def _proofs(past: Past, seq: int) -> list[Entry]:
    """Entries that received a proof of payment, once the case had made somebody owe."""
    kinds = past.pinned.norm.filings if past.pinned else {}
    charging, found = False, []
    for entry in past.told[:seq]:
        kind = kinds.get(entry.body.get("kind", ""))
        if charging and kind is not None and kind.payment and "filing" in entry.body:
            found.append(entry)
        charging = charging or any(o["order"] == "cobrar" for o in entry.body.get("orders", []))
    return found
