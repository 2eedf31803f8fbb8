"""A second process on the same database, one that does not wait long for a lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app.store import Store, connect


@contextmanager
def impatient(store: Store, url: str) -> Iterator[Store]:
    """A second process on the same database that waits a twentieth of a second for a lock."""
    other = Store(connect(url, patience=0.05), store.clock)
    yield other
    other.database.close()
