"""The pacemaker sweeps, wakes at the next end of a term, outlives failures and stops. Nothing here waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from structlog.typing import EventDict

from app.clock import DemoClock, FixedClock
from app.scheduler import STALE_SECONDS, SWEEP_SECONDS, Pacemaker, Swept, wake_at
from app.scheduler.pacemaker import _Beat
from app.scheduler.timer import Timer
from app.store import Database, Store
from tests.cases.infringement import Infringement
from tests.cases.town import Town, local
from tests.scheduler.seconds import Seconds

WALL = local("2026-03-02 12:00")


def running(town: Town) -> Infringement:
    return Infringement.opened(town).registered().charged().served()


def test_with_nothing_armed_there_is_nothing_to_wake_for(town: Town) -> None:
    assert wake_at(town.store, WALL, Swept()) is None


def test_it_wakes_for_an_end_that_comes_before_the_next_beat(town: Town) -> None:
    running(town)
    end = local("2026-05-19 00:00")
    for before, wake in (
        (timedelta(seconds=SWEEP_SECONDS, microseconds=1), None),
        (timedelta(seconds=SWEEP_SECONDS), WALL + timedelta(seconds=SWEEP_SECONDS)),
        (timedelta(microseconds=1), WALL + timedelta(microseconds=1)),
    ):
        town.clock.set(end - before)
        assert wake_at(town.store, WALL, Swept()) == wake


def test_the_demo_clock_runs_ahead_of_the_wall_at_its_speed(town: Town) -> None:
    running(town)
    demo = DemoClock(base=FixedClock(WALL))
    demo.learn(local("2026-05-18 23:59:58") - WALL)
    assert wake_at(Store(town.store.database, demo), WALL, Swept()) == WALL + timedelta(seconds=2)


def test_it_wakes_soon_for_what_was_left_to_somebody_else_and_sooner_for_an_end(town: Town) -> None:
    assert wake_at(town.store, WALL, Swept(left=1)) == WALL + timedelta(seconds=1)
    running(town)
    town.clock.set(local("2026-05-19 00:00") - timedelta(milliseconds=300))
    assert wake_at(town.store, WALL, Swept(left=1)) == WALL + timedelta(milliseconds=300)


def test_a_beat_sweeps_and_remembers_when(town: Town, logs: list[EventDict]) -> None:
    case, seconds = running(town), Seconds()
    pacemaker = Pacemaker(town.store, seconds)
    town.at("2026-05-19 00:00")
    seconds.now += 7
    assert pacemaker.seconds_since_sweep == 7
    pacemaker.beat()
    assert (pacemaker.seconds_since_sweep, case.status) == (0, "REVEL")
    pacemaker.beat()
    assert case.acts.count("expire") == 1
    assert logs == [{"event": "swept", "log_level": "info", "expired": 1, "failed": 0}]
    pacemaker.stop()
    town.at("2026-05-22 00:00")
    pacemaker.beat()  # a beat that was on its way when it was stopped
    assert case.acts.count("expire") == 1


def test_it_starts_beats_arranges_to_wake_and_stops(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a wall clock so far ahead that the timer itself never comes to beat."""
    monkeypatch.setattr(Database, "lead", lambda *_: timedelta(0))
    running(town)
    town.at("2026-05-18 23:59:57")
    wall = FixedClock(local("2100-01-01 00:00"))
    pacemaker = Pacemaker(Store(town.store.database, town.clock, wall))
    pacemaker.start()
    try:
        timer = pacemaker._timer
        assert timer is not None
        assert (timer.running, timer.calls) == (True, {"sweep"})
        pacemaker.beat()
        assert timer.calls == {"sweep", "wake"}
    finally:
        pacemaker.stop()
    pacemaker.wait()  # returns at once: it has stopped
    assert not timer.running
    pacemaker.stop()  # once more changes nothing


