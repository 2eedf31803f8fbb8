"""The pacemaker: wakes, sweeps what is due, sleeps. APScheduler beats; the rows decide.

A deadline is an indexed row claimed under its case's lock, so a sweep may run late, twice or in several processes
and each deadline is still decided once, never before its instant. Nothing is kept in a job store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import func, or_, select, update

from app.cases.acts import expire_deadline
from app.clock import SystemClock, monotonic
from app.store import CLOCK, Busy, Store
from app.store.cases_tables import deadline

SWEEP_SECONDS = 5
STALE_SECONDS = 3 * SWEEP_SECONDS
_PAUSE = 0.005  # on SQLite a loop that commits and begins again at once starves the web
_BATCH = 200
_RETRY = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))

log = structlog.get_logger()


@dataclass(frozen=True)
class Swept:
    """What one sweep did."""

    expired: int = 0
    failed: int = 0


def sweep(store: Store, pause: threading.Event | None = None) -> Swept:
    """Expires every deadline whose end has come, in due order, one case per transaction.

    A case that cannot be moved is left for a later sweep, with the reason on its deadline for people to see; the
    others go on.
    """
    expired = failed = 0
    done: set[str] = set()
    while True:
        due = [d for d in due_ids(store) if d not in done]
        if not due:
            return Swept(expired, failed)
        for deadline_id in due:
            done.add(deadline_id)
            outcome = _expire_one(store, deadline_id)
            expired += outcome is True
            failed += outcome is None
            if pause is not None and pause.wait(_PAUSE):
                return Swept(expired, failed)


def due_ids(store: Store) -> list[str]:
    """Ids of armed deadlines whose end has come and that are not waiting for a retry, in due order."""
    with store.read() as reader:
        rows = reader.all(
            select(deadline.c.id)
            .where(deadline.c.status == "armed", deadline.c.expires_at <= reader.now)
            .where(or_(deadline.c.retry_at.is_(None), deadline.c.retry_at <= reader.now))
            .order_by(deadline.c.expires_at, deadline.c.id)
            .limit(_BATCH)
        )
    return [str(r["id"]) for r in rows]


def next_end(store: Store) -> datetime | None:
    """The nearest end of an armed deadline, so that the pacemaker can wake exactly then."""
    with store.read() as reader:
        query = select(func.min(deadline.c.expires_at)).where(
            deadline.c.status == "armed", deadline.c.expires_at > reader.now
        )
        end: datetime | None = reader.scalar(query)
    return end


def wake_at(store: Store, wall: datetime) -> datetime | None:
    """When, on the wall clock, the next end of a term comes before the next beat; None when it is farther away.

    The demo clock runs ahead of the wall, at its speed.
    """
    end = next_end(store)
    wait = None if end is None else end - store.clock.now()
    return wall + wait if wait is not None and wait <= timedelta(seconds=SWEEP_SECONDS) else None


def _expire_one(store: Store, deadline_id: str) -> bool | None:
    try:
        with store.act(CLOCK) as tx:
            return expire_deadline(tx, deadline_id)
    except Busy:
        return False  # somebody is working on the case: the next sweep comes soon
    except Exception as error:
        log.exception("deadline_failed", deadline=deadline_id)
        with suppress(Busy):  # then it is tried again in the next sweep, and postponed there
            _postpone(store, deadline_id, f"{type(error).__name__}: {error}")
        return None


def _postpone(store: Store, deadline_id: str, reason: str) -> None:
    """Keeps a poisoned row from being tried every five seconds, and shows why it fails."""
    with store.silent_act(CLOCK) as tx:
        failures = tx.scalar(select(deadline.c.failures).where(deadline.c.id == deadline_id)) or 0
        wait = _RETRY[min(failures, len(_RETRY) - 1)]
        tx.write(
            update(deadline)
            .where(deadline.c.id == deadline_id)
            .values(failures=failures + 1, retry_at=tx.now + wait, failure=reason[:500])
        )


class Pacemaker:
    """Beats every five seconds and at the next end of a term, until stopped.

    The schedule lives in memory. A backward jump of the wall clock silences APScheduler's timers, so a watchdog on
    the monotonic clock restarts the beat when a sweep is overdue.
    """

    def __init__(self, store: Store, seconds: Callable[[], float] = monotonic) -> None:
        self._store = store
        self._wall = SystemClock()
        self._seconds = seconds
        self._stop = threading.Event()
        self._beating: set[threading.Event] = set()
        self._last = seconds()
        self._scheduler: BackgroundScheduler | None = None
        self._watchdog = threading.Thread(target=self._watch, name="tramita-watchdog", daemon=True)

    @property
    def seconds_since_sweep(self) -> float:
        """Age of the last finished sweep, on the monotonic clock."""
        return self._seconds() - self._last

    def start(self) -> None:
        self._start_beat()
        self._watchdog.start()

    def stop(self) -> None:
        """Ends after the case in hand; a beat that hangs is not waited for longer than it may be silent."""
        self._stop.set()
        if self._scheduler is not None:
            # Waiting in there would hold the locks that a beat needs to arrange its wake-up: neither would ever end.
            self._scheduler.shutdown(wait=False)
        for done in tuple(self._beating):
            done.wait(STALE_SECONDS)

    def wait(self) -> None:
        """Blocks until `stop`."""
        self._stop.wait()

    def beat(self) -> None:
        """One sweep; then arranges to wake at the next end when it comes before the next beat."""
        done = threading.Event()
        self._beating.add(done)
        try:
            if not self._stop.is_set():
                self._beat()
        finally:
            self._beating.discard(done)
            done.set()

    def _beat(self) -> None:
        swept = sweep(self._store, self._stop)
        if swept.expired or swept.failed:
            log.info("swept", expired=swept.expired, failed=swept.failed)
        self._last = self._seconds()
        wake = wake_at(self._store, self._wall.now())
        if self._scheduler is not None and wake is not None and not self._stop.is_set():
            self._scheduler.add_job(self.beat, "date", run_date=wake, id="wake", replace_existing=True)

    def revive(self) -> bool:
        """Starts the beat anew when the last sweep is too long ago. Whether it did."""
        if self.seconds_since_sweep <= STALE_SECONDS:
            return False
        log.error("pacemaker_stalled", seconds=round(self.seconds_since_sweep))
        stalled, self._last = self._scheduler, self._seconds()
        self._start_beat()
        if stalled is not None:
            stalled.shutdown(wait=False)
        return True

    def _start_beat(self) -> None:
        scheduler = BackgroundScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        )
        scheduler.add_job(
            self.beat, "interval", seconds=SWEEP_SECONDS, id="sweep", next_run_time=self._wall.now()
        )
        scheduler.start()
        self._scheduler = scheduler

    def _watch(self) -> None:
        while not self._stop.wait(SWEEP_SECONDS):
            self.revive()
