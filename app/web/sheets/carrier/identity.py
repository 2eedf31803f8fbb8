"""Who a carrier is and who works for it: grants and staff, each with what a page needs to say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from app.registry import carriers, occurrences
from app.registry.enrolment import cnpj
from app.store import Reader, Row


@dataclass(frozen=True)
class Grant:
    """A grant; `running` today or not. `noticed`: notices that stand since it began, which end first offence."""

    line: str
    regime: str
    since: date
    until: date | None
    running: bool
    begun: bool
    noticed: int


@dataclass(frozen=True)
class Member:
    """One of the traffic staff; no `name` when the person's data has been erased."""

    id: str
    name: str | None
    category: str
    registration: str
    registered_on: date


def certain(document: str) -> bool:
    """Whether a CNPJ's check digits fit."""
    return cnpj.written(document) is not None


def grants(reader: Reader, carrier_id: str, infringer: str, whole: bool, today: date) -> list[Grant]:
    """The grants of a carrier, those that run today first. `whole`: its staff's record counts as its own."""
    standing = (
        occurrences.of_carrier(reader, carrier_id) if whole else occurrences.of_infringer(reader, infringer)
    )
    shown = [_grant(row, standing, today) for row in carriers.grants_of(reader, carrier_id)]
    return sorted(shown, key=lambda grant: (not grant.running, grant.line))


def member(reader: Reader, row: Row) -> Member:
    name = carriers.known_name(reader, row)
    return Member(row["id"], name, row["category"], row["registration"], row["registered_on"])


def staff(reader: Reader, carrier_id: str) -> list[Member]:
    return [member(reader, row) for row in carriers.staff_of(reader, carrier_id)]


def _grant(row: Row, standing: Sequence[Row], today: date) -> Grant:
    since, until = row["since"], row["until"]
    noticed = sum(1 for o in standing if since <= o["happened_on"] <= (until or date.max))
    begun = since <= today
    return Grant(
        row["line"], row["regime"], since, until, begun and (until is None or until >= today), begun, noticed
    )
