"""Whom an open task waits for, as conditions of a query: a person with what bars them from judging, or an office."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from sqlalchemy import ColumnElement, and_, exists, false, not_, or_, true

from app import people
from app.law.competence import acts_for
from app.law.norm import Board, Norm
from app.people import Office
from app.registry import values
from app.store import Reader
from app.store.cases_tables import cases, submission, work_item


def for_person(reader: Reader, norm: Norm, person_id: str) -> ColumnElement[bool]:
    """Tasks that are the person's own, of an act they are competent for, or of a seat they take today."""
    day = reader.now.astimezone(norm.zone).date()
    roles = {o.role for o in people.offices(reader, person_id, day)}
    acts = sorted(acts_for(norm, roles, day))
    seats = list(_seats(reader, norm, person_id, roles))
    unseated = and_(work_item.c.seat.is_(None), work_item.c.act.in_(acts))
    seated = and_(work_item.c.act.in_(acts), or_(*seats, false()))
    return or_(
        work_item.c.assigned_to == person_id,
        and_(work_item.c.assigned_to.is_(None), or_(unseated, seated)),
    )


def for_office(norm: Norm, role: str, held: Sequence[Office], day: date) -> ColumnElement[bool]:
    """Tasks that wait for an office: of its acts or of its seats.

    What was given to one person waits for the office that this person holds. `held`: who holds the office on the day.
    """
    seats = [
        and_(work_item.c.board == board.key, work_item.c.seat == seat.key)
        for board in norm.boards.values()
        for seat in board.seats
        if seat.role == role
    ]
    its_acts = and_(work_item.c.seat.is_(None), work_item.c.act.in_(sorted(acts_for(norm, {role}, day))))
    holders = sorted({office.person_id for office in held})
    own = or_(work_item.c.assigned_to.is_(None), work_item.c.assigned_to.in_(holders))
    return and_(own, or_(its_acts, *seats))


def _seats(reader: Reader, norm: Norm, person_id: str, roles: set[str]) -> Iterator[ColumnElement[bool]]:
    """Per seat: the holder's tasks where nothing bars them; an alternate's where the holder is barred or missing."""
    day = reader.now.astimezone(norm.zone).date()
    bars = values.choices_on(reader, norm, day).get("autuante.julga", "bloquear") == "bloquear"
    seated = sorted({seat.role for board in norm.boards.values() for seat in board.seats})
    held = people.holders(reader, seated, day)

    def accused(board: Board, whom: str) -> ColumnElement[bool]:
        return _accused(norm, board, whom) if bars else false()

    for board in norm.boards.values():
        for seat in board.seats:
            this = and_(work_item.c.board == board.key, work_item.c.seat == seat.key)
            taken = (o.person_id for o in held if o.role == seat.role and o.seat in (None, seat.key))
            holder = next(taken, None)
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
