"""What every test may ask for: a fresh database of each kind, and the `long` mark."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from tests.databases import Databases, Prepare, Unavailable, new_server_folder, start_server, stop_server

SERVER_FOLDER = pytest.StashKey[Path]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the long stories too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes minutes; runs with --long (make test-long)")
    if not hasattr(config, "workerinput"):  # the process that starts the others owns the server's folder
        config.stash[SERVER_FOLDER] = new_server_folder()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["server_folder"] = str(node.config.stash[SERVER_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    if SERVER_FOLDER in config.stash:
        stop_server(config.stash[SERVER_FOLDER])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    kept = [item for item in items if item.get_closest_marker("long") is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.fixture(autouse=True)
def own_hooks() -> Iterator[None]:
    """A test that sets the log up leaves pytest its own ways to hear of what nobody caught."""
    before = sys.excepthook, threading.excepthook
    yield
    sys.excepthook, threading.excepthook = before


@pytest.fixture(scope="session")
def pg_url(request: pytest.FixtureRequest) -> str:
    """A PostgreSQL where databases may be created: TEST_DATABASE_URL, else the wheel's own server.

    Where CI is set its absence fails the tests; elsewhere it skips them and says why.
    """
    if url := os.environ.get("TEST_DATABASE_URL"):
        return make_url(url).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
    given = getattr(request.config, "workerinput", {}).get("server_folder")
    folder = Path(given) if given else request.config.stash[SERVER_FOLDER]
    try:
        server = start_server(folder)
    except Unavailable as error:
        if os.environ.get("CI"):
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
    return str(server.get_uri(driver="psycopg"))


@pytest.fixture(scope="session")
def databases(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Databases]:
    made = Databases(
        folder=tmp_path_factory.mktemp("databases"),
        worker=os.environ.get("PYTEST_XDIST_WORKER", "main"),
        find_server=lambda: str(request.getfixturevalue("pg_url")),
    )
    yield made
    made.close()


@pytest.fixture(scope="session")
def prepare_database() -> Prepare:
    """What fills a template database, given its URL. A folder's own conftest may put its own here."""

    def nothing(url: str) -> None:
        del url

    return nothing


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, databases: Databases) -> Iterator[str]:
    """An empty database; the test runs once on each kind."""
    url = databases.empty(request.param)
    yield url
    databases.drop(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def prepared_url(
    request: pytest.FixtureRequest, databases: Databases, prepare_database: Prepare
) -> Iterator[str]:
    """A copy of the database that `prepare_database` fills; the test runs once on each kind."""
    url = databases.prepared(request.param, prepare_database)
    yield url
    databases.drop(url)
