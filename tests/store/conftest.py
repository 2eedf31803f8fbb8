"""Databases with the schema and nothing else: the floor knows no law."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from app.clock import FixedClock
from app.store import Store, connect
from app.store.migrate import migrate
from tests.databases import Prepare

NOON = datetime(2026, 5, 11, 15, 0, tzinfo=UTC)


def schema(url: str) -> None:
    database = connect(url)
    migrate(database)
    database.close()


@pytest.fixture(scope="session")
def prepare_database() -> Prepare:
    return schema


@pytest.fixture
def store(prepared_url: str) -> Iterator[Store]:
    opened = Store(connect(prepared_url), FixedClock(NOON))
    yield opened
    opened.database.close()
