"""The schema comes from migrations alone: up, down and up again, and the models say the same."""

from __future__ import annotations

from typing import Any

from alembic import command
from sqlalchemy import inspect, text

from app.store import connect
from app.store.migrate import config_of, is_empty, migrate
from app.store.schema import metadata
from app.store.tables import APPEND_ONLY


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
