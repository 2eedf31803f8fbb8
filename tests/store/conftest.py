"""Databases with the schema and nothing else: the floor knows no law."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import audit
from app.clock import FixedClock
from app.store import INSTALLER, Store, connect
from app.store.backup import Place, make
from app.store.migrate import migrate
from tests.databases import Databases, Prepare
from tests.store.copies import NOON, WRITTEN, place, trusting


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


@pytest.fixture
def source(store: Store) -> Place:
    """A database with a few entries in two chains."""
    for number in range(WRITTEN):
        with store.act(INSTALLER) as tx:
            audit.append(tx, f"norma:{number % 2}", "publish", {"n": number})
    return place(store.database.engine.url.render_as_string(hide_password=False))


@pytest.fixture
def copy(source: Place, tmp_path: Path) -> Path:
    return make(source, tmp_path / "copias" / "a.tar", NOON, trusting).file


@pytest.fixture
def empty(source: Place, databases: Databases) -> Iterator[Place]:
    url = databases.empty("sqlite" if source.dialect == "sqlite" else "postgresql")
    yield place(url)
    databases.drop(url)
