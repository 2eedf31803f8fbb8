"""The inbox of somebody for whom 100,000 tasks wait: the first page, as the browser gets it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from app.bench.client import Client
from app.bench.crowd import crowd
from app.bench.figures import Figure, percentile, slowest
from app.bench.serving import web
from app.bench.town import founded
from app.clock import monotonic

TASKS = 100_000
_WARM = 3
_LOOKS = 20


def measure(url: str, times: int) -> Iterator[Figure]:
    """The 95th percentile of the first page's time, on one database."""
    with founded(url) as town, tempfile.TemporaryDirectory(prefix="tramita-") as folder:
        town.clock.set(town.store.wall.now())  # as the web server's: the ends of the terms lie ahead of both
        crowd(town.store, town.norm, TASKS)
        town.tidy()
        with web(url, Path(folder)) as port, closing(Client(port, town.people["servidor"])) as client:
            spent = [_look(client) for _ in range(_WARM + _LOOKS * times)][_WARM:]
        note = f"{TASKS} tarefas abertas; mediana {percentile(spent, 0.5) * 1000:.0f} ms"
        yield slowest("inbox.first_page_p95", town.dialect, spent, 0.95, 50.0, note)


def _look(client: Client) -> float:
    began = monotonic()
    status, _ = client.get("/caixa")
    if status != 200:
        raise RuntimeError(f"the inbox was answered with {status}")
    return monotonic() - began
