"""Tells the log when this machine's clock may no longer be trusted with people's terms, and when it may again."""

from __future__ import annotations

from datetime import timedelta

import structlog

from app.store import Store

log = structlog.get_logger()


class Clocks:
    """What a store finds when it compares its machine's clock.

    Attributes:
        skew: how far the clock was ahead (negative: behind) when it was too far; None while it is right.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.skew: timedelta | None = None

    def agree(self) -> bool:
        """Compares now. The log is told when they part and when they agree again, not every time between."""
        with self._store.read() as reader:
            parted, self.skew = self.skew is not None, self._store.trust.compare(reader.connection)
        if self.skew is not None and not parted:
            log.error("clock_skewed", seconds=round(self.skew.total_seconds(), 1), deadlines="not fired")
        if self.skew is None and parted:
            log.info("clock_agrees_again")
        return self.skew is None
