"""Whom an open task waits for, as conditions of a query: a person with what bars them from judging, or an office."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, and_, exists, false, not_, or_

from app import people
from app.law.competence import acts_for
from app.law.norm import Norm
from app.people import Office
from app.registry import values
from app.store import Reader
from app.store.cases_tables import cases, submission, work_item


@dataclass(frozen=True)
class Seat:
    """A seat of a board that a person may take today, in the cases in which nothing bars them.

    Attributes:
        instead_of: whose place an alternate takes, only where that one is barred; None for whoever takes it anyway.
        barring_acts, barring_processes: who did one of these acts, or opened a case by one of these processes, may not
            judge it; none where the municipality lets them.
    """

    board: str
    seat: str
    instead_of: str | None
    barring_acts: tuple[str, ...]
    barring_processes: tuple[str, ...]


@dataclass(frozen=True)
class Share:
    """What waits for one person: their own tasks, and those in the pool of an act, as far as their seats go.

    `acts`: what their offices are competent for today.
    """

    person_id: str
    acts: tuple[str, ...]
    seats: tuple[Seat, ...]

    @property
    def own(self) -> ColumnElement[bool]:
        return work_item.c.assigned_to == self.person_id

    @property
    def fits(self) -> ColumnElement[bool]:
        """Of the tasks of their acts, those without a seat and those of a seat that they take."""
        return or_(work_item.c.seat.is_(None), *(_taken(seat, self.person_id) for seat in self.seats))

    @property
    def pooled(self) -> ColumnElement[bool]:
        return and_(work_item.c.assigned_to.is_(None), work_item.c.act.in_(self.acts), self.fits)

    @property
    def whole(self) -> ColumnElement[bool]:
        return or_(self.own, self.pooled)


def share(reader: Reader, norm: Norm, person_id: str) -> Share:
    """What waits for a person on the day, with what bars them from judging."""
    day = reader.now.astimezone(norm.zone).date()
    roles = {o.role for o in people.offices(reader, person_id, day)}
    acts = tuple(sorted(acts_for(norm, roles, day)))
    return Share(person_id, acts, tuple(_seats(reader, norm, person_id, roles)))


def for_person(reader: Reader, norm: Norm, person_id: str) -> ColumnElement[bool]:
    """Tasks that are the person's own, of an act they are competent for, or of a seat they take today."""
    return share(reader, norm, person_id).whole


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


def _seats(reader: Reader, norm: Norm, person_id: str, roles: set[str]) -> Iterator[Seat]:
    """Those the person holds, and those in which they are the alternate of a holder who may be barred, or missing."""
    boards = [b for b in norm.boards.values() if roles & {b.alternate_role, *(seat.role for seat in b.seats)}]
    if not boards:
        return
    day = reader.now.astimezone(norm.zone).date()
    bars = values.choices_on(reader, norm, day).get("autuante.julga", "bloquear") == "bloquear"
    seated = sorted({seat.role for board in boards for seat in board.seats})
    held = people.holders(reader, seated, day)
    for board in boards:
        opening = (p.key for p in norm.processes.values() if p.act in board.barring_acts)
        barring = (tuple(board.barring_acts), tuple(opening)) if bars else ((), ())
        for seat in board.seats:
            taken = (o.person_id for o in held if o.role == seat.role and o.seat in (None, seat.key))
            holder = next(taken, None)
            if holder == person_id or (holder is None and board.alternate_role in roles):
                yield Seat(board.key, seat.key, None, *barring)
            elif board.alternate_role in roles:
                yield Seat(board.key, seat.key, holder, *barring)


def _taken(seat: Seat, person_id: str) -> ColumnElement[bool]:
    this = and_(work_item.c.board == seat.board, work_item.c.seat == seat.seat)
    here = not_(_accused(seat, person_id))
    return and_(this, here) if seat.instead_of is None else and_(this, _accused(seat, seat.instead_of), here)


def _accused(seat: Seat, person_id: str) -> ColumnElement[bool]:
    """The person did an act in the task's case that bars from judging it (see `access.accusers`)."""
    if not seat.barring_acts:
        return false()
    actor = f"pessoa:{person_id}"
    earlier, opened = work_item.alias("earlier"), cases.alias("opened")
    drew = exists().where(
        earlier.c.case_id == work_item.c.case_id,
        earlier.c.act.in_(seat.barring_acts),
        earlier.c.status == "done",
        earlier.c.closed_by == actor,
    )
    noticed = exists().where(
        submission.c.case_id == work_item.c.case_id,
        submission.c.seq == 1,
        submission.c.by == actor,
        opened.c.id == work_item.c.case_id,
        opened.c.process.in_(seat.barring_processes),
    )
    return or_(drew, noticed)