def test_a_call_that_hangs_does_not_keep_the_process_from_ending() -> None:
    threads: list[threading.Thread] = []
    called = threading.Event()

    def call() -> None:
        threads.append(threading.current_thread())
        called.set()

    timer = Timer(call, 3_600, WALL)  # since long
    timer.start()
    try:
        assert called.wait(60)
    finally:
        timer.stop()
    assert [thread.daemon for thread in threads] == [True]
    timer.stop()  # once more changes nothing


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store that nothing is read from: sweeps are what a test says they are, and there is no end to wake for."""
    monkeypatch.setattr("app.scheduler.pacemaker.wake_at", lambda *_: None)
    monkeypatch.setattr("app.scheduler.pacemaker.Clocks.agree", lambda _: True)
    monkeypatch.setattr("app.scheduler.pacemaker.Heartbeat.beat", lambda *_: None)
    return Store(Database(None, "sqlite"), FixedClock(WALL))  # type: ignore[arg-type]


def test_a_beat_that_fails_is_told_and_the_next_one_sweeps(
    bare: Store, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    seconds = Seconds()
    pacemaker = Pacemaker(bare, seconds)
    answers: list[Callable[[], Swept]] = [lambda: Swept(1), lambda: Swept(1 // 0)]
    monkeypatch.setattr("app.scheduler.pacemaker.sweep", lambda *_: answers.pop()())
    seconds.now += 16
    pacemaker.beat()
    assert [told["event"] for told in logs] == ["beat_failed"]
    assert (pacemaker.seconds_since_sweep, pacemaker.healthy) == (16, False)
    assert pacemaker.revive() is False  # it beats: a new timer would mend nothing
    pacemaker.beat()
    assert [told["event"] for told in logs] == ["beat_failed", "swept"]
    assert (pacemaker.seconds_since_sweep, pacemaker.healthy) == (0, True)


def test_a_wake_up_that_cannot_be_arranged_takes_nothing_from_the_sweep(
    bare: Store, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    def failing(*_: object) -> None:
        raise OverflowError("date value out of range")

    sweeps: list[None] = []

    def swept(*_: object) -> Swept:
        sweeps.append(None)
        return Swept()

    monkeypatch.setattr("app.scheduler.pacemaker.wake_at", failing)
    monkeypatch.setattr("app.scheduler.pacemaker.sweep", swept)
    seconds = Seconds()
    pacemaker = Pacemaker(bare, seconds)
    seconds.now += 16
    pacemaker.beat()
    assert pacemaker.seconds_since_sweep == 0
    pacemaker.beat()
    assert (len(sweeps), [told["event"] for told in logs]) == (2, ["beat_failed"] * 2)


def test_a_beat_that_finds_another_at_work_leaves_it_one_more_look(
    bare: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never two sweeps side by side, and the end that the second beat came for is not missed."""
    pacemaker = Pacemaker(bare, Seconds())
    told: list[str] = []

    def swept(*_: object) -> Swept:
        told.append("begins")
        if len(told) == 1:
            pacemaker.beat()
            pacemaker.beat()
        told.append("ends")
        return Swept()

    monkeypatch.setattr("app.scheduler.pacemaker.sweep", swept)
    pacemaker.beat()
    assert told == ["begins", "ends", "begins", "ends"]
    pacemaker.beat()
    assert len(told) == 6


def test_stopping_waits_for_all_that_hang_together_no_longer_than_one_may_be_silent(bare: Store) -> None:
    seconds = Seconds()
    pacemaker = Pacemaker(bare, seconds)
    waited: list[float] = []

    class Never(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waited.append(timeout or 0)
            seconds.now += timeout or 0
            return False

    pacemaker._under_way = {_Beat(0, ended=Never()), _Beat(0, ended=Never())}
    pacemaker.stop()
    assert waited == [STALE_SECONDS, 0]


def test_stopping_tells_a_sweep_at_work_to_leave_the_rest(
    bare: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    pacemaker = Pacemaker(bare, Seconds())
    answers: list[bool] = []

    def swept(_: Store, go_on: Callable[[], bool]) -> Swept:
        answers.append(go_on())
        pacemaker._stop.set()
        answers.append(go_on())
        return Swept()

    monkeypatch.setattr("app.scheduler.pacemaker.sweep", swept)
    pacemaker.beat()
    assert answers == [True, False]
