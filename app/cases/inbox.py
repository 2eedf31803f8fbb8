"""What waits for a person: open tasks of the acts their offices are competent for, most urgent first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Subquery, exists, func, select

from app.audit import seal
from app.cases.finding import matter, risk, waiting
from app.cases.finding.matter import Matter
from app.cases.finding.risk import Horizon, Risk
from app.cases.finding.text import matching
from app.law.norm import Norm
from app.store import Reader, Row
from app.store.cases_tables import cases, draft, work_item

PAGE = 50


@dataclass(frozen=True)
class Wanted:
    """What of the inbox is looked at. Empty: all of it.

    `task` is an element of a diagram; `mine` are tasks the person has claimed, `begun` those with a draft of theirs.
    """

    risk: str = ""
    task: str = ""
    status: str = ""
    text: str = ""
    mine: bool = False
    begun: bool = False


ALL = Wanted()


@dataclass(frozen=True)
class Inbox:
    """One page of what waits. `by_risk` counts what the other filters leave; `tasks` and `statuses` are all there are.

    `rows` have what is needed to show a task and its case; `matters` say what each case is about, by its number.
    """

    rows: Sequence[Row]
    total: int
    page: int
    pages: int
    by_risk: Mapping[Risk, int]
    tasks: Mapping[str, str]
    statuses: frozenset[str]
    matters: Mapping[str, Matter]
    bands: Horizon


def inbox(reader: Reader, norm: Norm, person_id: str, wanted: Wanted = ALL, *, page: int = 1) -> Inbox:
    """Open tasks for one person, by the next deadline of their case, then by age. Never loads the engine."""
    its = [work_item.c.status == "open", waiting.for_person(reader, norm, person_id)]
    bands, near = risk.horizon(reader, norm), risk.nearest(reader.now)
    tasks, statuses = _kinds(reader, its)
    narrowed = [*its, *_conditions(reader, norm, person_id, wanted)]
    by_risk = _by_risk(reader, near, bands, narrowed)
    if wanted.risk:
        narrowed.append(risk.within(Risk(wanted.risk), near.c.next_end, bands))
    total = by_risk.get(Risk(wanted.risk), 0) if wanted.risk else sum(by_risk.values())
    pages = max(1, -(-total // PAGE))
    page = min(page, pages)
    rows = reader.all(
        select(work_item, near.c.next_end, *matter.COLUMNS)
        .select_from(matter.joined(_with_end(near)))
        .where(*narrowed)
        .order_by(
            near.c.next_end.is_(None),
            near.c.next_end,
            work_item.c.opened_at,
            cases.c.number,
            work_item.c.id,
        )
        .limit(PAGE)
        .offset((page - 1) * PAGE)
    )
    return Inbox(rows, total, page, pages, by_risk, tasks, statuses, matter.matters(reader, rows), bands)


def count(reader: Reader, norm: Norm, person_id: str) -> int:
    """How many open tasks wait for the person."""
    statement = select(func.count()).select_from(work_item)
    mine = waiting.for_person(reader, norm, person_id)
    return int(reader.scalar(statement.where(work_item.c.status == "open", mine)))


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


def _with_end(near: Subquery) -> FromClause:
    """Tasks with their cases and the next end of a term in each."""
    tasks = work_item.join(cases, cases.c.id == work_item.c.case_id)
    return tasks.outerjoin(near, near.c.case_id == work_item.c.case_id)


def _kinds(reader: Reader, its: Sequence[ColumnElement[bool]]) -> tuple[dict[str, str], frozenset[str]]:
    """Which tasks wait, by element, and the states of their cases."""
    columns = (work_item.c.element, work_item.c.name, cases.c.status)
    rows = reader.all(
        select(*columns)
        .join(cases, cases.c.id == work_item.c.case_id)
        .where(*its)
        .group_by(*columns)
        .order_by(work_item.c.name)
    )
    return {row["element"]: row["name"] for row in rows}, frozenset(row["status"] for row in rows)


def _conditions(reader: Reader, norm: Norm, person_id: str, wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    """All that narrows but the risk."""
    if wanted.task:
        yield work_item.c.element == wanted.task
    if wanted.status:
        yield cases.c.status == wanted.status
    if wanted.text:
        yield matching(reader, norm, wanted.text)
    if wanted.mine:
        yield work_item.c.claimed_by == person_id
    if wanted.begun:
        yield exists().where(draft.c.work_item_id == work_item.c.id, draft.c.person_id == person_id)


def _by_risk(reader: Reader, near: Subquery, bands: Horizon, its: Sequence[Any]) -> dict[Risk, int]:
    """How many tasks lie in each band."""
    band = risk.band(near.c.next_end, bands).label("band")
    banded = select(band).select_from(_with_end(near)).where(*its).subquery()
    rows = reader.all(select(banded.c.band, func.count().label("count")).group_by(banded.c.band))
    return {Risk(row["band"]): int(row["count"]) for row in rows}
