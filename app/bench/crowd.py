"""A hundred thousand open tasks at once, for lists to be measured on: copies of a few cases that real acts opened.

Copies have rows that lists read, with ids of their own, and no history that would replay: what is measured on them is
thrown away.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Table, bindparam, func, select

from app import people
from app.cases import acts
from app.cases.dossier import stream_of
from app.law.competence import roles_for
from app.law.norm import Norm
from app.store import INSTALLER, Actor, Row, Store, Tx
from app.store.cases_tables import NO_END, cases, deadline, submission, work_item
from app.store.tables import journal, stream, subject
from app.values import iso

_BATCH = 1_000
_STEPS = 7  # tasks completed at most in a case that is copied
_DAYS = 60  # over which the ends of terms are spread
_RARE = 5_000  # one in so many tasks waits for the counter instead, which has few
_GIVEN = 500  # one in so many tasks is one person's own
_CLAIMED = 400  # one in so many has been claimed
_FIRST_NUMBER = 100_000
_OPEN_OF = select(work_item).where(work_item.c.case_id == bindparam("case_id"), work_item.c.status == "open")
_OF_CASE = (submission, deadline, work_item)

Rows = dict[Table, list[dict[str, Any]]]


@dataclass(frozen=True)
class _Case:
    """The rows of a case that is copied."""

    row: Row
    its: Mapping[Table, Sequence[Row]]
    chain: Row
    entry: Row

    @property
    def waiting(self) -> int:
        return sum(row["status"] == "open" for row in self.its[work_item])


def crowd(store: Store, norm: Norm, count: int) -> None:
    """Fills the database of the measured municipality with open cases until `count` more tasks wait."""
    models = [_read(store, case_id) for case_id in list(_played(store, norm))]
    staff = [office.person_id for office in _holders(store, norm, "instruir")]
    copies, made, number = itertools.cycle(models), 0, 0
    with store.read() as reader:
        taken = _FIRST_NUMBER + int(reader.scalar(select(func.count()).select_from(cases)))
    while made < count:
        with store.silent_act(INSTALLER) as tx:
            rows: Rows = {table: [] for table in (subject, cases, stream, journal, *_OF_CASE)}
            for model in itertools.islice(copies, _BATCH):
                if made < count:
                    _copy(tx, rows, model, number, taken, staff)
                    made, number = made + model.waiting, number + 1
            for table, its in rows.items():
                tx.add_all(table, its)


def _played(store: Store, norm: Norm) -> Iterator[str]:
    """Cases of every process, each at another step: where a diagram comes back to a step it is left."""
    for process in norm.processes:
        seen: list[set[str]] = []
        for steps in range(_STEPS + 1):
            case_id = _opened(store, norm, process)
            waiting = [_waiting(store, case_id), *(_completed(store, norm, case_id) for _ in range(steps))][
                -1
            ]
            if not waiting or waiting in seen:
                break
            seen.append(waiting)
            yield case_id


def _opened(store: Store, norm: Norm, process: str) -> str:
    actor = Actor(_holders(store, norm, norm.processes[process].act)[0].person_id)
    with store.act(actor) as tx:
        answers = {"requerente": "Maria das Dores Silva", "recebido_em": iso(tx.now)}
        return acts.open_case(tx, norm.slug, process, answers)


def _completed(store: Store, norm: Norm, case_id: str) -> set[str]:
    """Steps at which tasks are open once one was completed."""
    with store.read() as reader:
        row = reader.one(_OPEN_OF.order_by(work_item.c.id), "", case_id=case_id)
    with store.act(Actor(_holders(store, norm, row["act"])[0].person_id)) as tx:
        acts.complete(tx, row["id"], {"resposta": "sim", "texto": "Visto."}, row["version"])
    return _waiting(store, case_id)


def _waiting(store: Store, case_id: str) -> set[str]:
    with store.read() as reader:
        return {row["element"] for row in reader.all(_OPEN_OF, case_id=case_id)}


def _holders(store: Store, norm: Norm, act: str) -> Sequence[people.Office]:
    with store.read() as reader:
        day = reader.now.astimezone(norm.zone).date()
        roles = [competence.role for competence in roles_for(norm, act, day)]
        return people.holders(reader, roles, day)


def _read(store: Store, case_id: str) -> _Case:
    with store.read() as reader:
        row = reader.one(select(cases).where(cases.c.id == case_id), "")
        its = {table: reader.all(select(table).where(table.c.case_id == case_id)) for table in _OF_CASE}
        chain = reader.one(select(stream).where(stream.c.name == stream_of(case_id)), "")
        newest = (journal.c.stream == chain["name"], journal.c.seq == chain["seq"])
        return _Case(row, its, chain, reader.one(select(journal).where(*newest), ""))


def _copy(tx: Tx, rows: Rows, model: _Case, number: int, taken: int, staff: Sequence[str]) -> None:
    """A case of its own like the model; its terms end on some day of the next two months."""
    case_id, subject_id, later = tx.new_id(), tx.new_id(), timedelta(hours=number * 7 % (24 * _DAYS))
    told = {"id": case_id, "number": f"{taken + number}/{tx.now.year}-0", "subject_id": subject_id}
    rows[subject].append({"id": subject_id, "created_at": tx.now})
    rows[cases].append({**model.row, **told})
    rows[stream].append({**model.chain, "name": stream_of(case_id)})
    entry = {key: value for key, value in model.entry.items() if key != "id"}
    rows[journal].append({**entry, "stream": stream_of(case_id)})
    for table in _OF_CASE:
        for row in model.its[table]:
            copied = {**row, "id": tx.new_id(), "case_id": case_id}
            for column in ("due_at", "expires_at", "next_end"):
                if copied.get(column, NO_END) != NO_END:
                    copied[column] += later
            if table is work_item and row["status"] == "open":
                copied |= {"opened_at": row["opened_at"] - later, **_whose(number, staff)}
            if table is submission:
                copied["work_item_id"] = None
            rows[table].append(copied)


def _whose(number: int, staff: Sequence[str]) -> dict[str, Any]:
    """Whom a task waits for, if not for all who may instruct cases."""
    person = staff[number % len(staff)]
    if number % _RARE == 0:
        return {"act": "receber"}
    if number % _GIVEN == 0:
        return {"assigned_to": staff[-1]}
    return {"claimed_by": person} if number % _CLAIMED == 0 else {}
