"""The only file that may ask the time. A transaction reads it once, when it opens.

`SystemClock` is the machine's clock; `DemoClock` adds a stored offset that only grows; `FixedClock` is what
scenarios and tests move by hand.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Gives the present instant, aware, in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's wall clock, in UTC with microseconds."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class DemoClock:
    """Wall clock plus an offset that only grows, so that a visitor can let days pass.

    The offset is kept in the database, where every process of the demo finds it: each transaction tells the clock what
    it read there. Between transactions the clock goes by the last it was told.
    """

    def __init__(self, offset: timedelta = timedelta(0), base: Clock | None = None) -> None:
        self._base = base or SystemClock()
        self._offset = offset

    @property
    def offset(self) -> timedelta:
        return self._offset

    @property
    def wall(self) -> Clock:
        """The clock that nobody moves: what sessions and machines go by."""
        return self._base

    def now(self) -> datetime:
        return self._base.now() + self._offset

    def learn(self, offset: timedelta) -> None:
        """Takes over an offset. A smaller one was read before somebody else moved the clock, and changes nothing."""
        self._offset = max(self._offset, offset)


def clock_for(*, demo: bool) -> Clock:
    """What an installation lives on. Outside a demo no offset is ever read, wherever one may be stored."""
    return DemoClock() if demo else SystemClock()


class FixedClock:
    """Stands still until moved; for scenarios and tests. Refuses naive instants and going back."""

    def __init__(self, instant: datetime) -> None:
        self._now = _aware(instant)

    def now(self) -> datetime:
        return self._now

    def set(self, instant: datetime) -> None:
        if _aware(instant) < self._now:
            raise ValueError("this clock does not go back")
        self._now = _aware(instant)


def _aware(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ValueError("an aware datetime is required")
    return instant.astimezone(UTC)


def monotonic() -> float:
    """Seconds that never run back, for watchdogs and time limits. Not a date."""
    return time.monotonic()
