"""Makes a copy: taken in one instant while others write, read back and judged before it gets its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from app.errors import Conflict
from app.store.backup import postgresql, sqlite
from app.store.backup.aside import put, workplace
from app.store.backup.container import Manifest, pack, sum_of, unpack
from app.store.backup.place import Believe, Contents, Place, believed, contents, revision
from app.store.database import connect
from app.values import iso

OPENED, RESTORED, LISTED = "aberta", "restaurada", "listada"


@dataclass(frozen=True)
class Made:
    """A copy that is in its place."""

    file: Path
    manifest: Manifest


@dataclass(frozen=True)
class _Taken:
    revision: str
    contents: Contents
    proved: str


def make(place: Place, target: Path, now: datetime, believe: Believe) -> Made:
    """Copies a database into the file `target`, which may not exist yet. Raises Refused when it cannot be believed."""
    if target.exists():
        raise Conflict(f"{target} já existe: dê outro nome à cópia.", code="copia.existe")
    with workplace(target) as folder:
        data, part = folder / "dados", folder / "copia"
        take = _from_sqlite if place.dialect == "sqlite" else _from_postgresql
        taken = take(place, data, folder, believe)
        size, sha256 = sum_of(data)
        counted = taken.contents
        manifest = Manifest(
            place.dialect,
            taken.revision,
            version("tramita"),
            iso(now),
            sha256,
            size,
            counted.entries,
            counted.streams,
            counted.heads,
            taken.proved,
        )
        pack(part, manifest, data)
        unpack(part, None)  # the disk gives back what it was given
        put(part, target)
    return Made(target, manifest)


def _from_sqlite(place: Place, data: Path, _folder: Path, believe: Believe) -> _Taken:
    with closing(connect(place.url)) as database:
        sqlite.copy(database, data)
    with sqlite.opened(data) as copied:
        with copied.reading() as connection:
            taken = _Taken(revision(connection), contents(connection), OPENED)
        believe(copied)
    return taken


def _from_postgresql(place: Place, data: Path, folder: Path, believe: Believe) -> _Taken:
    tools = postgresql.tools(place, folder)
    with closing(connect(place.url)) as database, database.reading(long=True) as connection:
        # What is counted and what is dumped are one snapshot.
        snapshot = str(connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar_one())
        told, counted = revision(connection), contents(connection)
        tools.dump(data, snapshot)
    with _scratch(tools, data, folder) as restored:
        if restored is None:
            tools.list(data)
            return _Taken(told, counted, LISTED)
        with closing(connect(restored)) as database:
            believed(database, counted, believe)
    return _Taken(told, counted, RESTORED)


@contextmanager
def _scratch(tools: postgresql.Tools, data: Path, folder: Path) -> Iterator[str | None]:
    """The URL of a database that holds the dump, for as long as the block runs; None for a role that may make none."""
    with tools.scratch() as url:
        if url is not None:
            script = folder / "prova.sql"
            tools.script(data, script)
            tools.at(url).play(script)
            script.unlink()
        yield url
