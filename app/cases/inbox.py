"""What waits for a person: open tasks of the acts their offices are competent for, most urgent first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, and_, exists, false, func, not_, or_, select, true

from app import people
from app.audit import seal
from app.law.competence import acts_for
from app.law.norm import Board, Norm
from app.registry import values
from app.store import Reader, Row
from app.store.cases_tables import cases, deadline, draft, submission, work_item

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
    """What the person has typed into a task so far: `answers` and `saved_at`."""
    row = reader.first(
        select(draft.c.answers, draft.c.saved_at, cases.c.subject_id)
        .join(work_item, work_item.c.id == draft.c.work_item_id)
        .join(cases, cases.c.id == work_item.c.case_id)
        .where(draft.c.work_item_id == item_id, draft.c.person_id == person_id)
    )
    if row is None:
        return None
    answers = seal.reveal(reader, row["subject_id"], row["answers"], item_id) or {}
    return {"answers": answers, "saved_at": row["saved_at"]}


def drafts_of(reader: Reader, item_ids: Sequence[str], person_id: str) -> set[str]:
    """Which of these tasks the person has begun to write in."""
    query = select(draft.c.work_item_id).where(
        draft.c.work_item_id.in_(item_ids), draft.c.person_id == person_id
    )
    return {row["work_item_id"] for row in reader.all(query)}


def _mine(reader: Reader, norm: Norm, person_id: str) -> ColumnElement[bool]:
    """Tasks that are the person's own, of an act they are competent for, or of a seat they take today."""
    day = reader.now.astimezone(norm.zone).date()
    offices = people.offices(reader, person_id, day)
    roles = {o.role for o in offices}
    acts = sorted(acts_for(norm, roles, day))
    unseated = and_(work_item.c.seat.is_(None), work_item.c.act.in_(acts))
    seated = and_(work_item.c.act.in_(acts), or_(*_seats(reader, norm, person_id, roles), false()))
    return or_(
        work_item.c.assigned_to == person_id,
        and_(work_item.c.assigned_to.is_(None), or_(unseated, seated)),
    )


def _seats(reader: Reader, norm: Norm, person_id: str, roles: set[str]) -> Iterator[ColumnElement[bool]]:
    """Per seat: the holder's tasks where nothing bars them; an alternate's where the holder is barred or missing."""
    day = reader.now.astimezone(norm.zone).date()
    bars = values.choices_on(reader, norm, day).get("autuante.julga", "bloquear") == "bloquear"

    def accused(board: Board, whom: str) -> ColumnElement[bool]:
        return _accused(norm, board, whom) if bars else false()

    for board in norm.boards.values():
        for seat in board.seats:
            this = and_(work_item.c.board == board.key, work_item.c.seat == seat.key)
            held = people.holders(reader, (seat.role,), day)
            holder = next((o.person_id for o in held if o.seat in (None, seat.key)), None)
            if holder == person_id:
                yield and_(this, not_(accused(board, person_id)))
            elif board.alternate_role in roles:
                vacant = accused(board, holder) if holder else true()
                yield and_(this, vacant, not_(accused(board, person_id)))


def _accused(norm: Norm, board: Board, person_id: str) -> ColumnElement[bool]:
    """The person did an act in the task's case that bars from judging it (see `access.accusers`)."""
    actor = f"pessoa:{person_id}"
    earlier, opened = work_item.alias("earlier"), cases.alias("opened")
    drew = exists().where(
        earlier.c.case_id == work_item.c.case_id,
        earlier.c.act.in_(board.barring_acts),
        earlier.c.status == "done",
        earlier.c.closed_by == actor,
    )
    barring = [p.key for p in norm.processes.values() if p.act in board.barring_acts]
    noticed = exists().where(
        submission.c.case_id == work_item.c.case_id,
        submission.c.seq == 1,
        submission.c.by == actor,
        opened.c.id == work_item.c.case_id,
        opened.c.process.in_(barring),
    )
    return or_(drew, noticed)
