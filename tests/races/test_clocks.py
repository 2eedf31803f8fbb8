"""Machines whose clocks are wrong, are set while they work, or learn of a new summer time: no term ends early."""

from __future__ import annotations

import importlib.resources
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from app.cases import acts
from app.clock import FixedClock
from app.settings import ROOT
from app.store.cases_tables import deadline
from app.store.tables import worker
from tests.crash.children import work, work_on_a_machine
from tests.crash.hamlet import ENDED, Dial, Hamlet, Running, Starting, decided
from tests.crash.nursery import Nursery

PATIENCE = 30.0
HOUR = timedelta(hours=1)
WRONG = (timedelta(seconds=10), timedelta(seconds=-10), HOUR, -HOUR)
LATENESS = timedelta(seconds=5)  # at most one interval; a worker that waits for the end comes at once


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def armed(hamlet: Hamlet) -> int:
    return hamlet.count(deadline, status="armed")


def test_a_term_is_decided_at_its_end_by_a_running_clock_and_not_before(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery
) -> None:
    hamlet.opened()
    waiting = nursery.start(work, prepared_url, Starting(ENDED - timedelta(seconds=2)))
    until(lambda: not armed(hamlet))
    nursery.end(waiting)
    assert decided(hamlet).well
    (term,) = hamlet.rows(deadline)
    assert term["noticed_at"] - term["expires_at"] < LATENESS


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_machines_that_differ_from_the_database_are_red_and_decide_nothing(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery
) -> None:
    """Ten seconds and an hour, ahead and behind; the machine that is right decides."""
    hamlet.opened()
    town = Running.at(ENDED)
    wrong = [nursery.start(work_on_a_machine, prepared_url, town, Running(skew)) for skew in WRONG]
    until(lambda: hamlet.count(worker) == len(wrong))
    told = sorted(round(row["skew_seconds"]) for row in hamlet.rows(worker))
    assert told == [-3600, -10, 10, 3600]
    assert armed(hamlet) == 1
    right = nursery.start(work, prepared_url, town)
    until(lambda: not armed(hamlet))
    for pid in [*wrong, right]:
        nursery.end(pid)
    assert decided(hamlet).well


@pytest.mark.parametrize("back", [timedelta(seconds=20), HOUR], ids=["twenty seconds", "an hour"])
def test_a_clock_that_was_set_back_behind_the_newest_entry_decides_nothing(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, back: timedelta
) -> None:
    """By more than ten seconds: beside a server's clock, two machines may stand five seconds off it on either side."""
    hamlet.opened()
    written = ENDED + 2 * HOUR
    later = Hamlet.at(prepared_url, FixedClock(written))
    later.act(
        "servidor", acts.annotate, later.opened(received=written.isoformat()), "Aberto depois da meia-noite."
    )
    later.close()
    wrong = nursery.start(work, prepared_url, Starting(written - back))
    until(lambda: hamlet.count(worker) == 1)
    (row,) = hamlet.rows(worker)
    assert timedelta(0) <= back + timedelta(seconds=row["skew_seconds"]) < timedelta(seconds=4)
    assert armed(hamlet) == 2
    right = nursery.start(work, prepared_url, Running.at(written))
    until(lambda: armed(hamlet) == 1)
    for pid in (wrong, right):
        nursery.end(pid)


def gaps(hamlet: Hamlet, machine: Dial, jumps: list[timedelta], interval: float) -> list[float]:
    """Seconds between the beats of a worker whose machine is set again and again, on a clock that nobody sets."""
    beats: list[float] = []
    ahead, newest = timedelta(0), None
    for jump in [*jumps, timedelta(0)]:
        end = time.monotonic() + 3 * interval
        while time.monotonic() < end:
            told = [row["beat_at"] for row in hamlet.rows(worker)]
            if told and told[0] != newest:
                newest = told[0]
                beats.append(time.monotonic())
            time.sleep(0.02)
        ahead += jump
        machine.set(Running(ahead).now())
    return [later - earlier for earlier, later in itertools.pairwise(beats)]


def beats_on(
    hamlet: Hamlet, nursery: Nursery, url: str, folder: Path, jumps: list[timedelta], interval: float
) -> None:
    machine = Dial(folder / "machine")
    machine.set(Running(timedelta(0)).now())
    pid = nursery.start(work_on_a_machine, url, machine, machine, interval)
    found = gaps(hamlet, machine, jumps, interval)
    nursery.end(pid)
    assert len(found) >= 2 * len(jumps)
    assert max(found) <= 2 * interval, found


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_a_machine_set_back_by_an_hour_beats_again_within_two_intervals(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, tmp_path: Path
) -> None:
    """The timer alone would sleep for that hour. An interval of two seconds, for the sake of whoever waits for this."""
    beats_on(hamlet, nursery, prepared_url, tmp_path, [-HOUR], 2.0)


@pytest.mark.long
def test_a_machine_set_to_and_fro_beats_on(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, tmp_path: Path
) -> None:
    beats_on(hamlet, nursery, prepared_url, tmp_path, list(WRONG), 5.0)


def test_a_new_summer_time_changes_no_term_that_was_counted_before(
    prepared_url: str, hamlet: Hamlet, tmp_path: Path
) -> None:
    """By the new table the 10th of March begins an hour later: so does the end of what is counted from now on."""
    hamlet.opened()
    there = importlib.resources.files("tzdata.zoneinfo")
    (tmp_path / "America").mkdir()
    (tmp_path / "America" / "Bahia").write_bytes((there / "America" / "New_York").read_bytes())
    env = {**os.environ, "PYTHONTZPATH": str(tmp_path)}
    command = [sys.executable, "-m", "tests.races.zones", prepared_url]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told == {
        "expires_at": "2026-03-10T03:00:00+00:00",
        "new_expires_at": "2026-03-10T04:00:00+00:00",
        "swept": [0, 1],
        "act": "expire",
        "legal_instant": "2026-03-10T02:59:59+00:00",
        "faults": [],
    }
