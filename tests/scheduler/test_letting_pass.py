"""The demo's clock on both databases: one journey at a time, every term on its way decided at its own end.

Days as in `infringement.py`: auto received Mon 2026-05-11, defence until Mon 05-18, appeal until Thu 05-21.
"""

from __future__ import annotations

import threading

from app.clock import DemoClock
from app.demo import letting_pass
from app.errors import Conflict
from app.scheduler import sweep
from app.store import Store
from tests.cases.infringement import Infringement
from tests.cases.town import Town, local


def ahead(town: Town) -> Store:
    """A process of the demo over the town's database; the wall stands still."""
    return Store(town.store.database, DemoClock(base=town.clock))


def expired(case: Infringement) -> list[tuple[str, object]]:
    told = case.town.entries(f"processo:{case.id}")
    return [(e.body["key"], e.at) for e in told if e.act == "expire"]


def test_each_term_is_decided_at_its_own_end(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    demo = ahead(town)
    letting_pass.let_pass(demo, town.actor("fiscal"), local("2026-06-30 09:00"), 0)
    assert expired(case)[:2] == [
        ("defesa", local("2026-05-19 00:00")),
        ("recurso1", local("2026-05-22 00:00")),
    ]
    for store in (demo, ahead(town)):
        with store.read() as reader:
            assert reader.now == local("2026-06-30 09:00")
    town.at("2026-06-30 09:00")


def test_a_worker_that_sweeps_meanwhile_takes_nothing_from_nobody(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    demo, worker, arrived = ahead(town), ahead(town), threading.Event()

    def work() -> None:
        while not arrived.wait(0.01):
            sweep(worker)

    sweeping = threading.Thread(target=work)
    sweeping.start()
    try:
        letting_pass.let_pass(demo, town.actor("fiscal"), local("2026-06-30 09:00"), 0)
    finally:
        arrived.set()
        sweeping.join()
    keys = [key for key, _at in expired(case)]
    assert keys.count("defesa") == keys.count("recurso1") == 1
    town.at("2026-06-30 09:00")


def test_of_two_journeys_at_the_same_moment_one_is_refused(town: Town) -> None:
    Infringement.opened(town).registered().charged().served()
    together, outcomes = threading.Barrier(2), list[object]()

    def go(target: str) -> None:
        store = ahead(town)
        together.wait()
        try:
            letting_pass.let_pass(store, town.actor("fiscal"), local(target), 0)
            outcomes.append(target)
        except Conflict as refused:
            outcomes.append(refused.code)

    journeys = [threading.Thread(target=go, args=(t,)) for t in ("2026-06-30 09:00", "2026-07-30 09:00")]
    for one in journeys:
        one.start()
    for one in journeys:
        one.join()
    (went,) = [o for o in outcomes if str(o).startswith("2026")]
    assert len(outcomes) == 2
    assert {o for o in outcomes if o != went} <= {"relogio.a_caminho", "relogio.andou"}
    with ahead(town).read() as reader:
        assert reader.now == local(str(went))
    assert [e.act for e in town.entries("demonstracao")] == ["advance"]
    town.at(str(went))
