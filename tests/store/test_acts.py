"""One act is one transaction with its entry: all of it or nothing, one writer at a time, and a way to say "busy"."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from typing import Any

import pytest
from sqlalchemy import event, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from app import audit
from app.errors import Broken, Invalid, NotFound
from app.store import CLOCK, INSTALLER, Actor, Busy, Store, Tx, blobs, connect
from app.store.tables import blob, installation, journal, stream
from app.values import digest
from tests.store.copies import NOON
from tests.store.impatience import impatient


def remember(tx: Tx, key: str = "a") -> None:
    tx.write(insert(installation).values(key=key, value={"n": 1}))


def journaled(tx: Tx, error: BaseException | None = None) -> None:
    remember(tx)
    audit.append(tx, "instalacao", "remember", {})
    if error:
        raise error


def count(store: Store, table: Any) -> int:
    with store.read() as reader:
        return int(reader.scalar(select(func.count()).select_from(table)))


def test_an_act_that_writes_without_an_entry_is_refused_and_undone(store: Store) -> None:
    with pytest.raises(Broken, match="without a journal entry"), store.act(INSTALLER) as tx:
        remember(tx)
    assert count(store, installation) == 0


def test_an_act_with_its_entry_is_kept(store: Store) -> None:
    with store.act(INSTALLER) as tx:
        remember(tx)
        audit.append(tx, "instalacao", "remember", {})
    assert (count(store, installation), count(store, journal), count(store, stream)) == (1, 1, 1)


def test_an_act_that_only_looks_needs_no_entry(store: Store) -> None:
    with store.act(INSTALLER) as tx:
        assert tx.first(select(installation)) is None


def test_a_silent_act_may_not_be_journaled_and_is_undone(store: Store) -> None:
    with pytest.raises(Broken, match="silent"), store.silent_act(INSTALLER) as tx:
        journaled(tx)
    assert (count(store, installation), count(store, journal)) == (0, 0)


def test_entries_counted_by_hand_in_a_silent_act_are_refused_too(store: Store) -> None:
    with pytest.raises(Broken, match="was journaled"), store.silent_act(INSTALLER) as tx:
        tx.entries = tx.write(insert(installation).values(key="a", value={}))
    assert count(store, installation) == 0


def test_a_silent_act_keeps_what_it_wrote(store: Store) -> None:
    with store.silent_act(INSTALLER) as tx:
        remember(tx)
    assert count(store, installation) == 1


@pytest.mark.parametrize("error", [Invalid("não"), KeyError("bug"), KeyboardInterrupt()])
def test_any_exception_undoes_everything(store: Store, error: BaseException) -> None:
    with pytest.raises(type(error)), store.act(INSTALLER) as tx:
        journaled(tx, error)
    assert [count(store, t) for t in (installation, journal, stream)] == [0, 0, 0]


def test_reading_writes_nothing_that_stays(store: Store) -> None:
    with suppress(DBAPIError), store.read() as reader:  # PostgreSQL refuses, SQLite forgets
        reader.connection.execute(insert(installation).values(key="a", value={}))
    assert count(store, installation) == 0


def test_the_instant_of_an_act_is_read_once_and_is_utc(store: Store) -> None:
    with store.act(CLOCK) as tx:
        assert (tx.now, tx.now.utcoffset().seconds) == (NOON, 0)  # type: ignore[union-attr]
    with store.read() as reader:
        assert reader.now == NOON


def test_who_acts_is_a_person_the_clock_or_the_installation() -> None:
    assert [str(Actor("p1")), str(CLOCK), str(INSTALLER)] == ["pessoa:p1", "relogio", "instalacao"]


def test_ids_of_later_acts_sort_after_earlier_ones_and_never_repeat(store: Store) -> None:
    with store.act(CLOCK) as tx:
        ids = [tx.new_id() for _ in range(200)]
    assert len(set(ids)) == 200
    assert ids == sorted(ids)
    assert {i[:12] for i in ids} == {f"{int(NOON.timestamp() * 1000):012x}"}
    assert {len(i) for i in ids} == {32}


def test_what_does_not_exist_is_said_so(store: Store) -> None:
    with store.read() as reader, pytest.raises(NotFound, match="nada aqui"):
        reader.one(select(installation), "nada aqui")


def test_the_same_bytes_are_kept_once_by_their_digest(store: Store) -> None:
    with store.silent_act(INSTALLER) as tx:
        assert blobs.keep(tx, b"ata") == blobs.keep(tx, b"ata") == digest(b"ata")
    assert count(store, blob) == 1
    with store.read() as reader:
        assert blobs.fetch(reader, digest(b"ata")) == b"ata"
        with pytest.raises(NotFound, match="Arquivo"):
            blobs.fetch(reader, digest(b"outra"))


def test_rows_are_added_together_and_an_update_counts_them(store: Store) -> None:
    with store.silent_act(INSTALLER) as tx:
        tx.add_all(installation, [{"key": key, "value": {}} for key in "abc"])
        tx.add_all(installation, [])
        assert tx.write(update(installation).values(value={"n": 2})) == 3
        assert tx.write(update(installation).where(installation.c.key == "none").values(value={})) == 0


def test_a_writer_that_waits_too_long_is_told_to_try_again_and_changes_nothing(
    store: Store, prepared_url: str
) -> None:
    with store.act(INSTALLER) as tx:
        audit.append(tx, "instalacao", "first", {})
    with impatient(store, prepared_url) as other:
        with store.act(INSTALLER) as tx:
            audit.append(tx, "instalacao", "second", {})
            with pytest.raises(Busy) as refused, other.act(INSTALLER) as late:
                audit.append(late, "instalacao", "third", {})
        assert (refused.value.status, refused.value.code) == (503, "ocupado")
        assert "tente de novo" in refused.value.message
        with other.act(INSTALLER) as late:
            assert audit.append(late, "instalacao", "third", {}) == 3
    assert count(store, journal) == 3


def test_readers_do_not_wait_for_a_writer_and_see_nothing_unfinished(store: Store, prepared_url: str) -> None:
    with impatient(store, prepared_url) as other, store.act(INSTALLER) as tx:
        audit.append(tx, "instalacao", "first", {})
        assert count(other, journal) == 0


def test_an_operational_error_that_is_no_lock_is_not_called_busy(store: Store) -> None:
    with pytest.raises(Exception, match="nowhere") as raised, store.read() as reader:
        reader.connection.execute(text("SELECT * FROM nowhere"))
    assert not isinstance(raised.value, Busy)


def test_a_row_that_must_exist_is_made_once_and_never_overwritten(store: Store) -> None:
    with store.silent_act(INSTALLER) as tx:
        tx.ensure(stream, name="s", seq=0, head=audit.GENESIS)
        tx.ensure(stream, name="s", seq=7, head="x")
    with store.read() as reader:
        assert reader.one(select(stream), "?")["seq"] == 0


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_the_first_use_of_a_stream_by_two_acts_at_once_breaks_neither(
    store: Store, prepared_url: str
) -> None:
    """The second waits for the first to end, then takes the next number; it never answers with a broken key."""
    with closing(connect(prepared_url, patience=3600)) as database, ThreadPoolExecutor(1) as another:
        other = Store(database, store.clock)

        def second() -> int:
            with other.act(INSTALLER) as tx:
                return audit.append(tx, "nova", "second", {})

        with store.act(INSTALLER) as tx:
            assert tx.first(select(stream)) is None
            assert audit.append(tx, "nova", "first", {}) == 1
            late = another.submit(second)
            wait_until_it_waits(store, late)
        assert late.result() == 2


def wait_until_it_waits(store: Store, late: Future[int]) -> None:
    """Until an act waits for a lock of another one, however long that takes. Fails when the act ends without."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    while True:
        with store.read() as reader:
            if reader.scalar(text(waiting)):
                return
        assert not late.done(), late.result()
        wait([late], timeout=0.01)


