"""SQLite and PostgreSQL behind one small face: how a transaction begins is the only difference the rooms see."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from app.clock import Clock, monotonic
from app.values import utc

PATIENCE = 5.0
_PRAGMAS = (
    "page_size=8192",  # for a new file: a journal entry and its like leave a third of a smaller page empty
    "journal_mode=WAL",
    "foreign_keys=ON",
    "synchronous=FULL",
    "busy_timeout=5000",
    # Without it INSERT OR REPLACE deletes a row and no delete trigger fires.
    "recursive_triggers=ON",
)
# A look is at one instant. The driver says so when it begins the transaction: no question more.
_LOOK: Mapping[str, Mapping[str, Any]] = {
    "sqlite": {},
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}
_POSTGRES_OPTIONS = "-c lock_timeout={}ms -c idle_in_transaction_session_timeout=10s -c timezone=UTC"


@dataclass(frozen=True)
class Database:
    """An engine with its dialect (`sqlite` or `postgresql`)."""

    engine: Engine
    dialect: str

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction: committed when the block ends, rolled back on any exception.

        On SQLite it begins IMMEDIATE: a deferred transaction that reads first and writes later fails with
        "database is locked" as soon as two people work.
        """
        with self.engine.connect() as connection:
            connection = connection.execution_options(tramita_writes=True)
            with connection.begin():
                yield connection

    @contextmanager
    def reading(self, *, long: bool = False) -> Iterator[Connection]:
        """A look at one instant, whatever is committed meanwhile; nothing is written by it.

        A `long` one may take any time between two questions. PostgreSQL ends others that idle for ten seconds.
        """
        with self.engine.connect() as connection:
            connection = connection.execution_options(tramita_writes=False, **_LOOK[self.dialect])
            if long and self.dialect == "postgresql":
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            with _any_text(connection, long and self.dialect == "sqlite"):
                yield connection
            connection.rollback()

    def lead(self, wall: Clock, connection: Connection) -> timedelta:
        """How far `wall` runs ahead of the server's clock; negative when behind. SQLite has no clock of its own: zero.

        What the question itself took is not held against either.
        """
        if self.dialect == "sqlite":
            return timedelta(0)
        before = wall.now()
        told: datetime = connection.exec_driver_sql("SELECT clock_timestamp()").scalar_one()
        after = wall.now()
        return _ahead(before, utc(told), after)

    def close(self) -> None:
        self.engine.dispose()


def connect(url: str, patience: float = PATIENCE) -> Database:
    """Opens the database at a SQLAlchemy URL; a SQLite file's folder is created.

    `patience`: seconds that an act waits for another one to end before it is refused as Busy.
    Its errors are logged and shown, so they do not quote the values of statements, which may be somebody's data.
    """
    parsed = make_url(url)
    dialect = parsed.get_backend_name()
    if dialect == "sqlite":
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine, file = create_engine(parsed, hide_parameters=True), _File()
        event.listen(engine, "connect", file.opening)
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "connect", file.opened)
        event.listen(engine, "begin", file.still)
        event.listen(engine, "begin", partial(_begin_sqlite, patience))
        return Database(engine, dialect)
    engine = create_engine(
        parsed,
        connect_args={"options": _POSTGRES_OPTIONS.format(round(patience * 1000))},
        pool_pre_ping=True,
        hide_parameters=True,
    )
    return Database(engine, dialect)


@contextmanager
def _any_text(connection: Connection, wanted: bool) -> Iterator[None]:
    """Reads text of SQLite that is no UTF-8, too: an audit names such a row instead of ending at it."""
    kept: Any = connection.connection.driver_connection
    if wanted:
        kept.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
    try:
        yield
    finally:
        if wanted:
            kept.text_factory = str


def _ahead(before: datetime, told: datetime, after: datetime) -> timedelta:
    """How far a clock read `before` and `after` is ahead of another that `told` its time between the two readings."""
    if told < before:
        return before - told
    return min(after - told, timedelta(0))


class _File:
    """SQLite's file is the one at its place: who deletes it, moves it or puts another there is noticed at once.

    SQLite notices nothing: it goes on in a file without a name, and makes an empty database for the next connection.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, int] | None] = {}

    def opening(self, dbapi_connection: Any, _record: Any) -> None:
        """Before anything is asked that would make a new database."""
        name = _name(dbapi_connection)
        if name in self._seen and _identity(name) != self._seen[name]:
            raise _gone()

    def opened(self, dbapi_connection: Any, record: Any) -> None:
        name = _name(dbapi_connection)
        if name:  # a database in memory has none
            record.info["file"] = name
            self._seen[name] = _identity(name)

    def still(self, connection: Connection) -> None:
        name = connection.info.get("file")
        if name is not None and _identity(name) != self._seen[name]:
            raise OperationalError("BEGIN", None, _gone())


def _name(dbapi_connection: Any) -> str:
    (row,) = dbapi_connection.execute("PRAGMA database_list").fetchall()
    return str(row[2])


def _identity(file: str) -> tuple[int, int] | None:
    try:
        told = os.stat(file)
    except OSError:
        return None
    return told.st_dev, told.st_ino


def _gone() -> sqlite3.OperationalError:
    return sqlite3.OperationalError("unable to open database file")


def _configure_sqlite(dbapi_connection: Any, _record: Any) -> None:
    dbapi_connection.isolation_level = None  # we say BEGIN ourselves
    cursor = dbapi_connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(patience: float, connection: Connection) -> None:
    if not connection.get_execution_options().get("tramita_writes", False):
        connection.exec_driver_sql("BEGIN")
        return
    # SQLite's own waiting looks less and less often, up to ten times a second: whoever commits and begins again at
    # once, as a worker does, would keep everybody else out for seconds.
    latest = monotonic() + patience
    connection.exec_driver_sql("PRAGMA busy_timeout=1")
    try:
        while not _began(connection, last=monotonic() >= latest):
            pass
    finally:
        connection.exec_driver_sql("PRAGMA busy_timeout=5000")


def _began(connection: Connection, *, last: bool) -> bool:
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    except OperationalError as error:
        if last or "locked" not in str(error.orig):
            raise
        return False
    return True
