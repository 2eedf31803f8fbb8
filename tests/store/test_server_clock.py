"""How far a machine's clock is ahead of the database's, and what the errors of a database keep to themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.clock import FixedClock
from app.store import Store
from app.store.database import _ahead

NOON = datetime(2026, 5, 11, 15, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("before", "told", "after", "ahead"),
    [
        (0, 0, 0, 0),
        (0, 3, 9, 0),  # within the time that asking took
        (0, 9, 9, 0),
        (7, 0, 8, 7),
        (0, 9, 2, -7),
        (-1, 5, -1, -6),
    ],
)
def test_what_asking_took_is_not_held_against_either_clock(
    before: int, told: int, after: int, ahead: int
) -> None:
    assert _ahead(NOON + before * SECOND, NOON + told * SECOND, NOON + after * SECOND) == ahead * SECOND


def test_sqlite_has_no_clock_of_its_own_and_postgresql_has(store: Store) -> None:
    """Against walls that stand a century away on either side."""
    past, future = FixedClock(NOON.replace(year=1926)), FixedClock(NOON.replace(year=2226))
    with store.database.reading() as connection:
        leads = [store.database.lead(wall, connection) for wall in (past, future)]
    if store.database.dialect == "sqlite":
        assert leads == [timedelta(0)] * 2
    else:
        assert leads[0] < timedelta(0) < leads[1]


def test_an_error_does_not_quote_the_values_of_its_statement(store: Store) -> None:
    with pytest.raises(DBAPIError) as refused, store.read() as reader:
        reader.all(text("SELECT no_such_column FROM stream WHERE name = :n").bindparams(n="Rita Alves"))
    assert "no_such_column" in str(refused.value)
    assert "Rita" not in str(refused.value)
