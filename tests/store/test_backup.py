"""A copy is the whole database or nothing; what is no whole copy is never put in anybody's place."""

from __future__ import annotations

import stat
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError

from app import audit
from app.clock import FixedClock
from app.errors import Refused
from app.store import INSTALLER, Database, Store, connect
from app.store.backup import Place, make, postgresql, restoring, sqlite
from app.store.migrate import migrate
from tests.databases import Databases, plain
from tests.store.copies import (
    NOON,
    WRITTEN,
    entries,
    left_in,
    postgresql_alone,
    put_back,
    refusal,
    sqlite_alone,
    trusting,
)
from tests.store.tools import of_the_server, older


def test_a_copy_put_into_an_empty_database_is_the_same_to_the_last_entry(
    source: Place, copy: Path, empty: Place
) -> None:
    done = put_back(empty, copy)
    assert (done.manifest.entries, done.manifest.streams, done.kept) == (WRITTEN, 2, None)
    assert entries(empty) == entries(source)
    with (
        closing(connect(empty.url)) as database,
        pytest.raises(DatabaseError, match="append-only"),
        database.writing() as connection,
    ):
        connection.execute(text("DELETE FROM journal"))


def test_a_copy_is_for_its_owner_only_and_nothing_is_left_beside_it(copy: Path) -> None:
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert left_in(copy.parent) == ["a.tar"]


def test_a_copy_says_how_it_was_read_back(source: Place, tmp_path: Path) -> None:
    made = make(source, tmp_path / "b.tar", NOON, trusting)
    assert made.manifest.proved == ("aberta" if source.dialect == "sqlite" else "restaurada")


def test_a_copy_does_not_replace_a_file_that_is_there(source: Place, copy: Path) -> None:
    before = copy.read_bytes()
    with pytest.raises(Refused) as told:
        make(source, copy, NOON, trusting)
    assert told.value.code == "copia.existe"
    assert copy.read_bytes() == before


def test_a_copy_whose_journal_is_not_believed_never_gets_its_name(source: Place, tmp_path: Path) -> None:
    def doubting(_database: Database) -> None:
        raise Refused("Não confere.", code="copia.historico")

    with pytest.raises(Refused):
        make(source, tmp_path / "x" / "b.tar", NOON, doubting)
    assert left_in(tmp_path / "x") == []


def test_data_that_are_there_are_replaced_only_when_asked_and_kept_first(
    store: Store, source: Place, copy: Path, tmp_path: Path
) -> None:
    with store.act(INSTALLER) as tx:
        audit.append(tx, "norma:later", "publish", {})
    store.database.close()
    assert refusal(source, copy) == "copia.ja_ha_dados"
    assert len(entries(source)) == WRITTEN + 1
    done = put_back(source, copy, keep=tmp_path / "antes.tar")
    assert len(entries(source)) == WRITTEN
    assert done.kept == tmp_path / "antes.tar"
    put_back(source, done.kept, keep=tmp_path / "outra.tar")
    assert len(entries(source)) == WRITTEN + 1


def test_a_database_that_somebody_has_open_is_not_replaced(
    store: Store, source: Place, copy: Path, tmp_path: Path
) -> None:
    with store.read() as reader:
        reader.scalar(text("SELECT count(*) FROM journal"))
        assert refusal(source, copy, keep=tmp_path / "antes.tar") == "copia.em_uso"
    assert len(entries(source)) == WRITTEN


