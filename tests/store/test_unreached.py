"""A database that does not answer is told to people as such, with what became of their act; bugs stay bugs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import create_engine, func, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError, ProgrammingError

from app import audit
from app.store import INSTALLER, Busy, Database, Reader, Store, Tx, Unreached, connect
from app.store.tables import journal
from tests.databases import plain
from tests.store.idling import HASTY, outwait_another

only_postgresql = pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
UNTOUCHED = "Nada foi gravado"


def entries(store: Store) -> int:
    with store.read() as reader:
        return int(reader.scalar(select(func.count()).select_from(journal)))


def hang_up(url: str, reader: Reader) -> None:
    """Somebody who runs the server ends the connection."""
    its = reader.scalar(text("SELECT pg_backend_pid()"))
    with closing(psycopg.connect(plain(make_url(url)), autocommit=True)) as server:
        server.execute("SELECT pg_terminate_backend(%s, 60000)", (its,))


def act(tx: Tx, befalls: Callable[[], None], *, again: bool) -> None:
    """An act that something befalls, at its end or with one more thing to do."""
    audit.append(tx, "instalacao", "first", {})
    befalls()
    if again:
        audit.append(tx, "instalacao", "second", {})


@only_postgresql
def test_a_connection_that_is_ended_amid_an_act_undoes_it_and_the_next_act_finds_another(
    store: Store, prepared_url: str
) -> None:
    with pytest.raises(Unreached) as told, store.act(INSTALLER) as tx:
        act(tx, lambda: hang_up(prepared_url, tx), again=True)
    assert (told.value.status, told.value.code) == (503, "banco.fora_do_alcance")
    assert UNTOUCHED in told.value.message
    assert entries(store) == 0
    with store.act(INSTALLER) as tx:
        audit.append(tx, "instalacao", "first", {})
    assert entries(store) == 1


@only_postgresql
def test_where_the_answer_to_the_commit_is_lost_nobody_is_told_that_nothing_was_saved(
    store: Store, prepared_url: str
) -> None:
    with pytest.raises(Unreached) as told, store.act(INSTALLER) as tx:
        act(tx, lambda: hang_up(prepared_url, tx), again=False)
    assert (told.value.status, told.value.code) == (503, "banco.sem_resposta")
    assert UNTOUCHED not in told.value.message


@only_postgresql
def test_an_act_that_idled_too_long_is_told_so(
    store: Store, prepared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.database._POSTGRES_OPTIONS", HASTY)
    with closing(connect(prepared_url)) as database:
        hasty = Store(database, store.clock)
        with pytest.raises(Unreached, match=UNTOUCHED), hasty.act(INSTALLER) as tx:
            act(tx, lambda: outwait_another(prepared_url), again=True)
    assert entries(store) == 0


@only_postgresql
@pytest.mark.parametrize(
    "elsewhere", [{"host": "127.0.0.1", "port": 1}, {"database": "no_such_database"}], ids=["port", "name"]
)
def test_a_server_that_lets_nobody_in_is_no_bug(
    store: Store, prepared_url: str, elsewhere: dict[str, Any]
) -> None:
    address = make_url(prepared_url).set(**elsewhere)
    if "port" in elsewhere:
        address = address.set(query={})  # where a socket's folder stands
    with closing(connect(address.render_as_string(hide_password=False))) as database:
        for opened in (
            Store(database, store.clock).read,
            lambda: Store(database, store.clock).act(INSTALLER),
        ):
            with pytest.raises(Unreached, match=UNTOUCHED), opened():
                pytest.fail("somebody was let in")


def test_a_file_that_cannot_be_opened_is_no_bug(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "gone"
    with closing(connect(f"sqlite:///{folder / 'tramita.db'}")) as database:
        folder.rmdir()
        with pytest.raises(Unreached, match=UNTOUCHED), Store(database, store.clock).read():
            pytest.fail("somebody was let in")


def test_whoever_finds_every_connection_taken_is_told_to_come_again(prepared_url: str, store: Store) -> None:
    engine = create_engine(prepared_url, pool_size=1, max_overflow=0, pool_timeout=0)
    with closing(Database(engine, store.database.dialect)) as database:
        narrow = Store(database, store.clock)
        with narrow.read(), pytest.raises(Busy, match=UNTOUCHED), narrow.read():
            pytest.fail("somebody was let in")


@pytest.mark.parametrize(
    "state",
    [psycopg.errors.TooManyConnections, psycopg.errors.CannotConnectNow, psycopg.errors.ConnectionFailure],
)
def test_a_server_that_is_full_or_starting_is_no_bug(store: Store, state: type[Exception]) -> None:
    with pytest.raises(Unreached), store.read():
        raise OperationalError("SELECT 1", None, state("told by the server"))


@pytest.mark.parametrize(
    "orig",
    [
        psycopg.errors.QueryCanceled("x"),
        sqlite3.OperationalError("disk I/O error"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_a_database_that_answers_complains_of_stays_an_error(store: Store, orig: Exception) -> None:
    with pytest.raises(OperationalError), store.read():
        raise OperationalError("SELECT 1", None, orig)


@pytest.mark.parametrize(
    "orig", [psycopg.errors.DiskFull("x"), sqlite3.OperationalError("database or disk is full")]
)
def test_a_full_disk_is_told_as_such(store: Store, orig: Exception) -> None:
    with pytest.raises(Unreached, match="disco do servidor está cheio") as told, store.read():
        raise OperationalError("INSERT", None, orig)
    assert told.value.code == "banco.sem_espaco"


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_a_file_that_is_moved_away_under_a_server_takes_no_more_acts_until_it_is_back(
    prepared_url: str, store: Store
) -> None:
    """SQLite alone would go on writing where nobody finds it, and make an empty database for the next one."""
    file = Path(str(make_url(prepared_url).database))
    with store.act(INSTALLER) as tx:
        audit.append(tx, "instalacao", "first", {})
    away = file.with_suffix(".away")
    file.rename(away)
    for _ in range(2):
        with pytest.raises(Unreached, match=UNTOUCHED), store.act(INSTALLER):
            pytest.fail("somebody was let in")
    with store.database.engine.connect(), pytest.raises(Unreached), store.read():  # by one more connection
        pytest.fail("somebody was let in")
    assert not file.exists() or file.stat().st_size == 0
    away.rename(file)
    with store.act(INSTALLER) as tx:
        audit.append(tx, "instalacao", "second", {})
    assert entries(store) == 2


@only_postgresql
def test_a_wait_that_ended_by_a_lock_is_busy_and_a_wrong_statement_a_bug(store: Store) -> None:
    with pytest.raises(Busy), store.read():
        raise OperationalError(
            "SELECT 1", None, psycopg.errors.LockNotAvailable("canceling due to lock timeout")
        )
    with pytest.raises(ProgrammingError), store.read() as reader:
        reader.scalar(text("SELECT nothing FROM nowhere"))
