"""What people wait for: completions sent by eight of them at once, and by one of them while a backlog is decided."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

from app.bench.client import Client
from app.bench.figures import Figure, percentile, slowest
from app.bench.serving import web, worker
from app.bench.town import Town, founded
from app.clock import SystemClock
from app.scheduler import due_ids

_CLIENTS = 8
_EACH = 24  # completions of one client
_THINKING = 1.0  # seconds between two of them
_BETWEEN = 0.02  # seconds between two completions while a backlog is decided
_OVERDUE = 1500


def eight_people(url: str) -> Iterator[Figure]:
    """A completion as the browser sees it while eight people work, on one database."""
    with founded(url) as town, tempfile.TemporaryDirectory(prefix="tramita-") as folder:
        now = SystemClock().now()
        town.clock.set(now)
        lists = [[town.open_case("longo", now) for _ in range(_EACH // 8)] for _ in range(_CLIENTS)]
        with web(url, Path(folder)) as port:
            _at_work(town, port, [town.open_case("longo", now)], 0.0)  # what is compiled once
            with ThreadPoolExecutor(_CLIENTS) as people:
                told = people.map(
                    lambda place: _at_work(town, port, lists[place], place / _CLIENTS), range(_CLIENTS)
                )
            spent = [seconds for one in told for seconds in one]
        half = percentile(spent, 0.5) * 1000
        note = f"{_CLIENTS} pessoas, {_THINKING:.0f} s entre atos; mediana {half:.0f} ms"
        yield slowest("acts.http_p95", town.dialect, spent, 0.95, 80.0, note)


def while_draining(url: str) -> Iterator[Figure]:
    """A completion as the browser sees it while a worker decides a backlog, on one database."""
    with founded(url) as town, tempfile.TemporaryDirectory(prefix="tramita-") as folder:
        for _ in range(_OVERDUE):
            town.open_case("prazo")
        now = SystemClock().now()
        town.clock.set(now)
        mine = [town.open_case("longo", now) for _ in range(_OVERDUE // 4)]
        with web(url, Path(folder)) as port, closing(Client(port, town.people["servidor"])) as client:
            _sent_until(town, client, mine[:2], lambda: False)  # what is compiled once
            with worker(url, Path(folder)):
                spent = _sent_until(town, client, mine[2:], lambda: not due_ids(town.store, 1))
        note = f"{len(spent)} atos enviados enquanto {_OVERDUE} prazos vencidos eram decididos"
        yield slowest("deadlines.web_p99", town.dialect, spent, 0.99, 50.0, note)


def _sent_until(town: Town, client: Client, mine: Sequence[str], over: Callable[[], bool]) -> list[float]:
    """The seconds of each completion of these cases, until there is nothing more to be decided."""
    spent: list[float] = []
    for case_id in mine:
        while (task := town.next_task(case_id)) is not None:
            if over():
                return spent
            spent.append(client.complete(task))
            Event().wait(_BETWEEN)
    return spent


def _at_work(town: Town, port: int, mine: Sequence[str], late: float) -> list[float]:
    """One person's completions. They come `late`, in parts of a pause: eight people do not press at one moment."""
    spent = []
    with closing(Client(port, town.people["servidor"])) as client:
        Event().wait(late * _THINKING)
        for case_id in mine:
            while (task := town.next_task(case_id)) is not None:
                Event().wait(_THINKING)
                spent.append(client.complete(task))
    return spent
