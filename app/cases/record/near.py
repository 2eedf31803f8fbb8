"""The next end of a term, kept beside each open task, so that lists need not look for it in every case.

Derived from the terms of the case. It moves with the acts that move these, and once more when a term that was only
shown is over: no act tells of that, so `pass_over` follows it. Until it has, a kept end that is past says no more than
that nothing ends before it; whoever reads one looks the case's terms up anew (`finding/tasks.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, bindparam, exists, func, literal, or_, select, update

from app.cases.dossier import Dossier
from app.engine.step import Step
from app.store import Reader, Tx
from app.store.cases_tables import NO_END, OPEN, cases, deadline, work_item
from app.store.types import Utc
from app.values import Json

_COUNTING = frozenset({"contar", "encerrar"})  # orders that begin and end terms which no event waits for
_NOW: ColumnElement[datetime] = bindparam("now", type_=Utc)


def running(now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    """Terms that still matter: armed ones, also when overdue, and shown ones until they are over.

    A term that no event waits for stays a window until the case ends: once over, it is no longer near.
    """
    return or_(deadline.c.status == "armed", and_(deadline.c.status == "window", deadline.c.expires_at > now))


def next_end(now: datetime | ColumnElement[datetime]) -> ColumnElement[datetime]:
    """The next end among the running terms of a task's case; `NO_END` where none runs."""
    ends = select(func.min(deadline.c.expires_at)).where(
        deadline.c.case_id == work_item.c.case_id, running(now)
    )
    return func.coalesce(ends.correlate(work_item).scalar_subquery(), literal(NO_END, Utc))


_MOVED = and_(work_item.c.status == OPEN, work_item.c.next_end != next_end(_NOW))
_REFRESH = update(work_item).where(_MOVED).values(next_end=next_end(_NOW))
_OF_CASE = _REFRESH.where(work_item.c.case_id == bindparam("its_case"))
_OF_CASES = _REFRESH.where(work_item.c.case_id.in_(bindparam("its_cases", expanding=True)))
_PASSED = (
    select(work_item.c.case_id)
    .distinct()
    .where(work_item.c.status == OPEN, work_item.c.next_end <= _NOW)
    .where(
        ~exists().where(
            deadline.c.case_id == work_item.c.case_id,
            deadline.c.status == "armed",
            deadline.c.expires_at <= _NOW,
        )
    )
    .limit(bindparam("most"))
)
_FREE = select(cases.c.id).where(cases.c.id.in_(bindparam("its_cases", expanding=True)))
_FREE = _FREE.order_by(cases.c.id).with_for_update(skip_locked=True)


def inherited(dossier: Dossier) -> datetime:
    """What a task that opens now begins with: what the tasks before it had, being of the same case."""
    return dossier.open_items[0]["next_end"] if dossier.open_items else NO_END


def follow(dossier: Dossier, step: Step, command: Json) -> None:
    """Brings the tasks that are open after a step up to its terms, if it may have moved any."""
    waited = {row["task_id"] for row in dossier.armed}
    moved = waited != {armed.task_id for armed in step.armed} or any(o.name in _COUNTING for o in step.orders)
    unknown = (
        command["op"] != "start" and not dossier.open_items
    )  # nothing to inherit from; a new case has no terms
    if step.tasks and (moved or unknown):
        refresh(dossier)


def refresh(dossier: Dossier) -> None:
    """Brings the case's open tasks up to its terms as they now stand."""
    dossier.tx.write(_OF_CASE, its_case=dossier.id, now=dossier.tx.now)
    dossier.moved()


def passed(reader: Reader, most: int) -> list[str]:
    """Cases whose tasks still keep the end of a term that was only shown and is over."""
    return [str(row["case_id"]) for row in reader.all(_PASSED, now=reader.now, most=most)]


def pass_over(tx: Tx, case_ids: Sequence[str]) -> int:
    """Brings the tasks of these cases up to their terms; gives how many moved. Cases that somebody works on wait.

    The cases are locked first, as by every act: otherwise an act might write its terms between the reading of the old
    ones and the writing of what follows from them.
    """
    free = [row["id"] for row in tx.all(_FREE, its_cases=list(case_ids))]
    return tx.write(_OF_CASES, its_cases=free, now=tx.now)
