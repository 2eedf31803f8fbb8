"""Arithmetic of local days and instants, shared by the counting and by the recomputation of its trace.

Knows zones and months; knows no calendar of closures and no counting profile.
"""

from __future__ import annotations

import calendar as gregorian
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

ONE_DAY = timedelta(days=1)
WEEKDAYS = (
    "segunda-feira",
    "terça-feira",
    "quarta-feira",
    "quinta-feira",
    "sexta-feira",
    "sábado",
    "domingo",
)


class MissingDay(StrEnum):
    """What happens when the month of the end lacks the day of the beginning (31 March plus one month)."""

    LAST_OF_MONTH = "last_of_month"
    DAY_AFTER = "day_after"


def local_day(instant: datetime, zone: ZoneInfo) -> date:
    """The calendar day that the people of `zone` were living at `instant`."""
    return instant.astimezone(zone).date()


def day_start(day: date, zone: ZoneInfo) -> datetime:
    """First instant of a local day, in UTC.

    Where summer time begins at midnight the day has no 00:00 (4 November 2018 in São Paulo). `fold=0` reads
    the missing digits with the offset of the eve, which is exactly the instant at which the day begins.
    """
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def day_after_end(day: date, zone: ZoneInfo) -> datetime:
    """First instant, in UTC, that no longer belongs to the local day."""
    return day_start(day + ONE_DAY, zone)


def day_end(day: date, zone: ZoneInfo) -> datetime:
    """Last second of a local day, in UTC. On the night summer time ends it is the second 23:59:59."""
    return day_after_end(day, zone) - timedelta(seconds=1)


def same_clock(day: date, instant: datetime, zone: ZoneInfo) -> datetime:
    """The clock time of `instant` on another local day, in UTC.

    A clock time that happens twice, or never, on that day is read in the way that leaves the party more
    time: the later of the two readings.
    """
    clock = instant.astimezone(zone).time()
    readings = (datetime.combine(day, clock.replace(fold=fold), zone).astimezone(UTC) for fold in (0, 1))
    return max(readings)


def whole_minute(instant: datetime) -> datetime:
    """The minute that is printed: the instant without its seconds."""
    return instant.replace(second=0, microsecond=0)


def add_months(day: date, months: int, missing: MissingDay) -> date:
    """Date to date: the same number of day `months` later."""
    index = day.year * 12 + day.month - 1 + months
    return day_of_month(index // 12, index % 12 + 1, day.day, missing)


def day_of_month(year: int, month: int, number: int, missing: MissingDay) -> date:
    """Day `number` of a month or, when the month is too short, what `missing` says."""
    last = gregorian.monthrange(year, month)[1]
    if number <= last:
        return date(year, month, number)
    end = date(year, month, last)
    return end if missing is MissingDay.LAST_OF_MONTH else end + ONE_DAY


def next_occurrence(after: date, number: int, month: int | None, missing: MissingDay) -> date:
    """First day later than `after` that is day `number` of `month` (of any month when None)."""
    year, current = after.year, month or after.month
    while True:
        found = day_of_month(year, current, number, missing)
        if found > after:
            return found
        if month is None:
            current += 1
        if month is not None or current > 12:
            year, current = year + 1, month or 1


def in_full(day: date) -> str:
    """`segunda-feira, 16/03/2026`."""
    return f"{WEEKDAYS[day.weekday()]}, {short(day)}"


def short(day: date) -> str:
    """`16/03/2026`."""
    return f"{day.day:02d}/{day.month:02d}/{day.year:04d}"
