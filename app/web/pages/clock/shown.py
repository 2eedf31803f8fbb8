"""What the clock's page shows of cases: terms that end next, and terms that ran out while time passed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import select

from app.demo.letting_pass import Journey, happened
from app.store import Reader, Row
from app.store.cases_tables import cases, deadline

_MOST = 200
_BY_END = (
    select(deadline, cases.c.number, cases.c.status.label("case_status"))
    .join(cases, cases.c.id == deadline.c.case_id)
    .order_by(deadline.c.expires_at, deadline.c.id)
)


@dataclass(frozen=True)
class Passed:
    """A journey as told afterwards: the terms that ran out (the first of them) and how many they were.

    `quiet` are terms that ended and moved nothing, since no event of the diagram waits for their end.
    """

    journey: Journey
    count: int
    terms: list[tuple[Row, str, Row]]  # the case, the key of the term, the journal's row
    quiet: Sequence[Row]


def ends_ahead(reader: Reader, most: int) -> Sequence[Row]:
    """Running terms by their end, the nearest first."""
    running = (deadline.c.status.in_(("armed", "window")), deadline.c.expires_at > reader.now)
    return reader.all(_BY_END.where(*running).limit(most))


def passed(reader: Reader, journey: Journey) -> Passed:
    count, rows = happened(reader, journey, _MOST)
    ids = {row["stream"].partition(":")[2] for row in rows}
    known = {r["id"]: r for r in reader.all(select(cases).where(cases.c.id.in_(sorted(ids))))}
    terms = [
        (known[row["stream"].partition(":")[2]], orjson.loads(row["body"])["body"]["key"], row)
        for row in rows
    ]
    ended = (deadline.c.expires_at > journey.start, deadline.c.expires_at <= journey.end)
    quiet = reader.all(_BY_END.where(deadline.c.status == "window", *ended).limit(_MOST))
    return Passed(journey, count, terms, quiet)
