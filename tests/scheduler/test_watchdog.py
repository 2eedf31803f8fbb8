"""The watchdog: a sweep that goes on handling deadlines lives, however long; one that hangs is given up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from structlog.typing import EventDict

from app.clock import FixedClock
from app.scheduler import STALE_SECONDS, SWEEP_SECONDS, Pacemaker, Swept
from app.store import Database, Store
from tests.cases.town import local
from tests.scheduler.seconds import Seconds

NOW = local("2026-03-02 12:00")


@dataclass
class Bell:
    """Stands for the timer, and never rings by itself."""

    running: bool = False
    arranged: list[datetime] = field(default_factory=list)

    def start(self) -> None:
        self.running = True

    def wake(self, at: datetime) -> None:
        self.arranged.append(at)

    def stop(self) -> None:
        self.running = False


@dataclass
class Watched:
    """A pacemaker in its first beat's hands: `sweeps` are what its sweeps do, in order."""

    pacemaker: Pacemaker
    seconds: Seconds
    bells: list[Bell]
    sweeps: list[Callable[[Callable[[], bool]], Swept]] = field(default_factory=list)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    bells: list[Bell] = []

    def ring(*_: object) -> Bell:
        bells.append(Bell())
        return bells[-1]

    seconds = Seconds()
    store = Store(Database(None, "sqlite"), FixedClock(NOW))  # type: ignore[arg-type]
    made = Watched(Pacemaker(store, seconds), seconds, bells)
    monkeypatch.setattr("app.scheduler.pacemaker.Timer", ring)
    monkeypatch.setattr("app.scheduler.pacemaker.wake_at", lambda *_: NOW)
    monkeypatch.setattr("app.scheduler.pacemaker.Clocks.agree", lambda _: True)
    monkeypatch.setattr("app.scheduler.pacemaker.Heartbeat.beat", lambda *_: None)
    monkeypatch.setattr("app.scheduler.pacemaker.sweep", lambda _, go_on: made.sweeps.pop(0)(go_on))
    monkeypatch.setattr(made.pacemaker._watchdog, "start", lambda: None)
    made.pacemaker.start()
    return made


def test_a_timer_that_sleeps_is_missed_before_a_second_beat_is(
    watched: Watched, logs: list[EventDict]
) -> None:
    """As when the wall clock was set back by an hour: the next beat comes at once, less than two intervals late."""
    pacemaker, seconds, bells = watched.pacemaker, watched.seconds, watched.bells
    seconds.now += 1.5 * SWEEP_SECONDS
    assert pacemaker.revive() is False
    seconds.now += 0.5
    assert pacemaker.revive() is True
    assert [bell.running for bell in bells] == [False, True]
    assert logs == [{"event": "pacemaker_stalled", "log_level": "error", "seconds": 8}]
    assert pacemaker.revive() is False  # the new timer has its time too
    assert pacemaker.seconds_since_sweep == 8  # and has swept nothing yet
    pacemaker.stop()
    assert [bell.running for bell in bells] == [False, False]


def test_a_sweep_of_fifty_seconds_that_handles_deadlines_is_never_given_up(watched: Watched) -> None:
    pacemaker, seconds = watched.pacemaker, watched.seconds

    def long(go_on: Callable[[], bool]) -> Swept:
        for _ in range(50):
            seconds.now += 1
            assert go_on()
            assert pacemaker.revive() is False
            assert pacemaker.healthy
        for _ in range(3):  # each deadline just within what may be silent
            seconds.now += STALE_SECONDS
            assert pacemaker.revive() is False
            assert go_on()
        return Swept(53)

    watched.sweeps = [long]
    pacemaker.beat()
    assert (watched.sweeps, len(watched.bells), pacemaker.seconds_since_sweep) == ([], 1, 0)


def test_a_sweep_that_hung_is_given_up_and_ends_with_the_case_in_hand(watched: Watched) -> None:
    pacemaker, seconds, (first, *_) = watched.pacemaker, watched.seconds, watched.bells

    def healthy(go_on: Callable[[], bool]) -> Swept:
        assert go_on()
        return Swept()

    def hung(go_on: Callable[[], bool]) -> Swept:
        assert go_on()
        seconds.now += STALE_SECONDS + 0.001
        assert pacemaker.revive() is True
        pacemaker.beat()  # of the new timer: sweeps while the other hangs
        seconds.now += 3
        assert go_on() is False
        return Swept(2)

    watched.sweeps = [hung, healthy]
    pacemaker.beat()
    assert watched.sweeps == []
    assert pacemaker.seconds_since_sweep == 3  # the one given up gives no sign of life
    assert [bell.arranged for bell in watched.bells] == [[], [NOW]]  # nor does it arrange anything
    assert pacemaker._under_way == set()
    assert not first.running


def test_beats_that_only_find_another_at_work_are_no_sign_of_its_life(watched: Watched) -> None:
    pacemaker, seconds = watched.pacemaker, watched.seconds

    def hung(_: Callable[[], bool]) -> Swept:
        for _second in range(STALE_SECONDS + 1):
            seconds.now += 1
            pacemaker.beat()
        assert pacemaker.revive() is True
        return Swept()

    watched.sweeps = [hung]
    pacemaker.beat()
    assert watched.sweeps == []


def test_nothing_is_revived_once_it_was_stopped(watched: Watched) -> None:
    watched.pacemaker.stop()
    watched.seconds.now += STALE_SECONDS + 1
    assert watched.pacemaker.revive() is False
    assert len(watched.bells) == 1


def test_a_revival_that_fails_leaves_all_as_it_was_and_is_tried_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    pacemaker = watched.pacemaker
    watched.seconds.now += STALE_SECONDS + 1
    answers = iter([False, False, True])  # waited, waited, stopped
    monkeypatch.setattr(pacemaker._stop, "wait", lambda _: next(answers))
    starts = [None, RuntimeError("can't start new thread")]

    def start(bell: Bell) -> None:
        if error := starts.pop():
            raise error
        bell.running = True

    monkeypatch.setattr(Bell, "start", start)
    pacemaker._watch()
    assert [told["event"] for told in logs] == ["watchdog_failed", "pacemaker_stalled"]
    assert [bell.running for bell in watched.bells] == [False, False, True]
