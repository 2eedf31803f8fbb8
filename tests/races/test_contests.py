"""Many at the same thing at the same instant, again and again: one is through each time, the others are told so.

No script here: eight people click at once, and a worker comes at the instant at which a term ends.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import event, text

from app.clock import FixedClock
from app.errors import Conflict
from app.scheduler import sweep
from app.store import Row
from app.store.cases_tables import deadline
from tests.crash.hamlet import ENDED, Hamlet
from tests.races.people import PATIENCE

EVE = ENDED - timedelta(seconds=1)
CROWD = 8
THROUGH = "through"


@contextmanager
def crowd(url: str) -> Iterator[list[Hamlet]]:
    """People, each with a connection of their own, a second before the terms end."""
    people = [Hamlet.at(url, FixedClock(EVE)) for _ in range(CROWD)]
    try:
        yield people
    finally:
        for one in people:
            one.close()


def at_once(deeds: list[Callable[[], str]]) -> list[str]:
    """Does all of it at the same moment; how each ended. What is no refusal for a race that was lost comes out."""
    ready = threading.Barrier(len(deeds))

    def done(deed: Callable[[], str]) -> str:
        ready.wait(PATIENCE)
        return deed()

    with ThreadPoolExecutor(len(deeds)) as threads:
        return list(threads.map(done, deeds))


def completing(one: Hamlet, item: Row) -> str:
    try:
        one.completed(item)
    except Conflict as lost:
        return lost.code
    return THROUGH


def completions(hamlet: Hamlet, case_id: str) -> int:
    return [entry.act for entry in hamlet.entries(case_id)].count("complete")


def rounds(hamlet: Hamlet, url: str, count: int) -> Counter[str]:
    """So many tasks, each completed by eight people at once. How it ended for all of them."""
    told = Counter[str]()
    with crowd(url) as people:
        for _ in range(count):
            case_id = hamlet.opened("laco")
            item = hamlet.item(case_id)
            told.update(at_once([partial(completing, one, item) for one in people]))
            assert completions(hamlet, case_id) == 1
    return told


def test_of_eight_who_complete_a_task_at_once_one_is_through_sixty_times(
    prepared_url: str, hamlet: Hamlet
) -> None:
    told = rounds(hamlet, prepared_url, 60)
    assert told == {THROUGH: 60, "tarefa.encerrada": 7 * 60}
    assert hamlet.faults() == []


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_without_lock_and_guard_the_same_crowd_completes_a_task_twice(
    prepared_url: str, hamlet: Hamlet
) -> None:
    """The control. (On SQLite there is one writer at a time, whatever a statement asks for.)"""
    with hamlet.store.database.writing() as connection:
        connection.execute(text("ALTER TABLE journal DROP CONSTRAINT uq_journal_stream_seq"))
        connection.execute(text("ALTER TABLE element_log DROP CONSTRAINT pk_element_log"))
    with crowd(prepared_url) as people:
        for one in people:
            unlock(one)
        for _ in range(20):
            case_id = hamlet.opened("laco")
            at_once([partial(completing, one, hamlet.item(case_id)) for one in people])
            if completions(hamlet, case_id) > 1:
                break
        else:
            pytest.fail("eight people without lock never doubled a task in twenty rounds")
    assert hamlet.faults() != []


def unlock(one: Hamlet) -> None:
    """Whoever it is takes no lock any more and writes over whatever is there."""

    @event.listens_for(one.store.database.engine, "before_cursor_execute", retval=True)
    def careless(_c: Any, _cursor: Any, sql: str, told: Any, *_: Any) -> tuple[str, Any]:
        sql = sql.replace(" FOR UPDATE", "")
        for guard in (" AND cases.version = %(", " AND stream.seq = %("):
            head, found, tail = sql.partition(guard)
            sql = head + tail.partition("::INTEGER")[2] if found else sql
        return sql, told


def settled(hamlet: Hamlet, url: str, count: int) -> Counter[str]:
    """So many cases, each completed by a person just before its term ends, swept at its end: what became of them."""
    told, chance = Counter[str](), random.Random(count)
    clerk, clock = Hamlet.at(url, FixedClock(EVE)), Hamlet.at(url, FixedClock(ENDED))

    def late(deed: Callable[[], str], most: float) -> Callable[[], str]:
        delay = chance.uniform(0, most)
        return lambda: (time.sleep(delay), deed())[1]

    def swept() -> str:
        done = sweep(clock.store)
        assert done.failed == 0
        return "expired" if done.expired else "left"

    for _ in range(count):
        case_id = hamlet.opened()
        item = hamlet.item(case_id)
        person, worker = at_once([late(partial(completing, clerk, item), 0.03), late(swept, 0.02)])
        acts = [entry.act for entry in hamlet.entries(case_id)]
        assert acts in (["open", "complete"], ["open", "expire"])
        assert (acts[1] == "complete") == (person == THROUGH)
        assert (acts[1] == "expire") == (worker == "expired")
        told[acts[1]] += 1
    clerk.close()
    clock.close()
    return told


def test_a_completion_at_the_end_of_its_term_or_the_expiry_and_never_both(
    prepared_url: str, hamlet: Hamlet
) -> None:
    told = settled(hamlet, prepared_url, 40)
    assert told.total() == 40
    assert min(told["complete"], told["expire"]) > 0, "one of the two was never first: nothing was raced"
    assert hamlet.faults() == []


@pytest.mark.long
def test_200_completions_against_200_expiries(prepared_url: str, hamlet: Hamlet) -> None:
    told = settled(hamlet, prepared_url, 200)
    assert told.total() == 200
    assert min(told["complete"], told["expire"]) > 0
    assert hamlet.count(deadline, status="armed") == 0
    assert hamlet.faults() == []
