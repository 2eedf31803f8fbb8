"""What a chain with its head shows, whoever owns the server: each tampering of a journal and what is said of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import orjson
import psycopg
import pytest
from sqlalchemy import event, insert, select, update

from app import audit
from app.audit.verify import Fault, verify
from app.errors import Broken
from app.store import INSTALLER, Tx
from app.store.tables import journal, stream
from app.values import canonical
from tests.cases.town import Town, local

SUM = "os bytes do registro não conferem com a cadeia"
END = "o fim da cadeia não confere: falta ou sobra registro"


@pytest.fixture
def written(shared_town: Town) -> Town:
    """A stream of five entries beside the town's own, all of which verify; what the test before broke is gone."""
    for statement in (
        "DELETE FROM journal WHERE stream = 'teste'",
        "DELETE FROM stream WHERE name = 'teste'",
    ):
        shared_town.tamper(statement)
    for number in range(1, 6):
        shared_town.install(audit.append, "teste", f"act_{number}", {"n": number, "text": "João à toa"})
    return shared_town


def body(town: Town, seq: int) -> bytes:
    return bytes(town.row(journal, stream="teste", seq=seq)["body"])


def forged(town: Town, seq: int, **changes: Any) -> bytes:
    told = orjson.loads(body(town, seq))
    return canonical({**told, "body": {**told["body"], **changes}})


def faults(town: Town) -> tuple[Fault, ...]:
    found: tuple[Fault, ...] = town.read(verify).faults
    return found


def test_what_nobody_touched_verifies(written: Town) -> None:
    outcome = written.read(verify)
    assert outcome.faults == ()
    assert outcome.entries == len(written.rows(journal)) > 30
    assert outcome.streams == len(written.rows(stream))


def test_an_entry_holds_what_was_done_and_when(written: Town) -> None:
    written.at("2026-03-03 10:00")
    happened = local("2026-03-02 23:00")
    written.act("fiscal", audit.append, "teste", "serve", {"modo": "pessoal"}, happened)
    entry = written.entries("teste")[-1]
    assert (entry.stream, entry.seq, entry.act, entry.body) == ("teste", 6, "serve", {"modo": "pessoal"})
    assert (entry.at, entry.effective_at) == (local("2026-03-03 10:00"), happened)
    assert entry.actor == f"pessoa:{written.world.people['fiscal']}"
    told = orjson.loads(body(written, 6))
    assert (told["at"], told["effective_at"]) == ("2026-03-03T13:00:00Z", "2026-03-03T02:00:00Z")


def test_each_entry_is_hashed_with_the_one_before_it(written: Town) -> None:
    first, second = written.row(journal, stream="teste", seq=1), written.row(journal, stream="teste", seq=2)
    assert first["prev"] == audit.GENESIS == "0" * 64
    assert second["prev"] == first["hash"] == audit.link("0" * 64, bytes(first["body"]))
    assert written.row(stream, name="teste")["head"] == written.row(journal, stream="teste", seq=5)["hash"]


def edit(town: Town) -> int:
    return town.tamper(
        "UPDATE journal SET body = :b WHERE stream = 'teste' AND seq = 2", b=forged(town, 2, n=9)
    )


def edit_and_rehash(town: Town) -> int:
    data = forged(town, 5, n=9)
    new = audit.link(town.row(journal, stream="teste", seq=5)["prev"], data)
    statement = "UPDATE journal SET body = :b, hash = :h WHERE stream = 'teste' AND seq = 5"
    return town.tamper(statement, b=data, h=new)


def swap(town: Town) -> int:
    two, three = body(town, 2), body(town, 3)
    town.tamper("UPDATE journal SET body = :b WHERE stream = 'teste' AND seq = 2", b=three)
    return town.tamper("UPDATE journal SET body = :b WHERE stream = 'teste' AND seq = 3", b=two)


def swap_numbers(town: Town) -> int:
    for old, new in ((2, 99), (3, 2), (99, 3)):
        done = town.tamper("UPDATE journal SET seq = :n WHERE stream = 'teste' AND seq = :o", n=new, o=old)
    return done


def drop_newest(town: Town) -> int:
    return town.tamper("DELETE FROM journal WHERE stream = 'teste' AND seq = 5")


def drop_middle(town: Town) -> int:
    return town.tamper("DELETE FROM journal WHERE stream = 'teste' AND seq = 3")


def drop_all(town: Town) -> int:
    return town.tamper("DELETE FROM journal WHERE stream = 'teste'")


def drop_head(town: Town) -> int:
    return town.tamper("DELETE FROM stream WHERE name = 'teste'")


def move_head_back(town: Town) -> int:
    return town.tamper("UPDATE stream SET seq = 4 WHERE name = 'teste'")


def recompute_without_head(town: Town) -> int:
    """From entry 2 on, everything is rewritten and linked anew; only the head row is as before."""
    prev = town.row(journal, stream="teste", seq=1)["hash"]
    done = 0
    for seq in range(2, 6):
        data = forged(town, seq, n=100 + seq)
        new = audit.link(prev, data)
        statement = "UPDATE journal SET body = :b, prev = :p, hash = :h WHERE stream = 'teste' AND seq = :s"
        done = town.tamper(statement, b=data, p=prev, h=new, s=seq)
        prev = new
    return done


