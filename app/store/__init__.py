"""The floor: opens transactions, gives them their instant and their ids. The only place that commits."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, OperationalError

from app.clock import Clock, DemoClock
from app.errors import Broken, Invalid, NotFound, Refused
from app.store.ahead import stored_offset
from app.store.database import Database, connect
from app.values import utc

__all__ = [
    "CLOCK",
    "INSTALLER",
    "PRESS",
    "Actor",
    "Busy",
    "Database",
    "Reader",
    "Row",
    "Store",
    "Tx",
    "connect",
]


Row = Mapping[str, Any]  # a row of a query, by column name


class Busy(Refused):
    """Another transaction held the rows for too long; nothing changed and the same request may be repeated."""

    status = 503
    default_code = "ocupado"


@dataclass(frozen=True)
class Actor:
    """Who acts: a person by id, the clock or the installation. `str()` is what the journal keeps."""

    person_id: str | None
    machine: str = "relogio"

    def __str__(self) -> str:
        return f"pessoa:{self.person_id}" if self.person_id else self.machine


CLOCK = Actor(None)
PRESS = Actor(None, "prensa")
INSTALLER = Actor(None, "instalacao")


@dataclass
class Reader:
    """A consistent look at the database; writes nothing."""

    connection: Connection
    now: datetime

    def all(self, statement: Executable) -> Sequence[Row]:
        return cast(Sequence[Row], self.connection.execute(statement).mappings().all())

    def first(self, statement: Executable) -> Row | None:
        return cast(Row | None, self.connection.execute(statement).mappings().first())

    def one(self, statement: Executable, missing: str) -> Row:
        """The row, or NotFound with `missing` as its sentence."""
        row = self.first(statement)
        if row is None:
            raise NotFound(missing)
        return row

    def scalar(self, statement: Executable) -> Any:
        return self.connection.execute(statement).scalar()


@dataclass
class Tx(Reader):
    """One act: a write transaction with its actor and its instant. `entries` counts what it journaled."""

    actor: Actor
    dialect: str
    entries: int = 0
    writes: int = 0
    ids: int = 0
    silent: bool = False
    scratch: dict[str, Any] = field(default_factory=dict)

    def write(self, statement: Executable, rows: Sequence[Mapping[str, Any]] | None = None) -> int:
        """Executes an insert, update or delete and gives the number of rows it touched. `rows` go in together."""
        self.writes += 1
        if rows:
            self.connection.execute(statement, rows)
            return len(rows)  # PostgreSQL's driver does not count a batch
        return int(self.connection.execute(statement).rowcount)

    def ensure(self, table: Table, **values: Any) -> None:
        """Inserts a row unless its key is taken, even by an act that runs at this moment."""
        self.writes += 1
        insert = sqlite.insert if self.dialect == "sqlite" else postgresql.insert
        self.connection.execute(insert(table).values(**values).on_conflict_do_nothing())

    def new_id(self) -> str:
        """An id nobody can guess, sortable by the instant of its act and, within the act, by order."""
        self.ids += 1
        return f"{int(self.now.timestamp() * 1000):012x}{self.ids:04x}{secrets.token_hex(8)}"

    def random_bytes(self, count: int) -> bytes:
        """Randomness for keys and nonces; no decision may rest on it."""
        return secrets.token_bytes(count)


class Store:
    """Transactions over one municipality's database.

    `act` is for everything that happens to a case or a record; `silent_act` for drafts, sessions and
    bookkeeping, which stay outside the chain; `read` for looking.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock

    @contextmanager
    def act(self, actor: Actor) -> Iterator[Tx]:
        """One act = one transaction. Any exception rolls everything back.

        Raises Broken when the act wrote without journaling: an unrecorded act is a bug, never a result.
        Raises Busy when the database could not be had in time.
        """
        with self._writing(actor, silent=False) as tx:
            yield tx
            if tx.writes and not tx.entries:
                raise Broken("an act wrote to the database without a journal entry")

    @contextmanager
    def silent_act(self, actor: Actor) -> Iterator[Tx]:
        """A write that is no act: drafts, sessions, demo bookkeeping. May not be journaled."""
        with self._writing(actor, silent=True) as tx:
            yield tx
            if tx.entries:
                raise Broken("a silent transaction was journaled")

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with _translated(), self.database.reading() as connection:
            yield Reader(connection, self._now(connection))

    @contextmanager
    def _writing(self, actor: Actor, *, silent: bool) -> Iterator[Tx]:
        with _translated(), self.database.writing() as connection:
            # Read after the write lock is held: acts queueing for it get their instants in the order they act.
            yield Tx(connection, self._now(connection), actor, self.database.dialect, silent=silent)

    def _now(self, connection: Connection) -> datetime:
        if isinstance(self.clock, DemoClock):
            self.clock.learn(stored_offset(connection))
        return utc(self.clock.now())


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        text = str(error.orig).lower()
        if any(sign in text for sign in ("locked", "lock timeout", "deadlock")):
            raise Busy("O sistema está ocupado com outro ato. Nada foi gravado; tente de novo.") from error
        raise
    except (DataError, UnicodeEncodeError) as error:
        # An id or a text with NUL or half a surrogate pair, which PostgreSQL (or both) cannot hold.
        if isinstance(error, DataError) and "nul" not in str(error.orig).lower():
            raise
        raise Invalid(
            "O texto traz caracteres que não podem ser gravados.", code="texto.caracteres"
        ) from error
