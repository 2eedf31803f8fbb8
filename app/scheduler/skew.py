"""Whether this machine's clock may be trusted with people's terms: it is compared with the database's."""

from __future__ import annotations

from datetime import timedelta

import structlog

from app.clock import Clock
from app.store import Database

MOST_SKEW = timedelta(seconds=5)

log = structlog.get_logger()


class Clocks:
    """This machine's wall clock beside the database's: two that differ much cannot both be right.

    `wall` is the machine's clock even where cases live on a demo clock, which runs ahead on purpose.

    Attributes:
        skew: how far the wall was ahead (negative: behind) when it was too far; None while the two agree.
    """

    def __init__(self, database: Database, wall: Clock) -> None:
        self._database = database
        self._wall = wall
        self.skew: timedelta | None = None

    def agree(self) -> bool:
        """Compares now. The log is told when they part and when they agree again, not every time between."""
        lead = self._database.lead(self._wall)
        parted, self.skew = self.skew is not None, lead if abs(lead) > MOST_SKEW else None
        if self.skew is not None and not parted:
            log.error("clock_skewed", seconds=round(lead.total_seconds(), 1), deadlines="not fired")
        if self.skew is None and parted:
            log.info("clock_agrees_again")
        return self.skew is None
