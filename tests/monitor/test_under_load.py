"""A copy taken while people work: everything acknowledged before it began is in it, nothing is in it by half."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import select

from app.audit.verify import verify
from app.cases import acts
from app.cases.proof.replay import case_ids, replay
from app.clock import FixedClock, SystemClock
from app.monitor import soundness
from app.scheduler import sweep
from app.store import Store, connect
from app.store.backup import Place, make, restore
from app.store.cases_tables import deadline
from app.store.tables import journal
from tests.cases.infringement import Infringement
from tests.cases.town import Town, local
from tests.databases import Databases
from tests.store.tools import of_the_server

WORKERS = 3


@dataclass
class Load:
    """People who open cases while they are at work. `done`: what was acknowledged to them, in order.

    Between two copies they rest: what is copied would else grow faster than anybody can look it over.
    """

    town: Town
    done: list[tuple[str, int]] = field(default_factory=list)
    _some: threading.Condition = field(default_factory=threading.Condition)
    _at_work: threading.Event = field(default_factory=threading.Event)
    _stop: threading.Event = field(default_factory=threading.Event)

    def work(self) -> None:
        while self._at_work.wait() and not self._stop.is_set():
            case = Infringement.opened(self.town, when=None)
            item = case.item("registrar_notificacao")
            self._acknowledged(case.id, 1)
            self.town.act("membro1", acts.claim, item["id"], item["version"])
            self._acknowledged(case.id, 2)

    def wait_for(self, count: int) -> list[tuple[str, int]]:
        """What had been acknowledged when there was so much of it."""
        with self._some:
            assert self._some.wait_for(lambda: len(self.done) >= count, timeout=120)
            return list(self.done)

    def begin(self) -> None:
        self._at_work.set()

    def rest(self) -> None:
        self._at_work.clear()

    def stop(self) -> None:
        self._stop.set()
        self._at_work.set()

    def _acknowledged(self, case_id: str, seq: int) -> None:
        with self._some:
            self.done.append((case_id, seq))
            self._some.notify_all()


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.long)])
def test_a_copy_taken_under_load_loses_nothing_and_tears_nothing(
    town: Town, databases: Databases, tmp_path: Path, rounds: int
) -> None:
    Infringement.opened(town).registered().charged().served()
    load, source = Load(town), Place(town.url, of_the_server())
    with ThreadPoolExecutor(WORKERS) as people:
        working = [people.submit(load.work) for _ in range(WORKERS)]
        try:
            for number in range(rounds):
                load.begin()
                before = load.wait_for(len(load.done) + 6)
                copy = make(source, tmp_path / f"{number}.tar", SystemClock().now(), believing).file
                load.wait_for(len(load.done) + 2)  # nobody had to stop for it
                load.rest()
                url = databases.empty("sqlite" if town.dialect == "sqlite" else "postgresql")
                target = Place(url, of_the_server())
                restore(target, copy, believing, known=lambda _: True, now=SystemClock().now())
                judge(url, before)
                databases.drop(url)
        finally:
            load.stop()
        for worker in working:
            worker.result()


def believing(database: object) -> None:
    soundness.believe(database, lambda it: Store(it, SystemClock()))  # type: ignore[arg-type]


def judge(url: str, before: list[tuple[str, int]]) -> None:
    """Verification, replay of all, and a sweep two months later, when the terms of the served cases are over."""
    with closing(connect(url)) as database:
        store = Store(database, FixedClock(local("2026-07-20 09:00")))
        with store.read() as reader:
            there = {(r["stream"], r["seq"]) for r in reader.all(select(journal.c.stream, journal.c.seq))}
        assert [one for one in before if (f"processo:{one[0]}", one[1]) not in there] == []
        assert [line for line in soundness.examined(store) if not line.sound] == []
        swept = sweep(store)
        assert (swept.failed, swept.expired > 0) == (0, True)
        with store.read() as reader:
            assert verify(reader).faults == ()
            assert [f for case_id in case_ids(reader) for f in replay(reader, case_id).faults] == []
            overdue = select(deadline.c.id).where(
                deadline.c.status == "armed", deadline.c.expires_at <= reader.now
            )
            assert reader.all(overdue) == []
