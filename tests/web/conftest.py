"""A site on a fresh SQLite database with the norm of Jequié and the demo's people, on a clock moved by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache

from app import create_app, logs
from app.clock import FixedClock
from app.demo import World, demo_world, furnish, install
from app.scheduler import sweep
from app.scheduler.heartbeat import Heartbeat
from app.settings import ROOT, Settings
from app.store import Store, connect
from app.store.migrate import migrate
from tests.cases.town import database_at
from tests.web.browser import Browser, Page

BAHIA = ZoneInfo("America/Bahia")
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=BAHIA)
NOTICE = {
    "codigo": "I-03",
    "ocorrida_em": "2026-02-27",
    "hora": "07:40",
    "local": "Terminal da Praça Ruy Barbosa",
    "fatos": "Não atendeu à convocação nº 12/2026.",
}
CHARGE = {
    "fatos": "Deixou de atender à convocação escrita.",
    "dispositivo": "Art. 95; Anexo I, I-03",
    "penalidade": "multa",
}
SERVED = {
    "modo": "pessoal",
    "recebido_por": "Rita Alves",
    "instante": "2026-03-03T09:30",
    "prova": "Livro 4, fl. 12",
}
DEFENCE = {
    "_carimbo": "2026-03-05T09:00",
    "peticionario": "Rita Alves",
    "qualidade": "transportador",
    "razoes": "A convocação não foi recebida.",
}


@dataclass
class Site:
    """The application with what a test needs to drive and to judge it."""

    app: Flask
    settings: Settings
    store: Store
    clock: FixedClock
    world: World
    stages: Path
    known: dict[str, Browser] = field(default_factory=dict)

    def visitor(self) -> Browser:
        return Browser(self.app.test_client())

    def person(self, login: str) -> Browser:
        """Somebody of the demo, signed in; the same browser each time."""
        if login not in self.known:
            self.known[login] = self.visitor()
            self.known[login].enter(self.world.people[login])
        return self.known[login]

    def notice(self, **changes: str) -> dict[str, str]:
        """The opening form of an infringement, as the fiscal fills it in."""
        known = {"transportador": self.world.carriers["ES"], "outorga": self.world.grants["L-110"]}
        return {**NOTICE, **known, **changes}

    def opened(self, **changes: str) -> str:
        """The address of a case just opened by the fiscal."""
        page = self.person("fiscal").post("/processos/novo/infracao", **self.notice(**changes))
        assert page.status == 200, page.text
        return page.path.split("?")[0]

    def watched(self) -> None:
        """A worker says that it lives and has just swept."""
        Heartbeat(self.store, self.clock).beat(None, 0.0)

    def at(self, month: int, day: int, hour: int = 10, minute: int = 0) -> None:
        """Lets time pass to an hour of 2026, with the pacemaker's sweep at the end."""
        self.clock.set(datetime(2026, month, day, hour, minute, tzinfo=BAHIA))
        sweep(self.store)

    def do(self, login: str, task: str, **answers: Any) -> Page:
        """The person completes the first task of that name in their inbox."""
        browser = self.person(login)
        page = finish(browser, browser.get("/caixa").link(task), **answers)
        assert page.status == 200, page.text
        return page

    def notified(self) -> str:
        """The address of a case that is the carrier's second: its notice has been registered, a charge must follow."""
        return self._staged("notified", self._notify)

    def charged(self) -> str:
        """The address of a second offender's case. Served on Tuesday 3 March; nobody has answered yet."""
        return self._staged("charged", self._charge)

    def defended(self) -> str:
        """The address of a case whose defence, stamped on Thursday 5 March, waits for the three votes."""
        return self._staged("defended", self._defend)

    def _notify(self) -> str:
        self.opened(hora="06:00")
        self.at(3, 2, 9, 5)
        case = self.opened()
        for _ in range(2):
            self.do("presidente", "Registrar notificação", conferencia="em_ordem")
        return case

    def _charge(self) -> str:
        case = self.notified()
        self.do("autuante", "Lavrar auto de infração", **CHARGE)
        self.at(3, 3)
        self.do("protocolo", "Dar ciência do auto", **SERVED)
        return case

    def _defend(self) -> str:
        case = self.charged()
        self.at(3, 5)
        page = self.person("protocolo").post(f"{case}/protocolar/contestacao", **DEFENCE)
        assert page.status == 200, page.text
        return case

    def _staged(self, name: str, build: Callable[[], str]) -> str:
        """Plays a common beginning once per test process; later sites take over the database as it was then."""
        stage, notes = self.stages / f"{name}.db", self.stages / f"{name}.txt"
        if stage.exists():
            case, now = notes.read_text("utf-8").split()
            self.store.database.close()
            shutil.copy(stage, self.settings.data_dir / "tramita.db")
            self.clock.set(datetime.fromisoformat(now))
            return case
        case = build()
        self.store.database.close()  # folds the write-ahead log into the file
        shutil.copy(self.settings.data_dir / "tramita.db", stage)
        notes.write_text(f"{case} {self.clock.now().isoformat()}", "utf-8")
        return case


class _Compiled(BytecodeCache):
    """Templates, compiled once per test process: half of what a page took in a test was compiling them anew."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def application(settings: Settings, store: Store) -> Flask:
    app = create_app(settings, store)
    app.jinja_env.bytecode_cache = _COMPILED
    return app


def finish(browser: Browser, path: str, **answers: Any) -> Page:
    """Opens a task and completes it as its page stands."""
    version = browser.get(path).value("versao")
    return browser.post(path, versao=version, _acao="concluir", **answers)


@dataclass(frozen=True)
class Furnished:
    """A migrated and furnished database file, to be copied."""

    path: Path
    world: World


@pytest.fixture(scope="session", autouse=True)
def written_as_it_runs() -> None:
    """structlog's own traces, with the values of variables, take a minute for one error."""
    logs.configure()


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Furnished:
    path = tmp_path_factory.mktemp("furnished") / "tramita.db"
    database = connect(f"sqlite:///{path}")
    migrate(database)
    store = Store(database, FixedClock(MONDAY))
    world = furnish(store, install(store, ROOT, "jequie"), demo_world(ROOT, "jequie"))
    database.close()
    return Furnished(path, world)


@pytest.fixture
def site(furnished: Furnished, tmp_path: Path) -> Iterator[Site]:
    yield from made(furnished, tmp_path, "site")


@pytest.fixture(scope="module")
def shared(furnished: Furnished, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One site for all tests of a module that only look."""
    yield from made(furnished, tmp_path_factory.mktemp("shared"), "shared")


@pytest.fixture
def real_site(furnished: Furnished, tmp_path: Path) -> Iterator[Site]:
    """An installation that is no demo, on an address of its own."""
    yield from made(furnished, tmp_path, "real", demo=False, host="tramita.example")


def made(furnished: Furnished, folder: Path, slot: str, **changes: Any) -> Iterator[Site]:
    """A site in a folder. `slot` tells apart sites that live at the same time."""
    copy = folder / "tramita.db"
    shutil.copy(furnished.path, copy)
    settings = replace(Settings(database_url=f"sqlite:///{copy}", data_dir=folder, demo=True), **changes)
    clock = FixedClock(MONDAY)
    store = Store(database_at(settings.database_url, f"web {slot}"), clock, clock)
    yield Site(application(settings, store), settings, store, clock, furnished.world, furnished.path.parent)
    store.database.close()
