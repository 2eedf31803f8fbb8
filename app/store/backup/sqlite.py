"""What SQLite can do: copy itself while others write, say whether a file is whole, be exchanged for another file."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection

from app.errors import Refused
from app.store.database import Database, connect

_TAILS = ("-wal", "-shm", "-journal")


def copy(database: Database, target: Path) -> None:
    """A snapshot by SQLite's own means: the bare file misses what still stands in the write-ahead log.

    In one step: taken in several, the copy begins anew at every commit of somebody else.
    """
    source = database.engine.raw_connection()
    try:
        with closing(sqlite3.connect(target)) as copied:
            assert isinstance(source.driver_connection, sqlite3.Connection)
            source.driver_connection.backup(copied)
    finally:
        source.close()


@contextmanager
def opened(file: Path) -> Iterator[Database]:
    """A copy, opened as the program opens its database; Refused unless SQLite finds it whole."""
    with closing(connect(f"sqlite:///{file}")) as database:
        with database.reading() as connection:
            if faults(connection):
                raise Refused(
                    "A cópia não passa no exame do SQLite: está danificada.", code="copia.danificada"
                )
        yield database


def faults(connection: Connection) -> list[str]:
    """What SQLite finds wrong: pages, indexes, and rows that name a row that is not there."""
    told = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
    found = [line for line in told if line != "ok"]
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return found + [f"{table}: {row} → {parent}" for table, row, parent, _ in orphans]


def let_go(file: Path) -> None:
    """Folds the log into a database that is about to be replaced. Refused while anybody has it open."""
    with closing(connect(f"sqlite:///{file}")) as database, database.reading() as connection:
        connection.rollback()
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    if file.with_name(f"{file.name}-wal").exists():  # the last one to close takes it away
        raise Refused(
            "Há um programa com este banco de dados aberto: encerre-o e repita o comando.",
            code="copia.em_uso",
        )


def drop_log(file: Path) -> None:
    """Takes away what belongs to a database that is about to be replaced: SQLite would play it into the next one."""
    for tail in _TAILS:
        file.with_name(file.name + tail).unlink(missing_ok=True)


def keep_as(file: Path, kept: Path) -> None:
    """A database that cannot be read stands under a second name too, with all that belongs to it. None may be taken."""
    for tail in (*_TAILS, ""):
        if (beside := file.with_name(file.name + tail)).exists():
            _second_name(beside, kept.with_name(kept.name + tail))


def _second_name(file: Path, name: Path) -> None:
    try:
        os.link(file, name)  # reads nothing: the disk may be what is damaged
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        with file.open("rb") as old, name.open("xb") as new:
            shutil.copyfileobj(old, new)
            new.flush()
            os.fsync(new.fileno())
        name.chmod(0o600)
