"""The schema comes from migrations alone: up, down and up again, and the models say the same."""

from __future__ import annotations

from typing import Any

import pytest
from alembic import command
from sqlalchemy import inspect, select, text

from app.store import connect
from app.store.migrate import config_of, is_empty, migrate
from app.store.schema import metadata
from app.store.tables import APPEND_ONLY
from tests.cases.town import found
from tests.databases import Databases, Kind


def tables(database: Any) -> set[str]:
    return set(inspect(database.engine).get_table_names()) - {"alembic_version"}


def triggers(database: Any) -> list[str]:
    sqlite = "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    postgresql = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname"
    with database.reading() as connection:
        found = connection.execute(text(sqlite if database.dialect == "sqlite" else postgresql))
        return [name for (name,) in found]


def test_up_down_and_up_again_gives_the_same_schema(database_url: str) -> None:
    database = connect(database_url)
    assert is_empty(database)
    migrate(database)
    first = tables(database), triggers(database)
    assert first[0] == set(metadata.tables)
    assert all(any(name.startswith(table) for name in first[1]) for table in APPEND_ONLY)
    command.downgrade(config_of(database), "base")
    assert (tables(database), triggers(database)) == (set(), [])
    migrate(database)
    assert (tables(database), triggers(database)) == first
    database.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_full_of_data_goes_down_and_up_again(databases: Databases, kind: Kind) -> None:
    """Rows that name each other, and tables that let nothing be deleted, stand in no migration's way."""
    url = databases.prepared(kind, found)
    database = connect(url)
    with database.reading() as connection:
        full = {t.name for t in metadata.sorted_tables if connection.execute(select(t).limit(1)).first()}
    assert {"journal", "blob", "sealed", "appointment", "grants", "staff", "occurrence"} <= full
    first = tables(database), triggers(database)
    command.downgrade(config_of(database), "base")
    assert (tables(database), triggers(database)) == (set(), [])
    migrate(database)
    assert (tables(database), triggers(database)) == first
    command.check(config_of(database))
    database.close()
    found(url)  # and it is of use
    databases.drop(url)


def test_the_models_are_what_the_migrations_make(database_url: str) -> None:
    database = connect(database_url)
    migrate(database)
    command.check(config_of(database))  # raises when autogenerate would write anything
    database.close()


def test_migrating_twice_changes_nothing(prepared_url: str) -> None:
    database = connect(prepared_url)
    before = tables(database), triggers(database)
    migrate(database)
    assert (tables(database), triggers(database)) == before
    assert not is_empty(database)
    database.close()