@pytest.mark.parametrize(
    ("tampering", "seq", "reason"),
    [
        (edit, 2, SUM),
        (edit_and_rehash, 6, END),
        (swap, 2, SUM),
        (swap_numbers, 2, SUM),
        (drop_newest, 5, END),
        (drop_middle, 4, "esperava-se o registro 3"),
        (drop_all, 1, END),
        (drop_head, 6, END),
        (move_head_back, 6, END),
        (recompute_without_head, 6, END),
    ],
)
def test_a_tampering_is_found_and_placed(
    written: Town, tampering: Callable[[Town], int], seq: int, reason: str
) -> None:
    assert tampering(written) >= 1
    assert faults(written) == (Fault("teste", seq, reason),)


@pytest.mark.parametrize(
    ("column", "value"),
    [("act", "other"), ("actor", "pessoa:x"), ("at", "2020"), ("effective_at", "2020")],
)
def test_a_column_that_contradicts_its_entry_is_found(written: Town, column: str, value: str) -> None:
    stamps = {"sqlite": "2020-01-01T00:00:00.000000Z", "postgresql": "2020-01-01 00:00:00+00"}
    told = stamps[written.dialect] if value == "2020" else value
    cast = "CAST(:v AS timestamptz)" if value == "2020" and written.dialect == "postgresql" else ":v"
    written.tamper(f"UPDATE journal SET {column} = {cast} WHERE stream = 'teste' AND seq = 4", v=told)
    assert faults(written) == (Fault("teste", 4, f"a coluna {column} contradiz o registro"),)


def test_each_broken_stream_is_named_once_and_the_others_are_still_checked(town: Town) -> None:
    town.tamper("UPDATE journal SET body = :b WHERE stream = 'norma:jequie'", b=b"{}")
    town.tamper("DELETE FROM journal WHERE stream = 'calendario'")
    assert [(f.stream, f.seq) for f in faults(town)] == [("norma:jequie", 1), ("calendario", 1)]
    assert len(town.rows(journal, stream="norma:jequie")) > 1


def test_the_limit_of_a_chain_is_known(written: Town) -> None:
    """Cutting the newest entry and mending the head too leaves no trace here: copies outside are for that."""
    four = written.row(journal, stream="teste", seq=4)["hash"]
    drop_newest(written)
    written.tamper("UPDATE stream SET seq = 4, head = :h WHERE name = 'teste'", h=four)
    assert faults(written) == ()


def test_an_act_that_is_committed_while_the_chains_are_read_is_no_fault(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the heads and the entries."""
    town.install(audit.append, "teste", "one", {})
    with town.store.read() as reader:
        heads = reader.all(select(stream))
        town.install(audit.append, "teste", "two", {})
        town.install(audit.append, "outra", "one", {})
        monkeypatch.setattr(reader, "all", lambda _: heads)
        meanwhile = verify(reader)
    assert meanwhile.faults == ()
    after = town.read(verify)
    assert (after.entries, after.streams) == (meanwhile.entries + 2, meanwhile.streams + 1)


def test_a_journal_is_read_a_few_entries_at_a_time(written: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are: those of years would not fit into memory."""
    monkeypatch.setattr("app.audit.verify._AT_ONCE", 2)
    cursors: list[Any] = []
    with written.store.read() as reader:
        event.listen(
            reader.connection, "before_cursor_execute", lambda _c, cursor, *_: cursors.append(cursor)
        )
        outcome = verify(reader)
    assert (outcome.faults, outcome.entries) == ((), len(written.rows(journal)))
    assert isinstance(cursors[-1], psycopg.ServerCursor | sqlite3.Cursor)


def test_a_stream_that_was_named_but_never_written_verifies(town: Town) -> None:
    with town.store.silent_act(INSTALLER) as tx:
        assert audit.next_seq(tx, "vazio") == 1
    assert faults(town) == ()


@pytest.mark.parametrize("value", [1.5, float("nan"), 2**53, "\ud800", b"x", local("2026-03-02 09:00")])
def test_what_has_no_canonical_form_is_not_journaled(shared_town: Town, value: Any) -> None:
    town = shared_town
    before = town.snapshot()
    with pytest.raises(ValueError):
        town.install(audit.append, "teste", "odd", {"value": value})
    assert town.snapshot() == before


def test_the_same_words_in_two_unicode_forms_are_the_same_bytes() -> None:
    assert canonical({"nome": "Jose\u0301"}) == canonical({"nome": "Jos\u00e9"}) == '{"nome":"José"}'.encode()
    assert canonical({"b": 1, "a": [True, None]}) == b'{"a":[true,null],"b":1}'


def test_a_head_that_moved_while_its_entry_was_written_is_no_result(town: Town) -> None:
    """Only a bug could do it: somebody who moves a head without writing an entry."""

    def deed(tx: Tx) -> None:
        audit.append(tx, "teste", "one", {})
        tx.write(update(stream).where(stream.c.name == "teste").values(seq=7))
        audit.append(tx, "teste", "two", {})

    with pytest.raises(Broken, match="moved"):
        town.install(deed)
    assert town.entries("teste") == []


def test_two_entries_cannot_have_the_same_number(written: Town) -> None:
    row = dict(written.row(journal, stream="teste", seq=5))
    with (
        pytest.raises(Exception, match=r"append-only|unique|UNIQUE"),
        written.store.silent_act(INSTALLER) as tx,
    ):
        tx.write(insert(journal).values(**{**row, "id": row["id"] + 1000}))
