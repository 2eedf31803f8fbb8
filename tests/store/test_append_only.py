"""What is written in the journal stays: every way a program could change it by accident is refused."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import DatabaseError

from app import audit
from app.audit import seal
from app.store import INSTALLER, Store, blobs
from app.store.tables import APPEND_ONLY, norm_file, norm_version
from tests.store.copies import NOON

KEYS = {"journal": "stream, seq", "blob": "digest", "norm_file": "norm_digest, path", "sealed": "id"}
# What each attempt would change, by table: a column that is no key.
COLUMN = {"journal": "act", "blob": "bytes", "norm_file": "blob_digest", "sealed": "nonce"}


@pytest.fixture
def written(store: Store) -> Store:
    """One row in each append-only table, so that nothing passes for want of a row."""
    with store.act(INSTALLER) as tx:
        stored = blobs.keep(tx, b"norma")
        row = {"slug": "vila", "in_force_from": date(2026, 1, 1), "approved_by": "Lei 1"}
        tx.write(insert(norm_version).values(digest="n", published_at=NOON, **row))
        tx.write(insert(norm_file).values(norm_digest="n", path="norma.toml", blob_digest=stored))
        seal.seal(tx, seal.new_subject(tx), {"nome": "Maria"})
        audit.append(tx, "norma:vila", "publish", {})
    return store


def everything(store: Store) -> list[list[Any]]:
    with store.read() as reader:
        return [sorted(map(repr, reader.all(text(f"SELECT * FROM {t}")))) for t in APPEND_ONLY]


def attempts(table: str, dialect: str) -> dict[str, str]:
    columns = {
        "journal": "id, stream, seq, at, effective_at, actor, act, body, prev, hash",
        "blob": "digest, bytes",
        "norm_file": "norm_digest, path, blob_digest",
        "sealed": "id, subject_id, nonce, ciphertext",
    }[table]
    as_bytes = "CAST('x' AS BLOB)" if dialect == "sqlite" else "'x'::bytea"
    other = "'x'" if table in ("journal", "norm_file") else as_bytes
    changed = re.sub(rf"\b{COLUMN[table]}\b", other, columns)
    copy = f"INTO {table} ({columns}) SELECT {changed} FROM {table}"
    key, column = KEYS[table], COLUMN[table]
    tried = {
        "update": f"UPDATE {table} SET {column} = {column}",
        "delete": f"DELETE FROM {table}",
        "upsert": f"INSERT {copy} WHERE true ON CONFLICT ({key}) DO UPDATE SET {column} = excluded.{column}",
    }
    if dialect == "sqlite":
        tried |= {"replace": f"INSERT OR REPLACE {copy}", "replace into": f"REPLACE {copy}"}
        tried |= {"update or replace": f"UPDATE OR REPLACE {table} SET {column} = {column}"}
    else:
        tried |= {"truncate": f"TRUNCATE {table} CASCADE", "truncate blob": "TRUNCATE blob CASCADE"}
        tried |= {"replica": f"SET LOCAL session_replication_role = replica; DELETE FROM {table}"}
    return tried


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_no_statement_changes_or_removes_what_was_written(written: Store, table: str) -> None:
    before = everything(written)
    for name, statement in attempts(table, written.database.dialect).items():
        with pytest.raises(DatabaseError, match="append-only"), written.database.writing() as connection:
            connection.execute(text(statement))
        assert everything(written) == before, name


@pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
def test_a_row_cannot_be_replaced_through_its_hidden_number(written: Store) -> None:
    """A fresh (stream, seq) with the id of an old entry would push the old one out."""
    columns = "id, stream, seq, at, effective_at, actor, act, body, prev, hash"
    forged = columns.replace("seq", "seq + 1")
    before = everything(written)
    with pytest.raises(DatabaseError, match="append-only"), written.database.writing() as connection:
        connection.execute(text(f"INSERT OR REPLACE INTO journal ({columns}) SELECT {forged} FROM journal"))
    assert everything(written) == before


def test_adding_goes_on(written: Store) -> None:
    with written.act(INSTALLER) as tx:
        assert audit.append(tx, "norma:vila", "record_value", {}) == 2
