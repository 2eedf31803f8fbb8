"""Beats and is watched: when to sweep, when to believe that a sweep hangs. What is due is decided elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from app.clock import monotonic
from app.scheduler.heartbeat import Heartbeat
from app.scheduler.skew import Clocks
from app.scheduler.sweeping import SWEEP_SECONDS, Swept, sweep, wake_at
from app.scheduler.timer import Timer
from app.store import Store

STALE_SECONDS = 3 * SWEEP_SECONDS  # of silence within a beat: it hangs
_QUIET_SECONDS = 1.5 * SWEEP_SECONDS  # between two beats: the timer sleeps
_WATCH_SECONDS = 1
_PAUSE = 0.005  # on SQLite a loop that commits and begins again at once starves the web

log = structlog.get_logger()


@dataclass(eq=False)
class _Beat:
    """A beat under way."""

    compared: float  # when the clocks were, on the monotonic clock
    again: bool = False  # another came meanwhile
    ended: threading.Event = field(default_factory=threading.Event)


class Pacemaker:
    """Beats every five seconds and at the next end of a term, until stopped.

    A backward jump of the wall clock silences the timer, and a call to the database may hang, so a watchdog on the
    monotonic clock starts a new beat when there is no sign of life: a deadline handled, a beat ended. A sweep that
    goes on handling deadlines is never given up, however long it takes.
    """

    def __init__(self, store: Store, seconds: Callable[[], float] = monotonic) -> None:
        self._store = store
        self._wall = store.wall  # not the clock that cases live on
        self._clocks = Clocks(store)
        self._heartbeat = Heartbeat(store, store.wall)
        self._seconds = seconds
        self._stop = threading.Event()
        self._lock = threading.Lock()  # over all that follows; never held while a sweep works
        self._current: _Beat | None = None
        self._under_way: set[_Beat] = set()  # the current one, and those given up that have not ended yet
        self._life = self._swept = seconds()
        self._timer: Timer | None = None
        self._watchdog = threading.Thread(target=self._watch, name="tramita-watchdog", daemon=True)

    @property
    def seconds_since_sweep(self) -> float:
        """Age of the last finished sweep or, within one, of the last deadline handled, on the monotonic clock."""
        return self._seconds() - self._swept

    @property
    def clock_skew(self) -> timedelta | None:
        """How far this machine's clock is from the database's while no deadline fires for it; else None."""
        return self._clocks.skew

    @property
    def healthy(self) -> bool:
        """Whether deadlines are being decided, for a page about the installation's health."""
        return self.clock_skew is None and self.seconds_since_sweep <= STALE_SECONDS

    def start(self) -> None:
        with self._lock:
            self._life = self._swept = self._seconds()
            self._timer = self._started_timer()
        self._watchdog.start()

    def stop(self) -> None:
        """Ends after the case in hand; beats that hang are not waited for longer than one may be silent."""
        with self._lock:
            self._stop.set()
            timer, beats = self._timer, tuple(self._under_way)
        if timer is not None:
            timer.stop()
        patience = self._seconds() + STALE_SECONDS
        for beat in beats:
            beat.ended.wait(max(0.0, patience - self._seconds()))
        self._heartbeat.end()

    def wait(self) -> None:
        """Blocks until `stop`."""
        self._stop.wait()

    def beat(self) -> None:
        """One sweep; then arranges to wake at the next end when it comes before the next beat.

        A beat that finds another at work leaves the sweep to it: that one looks once more before it ends, since it
        may have looked for the last time before the end that this beat came for.
        """
        with self._lock:
            if self._stop.is_set():
                return
            if self._current is not None:
                self._current.again = True
                return
            beat = self._current = _Beat(self._seconds())
            self._under_way.add(beat)
        try:
            self._work(beat)
            while self._once_more(beat):
                self._work(beat)
        finally:
            self._end(beat)

    def revive(self) -> bool:
        """Starts the beat anew when there was no sign of life for too long. Whether it did.

        A beat that was under way is given up: should it come to itself, it ends with the case in hand.
        """
        with self._lock:
            silence = self._seconds() - self._life
            patience = _QUIET_SECONDS if self._current is None else STALE_SECONDS
            if self._stop.is_set() or silence <= patience:
                return False
            stalled, self._timer = self._timer, self._started_timer()
            self._current = None
            self._life = self._seconds()
        log.error("pacemaker_stalled", seconds=round(silence))
        if stalled is not None:
            stalled.stop()
        return True

    def _work(self, beat: _Beat) -> None:
        """What goes wrong is told and left to the next beat: a new timer would mend no database."""
        try:
            beat.compared = self._seconds()
            if self._clocks.agree():
                swept = sweep(self._store, lambda: self._may_go_on(beat))
                if swept.expired or swept.failed:
                    log.info("swept", expired=swept.expired, failed=swept.failed)
                self._sign_of_life(beat, swept=True)
                self._arrange_to_wake(beat, swept)
        except Exception:
            log.exception("beat_failed")
        self._tell(beat)

    def _may_go_on(self, beat: _Beat) -> bool:
        """Between two deadlines: a sign of life, a breath for others, and the clocks compared now and then."""
        if not self._sign_of_life(beat, swept=True) or self._stop.wait(_PAUSE):
            return False
        if self._seconds() - beat.compared < SWEEP_SECONDS:
            return True
        beat.compared = self._seconds()
        right = self._clocks.agree()
        self._tell(beat)
        return right

    def _tell(self, beat: _Beat) -> None:
        """A sign of life, for this process and for others."""
        if self._sign_of_life(beat, swept=False):
            self._heartbeat.beat(self.clock_skew, self.seconds_since_sweep)

    def _sign_of_life(self, beat: _Beat, *, swept: bool) -> bool:
        """False for a beat that was given up: its signs no longer count."""
        with self._lock:
            if beat is not self._current:
                return False
            self._life = self._seconds()
            if swept:
                self._swept = self._life
            return True

    def _arrange_to_wake(self, beat: _Beat, swept: Swept) -> None:
        wake = wake_at(self._store, self._wall.now(), swept)
        with self._lock:
            current = beat is self._current and not self._stop.is_set()
            if current and wake is not None and self._timer is not None:
                self._timer.wake(wake)

    def _once_more(self, beat: _Beat) -> bool:
        """Whether another beat came meanwhile; if none did, the next one finds the place free."""
        with self._lock:
            if beat is not self._current or self._stop.is_set():
                return False
            if not beat.again:
                self._current = None
                return False
            beat.again = False
            return True

    def _end(self, beat: _Beat) -> None:
        with self._lock:
            self._under_way.discard(beat)
            if beat is self._current:
                self._current = None
        beat.ended.set()

    def _started_timer(self) -> Timer:
        timer = Timer(self.beat, SWEEP_SECONDS, self._wall.now())
        timer.start()
        return timer

    def _watch(self) -> None:
        while not self._stop.wait(_WATCH_SECONDS):
            try:
                self.revive()
            except Exception:  # no thread to be had, for one: the watch goes on
                log.exception("watchdog_failed")
