"""Whom the house itself writes to, and what: today, that a term has ended and what now waits for whom.

A message names the case, the term and the task, and nobody: it leaves the house unsealed. It is committed with the act
that it tells of, and sent by `outbox` afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import bindparam, select

from app import outbox, people
from app.cases import access, record
from app.cases.dossier import Dossier
from app.engine.runner import OpenTask, Step
from app.law.competence import roles_for
from app.law.norm import Board, Seat
from app.people import Office
from app.store import Row
from app.store.cases_tables import work_item

_OPENED = select(work_item.c.task_id, work_item.c.assigned_to).where(
    work_item.c.case_id == bindparam("case_id"), work_item.c.opened_seq == bindparam("seq")
)


def term_ended(dossier: Dossier, term: Row, step: Step) -> None:
    """One message to each person for whom the end of a term has opened a task, where they have an e-mail address."""
    begun = {change.task_id for change in step.changes}
    opened = [task for task in step.tasks if task.id in begun]
    roles = {role for task in opened for role in _roles(dossier, task)}
    held = people.holders(dossier.tx, sorted(roles), _today(dossier)) if roles else ()
    reachable = {office.person_id for office in held if office.reachable}
    if not reachable:
        return
    barred = access.barred_from_judging(dossier) if any(_seat(dossier, task) for task in opened) else set()
    rows = dossier.tx.all(_OPENED, case_id=dossier.id, seq=dossier.seq)
    assigned = {row["task_id"]: row["assigned_to"] for row in rows}
    waiting: dict[str, dict[str, None]] = {}  # names of tasks by person, in the order of the diagram
    for task in opened:
        own = assigned.get(task.id)
        whom = [own] if own else _competent(dossier, task, held, barred)
        for person_id in sorted(reachable.intersection(whom)):
            waiting.setdefault(person_id, {})[task.name] = None
    for person_id, names in waiting.items():
        _write(dossier, term, person_id, list(names))


def _seat(dossier: Dossier, task: OpenTask) -> tuple[Board, Seat] | None:
    shape = record.shape_of(task)
    board = dossier.norm.boards.get(shape["board"] or "")
    seat = next((s for s in board.seats if s.key == shape["seat"]), None) if board else None
    return (board, seat) if board and seat else None


def _roles(dossier: Dossier, task: OpenTask) -> set[str]:
    """Offices that may have to do with the task: those competent for its act, or its seat's and its alternate's."""
    if seated := _seat(dossier, task):
        board, seat = seated
        return {seat.role, board.alternate_role}
    act = record.shape_of(task)["act"] or ""
    return {row.role for row in roles_for(dossier.norm, act, _today(dossier))}


def _competent(dossier: Dossier, task: OpenTask, held: Sequence[Office], barred: set[str]) -> list[str]:
    """The people the task waits for, as `access` would let them in.

    Of a seat: whoever holds it; where they are barred from judging, or nobody holds it, the alternates.
    """
    seated = _seat(dossier, task)
    if seated is None:
        roles = _roles(dossier, task)
        return [office.person_id for office in held if office.role in roles]
    board, seat = seated
    holder = next((o.person_id for o in held if o.role == seat.role and o.seat in (None, seat.key)), None)
    if holder is not None and holder not in barred:
        return [holder]
    return [o.person_id for o in held if o.role == board.alternate_role and o.person_id not in barred]


def _write(dossier: Dossier, term: Row, person_id: str, names: Sequence[str]) -> None:
    told, number = dossier.norm.deadlines[term["key"]], dossier.row["number"]
    ended = term["due_at"].astimezone(dossier.norm.zone)
    waits = "Espera agora" if len(names) == 1 else "Esperam agora"
    text = (
        f"Processo {number}\n\n"
        f"O prazo “{told.name}” ({told.article}) terminou em {ended:%d/%m/%Y, às %H:%M}.\n"
        f"{waits}: {'; '.join(names)}.\n"
    )
    outbox.queue(dossier.tx, person_id, f"Processo {number}: terminou um prazo", text, f"/processos/{number}")


def _today(dossier: Dossier) -> date:
    return dossier.local_day(dossier.tx.now)
