"""Two people, or a person and the clock, at one case: who has it first is through, the other finds what is left.

The first is stopped at a named point of its act, the second begins and waits, the first is sent on. Every run plays
each pair at one of the points, `--long` at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from app.cases import acts
from app.clock import FixedClock
from app.store import Row
from app.store.cases_tables import cases, deadline
from tests.crash.hamlet import ENDED, STEP, Hamlet
from tests.crash.points import Point, after_commit, before_commit, case_locked, entry_written, state_written
from tests.races.people import Someone

EVE = ENDED - timedelta(seconds=1)
OTHER = {**STEP, "texto": "Conferido de novo."}


@dataclass
class Table:
    """A case with one completed task and one open, and who may be at it at the same time."""

    hamlet: Hamlet
    url: str
    case_id: str

    @property
    def item(self) -> Row:
        return self.hamlet.item(self.case_id)

    @property
    def case(self) -> Row:
        (row,) = self.hamlet.rows(cases, id=self.case_id)
        return row

    def somebody(self, login: str, what: Callable[..., Any], *told: Any, silent: bool = False) -> Someone:
        return Someone(self.url, FixedClock(EVE), login, lambda tx: what(tx, *told), silent)

    def completing(self, login: str = "servidor") -> Someone:
        item = self.item
        return self.somebody(login, acts.complete, item["id"], STEP, item["version"])

    def claiming(self, login: str = "servidora") -> Someone:
        return self.somebody(login, acts.claim, self.item["id"], self.item["version"])

    def releasing(self) -> Someone:
        return self.somebody("servidora", acts.release, self.item["id"], self.item["version"])

    def drafting(self, login: str = "servidora") -> Someone:
        return self.somebody(login, acts.save_draft, self.item["id"], OTHER, silent=True)

    def annulling(self) -> Someone:
        return self.somebody("servidora", acts.annul, self.case_id, 2, "Engano.", self.case["version"])

    def correcting(self) -> Someone:
        told = (self.case_id, 2, OTHER, "Texto trocado.", self.case["version"])
        return self.somebody("servidora", acts.correct, *told)

    def filing(self) -> Someone:
        return self.somebody("protocolo", acts.file, self.case_id, "outro", STEP)

    def cancelling(self) -> Someone:
        return self.somebody("servidora", acts.cancel, self.case_id, "Pedido repetido.")

    def expiring(self) -> Someone:
        (term,) = self.hamlet.rows(deadline, case_id=self.case_id)
        return Someone(self.url, FixedClock(ENDED), None, lambda tx: acts.expire_deadline(tx, term["id"]))


@dataclass(frozen=True)
class Pair:
    """Who comes first, who comes second, and what the second is told: None when it is through as well."""

    first: str
    second: str
    told: str | None = None
    process: str = "laco"
    before: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.first}-{self.second}"


PAIRS = (
    Pair("completing", "completing", "tarefa.encerrada"),
    Pair("completing", "claiming", "tarefa.encerrada"),
    Pair("completing", "drafting", "tarefa.encerrada"),
    Pair("completing", "annulling", "processo.mudou"),
    Pair("completing", "correcting", "processo.mudou"),
    Pair("completing", "cancelling"),
    Pair("completing", "filing"),
    Pair("completing", "expiring", None, "prazo"),
    Pair("claiming", "completing", "tarefa.mudou"),
    Pair("claiming", "claiming", "tarefa.mudou"),
    Pair("releasing", "completing", "tarefa.mudou", before=("claiming",)),
    Pair("drafting", "completing"),
    Pair("annulling", "completing", "tarefa.encerrada"),
    Pair("annulling", "annulling", "anulacao.repetida"),
    Pair("annulling", "correcting", "correcao.sem_efeito"),
    Pair("correcting", "completing"),
    Pair("correcting", "correcting", "correcao.repetida"),
    Pair("filing", "completing"),
    Pair("cancelling", "completing", "tarefa.encerrada"),
    Pair("cancelling", "expiring", None, "prazo"),
    Pair("expiring", "completing", "tarefa.encerrada", "prazo"),
    Pair("expiring", "expiring", None, "prazo"),
    Pair("expiring", "filing", None, "prazo"),
)

MOVING = ("completing", "annulling", "expiring")  # these write a new state
ONLY_LOOKED = ("drafting",)  # outside the chain


def points_of(act: str) -> list[Point]:
    """Where somebody may be stopped in an act, once it has the case."""
    points = [case_locked]
    points += [state_written] if act in MOVING else []
    points += [] if act in ONLY_LOOKED else [entry_written]
    return [*points, before_commit, after_commit]


def plays() -> Iterator[Any]:
    """Every pair at every point; all but one of a pair's points, another for each pair, only in long runs."""
    for number, pair in enumerate(PAIRS):
        points = points_of(pair.first)
        for turn, point in enumerate(points):
            short = turn == number % len(points)
            marks = () if short else (pytest.mark.long,)
            yield pytest.param(pair, point, marks=marks, id=f"{pair}-{point.name}")


def laid(hamlet: Hamlet, url: str, pair: Pair) -> Table:
    case_id = hamlet.opened(pair.process)
    if pair.process == "laco":
        hamlet.completed(hamlet.item(case_id))
    table = Table(hamlet, url, case_id)
    for act in pair.before:
        getattr(table, act)().begins().ends()
    return table


@pytest.mark.parametrize(("pair", "point"), list(plays()))
def test_whoever_comes_second_finds_what_is_left(
    prepared_url: str, hamlet: Hamlet, pair: Pair, point: Point
) -> None:
    table = laid(hamlet, prepared_url, pair)
    first, second = getattr(table, pair.first)(), getattr(table, pair.second)()
    first.goes_to(point)
    second.begins()
    waits = point is not after_commit and not (pair.second == "expiring" and hamlet.dialect != "sqlite")
    assert second.is_held_up() is waits
    assert first.goes_on()[0]
    through, told = second.ends()
    if pair.second == "expiring":
        assert (through, told) == (True, False)
    else:
        assert (None if through else told) == pair.told
    assert hamlet.faults() == []
