"""No deadline is decided by a clock that may be wrong: neither by a sweep nor ahead of somebody's act."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.typing import EventDict

from app.cases import acts
from app.clock import DemoClock, FixedClock
from app.scheduler import SWEEP_SECONDS, Clocks, Pacemaker, Swept, sweep
from app.store import Database, Store
from app.store.trust import MOST_SKEW, Trust
from tests.cases.infringement import OTHER, Infringement
from tests.cases.town import Town, local
from tests.scheduler.seconds import Seconds

NOON = local("2026-03-02 12:00")
MINUTE = timedelta(minutes=1)
A_LITTLE = timedelta(microseconds=1)


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


@dataclass
class Others:
    """What a clock is compared with: a database that it leads by what a test says, and the newest entry."""

    leads: list[timedelta] = field(default_factory=list)
    newest: datetime | None = None
    dialect: str = "postgresql"

    def lead(self, *_: object) -> timedelta:
        return self.leads.pop(0)

    def execute(self, _: object) -> Any:
        return SimpleNamespace(scalar=lambda: self.newest)


def trust(others: Any, seconds: Callable[[], float] | None = None) -> Trust:
    return Trust(others, FixedClock(NOON), lambda _: NOON, seconds or Seconds())


class Led(Store):
    """A store whose clock leads the database's by so many seconds, each time it is compared."""

    def __init__(self, *seconds: float) -> None:
        super().__init__(Database(None, "postgresql"), FixedClock(NOON), FixedClock(NOON))  # type: ignore[arg-type]
        self.trust = trust(Others([timedelta(seconds=s) for s in seconds]))

    def read(self) -> Any:
        return nullcontext(SimpleNamespace(connection=Others()))


@pytest.fixture
def unswept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written or arranged by a pacemaker over a store that is `Led`."""
    for silent in ("Heartbeat.beat", "Heartbeat.end", "wake_at"):
        monkeypatch.setattr(f"app.scheduler.pacemaker.{silent}", lambda *_: None)


def running(town: Town) -> Infringement:
    """Received on Monday 11 May: defence until the 18th."""
    return Infringement.opened(town).registered().charged().served()


@pytest.mark.parametrize("ahead", [MINUTE, -MINUTE], ids=["ahead", "behind"])
def test_on_a_clock_that_is_wrong_nothing_fires_until_it_is_right(
    town: Town, logs: list[EventDict], ahead: timedelta
) -> None:
    """Cases live on a clock moved by hand, months away from either: only the machine's own is compared."""
    case = running(town)
    town.at("2026-05-19 00:00")
    wall = Wall(town.store.database, ahead)
    pacemaker = Pacemaker(Store(town.store.database, town.clock, wall), Seconds())
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


def test_a_clock_that_ran_back_decides_nothing_until_it_has_come_again(
    town: Town, logs: list[EventDict]
) -> None:
    """The newest entry is of ten in the evening; the clock that sweeps then says a little past midnight, 22 h ago."""
    case, other = running(town), Infringement.opened(town, when=None, codigo="I-13", ocorrida_em="2026-05-08")
    newest = local("2026-05-19 22:00")
    town.clock.set(newest)
    town.act("fiscal", acts.annotate, other.id, "Registrada às dez da noite.")
    back = FixedClock(local("2026-05-19 00:05"))
    pacemaker = Pacemaker(Store(town.store.database, back), Seconds())
    # Several machines stand beside a server, each up to five seconds from it: ten between two of them are borne.
    borne = MOST_SKEW if town.dialect == "sqlite" else 2 * MOST_SKEW
    for now in (back.now(), newest - borne - A_LITTLE):
        back.set(now)
        pacemaker.beat()
        assert (case.acts.count("expire"), pacemaker.healthy) == (0, False)
        assert pacemaker.clock_skew == now - newest
    back.set(newest - borne)
    pacemaker.beat()
    assert (case.term("defesa")["status"], pacemaker.healthy) == ("expired", True)
    assert [told["event"] for told in logs] == ["clock_skewed", "clock_agrees_again", "swept"]


def test_a_demo_s_clock_that_was_sent_ahead_is_compared_with_its_own_journal(town: Town) -> None:
    case = running(town)
    demo = DemoClock(base=FixedClock(local("2026-01-02 09:00")))
    demo.learn(local("2026-05-19 00:00") - local("2026-01-02 09:00"))
    pacemaker = Pacemaker(Store(town.store.database, demo), Seconds())
    pacemaker.beat()
    assert (case.term("defesa")["status"], pacemaker.clock_skew) == ("expired", None)
    town.at("2026-05-19 00:00")


