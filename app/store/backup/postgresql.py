"""What PostgreSQL's own programs do: dump, list, turn a dump into SQL, play it in one transaction.

They are found on the system or in the folder that `TRAMITA_PG_BIN` names. No password stands in a command line.
"""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from sqlalchemy.engine import URL, make_url

from app.errors import Refused
from app.store.backup.place import Place
from app.store.database import connect

_PROGRAMS = ("pg_dump", "pg_restore", "psql")
_SCRATCH = "tramita_prova_"  # then the server's second of its making, and a word of chance
_LEFT = 3_600  # seconds after which one that nobody is in was left: before, somebody may be on the way in


@dataclass(frozen=True)
class Tools:
    """The programs, as found, and the database they work on. `secret`: the file that holds its password."""

    programs: dict[str, str]
    address: URL
    secret: Path

    def at(self, url: str) -> Tools:
        return replace(self, address=make_url(url))

    def dump(self, target: Path, snapshot: str) -> None:
        self._run(
            "pg_dump",
            f"--snapshot={snapshot}",
            "--format=custom",
            "--no-owner",
            "--no-acl",
            "-f",
            str(target),
        )

    def list(self, dump: Path) -> None:
        """Raises Refused unless the dump's own table of contents can be read."""
        self._run("pg_restore", "--list", str(dump), connected=False)

    def script(self, dump: Path, target: Path) -> None:
        told = ("--no-owner", "--no-acl", "--exit-on-error", "-f", str(target), str(dump))
        self._run("pg_restore", *told, connected=False)

    def play(self, *scripts: Path) -> None:
        """All of it or, at the first error or a kill, nothing."""
        files = [part for script in scripts for part in ("-f", str(script))]
        quiet = ("--no-psqlrc", "--quiet", "--output=/dev/null")
        self._run("psql", *quiet, "--set=ON_ERROR_STOP=1", "--single-transaction", *files)

    @contextmanager
    def scratch(self) -> Iterator[str | None]:
        """A new, empty database on the same server, dropped afterwards; None when the role may not make one."""
        with closing(psycopg.connect(_plain(self.address), autocommit=True)) as connection:
            asked = "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
            may = connection.execute(asked).fetchone()
            if may is None or not may[0]:
                yield None
                return
            second = _sweep_scratches(connection)
            name = f"{_SCRATCH}{second}_{secrets.token_hex(6)}"
            connection.execute(
                SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(Identifier(name))
            )
            address = self.address.set(database=name)
            try:
                with closing(
                    psycopg.connect(_plain(address))
                ):  # who looks for left ones sees that it is in use
                    yield address.render_as_string(hide_password=False)
            finally:
                connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))

    def _run(self, program: str, *arguments: str, connected: bool = True) -> None:
        told = ["--dbname", self._conninfo(), "--no-password"] if connected else []
        done = subprocess.run(  # noqa: S603 (PostgreSQL's own programs, told what to do by this module alone)
            [self.programs[program], *told, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise Refused(
                f"{program} não conseguiu: {lines[0] if lines else f'terminou com {done.returncode}'}",
                code="copia.ferramenta",
            )

    def _conninfo(self) -> str:
        return make_conninfo(**{**_parts(self.address), "passfile": str(self.secret)})


def tools(place: Place, folder: Path) -> Tools:
    """The programs for a database. Refused when one is missing or older than the server."""
    with closing(connect(place.url)) as database, database.reading() as connection:
        number = int(connection.exec_driver_sql("SHOW server_version_num").scalar_one())
    server = number // 10000
    found = {}
    for program in _PROGRAMS:
        path = shutil.which(program, path=str(place.tools) if place.tools else None)
        if path is None:
            where = f"na pasta {place.tools} (TRAMITA_PG_BIN)" if place.tools else "neste computador"
            raise Refused(
                f"O programa {program} do PostgreSQL não foi encontrado {where}: instale os programas de cliente do "
                f"PostgreSQL {server} ou diga em TRAMITA_PG_BIN a pasta em que estão.",
                code="copia.ferramenta_ausente",
            )
        if (version := _version(path)) < server:
            raise Refused(
                f"O {program} encontrado ({path}) é da versão {version}, mais antiga que o servidor ({server}): "
                f"instale os programas do PostgreSQL {server} ou diga em TRAMITA_PG_BIN a pasta em que estão.",
                code="copia.ferramenta_antiga",
            )
        found[program] = path
    secret = folder / "senha"
    secret.touch(mode=0o600)
    password = re.sub(r"([\\:])", r"\\\1", str(place.address.password or ""))
    secret.write_text(f"*:*:*:*:{password}\n" if password else "", "utf-8")
    return Tools(found, place.address, secret)


def others(place: Place) -> int:
    """How many connections to this database there are besides one's own."""
    with closing(psycopg.connect(_plain(place.address), autocommit=True)) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def _version(path: str) -> int:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    told = re.search(r"\) (\d+)", done.stdout)
    return int(told[1]) if told else 0


def _sweep_scratches(connection: psycopg.Connection[Any]) -> int:
    """Drops databases that killed copies left: so named, this role's, old, and nobody in them. The server's second."""
    second = int(connection.execute("SELECT extract(epoch FROM clock_timestamp())::bigint").fetchall()[0][0])
    idle = """SELECT datname FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba
        WHERE r.rolname = current_user AND starts_with(datname, %s)
        AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.datname = d.datname)"""
    for (name,) in connection.execute(idle, (_SCRATCH,)).fetchall():
        made = re.fullmatch(r"(\d+)_[0-9a-f]+", name.removeprefix(_SCRATCH))
        if made and int(made[1]) <= second - _LEFT:
            with suppress(psycopg.Error):  # somebody went in meanwhile
                connection.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(name)))
    return second


def _parts(address: URL) -> dict[str, Any]:
    told = {**address.translate_connect_args(username="user", database="dbname"), **address.query}
    return {key: value for key, value in told.items() if key != "password"}


def _plain(address: URL) -> str:
    return make_conninfo(**_parts(address), **({"password": address.password} if address.password else {}))
