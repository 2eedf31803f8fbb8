"""Measures the house as a whole, on databases that are given for it: `tramita bench`.

Every figure is taken through the same acts, pages and sweeps that an office uses, and stands beside what bounds it,
measured in the same run. What is measured is thrown away: no database with anything in it is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.bench import acts, audit, deadlines, inbox, pages
from app.bench.figures import Figure

Measure = Callable[[str, int], Iterator[Figure]]


def _acts(url: str, times: int) -> Iterator[Figure]:
    yield from acts.measure(url, times)
    yield from pages.eight_people(url)


def _deadlines(url: str, times: int) -> Iterator[Figure]:
    yield from deadlines.measure(url, times)
    yield from pages.while_draining(url)


MEASURES: dict[str, Measure] = {
    "acts": _acts,
    "deadlines": _deadlines,
    "inbox": inbox.measure,
    "audit": lambda url, _times: audit.measure(url),
}


def measured(name: str, urls: list[str], times: int) -> Iterator[Figure]:
    """The figures of one measure, or of `all`, on each database in turn."""
    names = list(MEASURES) if name == "all" else [name]
    if "acts" in names:
        yield acts.library(times)
    for each in names:
        for url in urls:
            yield from MEASURES[each](url, times)
