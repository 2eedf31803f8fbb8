"""A look is at one instant and writes nothing; a long one may think for as long as it likes, others may not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.exc import DBAPIError

from app import audit
from app.store import INSTALLER, Reader, Store, Unreached, connect
from app.store.tables import installation, journal
from tests.store.idling import HASTY, outwait_another

_ENTRIES = select(func.count()).select_from(journal)


@pytest.fixture
def hasty(prepared_url: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """On a server that ends transactions that idle for a moment."""
    monkeypatch.setattr("app.store.database._POSTGRES_OPTIONS", HASTY)
    opened = Store(connect(prepared_url), store.clock)
    yield opened
    opened.database.close()


def append(store: Store) -> None:
    with store.act(INSTALLER) as tx:
        audit.append(tx, "instalacao", "remember", {})


def asked_twice(reader: Reader, url: str) -> list[int]:
    first = reader.scalar(_ENTRIES)
    outwait_another(url)
    return [first, reader.scalar(_ENTRIES)]


@pytest.mark.parametrize("long", [False, True])
def test_what_is_committed_during_a_look_is_not_seen_by_it(store: Store, long: bool) -> None:
    append(store)
    with store.read(long=long) as reader:
        assert reader.scalar(_ENTRIES) == 1
        append(store)
        assert reader.scalar(_ENTRIES) == 1
    with store.read() as reader:
        assert reader.scalar(_ENTRIES) == 2


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_a_look_may_not_write_and_the_act_after_it_on_the_same_connection_may(store: Store) -> None:
    with pytest.raises(DBAPIError, match="read-only"), store.read() as reader:
        reader.connection.execute(insert(installation).values(key="a", value={}))
    append(store)
    with store.act(INSTALLER) as tx:
        assert tx.scalar(_ENTRIES) == 1
        with store.act(INSTALLER) as other:
            audit.append(other, "outra", "remember", {})
        assert tx.scalar(_ENTRIES) == 2  # an act sees what it waited for


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_a_long_look_outlives_others_that_idle_as_long(hasty: Store, prepared_url: str) -> None:
    with hasty.read(long=True) as reader:
        assert asked_twice(reader, prepared_url) == [0, 0]
    with (
        pytest.raises(Unreached),
        hasty.read() as reader,
    ):  # the next one on that connection is as short as any
        asked_twice(reader, prepared_url)
