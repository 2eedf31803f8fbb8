"""A worker dies or stands still with a case in its hands: others get it within seconds, and it is decided once.

Here time passes: the figures are what an installation is promised.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app import create_app
from app.settings import Settings
from app.store.cases_tables import cases, deadline
from tests.crash.children import work, work_until
from tests.crash.hamlet import CONTENT, ENDED, SLUG, Hamlet, Running, decided
from tests.crash.nursery import Nursery
from tests.crash.points import case_locked, state_written
from tests.web.browser import Browser

FREE, SWEPT, STALLED, REFUSED = 2.0, 5.0, 15.0, 6.0  # seconds


def until(condition: Callable[[], bool], most: float) -> float:
    """Seconds until something is so; fails when that takes longer than `most`."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < most, f"not within {most} s"
        time.sleep(0.02)
    return time.monotonic() - began


def free(hamlet: Hamlet, case_id: str) -> bool:
    """Whether whoever wants to act on the case has to wait for nobody."""
    wanted = select(cases.c.id).where(cases.c.id == case_id).with_for_update(nowait=True)
    try:
        with hamlet.store.database.writing() as connection:
            connection.execute(wanted)
    except OperationalError:
        return False
    return True


def in_due_order(hamlet: Hamlet, *opened: str) -> list[str]:
    """Cases opened at one instant are told apart by their terms' ids, which are random."""
    terms = sorted((row["id"], row["case_id"]) for row in hamlet.rows(deadline))
    return [case_id for _id, case_id in terms if case_id in opened]


def armed(hamlet: Hamlet, case_id: str) -> bool:
    return bool(hamlet.count(deadline, case_id=case_id, status="armed"))


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_cases_of_a_dead_worker_and_of_one_that_stands_still(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery
) -> None:
    """The dead one's is free within 2 s and decided within 5 more, the other's within 15 s of its standing still.

    Who wakes after that finds its transaction ended, doubles nothing, blames no deadline, and goes on working.
    """
    first, second = in_due_order(hamlet, hamlet.opened(), hamlet.opened())
    clock = Running.at(ENDED)
    stalled = nursery.stop(work_until, prepared_url, clock, state_written)
    since = time.monotonic()
    dying = nursery.stop(work_until, prepared_url, clock, state_written)
    assert not free(hamlet, first)
    assert not free(hamlet, second)
    well = nursery.start(work, prepared_url, clock)
    nursery.end(dying)
    until(lambda: free(hamlet, second), FREE)
    until(lambda: not armed(hamlet, second), SWEPT)
    until(lambda: not armed(hamlet, first), STALLED - (time.monotonic() - since))
    nursery.end(well)
    os.kill(stalled, signal.SIGCONT)
    third = hamlet.opened()
    until(lambda: not armed(hamlet, third), 3 * SWEPT)
    nursery.end(stalled)
    assert decided(hamlet).well
    assert {row["failures"] for row in hamlet.rows(deadline)} == {0}
    assert hamlet.faults() == []


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_a_worker_that_stands_still_keeps_sqlite_and_the_pages_say_so(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, tmp_path: Path
) -> None:
    """There is one writer at a time: what people send meanwhile is answered within 6 s, and nothing of it is lost."""
    case = hamlet.opened()
    clock = Running.at(ENDED)
    settings = Settings(prepared_url, tmp_path, SLUG, demo=True, content_dir=CONTENT)
    browser = Browser(create_app(settings, hamlet.store).test_client())
    browser.enter(hamlet.people["protocolo"])
    form = {"requerente": "Rita Alves", "recebido_em": "2026-03-02T08:00"}
    stalled = nursery.stop(work_until, prepared_url, clock, case_locked)
    well = nursery.start(work, prepared_url, clock)
    began = time.monotonic()
    page = browser.post("/processos/novo/prazo", **form)
    assert time.monotonic() - began < REFUSED
    assert (page.status, page.headers["Retry-After"]) == (503, "5")
    assert "Nada foi gravado" in page.text
    assert browser.get("/caixa").status == 200  # whoever only looks waits for nobody
    nursery.end(stalled)
    until(lambda: free(hamlet, case), FREE)
    until(lambda: not armed(hamlet, case), SWEPT)
    assert browser.post("/processos/novo/prazo", **form).status == 200
    nursery.end(well)
    assert hamlet.faults() == []