def test_an_act_that_would_first_decide_a_term_by_a_wrong_clock_is_refused(town: Town) -> None:
    """A day of notes goes on; the filing that comes after the end of a term waits for the clock to be right."""
    case = running(town)
    late = Infringement.opened(town, when=None, codigo="I-13", ocorrida_em="2026-05-08")
    town.at("2026-05-20 09:00")
    town.act("fiscal", acts.annotate, late.id, "Registrada no dia 20.")
    wrong = Store(town.store.database, FixedClock(local("2026-05-19 09:00")))

    def filed() -> None:
        with wrong.act(town.actor("protocolo")) as tx:
            acts.file(tx, case.id, "outro", OTHER)

    refused = town.unchanged(filed)
    assert (refused.status, refused.code) == (503, "relogio.difere")
    assert "Nada foi gravado: chame quem administra o sistema." in refused.message
    assert (sweep(wrong), case.term("defesa")["status"]) == (Swept(left=1), "armed")
    with wrong.act(town.actor("fiscal")) as tx:
        acts.annotate(tx, case.id, "Nenhum prazo depende desta anotação.")
    town.act("protocolo", acts.file, case.id, "outro", OTHER)
    assert case.acts[-2:] == ["expire", "file"]


def test_a_clock_that_is_behind_makes_no_late_act_timely(town: Town) -> None:
    """By the newest entry the term to pay and defend, until the 18th, is over; by the clock of whoever acts it runs."""
    case = running(town)
    other = Infringement.opened(town, when=None, codigo="I-13", ocorrida_em="2026-05-08")
    town.at("2026-05-19 02:00")
    town.act("fiscal", acts.annotate, other.id, "Registrada no dia 19.")
    behind = Store(town.store.database, FixedClock(local("2026-05-18 23:00")))

    def filed(stamp: str | None = None) -> None:
        with behind.act(town.actor("protocolo")) as tx:
            acts.file(tx, case.id, "outro", OTHER, local(stamp) if stamp else None)

    refused = town.unchanged(filed)
    assert (refused.status, refused.code) == (503, "relogio.difere")
    filed("2026-05-18 16:00")  # the stamp of the counter's book says when: no clock is asked
    assert (case.acts[-1], case.term("defesa")["status"]) == ("file", "armed")


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_an_act_is_refused_where_the_machine_differs_from_the_database(town: Town) -> None:
    case = running(town)
    town.at("2026-05-19 09:00")
    wrong = Store(town.store.database, town.clock, Wall(town.store.database, MINUTE))

    def filed() -> None:
        with wrong.act(town.actor("protocolo")) as tx:
            acts.file(tx, case.id, "outro", OTHER)

    assert town.unchanged(filed).code == "relogio.difere"


def test_five_seconds_are_borne_and_more_are_not() -> None:
    for borne in (MOST_SKEW, -MOST_SKEW):
        assert trust(Others([borne])).compare(Others()) is None  # type: ignore[arg-type]
    for skew in (MOST_SKEW + A_LITTLE, -MOST_SKEW - A_LITTLE):
        assert trust(Others([skew])).compare(Others()) == skew  # type: ignore[arg-type]


@pytest.mark.parametrize(("dialect", "borne"), [("sqlite", MOST_SKEW), ("postgresql", 2 * MOST_SKEW)])
def test_only_a_clock_behind_the_journal_is_wrong_and_not_one_ahead_of_it(
    dialect: str, borne: timedelta
) -> None:
    """Nights pass in which nobody writes anything. Two machines may stand on either side of a server's clock."""
    told = [
        trust(Others([timedelta(0)], dialect=dialect)).compare(Others(newest=NOON - behind))  # type: ignore[arg-type]
        for behind in (timedelta(days=3), -borne, -borne - A_LITTLE)
    ]
    assert told == [None, None, -borne - A_LITTLE]


def test_what_was_compared_is_good_for_five_seconds() -> None:
    seconds, others = Seconds(), Others([timedelta(0), MINUTE, timedelta(0)])
    compared = trust(others, seconds)
    found = []
    for wait in (0, 4.9, 0.1, 4.9, 0.1):
        seconds.now += wait
        found.append(compared.lately(others))  # type: ignore[arg-type]
    assert found == [None, None, MINUTE, MINUTE, None]


def test_the_log_is_told_when_they_part_and_when_they_agree_again(logs: list[EventDict]) -> None:
    clocks = Clocks(Led(0, 7.25, 8, 0, 0))
    assert [clocks.agree() for _ in range(5)] == [True, False, False, True, True]
    assert logs == [
        {"event": "clock_skewed", "log_level": "error", "seconds": 7.2, "deadlines": "not fired"},
        {"event": "clock_agrees_again", "log_level": "info"},
    ]


@pytest.mark.usefixtures("unswept")
def test_within_a_long_sweep_the_clocks_are_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a beat's length: a clock that is set wrong in the middle ends the sweep."""
    seconds = Seconds()
    pacemaker = Pacemaker(Led(0, 0, 60), seconds)

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
    pacemaker.beat()
    assert pacemaker.clock_skew == MINUTE


@pytest.mark.usefixtures("unswept")
def test_a_clock_that_stays_wrong_is_no_reason_to_start_the_timer_anew() -> None:
    seconds = Seconds()
    pacemaker = Pacemaker(Led(*[60] * 10), seconds)
    for _ in range(10):
        seconds.now += SWEEP_SECONDS
        pacemaker.beat()
        assert pacemaker.revive() is False
    assert pacemaker.seconds_since_sweep == 50
