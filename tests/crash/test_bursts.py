"""Workers are killed while many terms are due: each is decided, once, at its instant, and nothing is torn.

In every run of the tests 300 terms and 12 kills, in `--long` 2,000 and 50, on each database: three workers, every
second one killed by itself within a transaction, at a boundary of its SQL, the others from outside at any instant.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

import pytest

from app.store.cases_tables import deadline
from tests.crash.children import work
from tests.crash.hamlet import ENDED, Hamlet, Running, decided
from tests.crash.nursery import Nursery

WORKERS = 3
NEVER = -1
LONGEST = 600.0  # seconds that a burst may take, on a busy machine too


@dataclass
class Gang:
    """Workers that die and others that take their place, until so many were killed; the last ones live on."""

    nursery: Nursery
    url: str
    terms: int
    kills: int
    chance: random.Random
    killed: int = 0
    begun: int = 0
    ends_at: dict[int, int] = field(default_factory=dict)

    def go_round(self, left: int) -> None:
        """Buries the dead, kills those whose time has come when so many terms are left, fills the empty places."""
        for pid in set(self.ends_at) - self.nursery.living():
            self._bury(pid)
        for pid in [pid for pid, end in self.ends_at.items() if left <= end]:
            self.nursery.end(pid)
            self._bury(pid)
        while len(self.ends_at) < WORKERS:
            self._start(left)

    def end(self) -> None:
        for pid in self.ends_at:
            self.nursery.end(pid)

    def _bury(self, pid: int) -> None:
        del self.ends_at[pid]
        self.killed += 1

    def _start(self, left: int) -> None:
        share = self.terms // self.kills
        mortal = self.killed + len(self.ends_at) < self.kills + WORKERS
        from_outside = self.begun % 2 == 1
        passes = self.chance.randint(10, 15 * share) if mortal and not from_outside else None
        pid = self.nursery.start(work, self.url, Running.at(ENDED), passes)
        self.ends_at[pid] = left - self.chance.randint(1, 2 * share) if mortal and from_outside else NEVER
        self.begun += 1


def burst(hamlet: Hamlet, url: str, nursery: Nursery, terms: int, kills: int) -> float:
    """Lets so many terms fall due among workers that are killed; seconds until all were decided."""
    for _ in range(terms):
        hamlet.opened()
    began = time.monotonic()
    gang = Gang(nursery, url, terms, kills, random.Random(terms))
    while left := hamlet.count(deadline, status="armed"):
        assert time.monotonic() - began < LONGEST
        gang.go_round(left)
        time.sleep(0.01)
    took = time.monotonic() - began
    gang.end()
    found = decided(hamlet)
    assert found.well, found
    assert hamlet.count(deadline, status="expired") == terms
    assert gang.killed >= kills
    assert hamlet.faults() == []
    return took


def test_300_terms_and_12_killed_workers(prepared_url: str, hamlet: Hamlet, nursery: Nursery) -> None:
    burst(hamlet, prepared_url, nursery, 300, 12)


@pytest.mark.long
def test_2000_terms_and_50_killed_workers(prepared_url: str, hamlet: Hamlet, nursery: Nursery) -> None:
    took = burst(hamlet, prepared_url, nursery, 2_000, 50)
    print(f"2,000 terms decided among 50 kills in {took:.0f} s")
