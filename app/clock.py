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
    """Wall clock plus an offset that only grows, so that a visitor can let days pass."""

    def __init__(self, offset: timedelta = timedelta(0), base: Clock | None = None) -> None:
        self._base = base or SystemClock()
        self._offset = offset

    @property
    def offset(self) -> timedelta:
        return self._offset

    def now(self) -> datetime:
        return self._base.now() + self._offset

    def advance_to(self, instant: datetime) -> None:
        """Move forward to `instant` (aware). Raises ValueError when it would go back."""
        gain = instant - self.now()
        if gain < timedelta(0):
            raise ValueError("the demo clock only moves forward")
        self._offset += gain


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
