"""The databases that tests stand on are fresh, equal in kind and apart from each other."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, text

from tests.databases import Databases, Kind


def run(url: str, *statements: str) -> list[object]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            results = [connection.execute(text(statement)) for statement in statements]
            return [row[0] for row in results[-1]] if results[-1].returns_rows else []
    finally:
        engine.dispose()


def one_table(url: str) -> None:
    run(url, "CREATE TABLE letter (name TEXT)", "INSERT INTO letter VALUES ('a')")


def test_a_fresh_database_accepts_a_table_that_another_test_made_too(database_url: str) -> None:
    one_table(database_url)
    assert run(database_url, "SELECT name FROM letter") == ["a"]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_prepared_database_is_a_copy_and_copies_are_apart(databases: Databases, kind: Kind) -> None:
    first = databases.prepared(kind, one_table)
    second = databases.prepared(kind, one_table)

    run(first, "INSERT INTO letter VALUES ('b')")

    assert run(first, "SELECT name FROM letter ORDER BY name") == ["a", "b"]
    assert run(second, "SELECT name FROM letter") == ["a"]
    for url in (first, second):
        databases.drop(url)
