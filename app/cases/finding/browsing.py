"""Cases that fit, one page at a time: every filter narrows what the others leave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, false, func, literal, select

from app import people
from app.cases.dossier import stream_of
from app.cases.finding import matter, risk, waiting
from app.cases.finding.matter import Matter
from app.cases.finding.risk import Horizon, Risk
from app.cases.finding.text import matching
from app.cases.record import near
from app.law.norm import Norm
from app.store import Reader, Row
from app.store.cases_tables import OPEN, cases, deadline, work_item
from app.store.tables import journal, stream

PAGE = 50
STALLED = timedelta(days=30)  # a choice of the pages that show it; the law knows no such term


@dataclass(frozen=True)
class Wanted:
    """What is looked for. Empty: whatever it is.

    `task` is an element of a diagram, `office` a role, `deadline` a key of the norm; `risk` and `deadline` speak of one
    and the same term.
    """

    text: str = ""
    status: str = ""
    process: str = ""
    task: str = ""
    office: str = ""
    person: str = ""
    deadline: str = ""
    risk: str = ""
    carrier: str = ""
    stalled: bool = False


@dataclass(frozen=True)
class Found:
    """One page of what fits: rows; open tasks and next ends by case id, what each is about by number; how many fit."""

    total: int
    page: int
    pages: int
    rows: Sequence[Row]
    tasks: Mapping[str, list[str]]
    ends: Mapping[str, datetime]
    matters: Mapping[str, Matter]


def browse(reader: Reader, norm: Norm, wanted: Wanted, page: int = 1) -> Found:
    """The newest first; where a term was asked for, the case whose term ends first."""
    conditions = list(_conditions(reader, norm, wanted))
    total = int(reader.scalar(select(func.count()).select_from(cases).where(*conditions)))
    pages = max(1, -(-total // PAGE))
    page = min(page, pages)
    newest = (cases.c.opened_at.desc(), cases.c.number.desc())  # opened on the same minute: numbers tell
    rows = reader.all(
        _ordered(wanted, reader.now, newest).where(*conditions).limit(PAGE).offset((page - 1) * PAGE)
    )
    ids = [r["id"] for r in rows]
    return Found(
        total, page, pages, rows, _tasks(reader, ids), _ends(reader, ids), matter.matters(reader, rows)
    )


def _ordered(wanted: Wanted, now: datetime, newest: Sequence[ColumnElement[Any]]) -> Select[Any]:
    columns = select(cases.c.id, cases.c.closed_at, *matter.COLUMNS)
    if not (wanted.risk or wanted.deadline):
        return columns.select_from(matter.joined(cases)).order_by(*newest)
    ends = _nearest(now).group_by(deadline.c.case_id).subquery()
    with_end = matter.joined(cases).outerjoin(ends, ends.c.case_id == cases.c.id)
    return columns.select_from(with_end).order_by(ends.c.next_end.is_(None), ends.c.next_end, *newest)


def _nearest(now: datetime) -> Select[Any]:
    """The next end among the running terms of a case, once they are grouped by case."""
    return select(deadline.c.case_id, func.min(deadline.c.expires_at).label("next_end")).where(
        near.running(now)
    )


def _ends(reader: Reader, case_ids: Sequence[str]) -> dict[str, datetime]:
    """The next end of a running term of each case that has one."""
    its = deadline.c.case_id.in_(case_ids) if case_ids else false()
    rows = reader.all(_nearest(reader.now).where(its).group_by(deadline.c.case_id))
    return {row["case_id"]: row["next_end"] for row in rows}


def stalled(now: datetime) -> ColumnElement[bool]:
    """Open cases in whose journal nothing was written for longer than `STALLED`."""
    last = (
        select(journal.c.at)
        .join(stream, and_(stream.c.name == journal.c.stream, stream.c.seq == journal.c.seq))
        .where(stream.c.name == literal(stream_of("")).concat(cases.c.id))
        .correlate(cases)
        .scalar_subquery()
    )
    return and_(cases.c.closed_at.is_(None), last < now - STALLED)


def _conditions(reader: Reader, norm: Norm, wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    plain = {"status": cases.c.status, "process": cases.c.process, "carrier": cases.c.carrier_id}
    yield from (column == getattr(wanted, name) for name, column in plain.items() if getattr(wanted, name))
    if wanted.text:
        yield matching(reader, norm, wanted.text)
    if wanted.task:
        yield _has_task(work_item.c.element == wanted.task)
    if wanted.office:
        day = reader.now.astimezone(norm.zone).date()
        held = people.holders(reader, [wanted.office], day)
        yield _has_task(waiting.for_office(norm, wanted.office, held, day))
    if wanted.person:
        yield _has_task(waiting.for_person(reader, norm, wanted.person))
    if wanted.risk or wanted.deadline:
        yield from _by_term(wanted, risk.horizon(reader, norm))
    if wanted.stalled:
        yield stalled(reader.now)


def _by_term(wanted: Wanted, bands: Horizon) -> Iterator[ColumnElement[bool]]:
    # A list of cases, never a question per case: SQLite would answer each by reading all running terms again.
    its = [near.running(bands.now)]
    if wanted.deadline:
        its.append(deadline.c.key == wanted.deadline)
    if wanted.risk and wanted.risk != Risk.NONE:
        its.append(risk.within(Risk(wanted.risk), deadline.c.expires_at, bands))
    with_term = cases.c.id.in_(select(deadline.c.case_id).where(*its))
    if wanted.risk == Risk.NONE:
        yield cases.c.closed_at.is_(None)  # no term runs in a case that has ended: nobody asks for those
        yield ~with_term
    else:
        yield with_term


def _has_task(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    open_ones = select(work_item.c.case_id).where(work_item.c.status == OPEN, condition)
    return cases.c.id.in_(open_ones)


def _tasks(reader: Reader, case_ids: Sequence[str]) -> dict[str, list[str]]:
    """Names of the open tasks of each case, the oldest first; a vote of several seats is told once."""
    query = (
        select(work_item.c.case_id, work_item.c.name)
        .where(work_item.c.case_id.in_(case_ids) if case_ids else false(), work_item.c.status == OPEN)
        .order_by(work_item.c.opened_at, work_item.c.id)
    )
    found: dict[str, list[str]] = {}
    for row in reader.all(query):
        names = found.setdefault(row["case_id"], [])
        if row["name"] not in names:
            names.append(row["name"])
    return found
