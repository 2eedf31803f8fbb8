"""How a case stands beside its state: what its cancelling made of the charge, and why it cannot move."""

from __future__ import annotations

from dataclasses import dataclass

from app.audit import Entry, seal
from app.cases.acts.ending import FALLS
from app.cases.standstill import DAMAGED, ERASED
from app.store import Reader, Row
from app.values import Json, Money
from app.web.language import N_

WHY = {
    DAMAGED: N_("o estado guardado do processo está danificado"),
    ERASED: N_("os dados pessoais do processo foram eliminados"),
}


@dataclass(frozen=True)
class Fate:
    """What the person who cancelled a case decided about its charge."""

    falls: bool
    amount: Money


@dataclass(frozen=True)
class Standing:
    """`erased`: the data of its subject is gone. `stuck`: filings that were kept and went no further, with why."""

    erased: bool
    stuck: tuple[tuple[str, str], ...]
    fate: Fate | None


def standing(reader: Reader, case: Row, told: list[Entry]) -> Standing:
    stuck = tuple(
        (str(e.body["number"]), WHY[e.body["standstill"]])
        for e in told
        if e.act == "file" and "standstill" in e.body
    )
    return Standing(seal.erased(reader, case["subject_id"]), stuck, _fate(told))


def _fate(told: list[Entry]) -> Fate | None:
    body: Json = next((e.body for e in told if e.act == "cancel"), {})
    return Fate(body["charge"] == FALLS, Money(body["cents"])) if "charge" in body else None
