"""Fixtures that the folders of the heart and of what rests on it share; each folder's conftest names them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases.town import Town, found
from tests.databases import Databases, Prepare


@pytest.fixture(scope="session")
def prepare_database() -> Prepare:
    return found


@pytest.fixture
def town(prepared_url: str) -> Iterator[Town]:
    """A town of its own for one test. What it leaves behind must verify and replay, unless it tampered."""
    yield from at_work(prepared_url)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared_town(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Town]:
    """One town for a whole file of refusals: they leave nothing behind, so they may share it."""
    url = databases.prepared(request.param, found)
    yield from at_work(url, "shared")
    databases.drop(url)


def at_work(url: str, slot: str = "own") -> Iterator[Town]:
    made = Town.at_work(url, slot)
    try:
        yield made
        assert made.tampered or made.faults() == []
    finally:
        made.store.database.close()
