"""Whether a machine's clock may decide people's terms: it is compared with the database's and with the journal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from app.clock import Clock, monotonic
from app.store.database import Database
from app.store.tables import journal

MOST_SKEW = timedelta(seconds=5)
_LATELY = 5.0  # seconds for which a comparison is good

_NEWEST = select(journal.c.at).order_by(journal.c.id.desc()).limit(1)


class Trust:
    """One machine's clock beside others: two that differ much cannot both be right.

    Args:
        wall: the machine's clock, also where cases live on a demo clock, which runs ahead on purpose.
        now: the instant on the clock that cases live on. It is compared with itself, as the journal tells it: a clock
            that stands before the newest entry ran back.
    """

    def __init__(
        self,
        database: Database,
        wall: Clock,
        now: Callable[[Connection], datetime],
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._database = database
        self._wall = wall
        self._now = now
        self._seconds = seconds
        self._last: tuple[float, timedelta | None] | None = None

    def compare(self, connection: Connection) -> timedelta | None:
        """How far the clock is ahead (negative: behind), when that is too far for it to be right; else None."""
        lead = self._database.lead(self._wall, connection)
        newest = connection.execute(_NEWEST).scalar()
        behind = self._now(connection) - newest if newest is not None else timedelta(0)
        # Beside a server's clock, whoever wrote the newest entry may be as far ahead of it as this one is behind.
        borne = MOST_SKEW if self._database.dialect == "sqlite" else 2 * MOST_SKEW
        skew = lead if abs(lead) > MOST_SKEW else behind if behind < -borne else None
        self._last = (self._seconds(), skew)
        return skew

    def lately(self, connection: Connection) -> timedelta | None:
        """As `compare`, but what was found in the last five seconds is still good."""
        if self._last is not None and self._seconds() - self._last[0] < _LATELY:
            return self._last[1]
        return self.compare(connection)
