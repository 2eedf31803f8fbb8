"""How near the end of a term is: the same bands on every page, told apart by local days and by business days.

They order people's work. They are no rule of the law: no term is counted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, case

from app.law.calendar import Calendar
from app.law.norm import Norm
from app.registry import calendar
from app.store import Reader

SOON = 3  # business days
WEEK = 7  # days
_FARTHEST = 60  # days: no office stays closed for so long, and a calendar that says so is not waited for


class Risk(StrEnum):
    """The band of a term, as addresses name it. `WEEK` lies across others; the rest share out all there is."""

    OVERDUE = "vencido"
    TODAY = "hoje"
    SOON = "3-dias-uteis"
    LATER = "depois"
    NONE = "sem-prazo"
    WEEK = "7-dias"


BANDS = (Risk.OVERDUE, Risk.TODAY, Risk.SOON, Risk.LATER, Risk.NONE)


@dataclass(frozen=True)
class Horizon:
    """Where the bands end. `soon_day` is the third business day after today; the instants are the first ones after."""

    now: datetime
    tomorrow: datetime
    soon: datetime
    week: datetime
    soon_day: date


def horizon(reader: Reader, norm: Norm) -> Horizon:
    """The bands as they lie at this instant in the municipality's calendar."""
    today = reader.now.astimezone(norm.zone).date()
    soon_day = _business_day(calendar.current(reader), today, SOON)

    def after(day: date) -> datetime:
        return datetime.combine(day + timedelta(days=1), time.min, norm.zone)

    return Horizon(reader.now, after(today), after(soon_day), after(today + timedelta(days=WEEK)), soon_day)


def within(risk: Risk, end: ColumnElement[datetime], bands: Horizon) -> ColumnElement[bool]:
    """Whether a term that ends at `end` lies in the band."""
    return {
        Risk.OVERDUE: end <= bands.now,
        Risk.TODAY: and_(end > bands.now, end <= bands.tomorrow),
        Risk.SOON: and_(end > bands.tomorrow, end <= bands.soon),
        Risk.LATER: end > bands.soon,
        Risk.NONE: end.is_(None),
        Risk.WEEK: and_(end > bands.now, end <= bands.week),
    }[risk]


def band(end: ColumnElement[datetime], bands: Horizon) -> ColumnElement[str]:
    """The band of a term, as a column."""
    near = [(within(risk, end, bands), risk.value) for risk in (Risk.OVERDUE, Risk.TODAY, Risk.SOON)]
    return case((end.is_(None), Risk.NONE.value), *near, else_=Risk.LATER.value)


def _business_day(closed: Calendar, today: date, count: int) -> date:
    """The `count`-th business day after today."""
    days = (today + timedelta(days=n) for n in range(1, _FARTHEST + 1))
    business = [day for day in days if closed.is_business(day)][:count]
    return business[-1] if len(business) == count else today + timedelta(days=_FARTHEST)
