"""A second process on the same database, one that does not wait long for a lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from app.store import Store, connect


@contextmanager
def impatient(store: Store, url: str) -> Iterator[Store]:
    """A second process on the same database that waits a twentieth of a second for a lock."""
    other = Store(connect(url), store.clock)

    @event.listens_for(other.database.engine, "connect")
    def hurry(connection: Any, _: Any) -> None:
        sqlite = other.database.dialect == "sqlite"
        connection.execute("PRAGMA busy_timeout=50" if sqlite else "SET lock_timeout = '50ms'")
        connection.commit()

    yield other
    other.database.close()
