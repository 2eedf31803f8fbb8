"""How fast a backlog of ended terms is decided, by the worker's own beat, with the real engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

from app.bench.bare import floor, written
from app.bench.figures import Figure, rate
from app.bench.town import Town, founded
from app.clock import monotonic
from app.scheduler import Pacemaker, due_ids

_TARGET = {"sqlite": 60.0, "postgresql": 40.0}
_BACKLOG = 200


def measure(url: str, times: int) -> Iterator[Figure]:
    """Terms decided a second on one database, the pauses that let people work included."""
    with founded(url) as town:
        _decided(town, 20)
        ends = _overdue(town, 20)
        yield floor("deadlines.bare_transactions", town, written(town, ends), times)
        yield rate(
            "deadlines.decided",
            town.dialect,
            times,
            lambda: _decided(town, _BACKLOG),
            target=_TARGET[town.dialect],
            note=f"{_BACKLOG} prazos vencidos, um processo, com as pausas da vigia",
        )


def _decided(town: Town, backlog: int) -> float:
    ends = _overdue(town, backlog)
    began = monotonic()
    ends()
    return backlog / (monotonic() - began)


def _overdue(town: Town, backlog: int) -> Callable[[], int]:
    """A backlog of ended terms, and what decides it and says how many there were."""
    received = town.clock.now()
    for _ in range(backlog):
        town.open_case("prazo", received)
    town.clock.set(received + timedelta(days=30))
    beat = Pacemaker(town.store).beat

    def decide() -> int:
        while due_ids(town.store, 1):
            beat()
        return backlog

    return decide
