"""No cell of evidence can be changed by hand without being named: each column is tried, or it is said why not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Column, Connection, Table, select, update
from sqlalchemy.types import Boolean, Date, Integer, LargeBinary

from app import people
from app.audit.verify import verify
from app.cases import acts
from app.cases.proof import whole
from app.cases.proof.replay import case_ids, replay
from app.store import Reader
from app.store.cases_tables import cases, deadline, work_item
from app.store.schema import metadata
from app.store.types import JsonText, Utc
from app.values import utc
from tests.cases.fixtures import at_work
from tests.cases.infringement import Infringement, to_decision_served
from tests.cases.town import Town, drop_triggers, found
from tests.databases import Databases
from tests.documents.paper import press

BOOKKEEPING = "what a worker or a form remembers for itself; no page shows it as a fact of a case"
NAME = "the row's name inside the database: nobody is told it, and what refers to it is compared"
COUNTER = "only makes two people who write at once notice each other"
RETRIES = "how often a machine tried, and when it tries again"
# Columns that prove nothing. Everything else is evidence.
NO_EVIDENCE = {
    "message": BOOKKEEPING,
    "answered": BOOKKEEPING,
    "installation": BOOKKEEPING,
    "worker": BOOKKEEPING,
    "draft": "what somebody has begun to type; outside the chain",
    "unprinted": "documents that wait for the press",
    "journal.id": "order of arrival in the table; what is proven is the order inside each chain",
    "subject_key.subject_id": "a key taken away is how a person is erased; one given to another opens nothing there",
    "work_item.id": NAME,
    "deadline.id": NAME,
    "service.id": NAME,
    "work_item.version": COUNTER,
    "cases.version": COUNTER,
    "deadline.failures": RETRIES,
    "deadline.retry_at": RETRIES,
    "deadline.failure": RETRIES,
}
EVIDENCE = [
    column
    for table in metadata.sorted_tables
    for column in table.columns
    if not {table.name, str(column)} & set(NO_EVIDENCE)
]
# Where a column says something of some rows alone.
WHICH = {"work_item.next_end": work_item.c.status == "open"}


@pytest.fixture(scope="module")
def furnished(databases: Databases) -> Iterator[Town]:
    """A case that went far, another that went back, papers, filings, notes, files, people with addresses.

    On SQLite alone: what is compared is the same everywhere, and every other test of the heart compares it on both.
    """
    url = databases.prepared("sqlite", found)
    for town in at_work(url, "every cell"):
        furnish(town)
        assert [*town.read(lambda reader: [*replayed(reader), *verified(reader)])] == []
        town.tampered = True
        yield town
    databases.drop(url)


def furnish(town: Town) -> None:
    town.install(people.set_email, "presidente", "paulo@example.org")
    long = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted().answered()
    town.act("fiscal", acts.annotate, long.id, "Visto.")
    town.act("fiscal", acts.attach, long.id, "laudo.pdf", "application/pdf", b"%PDF-1.7 laudo")
    own = Infringement.opened(town, when="2026-06-08 10:00").registered("2026-06-09 09:00")
    own.charged("2026-06-10 10:00").served("2026-06-11 11:30", "2026-06-11 11:00")
    town.act("secretario", acts.annul, own.id, 3, "Outro veículo.", own.row["version"])
    item = own.item("lavrar_auto")
    town.act("autuante", acts.claim, item["id"], item["version"])
    press(town, setter=lambda _order: b"%PDF-1.7 papel").print_next()


def verified(reader: Reader) -> Iterator[str]:
    """What `audit verify` says."""
    yield from whole.faults(reader)
    yield from (f"{fault.stream}: {fault.reason}" for fault in verify(reader).faults)


def replayed(reader: Reader) -> Iterator[str]:
    """What `audit replay --all` says."""
    for case_id in case_ids(reader):
        yield from replay(reader, case_id).faults


def named(reader: Reader, case_id: str | None) -> bool:
    """Whether one of them says anything; the case that a row is of is looked at first."""
    if case_id in case_ids(reader) and replay(reader, str(case_id)).faults:
        return True
    return any(next(says(reader), None) is not None for says in (verified, replayed))


@contextmanager
def by_hand(town: Town) -> Iterator[Connection]:
    """A database whose rows may be changed at will, and that is as before afterwards."""
    with town.store.database.engine.connect() as connection:
        connection = connection.execution_options(tramita_writes=True)
        kept: Any = connection.connection.driver_connection
        kept.execute("PRAGMA foreign_keys=OFF")
        with connection.begin() as transaction:
            drop_triggers(connection, town.dialect)
            yield connection
            transaction.rollback()
        kept.execute("PRAGMA foreign_keys=ON")


def other(column: Column[Any], value: Any) -> Any:
    """Another value that the column may have."""
    kind = column.type
    if isinstance(kind, Utc):
        return utc(value or datetime.fromisoformat("2026-01-01T00:00:00+00:00")) + timedelta(days=1)
    if isinstance(kind, Date):
        return (value or date(2026, 1, 1)) + timedelta(days=1)
    if isinstance(kind, JsonText):
        return {"x": 1}
    if isinstance(kind, LargeBinary):
        return bytes(value[:-1]) + bytes([value[-1] ^ 1])
    if isinstance(kind, Boolean):
        return not value
    if isinstance(kind, Integer):
        return (value or 0) + 1000
    return "x" if not value else value[:-1] + ("a" if value[-1] != "a" else "b")


def rows_of(connection: Connection, column: Column[Any]) -> list[Any]:
    """The newest row, or that of each status that the table knows."""
    table: Table = column.table
    query = select(table).order_by(*(one.desc() for one in table.primary_key.columns))
    if str(column) in WHICH:
        query = query.where(WHICH[str(column)])
    by_status: dict[Any, Any] = {}
    for row in connection.execute(query).mappings():
        by_status.setdefault(row["status"] if table in (work_item, deadline) else None, row)
    return list(by_status.values())


@pytest.mark.parametrize("table", sorted({column.table.name for column in EVIDENCE}))
def test_each_cell_of_evidence_is_named_when_it_is_changed(furnished: Town, table: str) -> None:
    unnoticed = []
    for column in (one for one in EVIDENCE if one.table.name == table):
        with by_hand(furnished) as connection:
            rows = rows_of(connection, column)
        assert rows, f"nothing in {column}"
        for row in rows:
            with by_hand(furnished) as connection:
                key = [one == row[one.name] for one in column.table.primary_key.columns]
                change = update(column.table).where(*key).values({column: other(column, row[column.name])})
                assert connection.execute(change).rowcount == 1
                case_id = row["id"] if column.table is cases else row.get("case_id")
                if not named(Reader(connection, furnished.clock.now()), case_id):
                    unnoticed.append((str(column), row.get("status")))
    assert unnoticed == []


def test_whatever_is_no_evidence_is_there_to_be_none() -> None:
    there = {str(column) for table in metadata.sorted_tables for column in table.columns}
    assert set(NO_EVIDENCE) <= there | set(metadata.tables)
