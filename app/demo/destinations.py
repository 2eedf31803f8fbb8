"""Where a visitor may send the demo's clock: the next end of a term or day at work, before and after Carnival."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.law.calendar import Calendar

OPENS = time(9)
_SEARCHED = 60  # days in which an office opens again, whatever the calendar says


def next_day_at_work(now: datetime, zone: ZoneInfo, calendar: Calendar) -> datetime | None:
    """Nine o'clock of the next business day: today's, while it is to come."""
    today = now.astimezone(zone).date()
    mornings = (at_opening(today + timedelta(days=n), zone) for n in range(_SEARCHED))
    return next((m for m in mornings if m > now and calendar.is_business(m.date())), None)


def same_hour_tomorrow(now: datetime, zone: ZoneInfo) -> datetime:
    local = now.astimezone(zone)
    return datetime.combine(local.date() + timedelta(days=1), local.timetz().replace(tzinfo=None), zone)


def next_ash_wednesday(now: datetime, zone: ZoneInfo) -> datetime:
    """Nine o'clock of the next Ash Wednesday: the Monday and Tuesday before it are Carnival."""
    return _next_morning(now, zone, days_after=0)


def next_friday_before_carnival(now: datetime, zone: ZoneInfo) -> datetime:
    """Nine o'clock of the last Friday before Carnival: a term of some business days that begins then runs across it."""
    return _next_morning(now, zone, days_after=-5)


def _next_morning(now: datetime, zone: ZoneInfo, *, days_after: int) -> datetime:
    """The next nine o'clock that lies so many days after an Ash Wednesday."""
    year, away = now.astimezone(zone).year, timedelta(days=days_after)
    mornings = (at_opening(ash_wednesday(y) + away, zone) for y in (year, year + 1))
    return next(m for m in mornings if m > now)


def at_opening(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, OPENS, zone)


def ash_wednesday(year: int) -> date:
    return easter(year) - timedelta(days=46)


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher)."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    leaps, rest = divmod(century, 4)
    moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leaps - moon + 15) % 30
    quarter, odd = divmod(of_century, 4)
    weekday = (32 + 2 * rest + 2 * quarter - epact - odd) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)
