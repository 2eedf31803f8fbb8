"""Open tasks of one person in the order in which they press, and how many there are, without reading them all.

Tasks of one kind (an act at a step of a diagram) lie in an index in this very order, so the first of each kind are
read and merged. A count stops at `MOST`. Tasks whose kept end is past are few while somebody sweeps, and theirs is
looked up: it may be overdue, or the end of a term that was only shown and is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    CompoundSelect,
    ScalarSelect,
    Select,
    Subquery,
    and_,
    bindparam,
    false,
    func,
    literal,
    select,
    true,
    union_all,
)

from app.cases.finding.risk import BANDS, Horizon, Risk
from app.cases.finding.waiting import Share
from app.cases.record import near
from app.store import Reader
from app.store.cases_tables import NO_END, OPEN, cases, work_item
from app.store.types import Utc

MOST = 1_000  # what is more is told as more: nobody plans a day by the difference
_IS_OPEN = work_item.c.status == OPEN
_ORDER = (work_item.c.next_end, work_item.c.opened_at, work_item.c.id)
_PEOPLE = 200  # whose statements are kept: composing one anew takes longer than answering it
_TOGETHER = 100  # parts of one union; SQLite takes 500
_ALL = 1_000_000  # keeps SQLite from making one union of several again

Conditions = tuple[ColumnElement[bool], ...]


@dataclass(frozen=True)
class Kind:
    """A kind of task that waits somewhere: an act at a step, in the pool or as somebody's own."""

    own: bool
    act: str
    element: str

    def its(self, share: Share) -> Conditions:
        """Its tasks that wait for the person, as its index finds them."""
        kind = (_IS_OPEN, work_item.c.act == self.act, work_item.c.element == self.element)
        return (*kind, share.own) if self.own else (*kind, work_item.c.assigned_to.is_(None), share.fits)


def _each(name: str, column: str, *which: ColumnElement[bool], within: CTE | None = None) -> CTE:
    """Each value of a column, found from the one before: as many steps as values, whatever the number of rows.

    In an index the column stands behind those of `which` and of `within`, for each row of which its values are found.
    After the last value there is a row without one.
    """
    its = work_item.c[column]
    least = select(func.min(its).label(column)).where(_IS_OPEN, *which)
    if within is None:
        walk = least.cte(name, recursive=True)
    else:
        first = least.where(*(work_item.c[c.name] == c for c in within.c)).correlate(within).scalar_subquery()
        walk = select(*within.c, first.label(column)).where(*_known(within)).cte(name, recursive=True)
    outer = [c for c in walk.c if c.name != column]
    following = least.where(*(work_item.c[c.name] == c for c in outer), its > walk.c[column]).correlate(walk)
    return walk.union_all(select(*outer, following.scalar_subquery()).where(*_known(walk)))


def _known(walk: CTE) -> list[ColumnElement[bool]]:
    return [column.is_not(None) for column in walk.c]


def _kinds(name: str, *which: ColumnElement[bool], within: CTE | None = None) -> CTE:
    """Each act and element of open tasks."""
    acts = _each(f"{name}_acts", "act", *which, within=within)
    return _each(f"{name}_kinds", "element", *which, within=acts)


def _listed(walk: CTE, *more: ColumnElement[Any]) -> Select[Any]:
    return select(walk.c.act, walk.c.element, *more).where(*_known(walk))


_IN_POOL = work_item.c.assigned_to.is_(None)
_POOL = _kinds("pool", _IN_POOL)
_OWN = _kinds("own", work_item.c.assigned_to == bindparam("person"))
_SHARED = union_all(_listed(_POOL, false().label("own")), _listed(_OWN, true().label("own")))

_GIVEN_TO = _each("persons", "assigned_to", work_item.c.assigned_to.is_not(None))
_GIVEN = _kinds("given", work_item.c.assigned_to.is_not(None), within=_GIVEN_TO)


def _name_of(walk: CTE) -> ColumnElement[str]:
    its = [work_item.c[c.name] == c for c in walk.c]
    pool = [_IN_POOL] if "assigned_to" not in walk.c else []
    one = select(work_item.c.name).where(_IS_OPEN, *its, *pool).order_by(*_ORDER).limit(1)
    return one.correlate(walk).scalar_subquery().label("name")


