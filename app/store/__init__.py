"""The floor: opens transactions, gives them their instant and their ids. The only place that commits."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any, cast

from sqlalchemy import Connection, Executable, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoneFree

from app.clock import Clock, DemoClock, SystemClock
from app.errors import Broken, Invalid, NotFound, Refused
from app.store.ahead import stored_offset
from app.store.database import Database, connect
from app.store.trust import Trust
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
    "Unreached",
    "connect",
]


_LOCKED = ("locked", "lock timeout", "deadlock")
_NO_SPACE = "53100"
_AWAY = ("08", "57P", "53300")  # SQLSTATE: connection lost, server stopping or starting, too many connections

Row = Mapping[str, Any]  # a row of a query, by column name


class Busy(Refused):
    """Another transaction held the rows for too long; nothing changed and the same request may be repeated."""

    status = 503
    default_code = "ocupado"


class Unreached(Refused):
    """The database does not answer, or gave up on this transaction: no fault of what was asked."""

    status = 503
    default_code = "banco.fora_do_alcance"


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

    # `told` are the values of a statement's `bindparam`s. What every act asks is built once, when its module is
    # loaded: composing a statement anew costs more than the database takes to answer it.

    def all(self, statement: Executable, **told: Any) -> Sequence[Row]:
        return cast(Sequence[Row], self.connection.execute(statement, told).mappings().all())

    def first(self, statement: Executable, **told: Any) -> Row | None:
        return cast(Row | None, self.connection.execute(statement, told).mappings().first())

    def one(self, statement: Executable, missing: str, **told: Any) -> Row:
        """The row, or NotFound with `missing` as its sentence."""
        row = self.first(statement, **told)
        if row is None:
            raise NotFound(missing)
        return row

    def scalar(self, statement: Executable, **told: Any) -> Any:
        return self.connection.execute(statement, told).scalar()


@dataclass
class Tx(Reader):
    """One act: a write transaction with its actor and its instant. `entries` counts what it journaled.

    `skew` tells how far the machine's clock is ahead of others when no term may be decided by it; else None.
    """

    actor: Actor
    dialect: str
    entries: int = 0
    writes: int = 0
    ids: int = 0
    silent: bool = False
    skew: Callable[[], timedelta | None] = lambda: None
    scratch: dict[str, Any] = field(default_factory=dict)

    def write(self, statement: Executable, **told: Any) -> int:
        """Executes an update or delete and gives the number of rows it touched."""
        self.writes += 1
        return int(self.connection.execute(statement, told).rowcount)

    def add(self, table: Table, /, **values: Any) -> None:
        """Inserts a row."""
        self.writes += 1
        self.connection.execute(_insert_into(table), values)

    def add_all(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Inserts rows together, all with the same columns; none is none."""
        if rows:
            self.writes += 1
            self.connection.execute(_insert_into(table), rows)

    def ensure(self, table: Table, **values: Any) -> bool:
        """Inserts a row unless its key is taken, even by an act that runs at this moment. Whether it did."""
        self.writes += 1
        return bool(self.connection.execute(_insert_unless(table, self.dialect), values).rowcount)

    def new_id(self) -> str:
        """An id nobody can guess, sortable by the instant of its act and, within the act, by order."""
        self.ids += 1
        return f"{int(self.now.timestamp() * 1000):012x}{self.ids:04x}{secrets.token_hex(8)}"

    def random_bytes(self, count: int) -> bytes:
        """Randomness for keys and nonces; no decision may rest on it."""
        return secrets.token_bytes(count)


@cache
def _insert_into(table: Table) -> Insert:
    return table.insert()


@cache
def _insert_unless(table: Table, dialect: str) -> Executable:
    insert = sqlite.insert if dialect == "sqlite" else postgresql.insert
    # Else SQLAlchemy keeps no count of an insert, and gives -1 for it.
    return insert(table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)


