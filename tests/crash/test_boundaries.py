"""A process is killed at every boundary of the SQL of an act: nothing of the act is there, or all of it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.clock import FixedClock
from tests.cases import town
from tests.crash.children import act_until
from tests.crash.deeds import OF_INFRINGEMENTS, SMALL, Deed, Play, completing, expiring, play
from tests.crash.hamlet import OPENED, Hamlet, found
from tests.crash.nursery import Ended, Nursery
from tests.crash.points import POINTS, Moment
from tests.databases import Databases, Kind, Prepare

NEVER = 1_000_000
ONCE_BETWEEN: tuple[Moment, ...] = ("before", "commit", "committed")
Snapshot = dict[str, list[str]]
Sizes = dict[str, int]
Rehearse = Callable[..., tuple[list[Any], Sizes]]


@dataclass
class Stage:
    """A deed about to be done in a town of its own, as often as a process dies in it."""

    hamlet: Hamlet
    nursery: Nursery
    url: str
    deed: Deed
    defect: str = ""

    @classmethod
    def set(cls, hamlet: Hamlet, nursery: Nursery, url: str, deed: Play, defect: str = "") -> Stage:
        made = cls(hamlet, nursery, url, deed(hamlet, url), defect)
        hamlet.move_to(made.deed.now)
        return made

    def die_at(self, boundary: int) -> Ended:
        """A process begins the deed and is killed at the boundary of that number."""
        deed = self.deed
        told = (self.url, deed.now, deed.actor, deed.act, deed.told, boundary, self.defect)
        return self.nursery.run(act_until, *told)

    def left_behind(self, before: Snapshot, whole: Sizes) -> str:
        """What the dead process left: `nothing` of its act, `all` of it, or `torn`."""
        after = self.hamlet.snapshot()
        if after == before:
            return "nothing"
        return "all" if sizes(after) == whole and self.hamlet.faults() == [] else "torn"


def sizes(snapshot: Snapshot) -> Sizes:
    return {name: len(rows) for name, rows in snapshot.items()}


@pytest.fixture
def rehearse(databases: Databases, nursery: Nursery) -> Iterator[Rehearse]:
    """Does a deed whole, in a town that is thrown away: the boundaries it passes, the sizes of what it leaves."""
    made: list[str] = []

    def rehearsed(
        kind: Kind, deed: Play, defect: str = "", template: Prepare = found
    ) -> tuple[list[Any], Sizes]:
        made.append(databases.prepared(kind, template))
        hamlet = Hamlet.at(made[-1], FixedClock(OPENED))
        passed = Stage.set(hamlet, nursery, made[-1], deed, defect).die_at(NEVER).told
        left = sizes(hamlet.snapshot())
        hamlet.close()
        return passed, left

    yield rehearsed
    for url in made:
        databases.drop(url)


def kill_everywhere(stage: Stage, passed: list[Any], whole: Sizes, moments: Collection[Moment]) -> None:
    """Kills a process at each boundary of these moments; only the last one, after the commit, leaves all of the act."""
    before = stage.hamlet.snapshot()
    *early, last = [number for number, (moment, _sql) in enumerate(passed) if moment in moments]
    for boundary in early:
        assert stage.die_at(boundary) == Ended(signal.SIGKILL)
        assert stage.left_behind(before, whole) == "nothing", passed[boundary]
    assert stage.die_at(last) == Ended(signal.SIGKILL)
    assert stage.left_behind(before, whole) == "all"


@pytest.mark.parametrize("deed", [completing, expiring])
def test_a_process_killed_anywhere_leaves_nothing_of_its_act_or_all_of_it(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, rehearse: Rehearse, deed: Play
) -> None:
    """Before each statement, before the commit and after it: between a statement and the next, nothing is sent."""
    passed, whole = rehearse(hamlet.dialect, deed)
    assert [any(point.is_at(*one) for one in passed) for point in POINTS] == [True] * len(POINTS)
    kill_everywhere(Stage.set(hamlet, nursery, prepared_url, deed), passed, whole, ONCE_BETWEEN)


@pytest.mark.long
@pytest.mark.parametrize("deed", SMALL)
def test_every_act_before_and_after_each_statement(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, rehearse: Rehearse, deed: Play
) -> None:
    passed, whole = rehearse(hamlet.dialect, deed)
    kill_everywhere(Stage.set(hamlet, nursery, prepared_url, deed), passed, whole, (*ONCE_BETWEEN, "after"))


@pytest.mark.long
@pytest.mark.parametrize("deed", OF_INFRINGEMENTS)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_act_of_an_infringement(
    kind: Kind, databases: Databases, nursery: Nursery, rehearse: Rehearse, deed: Play
) -> None:
    """Acts that issue documents, make owe, receive petitions, go back: the most that one transaction writes."""
    nursery.warm(play, databases.prepared("sqlite", town.found))
    passed, whole = rehearse(kind, deed, template=town.found)
    url = databases.prepared(kind, town.found)
    hamlet = Hamlet.at(url, FixedClock(OPENED))
    kill_everywhere(Stage.set(hamlet, nursery, url, deed), passed, whole, ONCE_BETWEEN)
    hamlet.close()
    databases.drop(url)


def test_an_act_that_commits_half_way_is_found_out(
    prepared_url: str, hamlet: Hamlet, nursery: Nursery, rehearse: Rehearse
) -> None:
    """The control: were there a second commit in the middle of an act, the same deaths would tell."""
    stage = Stage.set(hamlet, nursery, prepared_url, completing, "split_commit")
    passed, whole = rehearse(hamlet.dialect, completing, "split_commit")
    before = hamlet.snapshot()
    (half,) = [n for n, (moment, sql) in enumerate(passed) if (moment, sql) == ("after", "COMMIT")]
    assert stage.die_at(half - 1) == Ended(signal.SIGKILL)
    assert stage.left_behind(before, whole) == "nothing"
    assert stage.die_at(half) == Ended(signal.SIGKILL)
    assert stage.left_behind(before, whole) == "torn"
