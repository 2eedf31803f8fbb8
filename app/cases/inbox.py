"""What waits for a person: open tasks of the acts their offices are competent for, most urgent first."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, func, or_, select

from app import people
from app.law.norm import Norm
from app.store import Reader, Row
from app.store.cases_tables import cases, deadline, draft, work_item

PAGE = 50


def inbox(reader: Reader, norm: Norm, person_id: str, *, page: int = 1) -> Sequence[Row]:
    """Open tasks for one person, by the next deadline of their case, then by age. Never loads the engine."""
    nearest = (
        select(deadline.c.case_id, func.min(deadline.c.expires_at).label("next_end"))
        .where(
            or_(
                deadline.c.status == "armed",
                # A term that no event waits for stays a window until the case ends: once over, it is no longer near.
                and_(deadline.c.status == "window", deadline.c.expires_at > reader.now),
            )
        )
        .group_by(deadline.c.case_id)
        .subquery()
    )
    statement = (
        select(
            work_item,
            cases.c.number,
            cases.c.status.label("case_status"),
            cases.c.process,
            nearest.c.next_end,
        )
        .join(cases, cases.c.id == work_item.c.case_id)
        .outerjoin(nearest, nearest.c.case_id == work_item.c.case_id)
        .where(work_item.c.status == "open", _mine(reader, norm, person_id))
        .order_by(nearest.c.next_end.is_(None), nearest.c.next_end, work_item.c.opened_at, work_item.c.id)
        .limit(PAGE)
        .offset((page - 1) * PAGE)
    )
    return reader.all(statement)


def count(reader: Reader, norm: Norm, person_id: str) -> int:
    """How many open tasks wait for the person."""
    statement = select(func.count()).select_from(work_item)
    return int(reader.scalar(statement.where(work_item.c.status == "open", _mine(reader, norm, person_id))))


def draft_of(reader: Reader, item_id: str, person_id: str) -> Row | None:
    """What the person has typed into a task so far."""
    return reader.first(select(draft).where(draft.c.work_item_id == item_id, draft.c.person_id == person_id))


def _mine(reader: Reader, norm: Norm, person_id: str) -> ColumnElement[bool]:
    offices = people.offices(reader, person_id, reader.now.astimezone(norm.zone).date())
    roles = {o.role for o in offices}
    acts = [c.act for c in norm.competences if c.role in roles]
    own_seats = {o.seat for o in offices if o.seat}
    boards_as_alternate = [b.key for b in norm.boards.values() if b.alternate_role in roles]
    seats_by_role = {s.key for b in norm.boards.values() for s in b.seats if s.role in roles}
    seats = own_seats or seats_by_role
    unseated = and_(work_item.c.seat.is_(None), work_item.c.act.in_(acts))
    seated = and_(
        work_item.c.seat.is_not(None),
        or_(work_item.c.seat.in_(seats), work_item.c.board.in_(boards_as_alternate)),
        work_item.c.act.in_(acts),
    )
    return or_(
        work_item.c.assigned_to == person_id,
        and_(work_item.c.assigned_to.is_(None), or_(unseated, seated)),
    )
