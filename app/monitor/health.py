"""How an installation stands at this moment: can people be served, are their terms being decided. Cheap, no names.

What is counted is counted up to a bound: it matters whether there are many, not how many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.exc import SQLAlchemyError

from app.errors import Refused
from app.store import Reader, Row, Store
from app.store.cases_tables import deadline, unprinted
from app.store.migrate import SCRIPTS
from app.store.tables import message, worker

SILENT = timedelta(seconds=15)  # a worker tells of itself every five seconds
LATE = timedelta(seconds=60)  # what a sweep leaves undecided for longer, nobody is deciding
MOST = 1000

UNREACHED, OLD_TABLES = "banco_fora_do_alcance", "banco_de_outra_versao"
NO_WORKER, SILENT_WORKER, WRONG_CLOCK, UNDECIDED = (
    "sem_trabalhador",
    "trabalhador_calado",
    "relogio_errado",
    "prazos_sem_decisao",
)


@dataclass(frozen=True)
class Terms:
    """Whether terms are being decided. `faults`: why not; `overdue`: how many wait for it, up to a bound."""

    faults: tuple[str, ...]
    workers: int
    overdue: int
    postponed: int


@dataclass(frozen=True)
class Health:
    """`faults`: all that is wrong; the figures are None where nobody could look."""

    faults: tuple[str, ...]
    terms: Terms | None = None
    papers: int | None = None
    messages: int | None = None

    @property
    def ready(self) -> bool:
        """People can be served. A worker that is away keeps nobody from reading, filing or deciding."""
        return not {UNREACHED, OLD_TABLES}.intersection(self.faults)

    @property
    def on_time(self) -> bool:
        """Terms are being decided, as far as anybody could look."""
        return not self.faults


def health(store: Store) -> Health:
    """Looks now. Never raises: that the database cannot be had is an answer."""
    try:
        with store.read() as reader:
            if MigrationContext.configure(reader.connection).get_current_heads() != (_newest(),):
                return Health((OLD_TABLES,))
            told = terms(store, reader)
            papers = _count(reader, select(unprinted.c.document_id))
            unsent = (message.c.sent_at.is_(None), message.c.given_up_at.is_(None))
            letters = _count(reader, select(message.c.id).where(*unsent))
    except (SQLAlchemyError, Refused):
        return Health((UNREACHED,))
    return Health(told.faults, told, papers, letters)


def terms(store: Store, reader: Reader) -> Terms:
    """Whether some worker with a right clock sweeps, and what it should have decided by now."""
    wall = store.wall.now()
    rows = reader.all(select(worker).order_by(worker.c.beat_at.desc()).limit(MOST))
    living = [r for r in rows if _ago(r, "beat_at", wall) <= SILENT]
    sweeping = [r for r in living if _ago(r, "swept_at", wall) <= SILENT and r["skew_seconds"] is None]
    due = and_(deadline.c.status == "armed", deadline.c.expires_at <= reader.now - LATE)
    postponed = deadline.c.retry_at > reader.now
    overdue = _count(reader, select(deadline.c.id).where(due, or_(deadline.c.retry_at.is_(None), ~postponed)))
    poisoned = _count(reader, select(deadline.c.id).where(deadline.c.status == "armed", postponed))
    skewed = store.trust.compare(reader.connection) is not None

    def faults() -> Iterator[str]:
        if skewed or (living and all(r["skew_seconds"] is not None for r in living)):
            yield WRONG_CLOCK
        elif not rows:
            yield NO_WORKER
        elif not sweeping:
            yield SILENT_WORKER
        if overdue:
            yield UNDECIDED

    return Terms(tuple(faults()), len(sweeping), overdue, poisoned)


def _ago(row: Row, column: str, wall: datetime) -> timedelta:
    """How long ago a worker wrote this, by a right clock. A sign from the future is none of a worker that lives."""
    told: datetime = row[column]
    ahead = timedelta(seconds=row["skew_seconds"] or 0)
    return abs(wall - (told - ahead))


def _count(reader: Reader, rows: Select[tuple[str]]) -> int:
    return int(reader.scalar(select(func.count()).select_from(rows.limit(MOST).subquery())))


@cache
def _newest() -> str | None:
    """The revision that this program works with."""
    return ScriptDirectory(str(SCRIPTS)).get_current_head()