_NAMED = union_all(*(_listed(walk, _name_of(walk)) for walk in (_POOL, _GIVEN)))


def kinds(reader: Reader, share: Share) -> list[Kind]:
    """Kinds of tasks of which some may wait for the person; whether one does, the seats decide."""
    rows = reader.all(_SHARED, person=share.person_id)
    found = [Kind(bool(row["own"]), row["act"], row["element"]) for row in rows]
    return [kind for kind in found if kind.own or kind.act in share.acts]


def names(reader: Reader, share: Share, of: Sequence[Kind]) -> dict[str, str]:
    """Steps at which a task waits for the person, with their names."""
    if not of:
        return {}
    rows = reader.all(_named(share, tuple(of)))
    return {row["element"]: row["name"] for row in sorted(rows, key=lambda row: str(row["name"]))}


@lru_cache(_PEOPLE)
def _named(share: Share, of: tuple[Kind, ...]) -> CompoundSelect[Any]:
    columns = select(work_item.c.element, work_item.c.name).order_by(*_ORDER).limit(1)
    return _together(select(columns.where(*kind.its(share)).subquery()) for kind in of)


def all_names(reader: Reader) -> dict[str, str]:
    """Steps at which any task waits, with their names."""
    return {row["element"]: row["name"] for row in reader.all(_NAMED)}


_ONE_STATUS = select(func.min(cases.c.status).label("status")).cte("statuses", recursive=True)
_STATUSES = _ONE_STATUS.union_all(
    select(
        select(func.min(cases.c.status)).where(cases.c.status > _ONE_STATUS.c.status).scalar_subquery()
    ).where(_ONE_STATUS.c.status.is_not(None))
)
# Not EXISTS, and in an order: else PostgreSQL reads all cases rather than look into the index for one of each state.
_OPEN_CASE = (
    select(cases.c.id)
    .where(cases.c.status == _STATUSES.c.status, cases.c.closed_at.is_(None))
    .order_by(cases.c.closed_at)
    .limit(1)
)
_ALL_STATUSES = select(
    _STATUSES.c.status, _OPEN_CASE.correlate(_STATUSES).scalar_subquery().is_not(None).label("open")
).where(_STATUSES.c.status.is_not(None))


def statuses(reader: Reader, *, of_open: bool) -> list[str]:
    """States that some case is in, or some case that has not ended."""
    return [row["status"] for row in reader.all(_ALL_STATUSES) if row["open"] or not of_open]


def counted(reader: Reader, share: Share) -> int:
    """How many open tasks wait for the person; `MOST` + 1 for more."""
    return int(reader.scalar(_counting(share, MOST + 1)))


@lru_cache(_PEOPLE)
def _counting(share: Share, most: int) -> Select[Any]:
    one, order = literal(1).label("one"), (work_item.c.element, work_item.c.next_end)
    pool = (and_(work_item.c.assigned_to.is_(None), work_item.c.act == act, share.fits) for act in share.acts)
    # An act at a time and in the order of its index: PostgreSQL would go through every open task to find the first few.
    parts = (
        select(one).where(_IS_OPEN, part).order_by(*order).limit(most).subquery()
        for part in (share.own, *pool)
    )
    return select(func.count()).select_from(union_all(*(select(p) for p in parts)).limit(most).subquery())


