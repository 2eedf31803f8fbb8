"""The pacemaker wakes at the next end of a term and is revived when it falls silent. Nothing here waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from structlog.typing import EventDict

from app.clock import DemoClock, FixedClock
from app.scheduler import STALE_SECONDS, SWEEP_SECONDS, Pacemaker, wake_at
from app.store import Store
from tests.cases.infringement import Infringement
from tests.cases.town import Town, local

WALL = local("2026-03-02 12:00")


@dataclass
class Seconds:
    """A monotonic clock moved by hand."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


def running(town: Town) -> Infringement:
    return Infringement.opened(town).registered().charged().served()


def test_with_nothing_armed_there_is_nothing_to_wake_for(town: Town) -> None:
    assert wake_at(town.store, WALL) is None


def test_it_wakes_for_an_end_that_comes_before_the_next_beat(town: Town) -> None:
    running(town)
    end = local("2026-05-19 00:00")
    for before, wake in (
        (timedelta(seconds=SWEEP_SECONDS, microseconds=1), None),
        (timedelta(seconds=SWEEP_SECONDS), WALL + timedelta(seconds=SWEEP_SECONDS)),
        (timedelta(microseconds=1), WALL + timedelta(microseconds=1)),
    ):
        town.clock.set(end - before)
        assert wake_at(town.store, WALL) == wake


def test_the_demo_clock_runs_ahead_of_the_wall_at_its_speed(town: Town) -> None:
    running(town)
    demo = DemoClock(base=FixedClock(WALL))
    demo.advance_to(local("2026-05-18 23:59:58"))
    assert wake_at(Store(town.store.database, demo), WALL) == WALL + timedelta(seconds=2)


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


def test_it_is_revived_only_after_three_beats_of_silence(town: Town) -> None:
    seconds = Seconds()
    pacemaker = Pacemaker(town.store, seconds)
    assert pacemaker.revive() is False
    seconds.now += STALE_SECONDS
    assert pacemaker.revive() is False
    seconds.now += 0.001
    try:
        assert pacemaker.revive() is True
        first = pacemaker._scheduler
        assert first is not None
        assert first.running
        seconds.now += STALE_SECONDS + 1
        assert pacemaker.revive() is True
        assert pacemaker._scheduler is not first
        assert not first.running
        assert pacemaker.seconds_since_sweep == 0
    finally:
        pacemaker.stop()


def test_it_starts_beats_arranges_to_wake_and_stops(town: Town) -> None:
    running(town)
    town.at("2026-05-18 23:59:57")
    pacemaker = Pacemaker(town.store)
    pacemaker.start()
    try:
        pacemaker.beat()
        scheduler = pacemaker._scheduler
        assert scheduler is not None
        assert {job.id for job in scheduler.get_jobs()} == {"sweep", "wake"}
        assert pacemaker.seconds_since_sweep < STALE_SECONDS
    finally:
        pacemaker.stop()
    pacemaker.wait()  # returns at once: it has stopped
    assert not scheduler.running
