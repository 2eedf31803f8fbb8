"""No deadline fires while this machine's clock and the database's differ by more than five seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from structlog.typing import EventDict

from app.clock import Clock, FixedClock
from app.scheduler import SWEEP_SECONDS, Clocks, Pacemaker, Swept
from app.store import Database, Store
from tests.cases.infringement import Infringement
from tests.cases.town import Town, local
from tests.scheduler.seconds import Seconds

NOON = local("2026-03-02 12:00")
MINUTE = timedelta(minutes=1)


@dataclass
class Wall:
    """A machine's clock that is ahead of the database's by a known time."""

    database: Database
    ahead: timedelta = timedelta(0)

    def now(self) -> datetime:
        if self.database.dialect == "sqlite":
            return NOON + self.ahead
        with self.database.reading() as connection:
            told: datetime = connection.exec_driver_sql("SELECT clock_timestamp()").scalar_one()
        return told + self.ahead


class Led(Database):
    """A database that the wall leads by what a test says."""

    leads: list[timedelta]

    def lead(self, wall: Clock) -> timedelta:
        return self.leads.pop(0)


def led(*seconds: float) -> Database:
    made = Led(None, "postgresql")  # type: ignore[arg-type]
    object.__setattr__(made, "leads", [timedelta(seconds=s) for s in seconds])
    return made


@pytest.mark.parametrize("ahead", [MINUTE, -MINUTE], ids=["ahead", "behind"])
def test_on_a_clock_that_is_wrong_nothing_fires_until_it_is_right(
    town: Town, logs: list[EventDict], ahead: timedelta
) -> None:
    """Cases live on a clock moved by hand, months away from either: only the machine's own is compared."""
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-19 00:00")
    wall = Wall(town.store.database, ahead)
    pacemaker = Pacemaker(town.store, Seconds(), wall)
    pacemaker.beat()
    if town.dialect == "sqlite":  # which has no clock of its own to differ from
        assert (case.acts.count("expire"), pacemaker.clock_skew, pacemaker.healthy) == (1, None, True)
        return
    assert case.term("defesa")["status"] == "armed"
    skew = pacemaker.clock_skew
    assert skew is not None
    assert round(skew / MINUTE) == round(ahead / MINUTE)
    assert not pacemaker.healthy
    wall.ahead = timedelta(0)
    pacemaker.beat()
    assert (case.term("defesa")["status"], pacemaker.clock_skew, pacemaker.healthy) == ("expired", None, True)
    assert [told["event"] for told in logs] == ["clock_skewed", "clock_agrees_again", "swept"]


def test_five_seconds_are_borne_and_more_are_not() -> None:
    borne = Clocks(led(5, -5), FixedClock(NOON))
    assert (borne.agree(), borne.agree()) == (True, True)
    for seconds in (5.000001, -5.000001):
        clocks = Clocks(led(seconds), FixedClock(NOON))
        assert clocks.agree() is False
        assert clocks.skew == timedelta(seconds=seconds)


def test_the_log_is_told_when_they_part_and_when_they_agree_again(logs: list[EventDict]) -> None:
    clocks = Clocks(led(0, 7.25, 8, 0, 0), FixedClock(NOON))
    assert [clocks.agree() for _ in range(5)] == [True, False, False, True, True]
    assert logs == [
        {"event": "clock_skewed", "log_level": "error", "seconds": 7.2, "deadlines": "not fired"},
        {"event": "clock_agrees_again", "log_level": "info"},
    ]


def test_within_a_long_sweep_the_clocks_are_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a beat's length: a clock that is set wrong in the middle ends the sweep."""
    seconds = Seconds()
    pacemaker = Pacemaker(Store(led(0, 0, 60), FixedClock(NOON)), seconds, FixedClock(NOON))

    def long(_: Store, go_on: Callable[[], bool]) -> Swept:
        for step, more in (
            (SWEEP_SECONDS - 1, True),
            (1, True),
            (SWEEP_SECONDS - 1, True),
            (1, False),
        ):
            seconds.now += step
            assert go_on() is more
        return Swept(4)

    monkeypatch.setattr("app.scheduler.pacemaker.sweep", long)
    monkeypatch.setattr("app.scheduler.pacemaker.wake_at", lambda *_: None)
    pacemaker.beat()
    assert pacemaker.clock_skew == MINUTE


def test_a_clock_that_stays_wrong_is_no_reason_to_start_the_timer_anew() -> None:
    seconds = Seconds()
    pacemaker = Pacemaker(Store(led(*[60] * 10), FixedClock(NOON)), seconds, FixedClock(NOON))
    for _ in range(10):
        seconds.now += SWEEP_SECONDS
        pacemaker.beat()
        assert pacemaker.revive() is False
    assert pacemaker.seconds_since_sweep == 50
