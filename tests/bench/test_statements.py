"""How often an act goes to the database: a number that is known, and that the age of a case does not raise.

A round trip to a server costs more than most of what an act computes: one more in every act is seen here first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from app.bench.town import OPENED, Town, founded
from app.scheduler import sweep

# What a completion asks: the case with its lock, its chain's head, open tasks, running terms, the person's offices, the
# subject's key. What it writes: the draft away, seal, answers, task closed, tasks opened, elements, case, entry, head.
COMPLETION = 15
# A term that begins or ends: the calendar, a window shown before, its row, where the case's tasks stand in lists.
TERM = 4
EXPIRY = 15
OPENING = 22


@pytest.fixture
def town(database_url: str) -> Iterator[Town]:
    with founded(database_url) as made:
        made.play("longo")  # what is asked once per process is asked now
        yield made


# What begins a transaction, and the comparing of clocks, which is done now and then and by no act in particular.
_APART = ("BEGIN", "PRAGMA", "SELECT clock_timestamp", "SELECT journal.at")


@contextmanager
def asked(town: Town) -> Iterator[list[str]]:
    """The statements between entering and leaving, without those that begin and end a transaction."""
    told: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith(_APART):
            told.append(statement)

    engine = town.store.database.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield told
    finally:
        event.remove(engine, "before_cursor_execute", note)


def completing(town: Town, case_id: str) -> list[str]:
    task = town.next_task(case_id)
    assert task is not None
    with asked(town) as told:
        town.complete(task)
    return told


def test_a_completion_goes_to_the_database_a_known_number_of_times(town: Town) -> None:
    case_id = town.open_case("longo")
    told = [completing(town, case_id) for _ in range(8)]
    for one in told:
        moves_a_term = any(
            "INTO deadline" in statement or "UPDATE deadline" in statement for statement in one
        )
        assert len(one) <= COMPLETION + (TERM if moves_a_term else 0), "\n".join(one)


def test_the_age_of_a_case_does_not_raise_the_number(town: Town) -> None:
    case_id = town.open_case("laco")
    told = [len(completing(town, case_id)) for _ in range(25)]
    assert told[2] == told[-1]


def test_an_opening_and_an_expiry_go_to_the_database_a_known_number_of_times(town: Town) -> None:
    with asked(town) as opening:
        town.open_case("prazo", OPENED)
    assert len(opening) <= OPENING, "\n".join(opening)
    for _ in range(3):
        town.open_case("prazo", OPENED)
    town.clock.set(OPENED + timedelta(days=30))
    sweep(town.store, lambda: False)  # the clocks are compared at the first
    with asked(town) as expiry:
        assert sweep(town.store, lambda: False).expired == 1
    assert len(expiry) <= EXPIRY, "\n".join(expiry)
