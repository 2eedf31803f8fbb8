"""Two web processes and two workers on one database: people complete tasks while the terms of these tasks end.

Real servers on this machine's loopback, real workers, eight people who send each form once, some before the end of
its term and some after it. Nobody is told anything but "done" or "too late".
"""

from __future__ import annotations

import random
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from app.store import Row
from app.store.cases_tables import deadline
from tests.crash.children import serve, work
from tests.crash.hamlet import ENDED, OPENED, STEP, Dial, Hamlet, decided
from tests.crash.nursery import Nursery
from tests.races.visitor import Visitor, free_port

CROWD = 8
DONE, TOO_LATE = 303, 409
PATIENCE = 60.0


@dataclass
class Site:
    """The municipality as it is at work: processes, and the clock that all of them go by."""

    hamlet: Hamlet
    nursery: Nursery
    url: str
    dial: Dial
    processes: list[int]
    ports: list[int]

    @classmethod
    def at_work(cls, hamlet: Hamlet, nursery: Nursery, url: str, folder: Path) -> Site:
        dial = Dial(folder / "dial")
        dial.set(OPENED + timedelta(hours=1))
        site = cls(hamlet, nursery, url, dial, [], [free_port(), free_port()])
        for port in site.ports:
            site.processes.append(nursery.start(serve, url, dial, port, str(folder)))
        for port in site.ports:
            await_(port)
        return site

    def begin_to_sweep(self) -> None:
        self.processes += [self.nursery.start(work, self.url, self.dial) for _ in range(2)]

    def people(self) -> list[Visitor]:
        made = [Visitor(self.ports[number % 2]) for number in range(CROWD)]
        for number, one in enumerate(made):
            one.enter(self.hamlet.people["servidor" if number % 2 else "servidora"])
        return made

    def close(self) -> None:
        for pid in self.processes:
            self.nursery.end(pid)


def await_(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.02)
        else:
            return


def send_all(person: Visitor, items: list[Row], moments: list[float], began: float) -> list[tuple[str, int]]:
    """Sends the form of each task at its moment; what each was answered."""
    form = {**person.token, **STEP, "_acao": "concluir", "versao": "1"}
    told = []
    for item, moment in zip(items, moments, strict=True):
        time.sleep(max(0.0, began + moment - time.monotonic()))
        told.append(
            (item["case_id"], person.post(f"/tarefas/{item['id']}", {**form, "_chave": f"k-{item['id']}"}))
        )
    return told


def race(site: Site, tasks: int, before: float, after: float) -> Counter[str]:
    """Lets the terms of so many tasks end while people complete them; what became of each, once all is still."""
    hamlet, chance = site.hamlet, random.Random(tasks)
    items = [hamlet.item(hamlet.opened()) for _ in range(tasks)]
    people = site.people()
    shares = [items[number::CROWD] for number in range(CROWD)]
    moments = [sorted(chance.uniform(0, before + after) for _ in share) for share in shares]
    site.dial.set(ENDED - timedelta(seconds=before))
    began = time.monotonic()
    site.begin_to_sweep()
    with ThreadPoolExecutor(CROWD) as threads:
        sent = list(threads.map(send_all, people, shares, moments, [began] * CROWD))
    end = time.monotonic() + PATIENCE
    while hamlet.count(deadline, status="armed"):
        assert time.monotonic() < end
        time.sleep(0.05)
    told = Counter[str]()
    for case_id, status in (one for share in sent for one in share):
        acts = [entry.act for entry in hamlet.entries(case_id)]
        assert (acts, status) in ((["open", "complete"], DONE), (["open", "expire"], TOO_LATE))
        told[acts[1]] += 1
    return told


def judge(site: Site, told: Counter[str], tasks: int) -> None:
    """One outcome for each, both kinds among them, nobody ever in a deadlock, everything whole."""
    assert told.total() == tasks
    assert min(told["complete"], told["expire"]) > 0, "nothing was raced"
    found = decided(site.hamlet)
    assert found.doubled + found.early + found.odd == []
    if site.hamlet.dialect == "postgresql":
        query = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        with site.hamlet.store.read() as reader:
            assert reader.scalar(query) == 0
    assert site.hamlet.faults() == []


def test_forty_tasks_are_completed_or_run_out_and_nobody_sees_a_broken_page(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, tmp_path: Path
) -> None:
    site = Site.at_work(hamlet, nursery, prepared_url, tmp_path)
    try:
        judge(site, race(site, 40, before=1.0, after=1.0), 40)
    finally:
        site.close()


@pytest.mark.long
def test_two_hundred_tasks_are_completed_or_run_out_and_nobody_sees_a_broken_page(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, tmp_path: Path
) -> None:
    site = Site.at_work(hamlet, nursery, prepared_url, tmp_path)
    try:
        told = race(site, 200, before=4.0, after=4.0)
        print(f"{told['complete']} completed, {told['expire']} expired")
        judge(site, told, 200)
    finally:
        site.close()
