"""The municipality that is measured: an invented one, small enough to say what a figure is made of.

Its content lies beside this file. Cases go through the acts that doors use; nothing here writes a row itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select

from app.cases import acts
from app.clock import FixedClock, monotonic
from app.demo import demo_world, furnish, install
from app.errors import Refused
from app.law.norm import Norm
from app.store import Actor, Row, Store, connect
from app.store.cases_tables import work_item
from app.store.migrate import empty, is_empty, migrate

CONTENT = Path(__file__).parent / "content"
SLUG = "medida"
ZONE = ZoneInfo("America/Bahia")
OPENED = datetime(2026, 3, 2, 9, tzinfo=ZONE)  # a Monday without holidays in the two weeks after it
ANSWERS = {
    "resposta": "sim",
    "texto": "Vistos e examinados os autos, nada há que impeça o prosseguimento do pedido. " * 4,
}
_NEXT = (
    select(work_item)
    .where(work_item.c.case_id == bindparam("case_id"), work_item.c.status == "open")
    .order_by(work_item.c.opened_at, work_item.c.id)
)


class Occupied(Refused):
    """The database that should be measured holds something."""


@dataclass
class Town:
    """A founded municipality on one database, its clock moved by hand."""

    store: Store
    clock: FixedClock
    norm: Norm
    people: dict[str, str]

    @property
    def dialect(self) -> str:
        return self.store.database.dialect

    def actor(self, login: str) -> Actor:
        return Actor(self.people[login])

    def open_case(self, process: str, received: datetime = OPENED) -> str:
        """A case of one of the processes, by its opening form."""
        answers = {"requerente": "Maria das Dores Silva", "recebido_em": received.isoformat()}
        with self.store.act(self.actor("protocolo")) as tx:
            return acts.open_case(tx, SLUG, process, answers)

    def next_task(self, case_id: str) -> Row | None:
        """The open task that has waited longest."""
        with self.store.read() as reader:
            return reader.first(_NEXT, case_id=case_id)

    def complete(self, task: Row, **answers: str) -> float:
        """Completes a task in its own transaction; seconds from opening it to having it committed."""
        began = monotonic()
        with self.store.act(self.actor("servidor")) as tx:
            acts.complete(tx, task["id"], {**ANSWERS, **answers}, task["version"])
        return monotonic() - began

    def tidy(self) -> None:
        """What a database does for itself while it is in use: it clears away and learns how its rows lie."""
        tidy = "PRAGMA wal_checkpoint(TRUNCATE)" if self.dialect == "sqlite" else "VACUUM (ANALYZE)"
        with self.store.database.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(tidy)

    def play(self, process: str) -> list[float]:
        """A case from its opening to its end; the seconds of each completion."""
        case_id, seconds = self.open_case(process), []
        while (task := self.next_task(case_id)) is not None:
            seconds.append(self.complete(task))
            self.clock.set(self.clock.now() + timedelta(seconds=1))
        return seconds

    def finish(self, case_id: str) -> int:
        """An open case to its end; how many tasks that took."""
        count = 0
        while (task := self.next_task(case_id)) is not None:
            self.complete(task)
            count += 1
        return count


@contextmanager
def founded(url: str) -> Iterator[Town]:
    """The municipality on an empty database, which is empty again afterwards.

    Raises Occupied when there is anything in it: what is measured is thrown away.
    """
    database = connect(url)
    try:
        if not is_empty(database):
            raise Occupied("O banco de dados da medida não está vazio; crie um só para ela.")
        migrate(database)
        try:
            clock = FixedClock(OPENED)
            store = Store(database, clock)
            norm = install(store, CONTENT, SLUG)
            world = furnish(store, norm, demo_world(CONTENT, SLUG))
            yield Town(store, clock, norm, world.people)
        finally:
            empty(database)
    finally:
        database.close()
