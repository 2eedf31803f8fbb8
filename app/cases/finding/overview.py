"""How things stand, in numbers: what a manager asks for first. Each number counts cases that `browsing` can list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlalchemy import and_, func, select

from app import people
from app.cases.finding import browsing, risk, waiting
from app.cases.finding.risk import Horizon, Risk
from app.cases.record import near
from app.law.norm import Norm
from app.people import Office
from app.store import Reader, Row
from app.store.cases_tables import OPEN, cases, deadline, work_item
from app.store.registry_tables import carrier

MOST = 100  # terms that are listed one by one; who wants more opens their cases


@dataclass(frozen=True)
class Ends:
    """The first terms of a band; of how many cases all its terms are; `more`: others are not among the first."""

    rows: Sequence[Row]
    cases: int
    more: bool


@dataclass(frozen=True)
class Queue:
    """What waits for an office: tasks of how many cases, since when; who holds the office today, by name."""

    role: str
    held: tuple[Office, ...]
    cases: int
    oldest: datetime


@dataclass(frozen=True)
class Step:
    """A step of a diagram at which tasks are open: of how many cases, since when.

    `acts`: what it takes to be competent; one, unless norms that cases are bound to disagree.
    """

    element: str
    name: str
    acts: tuple[str, ...]
    cases: int
    oldest: datetime


def by_status(reader: Reader, norm: Norm) -> list[tuple[str, int]]:
    """States that have cases, in the order of the norm; then those that only older norms knew."""
    rows = reader.all(select(cases.c.status, func.count().label("count")).group_by(cases.c.status))
    found = {r["status"]: int(r["count"]) for r in rows}
    order = [*norm.statuses, *sorted(set(found) - set(norm.statuses))]
    return [(key, found[key]) for key in order if key in found]


def ends(reader: Reader, which: Risk, bands: Horizon) -> Ends:
    """Terms of a band, the earliest first."""
    wanted = and_(near.running(bands.now), risk.within(which, deadline.c.expires_at, bands))
    counted = int(reader.scalar(select(func.count(deadline.c.case_id.distinct())).where(wanted)))
    rows = reader.all(
        select(
            deadline.c.key,
            deadline.c.due_at,
            deadline.c.expires_at,
            deadline.c.failure,
            cases.c.number,
            cases.c.status.label("case_status"),
            cases.c.carrier_id,
            carrier.c.name.label("carrier_name"),
        )
        .join(cases, cases.c.id == deadline.c.case_id)
        .outerjoin(carrier, carrier.c.id == cases.c.carrier_id)
        .where(wanted)
        .order_by(deadline.c.expires_at, cases.c.number)
        .limit(MOST + 1)
    )
    return Ends(rows[:MOST], counted, len(rows) > MOST)


def by_term(reader: Reader, norm: Norm, bands: Horizon) -> list[tuple[str, dict[Risk, int]]]:
    """Cases by kind of running term and band, in the order of the norm."""
    banded = (
        select(deadline.c.key, deadline.c.case_id, risk.band(deadline.c.expires_at, bands).label("band"))
        .where(near.running(bands.now))
        .subquery()
    )
    count = func.count(banded.c.case_id.distinct()).label("count")
    rows = reader.all(select(banded.c.key, banded.c.band, count).group_by(banded.c.key, banded.c.band))
    found: dict[str, dict[Risk, int]] = {}
    for row in rows:
        found.setdefault(row["key"], {})[Risk(row["band"])] = int(row["count"])
    order = [*norm.deadlines, *sorted(set(found) - set(norm.deadlines))]
    return [(key, found[key]) for key in order if key in found]


def by_task(reader: Reader) -> list[Step]:
    """Steps that cases wait at, the longest queue first."""
    rows = reader.all(
        select(
            work_item.c.element,
            work_item.c.act,
            func.max(work_item.c.name).label("name"),
            func.count(work_item.c.case_id.distinct()).label("cases"),
            func.min(work_item.c.opened_at).label("oldest"),
        )
        .where(work_item.c.status == OPEN)
        .group_by(work_item.c.element, work_item.c.act)
        .order_by(work_item.c.element, work_item.c.act)
    )
    steps = [_step(element, list(its)) for element, its in groupby(rows, key=lambda row: row["element"])]
    return sorted(steps, key=lambda step: (-step.cases, step.element))


def _step(element: str, rows: Sequence[Row]) -> Step:
    """One step from its rows by act: a case is bound to one norm, so it is in one of them only."""
    return Step(
        element,
        rows[-1]["name"],
        tuple(row["act"] for row in rows),
        sum(int(row["cases"]) for row in rows),
        min(row["oldest"] for row in rows),
    )


def by_office(reader: Reader, norm: Norm) -> list[Queue]:
    """Offices that something waits for, in the order of the norm. A case that waits for several counts in each."""
    day = reader.now.astimezone(norm.zone).date()
    held = people.holders(reader, list(norm.roles), day)
    queues = []
    for role in norm.roles:
        its = [office for office in held if office.role == role]
        row = reader.one(
            select(
                func.count(work_item.c.case_id.distinct()).label("cases"),
                func.min(work_item.c.opened_at).label("oldest"),
            ).where(work_item.c.status == OPEN, waiting.for_office(norm, role, its, day)),
            "",
        )
        if row["cases"]:
            once = {office.person_id: office for office in its}.values()
            named = tuple(sorted(once, key=lambda office: (office.name, office.person_id)))
            queues.append(Queue(role, named, int(row["cases"]), row["oldest"]))
    return queues


def stalled(reader: Reader) -> int:
    """Open cases without any entry for longer than `browsing.STALLED`."""
    count = select(func.count()).select_from(cases)
    return int(reader.scalar(count.where(browsing.stalled(reader.now))))
