"""How late an end of a term is noticed: at midnight by workers that wait for it, and after an outage."""

from __future__ import annotations

import time
from datetime import timedelta

import orjson
import pytest

from app.store.cases_tables import deadline
from app.store.tables import journal
from tests.crash.children import work
from tests.crash.hamlet import ENDED, OPENED, Hamlet, Running, decided
from tests.crash.nursery import Nursery

P99, OUTAGE = timedelta(seconds=10), 60.0
PATIENCE = 600.0


def until_decided(hamlet: Hamlet) -> float:
    began = time.monotonic()
    while hamlet.count(deadline, status="armed"):
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.05)
    return time.monotonic() - began


@pytest.mark.long
def test_of_300_terms_that_end_at_one_midnight_nearly_all_are_noticed_within_10_seconds(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery
) -> None:
    for _ in range(300):
        hamlet.opened()
    workers = [nursery.start(work, prepared_url, Running.at(ENDED - timedelta(seconds=3))) for _ in range(2)]
    until_decided(hamlet)
    for pid in workers:
        nursery.end(pid)
    late = sorted(row["noticed_at"] - row["expires_at"] for row in hamlet.rows(deadline))
    p99 = late[len(late) * 99 // 100]
    print(f"{hamlet.dialect}: p99 {p99.total_seconds():.1f} s, the last {late[-1].total_seconds():.1f} s")
    assert decided(hamlet).well
    assert p99 <= P99


@pytest.mark.long
def test_a_thousand_overdue_terms_are_decided_within_a_minute_in_due_order(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery
) -> None:
    """Nobody swept for a fortnight; one worker comes back."""
    days = [(OPENED - timedelta(days=n)).isoformat() for n in range(10)]
    for number in range(1_000):
        hamlet.opened(received=days[number * 7 % len(days)])
    worker = nursery.start(work, prepared_url, Running.at(ENDED + timedelta(days=14)))
    took = until_decided(hamlet)
    nursery.end(worker)
    print(f"{hamlet.dialect}: 1,000 overdue terms in {took:.0f} s")
    assert decided(hamlet).well
    ends = {row["id"]: (row["expires_at"], row["id"]) for row in hamlet.rows(deadline)}
    order = [
        ends[orjson.loads(row["body"])["body"]["deadline"]] for row in hamlet.rows(journal, act="expire")
    ]
    assert len({end for end, _id in order}) > 3
    assert order == sorted(order)
    assert took <= OUTAGE
