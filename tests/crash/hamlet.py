"""The small municipality that the product is measured on: a case is one act, its term five business days.

Opened on Monday 2026-03-02: the term of `prazo` ends with Monday 03-09 (3, 4, 5, 6, 9), so it has run out at ENDED.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import orjson
from sqlalchemy import Table, func, select, text

from app import audit
from app.audit.verify import verify
from app.cases import acts
from app.cases.proof.replay import case_ids, replay
from app.clock import Clock, FixedClock, SystemClock
from app.demo import demo_world, furnish, install
from app.registry import evidence
from app.scheduler import sweep
from app.settings import ROOT
from app.store import Actor, Reader, Row, Store, connect
from app.store.cases_tables import deadline, work_item
from app.store.migrate import migrate
from app.store.registry_tables import person
from app.store.schema import metadata
from app.store.tables import blob, journal, worker

BAHIA = ZoneInfo("America/Bahia")
CONTENT, SLUG = ROOT / "app" / "bench" / "content", "medida"
OPENED = datetime(2026, 3, 2, 9, 0, tzinfo=BAHIA)
ENDED = datetime(2026, 3, 10, 0, 0, tzinfo=BAHIA)
RECEIVED = "2026-03-02T08:00:00-03:00"
STEP = {"resposta": "sim", "texto": "Conferido com os documentos do pedido."}


class Running:
    """The machine's clock, ahead of itself by a fixed time: it runs, and other processes can be given the same."""

    def __init__(self, ahead: timedelta) -> None:
        self.ahead = ahead

    @classmethod
    def at(cls, instant: datetime) -> Running:
        """It says `instant` now."""
        return cls(instant - SystemClock().now())

    def now(self) -> datetime:
        return SystemClock().now() + self.ahead


class Starting:
    """A running clock that says its instant when it is first asked: what a process takes to start costs none of it."""

    def __init__(self, instant: datetime) -> None:
        self._instant = instant
        self._running: Running | None = None

    def now(self) -> datetime:
        if self._running is None:
            self._running = Running.at(self._instant)
        return self._running.now()


@dataclass(frozen=True)
class Dial:
    """A running clock that several processes share and a test sets: a file says by how many seconds it is ahead."""

    file: Path

    def set(self, instant: datetime) -> None:
        aside = self.file.with_suffix(".new")
        aside.write_text(str((instant - SystemClock().now()).total_seconds()))
        aside.replace(self.file)

    def now(self) -> datetime:
        return SystemClock().now() + timedelta(seconds=float(self.file.read_text()))


def found(url: str) -> None:
    """Migrates, publishes the norm, adds the people: a template for tests to copy."""
    store = Store(connect(url), FixedClock(OPENED))
    migrate(store.database)
    norm = install(store, CONTENT, SLUG)
    furnish(store, norm, demo_world(CONTENT, SLUG))
    store.database.close()


def play_once(url: str) -> None:
    """A case that is completed and one whose term runs out."""
    for now in (OPENED, ENDED):
        hamlet = Hamlet.at(url, FixedClock(now))
        if now == OPENED:
            hamlet.completed(hamlet.item(hamlet.opened()))
            hamlet.opened()
        sweep(hamlet.store)
        hamlet.close()


@dataclass
class Hamlet:
    """One process's way into the municipality's database."""

    store: Store
    people: dict[str, str]

    @classmethod
    def at(cls, url: str, clock: Clock, wall: Clock | None = None) -> Hamlet:
        store = Store(connect(url), clock, wall)
        with store.read() as reader:
            people = {row["login"]: row["id"] for row in reader.all(select(person))}
        return cls(store, people)

    @property
    def dialect(self) -> str:
        return self.store.database.dialect

    def close(self) -> None:
        self.store.database.close()

    def move_to(self, instant: datetime) -> None:
        """Moves a clock that stands still; nobody sweeps."""
        assert isinstance(self.store.clock, FixedClock)
        self.store.clock.set(instant)

    def act(self, login: str, what: Callable[..., Any], *args: Any, **named: Any) -> Any:
        with self.store.act(Actor(self.people[login])) as tx:
            return what(tx, *args, **named)

    def opened(self, process: str = "prazo", received: str = RECEIVED) -> str:
        answers = {"requerente": "Maria das Dores", "recebido_em": received}
        return str(self.act("protocolo", acts.open_case, SLUG, process, answers))

    def completed(self, item: Row, login: str = "servidor") -> None:
        self.act(login, acts.complete, item["id"], STEP, item["version"])

    def item(self, case_id: str) -> Row:
        """The only open task of a case."""
        (only,) = self.rows(work_item, case_id=case_id, status="open")
        return only

    def rows(self, table: Table, **where: Any) -> list[Row]:
        statement = select(table).where(*(table.c[key] == value for key, value in where.items()))
        with self.store.read() as reader:
            return list(reader.all(statement.order_by(*table.primary_key.columns)))

    def count(self, table: Table, **where: Any) -> int:
        conditions = [table.c[key] == value for key, value in where.items()]
        with self.store.read() as reader:
            return int(reader.scalar(select(func.count()).select_from(table).where(*conditions)))

    def entries(self, case_id: str) -> list[audit.Entry]:
        with self.store.read() as reader:
            return audit.entries(reader, f"processo:{case_id}")

    def snapshot(self) -> dict[str, list[str]]:
        """Every row of every table; of the blobs, their names. Workers come and go and are nobody's evidence."""
        with self.store.read() as reader:
            return {
                table.name: sorted(repr(tuple(row.values())) for row in reader.all(_seen(table)))
                for table in metadata.sorted_tables
                if table is not worker
            }

    def faults(self) -> list[str]:
        """What the auditor would find: broken chains, registers that differ, cases that do not replay."""
        with self.store.read() as reader:
            return list(_faults(reader, self.dialect))


def _seen(table: Table) -> Any:
    return select(blob.c.digest) if table is blob else select(table)


def _faults(reader: Reader, dialect: str) -> Any:
    yield from map(str, verify(reader).faults)
    yield from evidence.faults(reader)
    for case_id in case_ids(reader):
        yield from (f"{case_id}: {fault}" for fault in replay(reader, case_id).faults)
    if dialect == "sqlite" and (told := reader.scalar(text("PRAGMA integrity_check"))) != "ok":
        yield str(told)


@dataclass
class Decided:
    """What became of every term of a process: each list holds the ids of those that it befell."""

    lost: list[str]
    doubled: list[str]
    early: list[str]
    odd: list[str]

    @property
    def well(self) -> bool:
        return not (self.lost or self.doubled or self.early or self.odd)


def decided(hamlet: Hamlet) -> Decided:
    """Compares terms with the journal: one entry for each, not before its end, at its legal instant."""
    entries = [
        (row, orjson.loads(row["body"])["body"]["deadline"]) for row in hamlet.rows(journal, act="expire")
    ]
    times = Counter(told for _row, told in entries)
    terms = {row["id"]: row for row in hamlet.rows(deadline)}
    return Decided(
        lost=[one for one, term in terms.items() if not times[one] or term["status"] != "expired"],
        doubled=[one for one, count in times.items() if count > 1],
        early=[one for row, one in entries if row["at"] < terms[one]["expires_at"]],
        odd=[
            one
            for row, one in entries
            if (row["effective_at"], row["at"]) != (terms[one]["due_at"], terms[one]["noticed_at"])
        ],
    )
