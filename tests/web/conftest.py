"""A site on a fresh SQLite database with the norm of Jequié and the demo's people, on a clock moved by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from flask import Flask

from app import create_app
from app.clock import FixedClock
from app.demo import World, demo_world, furnish, install
from app.settings import ROOT, Settings
from app.store import Store, connect
from app.store.migrate import migrate
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


@dataclass
class Site:
    """The application with what a test needs to drive and to judge it."""

    app: Flask
    store: Store
    clock: FixedClock
    world: World

    def visitor(self) -> Browser:
        return Browser(self.app.test_client())

    def person(self, login: str) -> Browser:
        """Somebody of the demo, signed in."""
        browser = self.visitor()
        browser.enter(self.world.people[login])
        return browser

    def notice(self, **changes: str) -> dict[str, str]:
        """The opening form of an infringement, as the fiscal fills it in."""
        known = {"transportador": self.world.carriers["ES"], "outorga": self.world.grants["L-110"]}
        return {**NOTICE, **known, **changes}

    def opened(self, **changes: str) -> str:
        """The address of a case just opened by the fiscal."""
        page = self.person("fiscal").post("/processos/novo/infracao", **self.notice(**changes))
        assert page.status == 200, page.text
        return page.path.split("?")[0]

    def task(self, login: str, name: str) -> tuple[Browser, str]:
        """A person and the address of the task of that name in their inbox."""
        browser = self.person(login)
        return browser, browser.get("/caixa").link(name)


def finish(browser: Browser, path: str, **answers: Any) -> Page:
    """Opens a task and completes it as its page stands."""
    version = browser.get(path).value("versao")
    return browser.post(path, versao=version, _acao="concluir", **answers)


@pytest.fixture(scope="module")
def module_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from _site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield from _site(tmp_path)


@pytest.fixture
def real_site(tmp_path: Path) -> Iterator[Site]:
    """An installation that is no demo."""
    yield from _site(tmp_path, demo=False)


def _site(folder: Path, *, demo: bool = True, **changes: Any) -> Iterator[Site]:
    settings = Settings(
        database_url=f"sqlite:///{folder / 'tramita.db'}", data_dir=folder, demo=demo, **changes
    )
    database = connect(settings.database_url)
    migrate(database)
    clock = FixedClock(MONDAY)
    store = Store(database, clock)
    norm = install(store, ROOT, "jequie")
    world = furnish(store, norm, demo_world(ROOT, "jequie"))
    app = create_app(settings, store)
    yield Site(app, store, clock, world)
    database.close()


Make = Callable[..., Site]