def begun(store: Store) -> list[str]:
    told: list[str] = []

    @event.listens_for(store.database.engine, "before_cursor_execute")
    def listen(_c: Any, _u: Any, statement: str, _p: Any, _x: Any, _m: Any) -> None:
        told.append(statement)

    return told


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_on_sqlite_only_writing_begins_immediately(store: Store) -> None:
    told = begun(store)
    with store.read() as reader:
        reader.scalar(select(1))
    assert told[0] == "BEGIN"
    told.clear()
    for opened in (store.act, store.silent_act):
        with opened(INSTALLER) as tx:
            tx.scalar(select(1))
    assert [t for t in told if t.startswith("BEGIN")] == ["BEGIN IMMEDIATE", "BEGIN IMMEDIATE"]


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_sqlite_keeps_its_promises_on_every_connection(store: Store) -> None:
    wanted = {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2, "recursive_triggers": 1}
    with store.read() as reader:
        got = {key: reader.scalar(text(f"PRAGMA {key}")) for key in wanted}
    assert got == wanted


def test_a_row_that_points_nowhere_is_refused_by_the_database(store: Store) -> None:
    with pytest.raises(IntegrityError), store.silent_act(INSTALLER) as tx:
        tx.write(
            text("INSERT INTO subject_key (subject_id, key) VALUES ('nobody', :key)").bindparams(key=b"k")
        )


def test_text_that_no_database_can_hold_is_refused_and_not_a_crash(store: Store) -> None:
    for odd in ("a\x00b", "a\ud800b"):
        with pytest.raises((Invalid, NotFound)), store.read() as reader:
            reader.one(select(installation).where(installation.c.key == odd), "não há")


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_a_folder_that_is_missing_is_made_for_a_sqlite_file(store: Store, tmp_path: Any) -> None:
    made = connect(f"sqlite:///{tmp_path / 'a' / 'b' / 'c.db'}")
    with made.reading() as connection:
        assert connection.execute(select(1)).scalar() == 1
    made.close()
    in_memory = connect("sqlite://")
    with in_memory.writing() as connection, pytest.raises(OperationalError):
        connection.execute(text("SELECT * FROM nowhere"))
    in_memory.close()
