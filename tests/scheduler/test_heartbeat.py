"""Each worker keeps a row about itself, by which others judge whether deadlines are being decided."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from structlog.typing import EventDict

from app.clock import FixedClock
from app.scheduler import SWEEP_SECONDS, Pacemaker, Swept
from app.store import Busy, Store
from app.store.tables import worker
from tests.cases.town import Town, local
from tests.scheduler.seconds import Seconds

MORNING = local("2026-03-02 08:00")


class Machine:
    """A worker's machine: its wall clock and its monotonic one, which run together."""

    def __init__(self, town: Town) -> None:
        self.wall, self.seconds = FixedClock(MORNING), Seconds()
        self.store = Store(town.store.database, town.clock, self.wall)
        self.store.trust._database = _Agreeing()  # type: ignore[assignment]
        self.pacemaker = Pacemaker(self.store, self.seconds)

    def wait(self, seconds: float) -> None:
        self.seconds.now += seconds
        self.wall.set(self.wall.now() + timedelta(seconds=seconds))


class _Agreeing:
    """A database whose clock is this machine's."""

    skew, dialect = timedelta(0), "sqlite"

    def lead(self, *_: object) -> timedelta:
        return self.skew


def test_a_worker_tells_when_it_began_beat_and_swept_by_its_machine_s_clock(town: Town) -> None:
    """Cases live on a clock of their own, at which nobody looks here."""
    machine = Machine(town)
    assert town.rows(worker) == []
    machine.wait(3)
    machine.pacemaker.beat()
    row = town.row(worker)
    assert row["started_at"] == MORNING
    assert row["beat_at"] == row["swept_at"] == MORNING + timedelta(seconds=3)
    assert row["skew_seconds"] is None
    assert row["place"].endswith(f":{os.getpid()}")
    machine.wait(5)
    machine.pacemaker.beat()
    assert town.row(worker)["beat_at"] == MORNING + timedelta(seconds=8)


def test_a_worker_on_a_wrong_clock_says_so_and_that_it_no_longer_sweeps(town: Town) -> None:
    machine = Machine(town)
    machine.pacemaker.beat()
    machine.store.trust._database.skew = timedelta(seconds=-7.5)  # type: ignore[attr-defined]
    machine.wait(5)
    machine.pacemaker.beat()
    row = town.row(worker)
    assert (row["skew_seconds"], row["swept_at"]) == (-7.5, MORNING)
    assert row["beat_at"] == MORNING + timedelta(seconds=5)


def test_a_worker_whose_sweeps_fail_beats_and_does_not_sweep(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(town)
    machine.pacemaker.beat()

    def failing(*_: object) -> None:
        raise ValueError("doente")

    monkeypatch.setattr("app.scheduler.pacemaker.sweep", failing)
    machine.wait(5)
    machine.pacemaker.beat()
    row = town.row(worker)
    assert (row["swept_at"], row["beat_at"]) == (MORNING, MORNING + timedelta(seconds=5))


def test_a_long_sweep_goes_on_telling_that_it_lives(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    machine, told = Machine(town), list[Any]()

    def long(_: Store, go_on: Callable[[], bool]) -> Swept:
        for _second in range(2 * SWEEP_SECONDS):
            machine.wait(1)
            assert go_on()
            told.extend(row["swept_at"] - MORNING for row in town.rows(worker))
        return Swept(10)

    monkeypatch.setattr("app.scheduler.pacemaker.sweep", long)
    machine.pacemaker.beat()
    assert [round(one.total_seconds()) for one in told] == [5] * 5 + [10]


def test_a_worker_that_stops_in_order_takes_its_row_away_and_only_its_own(town: Town) -> None:
    one, two = Machine(town), Machine(town)
    for machine in (one, two):
        machine.pacemaker.beat()
    assert len(town.rows(worker)) == 2
    one.pacemaker.stop()
    assert [row["id"] for row in town.rows(worker)] == [two.pacemaker._heartbeat._id]


def test_the_row_of_a_killed_worker_is_there_for_a_day(town: Town) -> None:
    killed, goes_on = Machine(town), Machine(town)
    killed.pacemaker.beat()
    for seconds, rows in ((24 * 3_600, 2), (1, 1)):
        goes_on.wait(seconds)
        goes_on.pacemaker.beat()
        assert len(town.rows(worker)) == rows


def test_a_worker_on_a_wrong_clock_does_not_declare_the_others_gone(town: Town) -> None:
    well, wrong = Machine(town), Machine(town)
    well.pacemaker.beat()
    wrong.store.trust._database.skew = timedelta(days=2)  # type: ignore[attr-defined]
    wrong.wait(2 * 24 * 3_600)
    wrong.pacemaker.beat()
    assert len(town.rows(worker)) == 2


@pytest.mark.parametrize(
    ("trouble", "told"),
    [(Busy("Ocupado."), []), (OperationalError("UPDATE", None, Exception("no space")), ["heartbeat_failed"])],
    ids=["busy", "database in trouble"],
)
def test_a_row_that_cannot_be_written_costs_no_beat(
    town: Town, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict], trouble: Exception, told: list[str]
) -> None:
    machine = Machine(town)
    machine.pacemaker.beat()

    def refused(_: object) -> None:
        raise trouble

    monkeypatch.setattr(machine.store, "silent_act", refused)
    machine.wait(5)
    machine.pacemaker.beat()
    assert machine.pacemaker.seconds_since_sweep == 0
    assert [log["event"] for log in logs] == told
    machine.pacemaker.stop()