def test_what_cannot_be_put_in_leaves_what_is_there(
    store: Store, source: Place, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the last moment: the file could not be renamed, the transaction failed at its last statement."""
    store.database.close()

    def failing(*_: Any) -> None:
        raise OSError("the disk is gone")

    if source.dialect == "sqlite":
        monkeypatch.setattr(restoring, "put", failing)
    else:
        monkeypatch.setattr(restoring, "_counting", lambda _: "SELECT 1/0;")
    with pytest.raises((OSError, Refused)):
        put_back(source, copy, keep=tmp_path / "antes.tar")
    assert len(entries(source)) == WRITTEN


def test_what_a_killed_process_left_is_swept_away_by_the_next(source: Place, tmp_path: Path) -> None:
    """The child dies with its folder in hand; while it lives the folder is its own."""
    child = (
        "import sys; from pathlib import Path; from app.store.backup.aside import workplace\n"
        "with workplace(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'dados').write_text('metade'); print('ready', flush=True); sys.stdin.read()\n"
    )
    target = tmp_path / "c" / "a.tar"
    process = subprocess.Popen(
        [sys.executable, "-c", child, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    make(source, target, NOON, trusting)
    assert len(left_in(target.parent)) == 2, "the folder of somebody at work was swept away"
    process.kill()
    process.communicate()
    make(source, target.with_name("b.tar"), NOON, trusting)
    assert left_in(target.parent) == ["a.tar", "b.tar"]


@sqlite_alone
def test_a_log_that_lost_its_database_is_not_played_into_the_copy(copy: Path, empty: Place) -> None:
    empty.file.parent.mkdir(exist_ok=True)
    empty.file.with_name(f"{empty.file.name}-wal").write_bytes(b"x" * 4096)
    put_back(empty, copy)
    assert len(entries(empty)) == WRITTEN


@sqlite_alone
def test_a_damaged_database_is_kept_as_it_is_when_a_copy_takes_its_place(
    store: Store, source: Place, copy: Path, tmp_path: Path
) -> None:
    store.database.close()
    source.file.write_bytes(b"not a database any more" * 100)
    done = put_back(source, copy, keep=tmp_path / "antes.tar")
    assert done.kept is not None
    assert done.kept.read_bytes().startswith(b"not a database")
    assert len(entries(source)) == WRITTEN


@sqlite_alone
@pytest.mark.parametrize("links", [True, False])
def test_a_damaged_database_stands_in_its_place_until_the_copy_takes_it(
    store: Store, source: Place, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Whoever is killed at the last moment leaves what was there, and the same under the name of what is kept."""
    store.database.close()
    damaged = b"not a database any more" * 100
    source.file.write_bytes(damaged)

    def none(*_: Any) -> None:
        raise PermissionError("no links here")

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    if not links:
        monkeypatch.setattr(sqlite.os, "link", none)
    with monkeypatch.context() as broken:
        broken.setattr(restoring, "put", killed)
        with pytest.raises(KeyboardInterrupt):
            put_back(source, copy, keep=tmp_path / "antes.tar")
    assert source.file.read_bytes() == damaged
    (kept,) = source.file.parent.glob(f"{source.file.name}.antes-*")
    assert kept.read_bytes() == damaged
    done = put_back(source, copy, keep=tmp_path / "antes.tar", now=NOON + timedelta(seconds=1))
    assert len(entries(source)) == WRITTEN
    assert done.kept is not None
    assert {kept.read_bytes(), done.kept.read_bytes()} == {damaged}


@sqlite_alone
def test_the_log_of_a_damaged_database_is_kept_with_it_and_not_played_into_the_copy(
    store: Store, source: Place, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.database.close()
    log = source.file.with_name(f"{source.file.name}-wal")

    def unreadable(_file: Path) -> None:
        log.write_bytes(b"x" * 4096)
        raise DatabaseError("PRAGMA", {}, Exception("database disk image is malformed"))

    monkeypatch.setattr(sqlite, "let_go", unreadable)
    done = put_back(source, copy, keep=tmp_path / "antes.tar")
    assert done.kept is not None
    assert done.kept.with_name(f"{done.kept.name}-wal").read_bytes() == b"x" * 4096
    assert not log.exists()
    assert len(entries(source)) == WRITTEN


def test_tables_of_another_program_are_never_replaced(copy: Path, empty: Place, tmp_path: Path) -> None:
    with closing(connect(empty.url)) as database, database.writing() as connection:
        connection.execute(text("CREATE TABLE cliente (nome TEXT)"))
    assert refusal(empty, copy) == "copia.ja_ha_dados"
    assert refusal(empty, copy, keep=tmp_path / "antes.tar") == "copia.sem_dados"
    with closing(connect(empty.url)) as database, database.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM cliente")).scalar_one() == 0


@pytest.mark.parametrize("folder", ["older", "none"])
def test_programs_that_are_missing_or_older_than_the_server_are_told(
    pg_url: str, databases: Databases, tmp_path: Path, folder: str
) -> None:
    url = databases.empty("postgresql")
    where = older() if folder == "older" else tmp_path
    if where is None:
        pytest.skip("no older programs here")
    with closing(connect(url)) as database:
        migrate(database)
    with pytest.raises(Refused) as told:
        make(Place(url, where), tmp_path / "a.tar", NOON, trusting)
    expected = "copia.ferramenta_antiga" if folder == "older" else "copia.ferramenta_ausente"
    assert told.value.code == expected
    assert "TRAMITA_PG_BIN" in told.value.message
    assert left_in(tmp_path) == []
    databases.drop(url)


def test_a_role_that_may_make_no_database_gets_a_copy_that_says_so(
    pg_url: str, databases: Databases, tmp_path: Path
) -> None:
    url = databases.empty("postgresql")
    address = make_url(url)
    with psycopg.connect(plain(address), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS tramita_modesta")
        connection.execute("CREATE ROLE tramita_modesta LOGIN PASSWORD 'se:nha\\x'")
        connection.execute("GRANT ALL ON SCHEMA public TO tramita_modesta")
    modest = address.set(username="tramita_modesta", password="se:nha\\x")
    own = Place(modest.render_as_string(hide_password=False), of_the_server())
    with closing(connect(own.url)) as database:
        migrate(database)
        with Store(database, FixedClock(NOON)).act(INSTALLER) as tx:
            audit.append(tx, "norma:vila", "publish", {})
    made = make(own, tmp_path / "a.tar", NOON, trusting)
    assert (made.manifest.proved, made.manifest.entries) == ("listada", 1)
    put_back(own, made.file, keep=tmp_path / "antes.tar")
    assert len(entries(own)) == 1
    databases.drop(url)
    with psycopg.connect(plain(make_url(pg_url)), autocommit=True) as connection:
        connection.execute("DROP ROLE tramita_modesta")


@postgresql_alone
def test_no_trial_database_stays_behind_and_nobody_elses_is_taken_away(
    source: Place, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that a killed copy left long ago goes; one made this second may be of a copy that is just on its way in."""
    monkeypatch.setattr("app.store.backup.postgresql.secrets.token_hex", lambda _: "c0ffee")
    with psycopg.connect(plain(source.address), autocommit=True) as connection:
        second = connection.execute("SELECT extract(epoch FROM now())::bigint").fetchall()[0][0]
        left, fresh = "tramita_prova_1700000000_dead", f"tramita_prova_{second}_beef"
        for name in (left, fresh):
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        make(source, copy.with_name("b.tar"), NOON, trusting)
        there = {name for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall()}
        connection.execute(SQL("DROP DATABASE {}").format(Identifier(fresh)))
    assert left not in there
    assert fresh in there
    assert not [name for name in there if name.endswith("c0ffee")]


@postgresql_alone
def test_the_password_stands_in_no_command_line(source: Place, tmp_path: Path) -> None:
    address = source.address.set(password="segredo")
    found = postgresql.tools(Place(address.render_as_string(hide_password=False), source.tools), tmp_path)
    assert "segredo" not in found._conninfo()
    assert stat.S_IMODE(found.secret.stat().st_mode) == 0o600
