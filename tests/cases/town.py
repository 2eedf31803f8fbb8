"""Jequié on a database of its own, with the demo's people and carriers, on a clock moved by hand.

`Town` is what tests of cases, registry, journal and scheduler act through: always by the acts that doors use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Table, event, select, text
from sqlalchemy.engine import make_url

from app import audit
from app.audit.verify import verify
from app.cases.proof.replay import case_ids, replay
from app.clock import FixedClock
from app.demo import World, demo_world, furnish, install
from app.errors import Refused
from app.law.norm import Norm
from app.registry import norms
from app.scheduler import next_end, sweep
from app.settings import ROOT
from app.store import INSTALLER, Actor, Database, Reader, Row, Store, connect
from app.store.migrate import migrate
from app.store.registry_tables import carrier, grants, person, staff
from app.store.schema import metadata
from app.store.tables import blob

BAHIA = ZoneInfo("America/Bahia")
FOUNDED = "2026-03-02 09:00"
# Expresso Sol was warned before: its next notice leads to an auto (D-09), and I-14 is another code (D-11).
ANTECEDENT = {
    "infrator": "ES",
    "codigo": "I-15",
    "data": date(2026, 2, 11),
    "situacao": "advertida",
    "outorga": "L-110",
}


def local(when: str) -> datetime:
    """An instant as people in Jequié write it."""
    return datetime.fromisoformat(when).replace(tzinfo=BAHIA)


def database_at(url: str, slot: str) -> Database:
    """The database at a URL, behind an engine that keeps its compiled statements from test to test.

    Compiling them anew is half of a short test's time. `slot` tells apart towns that live at the same time.
    """
    key = (make_url(url).get_backend_name(), slot)
    if key not in _engines:
        database, target = connect(url), [url]

        @event.listens_for(database.engine, "do_connect")
        def redirect(dialect: Any, _record: Any, _args: Any, params: dict[str, Any]) -> Any:
            args, told = dialect.create_connect_args(make_url(target[0]))
            return dialect.connect(*args, **{**params, **told})

        _engines[key] = (database, target)
    database, target = _engines[key]
    database.close()
    target[0] = url
    return database


_engines: dict[tuple[str, str], tuple[Database, list[str]]] = {}


def found(url: str) -> None:
    """Migrates, publishes the norm, adds people, carriers and one antecedent: a template for tests to copy."""
    store = Store(connect(url), FixedClock(local(FOUNDED)))
    try:
        migrate(store.database)
        norm = install(store, ROOT, "jequie")
        world = furnish(store, norm, demo_world(ROOT, "jequie"))
        furnish(store, norm, {"antecedentes": [ANTECEDENT]}, world)
    finally:
        store.database.close()


@dataclass
class Town:
    """A municipality at work. `tampered` says that a test broke the evidence on purpose."""

    store: Store
    clock: FixedClock
    norm: Norm
    world: World
    url: str
    tampered: bool = False

    @classmethod
    def at_work(cls, url: str, slot: str = "own") -> Town:
        clock = FixedClock(local(FOUNDED))
        store = Store(database_at(url, slot), clock)
        with store.read() as reader:
            norm = norms.in_force(reader, "jequie", reader.now)
            world = _names(reader)
        return cls(store, clock, norm, world, url)

    @property
    def dialect(self) -> str:
        return self.store.database.dialect

    def at(self, when: str) -> None:
        """Moves the clock; nobody sweeps."""
        self.clock.set(local(when))

    def let_pass(self, when: str) -> None:
        """Moves the clock as where a worker never sleeps: every end of a term is decided on its way."""
        while (end := next_end(self.store)) is not None and end <= local(when):
            self.clock.set(end)
            sweep(self.store)
        self.at(when)
        sweep(self.store)

    def actor(self, login: str) -> Actor:
        return Actor(self.world.people[login])

    def act(self, login: str, what: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """One act by one person, in its own transaction."""
        with self.store.act(self.actor(login)) as tx:
            return what(tx, *args, **named)

    def install(self, what: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """One act of the installation: appointments, values, closures."""
        with self.store.act(INSTALLER) as tx:
            return what(tx, *args, **named)

    def draft(self, login: str, what: Callable[..., Any], *args: Any) -> Any:
        with self.store.silent_act(self.actor(login)) as tx:
            return what(tx, *args)

    def read(self, what: Callable[..., Any], *args: Any, **named: Any) -> Any:
        with self.store.read() as reader:
            return what(reader, *args, **named)

    def rows(self, table: Table, **where: Any) -> list[Row]:
        conditions = [table.c[key] == value for key, value in where.items()]
        statement = select(table).where(*conditions).order_by(*table.primary_key.columns)
        with self.store.read() as reader:
            return list(reader.all(statement))

    def row(self, table: Table, **where: Any) -> Row:
        (only,) = self.rows(table, **where)
        return only

    def refusal(self, login: str, what: Callable[..., Any], *args: Any, **named: Any) -> Refused:
        """What the act is refused with; the town must stand as before, in every row of every table."""
        return self.unchanged(lambda: self.act(login, what, *args, **named))

    def unchanged(self, deed: Callable[[], Any]) -> Refused:
        before = self.snapshot()
        refused = None
        try:
            deed()
        except Refused as refusal:
            refused = refusal
        assert refused is not None, "the act was accepted"
        assert self.snapshot() == before, "a refused act left something behind"
        assert refused.message
        assert refused.code
        return refused

    def snapshot(self) -> dict[str, list[str]]:
        """Every row of every table; of the blobs, their names."""
        with self.store.read() as reader:
            return {
                table.name: sorted(
                    repr(tuple(r.values()))
                    for r in reader.all(select(blob.c.digest) if table is blob else select(table))
                )
                for table in metadata.sorted_tables
            }

    def entries(self, stream: str) -> list[audit.Entry]:
        return list(self.read(audit.entries, stream))

    def faults(self) -> list[Any]:
        """What the auditor would find: broken chains and cases that do not replay."""
        with self.store.read() as reader:
            broken: list[Any] = list(verify(reader).faults)
            return broken + [f for case_id in case_ids(reader) for f in replay(reader, case_id).faults]

    def tamper(self, statement: str, **values: Any) -> int:
        """What somebody who owns the server may do: the triggers are dropped, the rows changed."""
        self.tampered = True
        with self.store.database.writing() as connection:
            drop_triggers(connection, self.dialect)
            return int(connection.execute(text(statement), values).rowcount)


def drop_triggers(connection: Any, dialect: str) -> None:
    if dialect == "sqlite":
        found_triggers = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'"))
        for (name,) in found_triggers.all():
            connection.execute(text(f"DROP TRIGGER {name}"))
        return
    for table in metadata.sorted_tables:
        connection.execute(text(f"ALTER TABLE {table.name} DISABLE TRIGGER USER"))


def _names(reader: Reader) -> World:
    told: Mapping[str, Any] = demo_world(ROOT, "jequie")
    by_document = {r["document"]: r["id"] for r in reader.all(select(carrier))}
    by_registration = {r["registration"]: r["id"] for r in reader.all(select(staff))}
    return World(
        people={r["login"]: r["id"] for r in reader.all(select(person))},
        carriers={c["chave"]: by_document[c["cnpj"]] for c in told["transportadores"]},
        grants={r["line"]: r["id"] for r in reader.all(select(grants))},
        staff={s["chave"]: by_registration[s["matricula"]] for s in told["pessoal"]},
    )
