"""What `audit` and `db check` say of evidence that was taken away or spoilt: a line for it, 1, never a traceback."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from tests.cases.infringement import Infringement
from tests.cases.town import Town, drop_triggers
from tests.cli.conftest import Tramita


def by_hand(town: Town, statement: str, **values: Any) -> None:
    """Without triggers and without foreign keys."""
    town.tampered = True
    if town.dialect == "sqlite":
        town.tamper("UPDATE series SET last = last")
        town.store.database.close()
        with closing(sqlite3.connect(make_url(town.url).database or "")) as connection:
            assert connection.execute(statement, values).rowcount >= 1
            connection.commit()
        return
    with town.store.database.writing() as connection:
        drop_triggers(connection, town.dialect)
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        assert connection.execute(text(statement), values).rowcount >= 1


def said(tramita: Tramita, town: Town, *command: str) -> str:
    """What a command says of an unsound database."""
    done = tramita(*command, TRAMITA_DATABASE_URL=town.url)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1, done.output
    return done.output


def test_a_case_taken_out_of_the_table_is_missed(tramita: Tramita, town: Town) -> None:
    gone, stays = Infringement.opened(town), Infringement.opened(town)
    number, other = gone.row["number"], stays.row["number"]
    by_hand(town, "DELETE FROM cases WHERE id = :i", i=gone.id)
    sentence = "o histórico conhece este processo, mas ele não está na tabela de processos"
    assert f"✗ {number}: {sentence}" in said(tramita, town, "audit", "verify")
    replayed = said(tramita, town, "audit", "replay", "--all")
    assert f"✓ {other}: 1 registro\n✗ {number}: 1 registro\n    {sentence}\n" in replayed
    assert replayed.endswith("2 processos; 1 com diferença\n")
    assert f"    {number}: {sentence}" in said(tramita, town, "db", "check", "--sem-reproducao")


def test_a_case_that_no_history_knows_is_named(tramita: Tramita, town: Town) -> None:
    case = Infringement.opened(town)
    number = case.row["number"]
    by_hand(town, "DELETE FROM journal WHERE stream = :n", n=f"processo:{case.id}")
    by_hand(town, "DELETE FROM stream WHERE name = :n", n=f"processo:{case.id}")
    sentence = f"{number}: o processo está na tabela de processos, mas o histórico não o conhece"
    assert sentence in said(tramita, town, "audit", "verify")
    assert f"✗ {number}: 0 registros" in said(tramita, town, "audit", "replay", "--all")
    assert sentence in said(tramita, town, "db", "check", "--sem-reproducao")


SPOILT = (b"[", b"[]", b"\xff\xfe", b'{"body":1}')


def test_entries_of_spoilt_bytes_are_named_and_the_rest_is_examined(tramita: Tramita, town: Town) -> None:
    cases = [Infringement.opened(town) for _ in SPOILT]
    sound = Infringement.opened(town).row["number"]
    numbers = [case.row["number"] for case in cases]
    for case, body in zip(cases, SPOILT, strict=True):
        by_hand(town, "UPDATE journal SET body = :b WHERE stream = :n", b=body, n=f"processo:{case.id}")
    by_hand(town, "UPDATE journal SET body = :b WHERE act = 'register_person'", b=b"[]")
    verified = said(tramita, town, "audit", "verify")
    replayed = said(tramita, town, "audit", "replay", "--all")
    wrong = "registro 1: os bytes do registro não conferem com a cadeia"
    for case, number in zip(cases, numbers, strict=True):
        assert f"✗ processo:{case.id}, {wrong}" in verified
        assert f"✗ {number}: 0 registros\n    {wrong}\n" in replayed
    assert "✗ as pessoas não conferem com o histórico" in verified
    assert f"✓ {sound}: 1 registro\n" in replayed
    assert wrong in said(tramita, town, "db", "check")


# What SQLite keeps although no act could write it, of a case by its number, and what is said of it.
IMPOSSIBLE = [
    ("UPDATE journal SET at = 'x' WHERE stream = :one", "registro 1: a coluna at contradiz o registro"),
    (
        "UPDATE journal SET act = CAST(x'fffe' AS TEXT) WHERE act = 'appoint'",
        "a coluna act contradiz o registro",
    ),
    ("UPDATE carrier SET registered_on = '2026-11-31'", "os transportadores não conferem"),
    ("UPDATE grants SET line = CAST(x'fffe' AS TEXT)", "as outorgas não conferem"),
    ("UPDATE closure SET day = 'hoje'", "os dias do calendário não conferem"),
    ("UPDATE norm_value SET since = '2026-02-30'", "os valores e as escolhas registrados não conferem"),
    ("UPDATE cases SET flow = '{'", "os dados do diagrama guardados não são os do histórico"),
    ("UPDATE cases SET opened_at = 'x'", "a abertura ou a norma não são as do histórico"),
    ("UPDATE document SET issued_at = 'x'", "os documentos emitidos não conferem"),
    ("UPDATE work_item SET next_end = 'x'", "os próximos prazos guardados com as tarefas não conferem"),
]


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_values_that_no_act_could_write_are_named(tramita: Tramita, town: Town) -> None:
    case, other = Infringement.opened(town), Infringement.opened(town)
    number = other.row["number"]
    for statement, _ in IMPOSSIBLE:
        by_hand(town, statement, **({"one": f"processo:{case.id}"} if ":one" in statement else {}))
    told = said(tramita, town, "audit", "verify") + said(tramita, town, "audit", "replay", "--all")
    assert [sentence for _, sentence in IMPOSSIBLE if sentence not in told] == []
    assert "com o histórico" in said(tramita, town, "audit", "replay", number)
    said(tramita, town, "db", "check")


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
def test_an_instant_beyond_all_days_is_named(tramita: Tramita, town: Town) -> None:
    """PostgreSQL keeps `infinity`, which no clock says."""
    Infringement.opened(town)
    by_hand(town, "UPDATE journal SET at = 'infinity' WHERE act = 'open'")
    by_hand(town, "UPDATE closure SET day = 'infinity', recorded_at = 'infinity'")
    verified = said(tramita, town, "audit", "verify")
    assert "a coluna at contradiz o registro" in verified
    assert "os dias do calendário não conferem" in verified
    said(tramita, town, "audit", "replay", "--all")