class Store:
    """Transactions over one municipality's database.

    `act` is for everything that happens to a case or a record; `silent_act` for drafts, sessions and
    bookkeeping, which stay outside the chain; `read` for looking.

    Args:
        clock: what cases live on.
        wall: this machine's own clock.
    """

    def __init__(self, database: Database, clock: Clock, wall: Clock | None = None) -> None:
        self.database = database
        self.clock = clock
        self.wall = wall or SystemClock()
        self.trust = Trust(database, self.wall, self._now)

    @contextmanager
    def act(self, actor: Actor) -> Iterator[Tx]:
        """One act = one transaction. Any exception rolls everything back.

        Raises Broken when the act wrote without journaling: an unrecorded act is a bug, never a result.
        Raises Busy when the database could not be had in time, Unreached when it could not be had at all or went away.
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
    def read(self, *, long: bool = False) -> Iterator[Reader]:
        """A look. A `long` one goes through much, and takes its time between two questions to the database."""
        with _translated(), self.database.reading(long=long) as connection:
            yield Reader(connection, self._now(connection))

    @staticmethod
    def new_key() -> str:
        """A word that nobody can guess and no page has had before."""
        return secrets.token_urlsafe(24)

    @contextmanager
    def _writing(self, actor: Actor, *, silent: bool) -> Iterator[Tx]:
        with _translated() as act, self.database.writing() as connection:
            # Read after the write lock is held: acts queueing for it get their instants in the order they act.
            now, skew = self._now(connection), partial(self.trust.lately, connection)
            yield Tx(connection, now, actor, self.database.dialect, silent=silent, skew=skew)
            act.ending = True

    def _now(self, connection: Connection) -> datetime:
        if isinstance(self.clock, DemoClock):
            self.clock.learn(stored_offset(connection))
        return utc(self.clock.now())


@dataclass
class _Passage:
    """How far a transaction came. `ending`: only its commit was left."""

    ending: bool = False


@contextmanager
def _translated() -> Iterator[_Passage]:
    passage = _Passage()
    try:
        yield passage
    except NoneFree as error:  # each of this process's connections is with somebody
        raise _busy() from error
    except (DBAPIError, UnicodeEncodeError) as error:
        refused = _refusal(error, passage)
        if refused is None:
            raise
        raise refused from error


def _refusal(error: DBAPIError | UnicodeEncodeError, passage: _Passage) -> Refused | None:
    """What people are told of a database's error that is no bug."""
    text = str(error.orig).lower() if isinstance(error, DBAPIError) else ""
    if isinstance(error, DBAPIError) and _lost(error):
        if passage.ending:
            return Unreached(
                "O banco de dados deixou de responder no fim do ato, e não se sabe se ele foi gravado. Confira antes "
                "de tentar de novo.",
                code="banco.sem_resposta",
            )
        return Unreached(
            "O banco de dados não responde agora. Nada foi gravado; tente de novo daqui a pouco."
        )
    if isinstance(error, OperationalError) and _full(error):
        return Unreached(
            "O disco do servidor está cheio. Nada foi gravado; avise quem administra o sistema.",
            code="banco.sem_espaco",
        )
    if isinstance(error, OperationalError) and any(sign in text for sign in _LOCKED):
        return _busy()
    # An id or a text with NUL or half a surrogate pair, which PostgreSQL (or both) cannot hold.
    if isinstance(error, UnicodeEncodeError) or (isinstance(error, DataError) and "nul" in text):
        return Invalid("O texto traz caracteres que não podem ser gravados.", code="texto.caracteres")
    return None


def _full(error: OperationalError) -> bool:
    return "disk is full" in str(error.orig) or getattr(error.orig, "sqlstate", "") == _NO_SPACE


def _busy() -> Busy:
    return Busy("O sistema está ocupado com outro ato. Nada foi gravado; tente de novo.")


def _lost(error: DBAPIError) -> bool:
    """Whether the connection broke, or none could be made: then there is no server's answer, and no SQLSTATE."""
    if error.connection_invalidated or "unable to open database file" in str(error.orig):
        return True
    state = getattr(error.orig, "sqlstate", "")  # SQLite's errors have none
    return isinstance(error, OperationalError) and (state is None or state.startswith(_AWAY))
