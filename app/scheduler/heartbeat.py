"""What a worker says of itself in the database: that it lives, when it last swept, whether its clock is right.

Told by the machine's clock, not by the one that cases live on. Who reads it judges by the age of what it finds: a
worker that was killed takes nothing back.
"""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Callable
from datetime import timedelta

import structlog
from sqlalchemy import delete, update

from app.clock import Clock
from app.store import CLOCK, Busy, Store
from app.store.tables import worker
from app.values import digest, iso

_FORGOTTEN = timedelta(days=1)
_SERIAL = itertools.count(1)

log = structlog.get_logger()


def forget(store: Store) -> None:
    """Takes every worker's row away: of a copy that was put in place, whose workers are those of another day."""
    with store.silent_act(CLOCK) as tx:
        tx.write(delete(worker))


class Heartbeat:
    """One worker's row. What goes wrong with it is told and costs no deadline its turn."""

    def __init__(self, store: Store, wall: Clock) -> None:
        self._store = store
        self._wall = wall
        self._started_at = wall.now()
        self._place = f"{socket.gethostname()[:100]}:{os.getpid()}"
        self._id = digest(f"{self._place} {next(_SERIAL)} {iso(self._started_at)}".encode())[:32]
        self._told = False

    def beat(self, skew: timedelta | None, since_sweep: float) -> None:
        """Says how it stands, and clears away rows of workers that said nothing for a day.

        Args:
            skew: how far the clock is ahead, while it is too far for terms to be decided by it.
            since_sweep: seconds since the last sweep, or since the last deadline handled within one.
        """
        self._quietly(lambda: self._write(skew, since_sweep))

    def end(self) -> None:
        """Takes the row away: this worker stopped in order."""
        if self._told:
            self._quietly(self._remove)

    def _write(self, skew: timedelta | None, since_sweep: float) -> None:
        now = self._wall.now()
        stands = {
            "beat_at": now,
            "swept_at": now - timedelta(seconds=since_sweep),
            "skew_seconds": None if skew is None else skew.total_seconds(),
        }
        with self._store.silent_act(CLOCK) as tx:
            if not tx.write(update(worker).where(worker.c.id == self._id).values(**stands)):
                tx.add(worker, id=self._id, place=self._place, started_at=self._started_at, **stands)
            if skew is None:  # by a wrong clock everybody else might seem long gone
                tx.write(delete(worker).where(worker.c.beat_at < now - _FORGOTTEN))
        self._told = True

    def _remove(self) -> None:
        with self._store.silent_act(CLOCK) as tx:
            tx.write(delete(worker).where(worker.c.id == self._id))

    def _quietly(self, say: Callable[[], None]) -> None:
        try:
            say()
        except Busy:
            pass  # it is told at the next beat
        except Exception:
            log.exception("heartbeat_failed")
