"""What waits for a person: open tasks of the acts their offices are competent for, most urgent first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal, select

from app.audit import seal
from app.cases.finding import matter, risk, tasks, waiting
from app.cases.finding.matter import Matter
from app.cases.finding.risk import Horizon, Risk
from app.cases.finding.tasks import Kind, Queue
from app.cases.finding.text import matching
from app.cases.finding.waiting import Share
from app.law.norm import Norm
from app.store import Reader, Row
from app.store.cases_tables import NO_END, cases, draft, work_item
from app.store.types import Utc

PAGE = 50
_FEW = 1_000  # cases that are gone through one by one
_PEOPLE = 200  # whose statements are kept, in each band they look at
_TASK = [column for column in work_item.c if column is not work_item.c.next_end]


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

    `rows` have what is needed to show a task and its case; `matters` say what each case is about, by its number. No
    count goes beyond `tasks.MOST` + 1, which stands for more; `pages` is None then. `more`: a page follows this one.
    """

    rows: Sequence[Row]
    total: int
    page: int
    pages: int | None
    more: bool
    by_risk: Mapping[Risk, int]
    tasks: Mapping[str, str]
    statuses: frozenset[str]
    matters: Mapping[str, Matter]
    bands: Horizon


def inbox(reader: Reader, norm: Norm, person_id: str, wanted: Wanted = ALL, *, page: int = 1) -> Inbox:
    """Open tasks for one person, by the next deadline of their case, then by age. Never loads the engine."""
    share, bands = waiting.share(reader, norm, person_id), risk.horizon(reader, norm)
    kinds = tasks.kinds(reader, share)
    queue = _narrowed(reader, norm, share, kinds, wanted)
    found = reader.one(_statements(queue, None)[0], "", **tasks.at(bands))
    by_risk = {each: int(found[each.name]) for each in risk.BANDS if found[each.name]}
    band = Risk(wanted.risk) if wanted.risk else None
    total = min(tasks.MOST + 1, by_risk.get(band, 0) if band else sum(by_risk.values()))
    pages = max(1, -(-total // PAGE)) if total <= tasks.MOST else None
    page = min(page, pages or page)
    rows = _page(reader, queue, bands, band, page)
    if not rows and page > 1:  # beyond the end of what was not counted
        page = tasks.MOST // PAGE
        rows = _page(reader, queue, bands, band, page)
    shown, more = rows[:PAGE], len(rows) > PAGE
    names, states = tasks.names(reader, share, kinds), tasks.statuses(reader, of_open=True)
    matters = matter.matters(reader, shown)
    return Inbox(shown, total, page, pages, more, by_risk, names, frozenset(states), matters, bands)


def count(reader: Reader, norm: Norm, person_id: str) -> int:
    """How many open tasks wait for the person; `tasks.MOST` + 1 for more."""
    return tasks.counted(reader, waiting.share(reader, norm, person_id))


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


def _page(reader: Reader, queue: Queue, bands: Horizon, band: Risk | None, page: int) -> Sequence[Row]:
    """The tasks of a page, and one more where another page follows."""
    skipped, most = (page - 1) * PAGE, PAGE + 1
    told = {**tasks.at(bands), "skipped": skipped, "most": most, "reach": skipped + most}
    return reader.all(_statements(queue, band)[1], **told)


def _statements(queue: Queue, band: Risk | None) -> tuple[Select[Any], Select[Any]]:
    """What counts the tasks and what lists them. Kept where nothing was typed: they are the same again and again."""
    return _built(queue, band) if queue.only else _kept(queue, band, tasks.MOST)


@lru_cache(_PEOPLE)
def _kept(queue: Queue, band: Risk | None, _most: int) -> tuple[Select[Any], Select[Any]]:
    return _built(queue, band)


def _built(queue: Queue, band: Risk | None) -> tuple[Select[Any], Select[Any]]:
    first = queue.first(band)
    its = first.join(work_item, work_item.c.id == first.c.id).join(cases, cases.c.id == work_item.c.case_id)
    end = func.nullif(first.c.ends, literal(NO_END, Utc), type_=Utc).label("next_end")
    rows = select(*_TASK, end, *matter.COLUMNS).select_from(matter.joined(its))
    return queue.counts(), rows.order_by(first.c.ends, first.c.opened_at, first.c.id)


def _narrowed(reader: Reader, norm: Norm, share: Share, kinds: Sequence[Kind], wanted: Wanted) -> Queue:
    """By all that narrows but the risk: from the few that are left where few are, else from the kinds."""
    few, many = list(_of_few(reader, norm, share.person_id, wanted)), []
    if wanted.status:
        of_status = select(cases.c.id).where(cases.c.status == wanted.status, cases.c.closed_at.is_(None))
        ones = of_status.limit(_FEW + 1).subquery()
        if reader.scalar(select(func.count()).select_from(ones)) <= _FEW:
            few.append(work_item.c.case_id.in_(of_status))
        else:  # asked of each task in its turn, since there may be as many such cases as tasks
            status = select(cases.c.status).where(cases.c.id == work_item.c.case_id).correlate(work_item)
            many.append(status.scalar_subquery() == wanted.status)
    if few:
        its = [work_item.c.element == wanted.task] if wanted.task else []
        return Queue(share, None, (*few, *many, *its))
    return Queue(share, tuple(kind for kind in kinds if wanted.task in ("", kind.element)), tuple(many))


def _of_few(reader: Reader, norm: Norm, person_id: str, wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    """What finds few tasks by itself."""
    if wanted.text:
        yield work_item.c.case_id.in_(select(cases.c.id).where(matching(reader, norm, wanted.text)))
    if wanted.mine:
        yield work_item.c.claimed_by == person_id
    if wanted.begun:
        yield work_item.c.id.in_(select(draft.c.work_item_id).where(draft.c.person_id == person_id))
