"""Puts a copy in place of a database: judged first, then all of it at once, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import inspect
from sqlalchemy.exc import DatabaseError

from app.errors import Conflict, Refused
from app.store.backup import postgresql, sqlite
from app.store.backup.aside import put, workplace
from app.store.backup.container import Manifest, unpack
from app.store.backup.making import make
from app.store.backup.place import Believe, Contents, Place, believed
from app.store.database import Database, connect

_COUNT = """DO $$ BEGIN
  IF (SELECT count(*) FROM public.journal) <> :entries OR (SELECT count(*) FROM public.stream) <> :streams
  THEN RAISE EXCEPTION 'the journal did not come whole'; END IF;
END $$;
"""
_NAMES = {"sqlite": "um SQLite", "postgresql": "um PostgreSQL"}


@dataclass(frozen=True)
class Restored:
    """A database that came from a copy. `kept`: where what stood there before is kept, if anything did."""

    manifest: Manifest
    kept: Path | None


def restore(
    place: Place,
    file: Path,
    believe: Believe,
    *,
    known: Callable[[str], bool],
    now: datetime,
    keep: Path | None = None,
) -> Restored:
    """Puts the copy `file` in place. The caller sees to it that nobody is at work.

    Args:
        known: whether this program knows a revision of the schema.
        keep: where what is there already is kept first, as a copy of its own; None: it may not be there.
    """
    beside = place.file if place.dialect == "sqlite" else file.resolve()
    with workplace(beside) as folder:
        data = folder / "dados"
        manifest = unpack(file, data)
        _fits(place, manifest, known)
        expected = Contents(manifest.entries, manifest.streams, manifest.heads)
        there = _tables(place)
        if there and keep is None:
            raise Conflict(
                "O banco de dados já tem dados: para pôr a cópia no lugar deles, repita o comando com --replace.",
                code="copia.ja_ha_dados",
            )
        if place.dialect == "sqlite":
            return Restored(manifest, _into_sqlite(place, data, expected, believe, there, keep, now))
        kept = make(place, keep, now, _as_it_is).file if there and keep else None
        _into_postgresql(place, data, folder, expected, believe)
    return Restored(manifest, kept)


def _into_sqlite(
    place: Place,
    data: Path,
    expected: Contents,
    believe: Believe,
    there: bool,
    keep: Path | None,
    now: datetime,
) -> Path | None:
    with sqlite.opened(data) as copied:
        believed(copied, expected, believe)
    kept = None
    if there and keep is not None:
        try:
            sqlite.let_go(place.file)
            kept = make(place, keep, now, _as_it_is).file
        except (DatabaseError, Refused) as error:
            if isinstance(error, Refused) and error.code != "copia.danificada":
                raise  # somebody has it open, or it is another program's
            # What is there cannot be read, which may be why a copy is wanted: it is kept under another name.
            kept = place.file.with_name(f"{place.file.name}.antes-{now:%Y%m%dT%H%M%S}")
            sqlite.keep_as(place.file, kept)
    sqlite.drop_log(place.file)
    put(data, place.file)
    return kept


def _as_it_is(_database: Database) -> None:
    """What is about to be replaced is kept whether its journal holds or not: that may be why it is replaced."""


def _into_postgresql(place: Place, data: Path, folder: Path, expected: Contents, believe: Believe) -> None:
    if postgresql.others(place):
        raise Conflict(
            "Há programas ligados a este banco de dados: encerre web e worker e repita o comando.",
            code="copia.em_uso",
        )
    tools = postgresql.tools(place, folder)
    before, script, after = (folder / name for name in ("antes.sql", "copia.sql", "depois.sql"))
    tools.script(data, script)
    with tools.scratch() as url:
        if url is not None:
            tools.at(url).play(script)
            with closing(connect(url)) as database:
                believed(database, expected, believe)
    before.write_text(_emptying(place), "utf-8")
    after.write_text(_counting(expected), "utf-8")
    tools.play(before, script, after)


def _emptying(place: Place) -> str:
    """Drops what is there, in the transaction that brings the copy."""
    with closing(connect(place.url)) as database, database.reading() as connection:
        tables = inspect(connection).get_table_names()
    quoted = ['"' + name.replace('"', '""') + '"' for name in tables]
    drops = [f"DROP TABLE IF EXISTS {name} CASCADE;" for name in quoted]
    return "\n".join([*drops, "DROP FUNCTION IF EXISTS tramita_append_only();", ""])


def _counting(expected: Contents) -> str:
    """Fails, and with it the whole transaction, unless the journal came whole."""
    # The dump leaves the search path empty, and `format` is not for numbers from elsewhere: these are integers.
    return _COUNT.replace(":entries", str(int(expected.entries))).replace(
        ":streams", str(int(expected.streams))
    )


def _fits(place: Place, manifest: Manifest, known: Callable[[str], bool]) -> None:
    if manifest.dialect != place.dialect:
        here, there = _NAMES[place.dialect], _NAMES.get(manifest.dialect, manifest.dialect)
        raise Refused(
            f"A cópia é de {there}, e TRAMITA_DATABASE_URL aponta para {here}: corrija TRAMITA_DATABASE_URL.",
            code="copia.outro_banco",
        )
    if not known(manifest.revision):
        raise Refused(
            "A cópia é de uma versão mais nova do Tramita: atualize o Tramita e repita o comando.",
            code="copia.mais_nova",
        )


def _tables(place: Place) -> bool:
    """Whether anything is there already. A file that is no database any more counts."""
    if place.dialect == "sqlite" and not place.file.exists():
        return False
    with closing(connect(place.url)) as database:
        return _any_table(database)


def _any_table(database: Database) -> bool:
    try:
        return bool(inspect(database.engine).get_table_names())
    except DatabaseError:
        if database.dialect == "sqlite":
            return True
        raise