@dataclass(frozen=True)
class Queue:
    """Tasks of one person, narrowed.

    Attributes:
        kinds: of which kinds they are; None where `only` by itself leaves few.
        only: what else narrows them.
    """

    share: Share
    kinds: tuple[Kind, ...] | None
    only: Conditions = ()

    def first(self, risk: Risk | None) -> Subquery:
        """`id`, `ends` and `opened_at` of those that press most, of one band or of all.

        With the values of `at`, of `skipped` and `most` rows, and of `reach`, which is their sum.
        """
        past = self._past()
        some = select(past.c.id, past.c.ends, past.c.opened_at)
        if risk is not None:
            some = some.where(_within(past.c.ends, risk))
        columns = (work_item.c.id, work_item.c.next_end.label("ends"), work_item.c.opened_at)
        ahead = (
            select(*columns).where(*its, *self.only, _ahead(risk)).order_by(*_ORDER).limit(bindparam("reach"))
            for its in self._parts()
        )
        found = _together([*(select(one.subquery()) for one in ahead), some]).subquery()
        order = (found.c.ends, found.c.opened_at, found.c.id)
        page = select(found).order_by(*order).limit(bindparam("most")).offset(bindparam("skipped"))
        return page.subquery("first")

    def counts(self) -> Select[Any]:
        """How many lie in each band, by its name; `MOST` + 1 for more. With the values of `at`."""
        past = self._past()
        each: list[ColumnElement[Any]] = [self._counted(past, risk).label(risk.name) for risk in BANDS]
        told: Select[Any] = select(*each)
        return told

    def _counted(self, past: CTE, risk: Risk) -> ScalarSelect[int]:
        one = literal(1).label("one")
        ahead = [select(one).where(*its, *self.only, _ahead(risk)) for its in self._shares()]
        late = select(one).select_from(past).where(_within(past.c.ends, risk))
        rows = union_all(*ahead, late).limit(MOST + 1).subquery()
        return select(func.count()).select_from(rows).scalar_subquery()

    def _past(self) -> CTE:
        """Tasks whose kept end is past, with what it is now. Few, while somebody sweeps."""
        its = (
            ()
            if self.kinds is None
            else (work_item.c.element.in_(sorted({kind.element for kind in self.kinds})),)
        )
        which = (_IS_OPEN, work_item.c.next_end <= _NOW, self.share.whole, *its, *self.only)
        return (
            select(work_item.c.id, near.next_end(_NOW).label("ends"), work_item.c.opened_at)
            .where(*which)
            .cte("past")
        )

    def _parts(self) -> list[Conditions]:
        """What together are all its tasks, each part in an index in the order of the list."""
        if self.kinds is None:
            return [(_IS_OPEN, self.share.whole)]
        return [kind.its(self.share) for kind in self.kinds]

    def _shares(self) -> list[Conditions]:
        """What together are all its tasks, in as few parts as an index can count."""
        if self.kinds is None:
            return [(_IS_OPEN, self.share.whole)]
        return [
            (
                *(_IS_OPEN, self.share.own if own else self.share.pooled),
                work_item.c.act.in_(sorted({kind.act for kind in self.kinds if kind.own is own})),
                work_item.c.element.in_(sorted({kind.element for kind in self.kinds if kind.own is own})),
            )
            for own in sorted({kind.own for kind in self.kinds})
        ]


def at(bands: Horizon) -> dict[str, datetime]:
    """The instants between which the bands lie."""
    return {"now": bands.now, "tomorrow": bands.tomorrow, "soon": bands.soon, "week": bands.week}


_NOW, _TOMORROW, _SOON, _WEEK = (bindparam(name, type_=Utc) for name in ("now", "tomorrow", "soon", "week"))
_NEVER, _LAST, _FIRST = (
    literal(instant, Utc)
    for instant in (NO_END, NO_END - timedelta.resolution, datetime.min.replace(tzinfo=UTC))
)
_BANDS: dict[Risk | None, tuple[ColumnElement[datetime], ColumnElement[datetime]]] = {
    None: (_NOW, _NEVER),
    Risk.OVERDUE: (_FIRST, _NOW),
    Risk.TODAY: (_NOW, _TOMORROW),
    Risk.SOON: (_TOMORROW, _SOON),
    Risk.LATER: (_SOON, _LAST),
    Risk.NONE: (_LAST, _NEVER),
    Risk.WEEK: (_NOW, _WEEK),
}


def _within(end: ColumnElement[datetime], risk: Risk | None) -> ColumnElement[bool]:
    begin, last = _BANDS[risk]
    return and_(end > begin, end <= last)


def _ahead(risk: Risk | None) -> ColumnElement[bool]:
    """Of the tasks whose kept end is still to come, those of the band: none is overdue."""
    return false() if risk is Risk.OVERDUE else _within(work_item.c.next_end, risk)


def _together(parts: Iterable[Select[Any]]) -> CompoundSelect[Any]:
    """One union, by way of smaller ones where there are very many parts."""
    each = list(parts)
    while len(each) > _TOGETHER:
        some = (each[n : n + _TOGETHER] for n in range(0, len(each), _TOGETHER))
        each = [select(union_all(*one).limit(_ALL).subquery()) for one in some]
    return union_all(*each)
