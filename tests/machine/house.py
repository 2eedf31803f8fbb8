"""The small municipality in the hands of a random player: people act, clocks move, workers and relays die.

Acts are the real ones on a real SQLite file. Nothing here knows what is right; `house_machine.py` judges.
"""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, select

from app import people
from app.audit.verify import verify
from app.cases import acts
from app.cases.proof.replay import case_ids, replay
from app.clock import FixedClock
from app.demo import demo_world, furnish, install
from app.errors import Refused
from app.outbox.post import Letter, Undelivered
from app.outbox.relay import Relay
from app.scheduler import sweep
from app.settings import ROOT
from app.store import INSTALLER, Actor, Database, Store, connect
from app.store.migrate import migrate
from app.store.registry_tables import person
from tests.cases.town import BAHIA, database_at

CONTENT, SLUG = ROOT / "app" / "bench" / "content", "medida"
FOUNDED = datetime(2026, 3, 2, 9, tzinfo=BAHIA)
TEXT = "Conferido com os documentos do pedido."
_HOUSES = itertools.count(1)


class Killed(BaseException):
    """The process ends here, as by SIGKILL: nothing of ours may catch it."""


class Clock:
    """The machine's clock, which may also be set back."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant


@dataclass(frozen=True)
class Mortal(Database):
    """A database whose next write transactions end as told: `before` the commit, `after` it, or well (empty)."""

    fates: list[str] = field(default_factory=list)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        fate = self.fates.pop(0) if self.fates else ""
        with super().writing() as connection:
            yield connection
            if fate == "before":
                raise Killed
        if fate == "after":
            raise Killed


def found(folder: Path) -> Path:
    """A founded municipality to copy: the one task that the end of a term opens is told to one person by e-mail."""
    template = folder / "template.db"
    store = Store(connect(f"sqlite:///{template}"), FixedClock(FOUNDED))
    migrate(store.database)
    furnish(store, install(store, CONTENT, SLUG), demo_world(CONTENT, SLUG))
    with store.act(INSTALLER) as tx:
        people.set_email(tx, "servidor", "servidor@example.org")
    store.database.close()
    return template


@dataclass(frozen=True)
class Seen:
    """The rows that the player looks at; instants as texts that sort like instants.

    Attributes:
        commits: differs when something was committed since.
        decided: how often the journal says that a term was decided.
        early: terms that the journal says were decided before their instant.
    """

    commits: int
    case_ids: list[str]
    items: list[Any]
    terms: list[Any]
    messages: list[Any]
    newest: str
    decided: Counter[str]
    early: list[str]

    @classmethod
    def of(cls, watch: sqlite3.Connection, commits: int) -> Seen:
        def rows(statement: str) -> list[Any]:
            return watch.execute(statement).fetchall()

        terms = rows("SELECT * FROM deadline")
        ends = {term["id"]: term["expires_at"] for term in terms}
        told = rows(
            "SELECT at, json_extract(body, '$.body.deadline') AS term FROM journal WHERE act = 'expire'"
        )
        return cls(
            commits,
            [row["id"] for row in rows("SELECT id FROM cases ORDER BY number")],
            rows(
                "SELECT work_item.* FROM work_item JOIN cases ON cases.id = case_id "
                "WHERE work_item.status = 'open' ORDER BY number, opened_seq"
            ),
            terms,
            rows("SELECT * FROM message"),
            rows("SELECT max(at) AS at FROM journal")[0]["at"],
            Counter(entry["term"] for entry in told),
            [entry["term"] for entry in told if entry["at"] < ends[entry["term"]]],
        )


class House:
    """One example's database and what has been seen from outside: letters, and acts that were accepted."""

    def __init__(self, template: Path) -> None:
        # A server takes no other file for its own, so each house has one of its own name.
        self.path = template.with_name(f"house-{next(_HOUSES)}.db")
        shutil.copyfile(template, self.path)
        found_at = database_at(f"sqlite:///{self.path}", "machine")
        if not event.contains(found_at.engine, "connect", _careless):
            event.listen(found_at.engine, "connect", _careless)
        self.database = Mortal(found_at.engine, found_at.dialect)
        self.clock = Clock(FOUNDED)
        self.letters: list[Letter] = []
        self.done: list[Any] = []
        self._watch = sqlite3.connect(self.path)
        self._watch.row_factory = sqlite3.Row
        self._seen: Seen | None = None
        with self.store.read() as reader:
            self.people = {r["login"]: Actor(r["id"]) for r in reader.all(select(person))}

    @property
    def store(self) -> Store:
        """A fresh one each time: every act comes from a process that has just started."""
        return Store(self.database, self.clock)

    def close(self) -> None:
        self._watch.close()
        self.database.close()
        for tail in ("", "-wal", "-shm"):
            Path(f"{self.path}{tail}").unlink(missing_ok=True)

    def act(self, login: str, what: Callable[..., Any], *args: Any) -> Refused | None:
        """One act by one person. What was refused has committed nothing."""
        self.forward(
            timedelta(seconds=1)
        )  # ids begin with the instant: the same run makes them in the same order
        before, refused = self._commits(), None
        try:
            with self.store.act(self.people[login]) as tx:
                what(tx, *args)
        except Refused as refusal:
            refused = refusal
        assert refused is None or self._commits() == before, f"a refused act left something behind: {refused}"
        return refused

    def _commits(self) -> int:
        """Differs when another connection has committed something."""
        with closing(self._watch.execute("PRAGMA data_version")) as cursor:
            return int(cursor.fetchone()[0])

    def open_case(self, process: str) -> None:
        told = {
            "requerente": "Maria das Dores",
            "recebido_em": self.clock.now().astimezone(BAHIA).isoformat(),
        }
        assert self.act("protocolo", acts.open_case, SLUG, process, told) is None

    def complete(self, item: Any, login: str, answer: str, version: int) -> Refused | None:
        refusal = self.act(login, acts.complete, item["id"], {"resposta": answer, "texto": TEXT}, version)
        if refusal is None:
            self.done.append(item)
        return refusal

    def seen(self) -> Seen:
        """What stands in the database, read again when something has been committed."""
        commits = self._commits()
        if self._seen is None or self._seen.commits != commits:
            self._seen = Seen.of(self._watch, commits)
        return self._seen

    def sweep(self, *fates: str) -> None:
        """A worker's sweep; its process may die in one of its transactions."""
        self._until_it_dies(lambda: sweep(self.store), fates)

    def relay(self, post: str) -> None:
        """A relay takes up one message. `post`: what becomes of it."""
        fates = {"dies taking": ["after"], "dies marking": ["", "before"], "dies marked": ["", "after"]}

        def send(letter: Letter) -> None:
            if post == "away":
                raise Undelivered("o servidor não respondeu", closed=True)
            if post == "dies sending":
                raise Killed
            self.letters.append(letter)
            if post == "dies sent":
                raise Killed

        relay = self.relay_of(self.store, send)
        self._until_it_dies(relay.send_next, fates.get(post, []))

    relay_of = staticmethod(lambda store, send: Relay(store, send, "https://tramita.example.org"))

    def _until_it_dies(self, what: Callable[[], Any], fates: Any) -> None:
        self.database.fates[:] = fates
        try:
            what()
        except Killed:
            pass
        finally:
            self.database.fates.clear()

    @property
    def now(self) -> str:
        """As the database writes it."""
        return f"{self.clock.now().astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"

    def forward(self, by: timedelta) -> None:
        self.clock.instant += by

    def faults(self) -> list[Any]:
        """What the auditor would find."""
        with self.store.read() as reader:
            broken: list[Any] = list(verify(reader).faults)
            return broken + [
                fault for case_id in case_ids(reader) for fault in replay(reader, case_id).faults
            ]


def _careless(connection: Any, _record: Any) -> None:
    """No power cut comes here: what is committed need not be on the disk."""
    connection.execute("PRAGMA synchronous=OFF")
