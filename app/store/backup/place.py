"""The database that a copy is made of or put into, and what it holds, counted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, func, select
from sqlalchemy.engine import URL, make_url

from app.errors import Refused
from app.store.database import Database
from app.store.tables import journal, stream

Believe = Callable[[Database], None]  # raises Refused when the journal of a copy does not hold


@dataclass(frozen=True)
class Place:
    """One database by its URL. `tools`: folder of PostgreSQL's programs; None: wherever the system finds them."""

    url: str
    tools: Path | None = None

    @property
    def address(self) -> URL:
        return make_url(self.url)

    @property
    def dialect(self) -> str:
        return self.address.get_backend_name()

    @property
    def file(self) -> Path:
        """The file of an SQLite database."""
        return Path(self.address.database or "")


@dataclass(frozen=True)
class Contents:
    """How much a journal holds, and one digest over the heads of all its chains."""

    entries: int
    streams: int
    heads: str


def contents(connection: Connection) -> Contents:
    rows = connection.execute(select(stream.c.name, stream.c.seq, stream.c.head)).all()
    total = hashlib.sha256()
    for name, seq, head in sorted(tuple(row) for row in rows):  # databases sort text each in their own way
        total.update(f"{name}\t{seq}\t{head}\n".encode())
    entries = connection.execute(select(func.count()).select_from(journal)).scalar_one()
    return Contents(entries, len(rows), total.hexdigest())


def revision(connection: Connection) -> str:
    heads = MigrationContext.configure(connection).get_current_heads()
    if len(heads) != 1:
        raise Refused("Não há dados do Tramita neste banco; nada há a copiar.", code="copia.sem_dados")
    return heads[0]


def believed(database: Database, expected: Contents, believe: Believe) -> None:
    """Raises Refused unless an opened copy holds what it should and its journal holds together."""
    with database.reading() as connection:
        if contents(connection) != expected:
            raise Refused(
                "A cópia não contém o que devia: o histórico tem outro tamanho ou outro fim.",
                code="copia.danificada",
            )
    believe(database)
