"""How things stand, on one page: cases by state, what expires within a week, what is overdue, whom it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

from flask import Blueprint, g, render_template
from sqlalchemy import func, select

from app.law.norm import Norm
from app.store import Reader, Row
from app.store.cases_tables import cases, deadline, work_item
from app.web.session import store
from app.web.sheets import holders

routes = Blueprint("situation", __name__)
SOON = timedelta(days=7)
MOST = 100


@routes.get("/situacao")
def show() -> Any:
    with store().read() as reader:
        return render_template(
            "situation.html",
            by_status=_by_status(reader, g.norm),
            overdue=_deadlines(reader, deadline.c.status == "armed", deadline.c.expires_at <= reader.now),
            soon=_deadlines(reader, *_soon(reader, g.norm)),
            waiting_acts=_waiting(reader, g.norm),
        )


def _by_status(reader: Reader, norm: Norm) -> list[tuple[str, int]]:
    """States that have cases, in the order of the norm."""
    rows = reader.all(select(cases.c.status, func.count().label("count")).group_by(cases.c.status))
    found = {r["status"]: int(r["count"]) for r in rows}
    return [
        (key, found[key])
        for key in [*norm.statuses, *sorted(set(found) - set(norm.statuses))]
        if key in found
    ]


def _soon(reader: Reader, norm: Norm) -> tuple[Any, ...]:
    """Terms whose last day is within a week of today, those included that no event of a diagram waits for."""
    today = reader.now.astimezone(norm.zone).date()
    after = datetime.combine(today + SOON + timedelta(days=1), time.min, norm.zone)
    ends = deadline.c.expires_at
    return (deadline.c.status.in_(("armed", "window")), ends > reader.now, ends <= after)


def _deadlines(reader: Reader, *wanted: Any) -> Sequence[Row]:
    return reader.all(
        select(deadline, cases.c.number, cases.c.status.label("case_status"))
        .join(cases, cases.c.id == deadline.c.case_id)
        .where(*wanted)
        .order_by(deadline.c.expires_at, cases.c.number)
        .limit(MOST)
    )


def _waiting(reader: Reader, norm: Norm) -> list[tuple[Row, holders.Holders]]:
    """Open tasks by act, with the offices they wait for, the longest queue first."""
    rows = reader.all(
        select(
            work_item.c.act,
            work_item.c.name,
            func.count().label("count"),
            func.min(work_item.c.opened_at).label("oldest"),
        )
        .where(work_item.c.status == "open")
        .group_by(work_item.c.act, work_item.c.name)
        .order_by(func.count().desc(), work_item.c.act, work_item.c.name)
    )
    return [(row, holders.of_act(reader, norm, row["act"])) for row in rows]
