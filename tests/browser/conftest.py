"""The demo in a real Chromium: a served application on a clock moved by hand, and people who sign in to it.

Without Chromium the tests are skipped with the reason; where TRAMITA_BROWSER_TESTS=required that is a failure.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from app import create_app
from app.clock import DemoClock, FixedClock
from app.scenario.past import load_once
from app.settings import ROOT, Settings
from app.store import Store, connect
from app.store.migrate import migrate
from tests.browser.stage import furnish
from tests.browser.visit import Crowd, Served, Visit

TODAY = datetime(2026, 8, 18, 11, 0, tzinfo=ZoneInfo("America/Bahia"))  # a Tuesday with no holiday near
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        why = "Chromium is not installed (Debian: sudo apt install chromium)"
        pytest.fail(why) if os.environ.get("TRAMITA_BROWSER_TESTS") == "required" else pytest.skip(why)
    spoken = {**os.environ, "LANGUAGE": "pt_BR", "LANG": "pt_BR.UTF-8"}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS, env=spoken)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with its past, loaded once: every site works on a copy."""
    path = tmp_path_factory.mktemp("demo") / "tramita.db"
    store = Store(connect(f"sqlite:///{path}"), FixedClock(TODAY))
    migrate(store.database)
    load_once(store, ROOT, "jequie")
    store.database.close()
    return path


@pytest.fixture
def served(demo_file: Path, tmp_path: Path) -> Iterator[Served]:
    """A site of its own, for a test that changes what is in it."""
    yield from serving(demo_file, tmp_path)


@pytest.fixture(scope="session")
def whole(demo_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One site for all tests that only look, with something in it for every page to show."""
    yield from serving(demo_file, tmp_path_factory.mktemp("whole"), furnish, _with_a_page_that_breaks)


def serving(
    demo: Path,
    folder: Path,
    prepare: Callable[[Served], None] | None = None,
    add: Callable[[Flask], None] | None = None,
) -> Iterator[Served]:
    shutil.copy(demo, folder / "tramita.db")
    wall = FixedClock(TODAY)
    settings = Settings(data_dir=folder, database_url=f"sqlite:///{folder / 'tramita.db'}", demo=True)
    store = Store(connect(settings.database_url), DemoClock(base=wall))
    app = create_app(settings, store)
    if add:
        add(app)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served = Served(f"http://127.0.0.1:{server.server_port}", store, wall, app)
    if prepare:
        prepare(served)
    yield served
    server.shutdown()
    thread.join()
    store.database.close()


def _with_a_page_that_breaks(app: Flask) -> None:
    def breaks() -> str:
        raise RuntimeError("on purpose")

    app.add_url_rule("/quebra", "quebra", breaks)


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def visit(request: pytest.FixtureRequest, chromium: Browser, served: Served) -> Iterator[Visit]:
    """Somebody in front of a site of their own, with and without JavaScript."""
    yield from visiting(chromium, served, script=request.param)


@pytest.fixture
def reader(chromium: Browser, served: Served) -> Iterator[Visit]:
    """Somebody with JavaScript in front of a site of their own: for what both ways share."""
    yield from visiting(chromium, served, script=True)


@pytest.fixture(scope="session")
def crowd(chromium: Browser, whole: Served) -> Iterator[Crowd]:
    """Everybody who looks at the shared site; each signs in once."""
    found = Crowd(chromium, whole)
    yield found
    found.leave()


def visiting(chromium: Browser, served: Served, *, script: bool) -> Iterator[Visit]:
    visit = Visit.begin(chromium, served, script=script)
    yield visit
    visit.leave()
    assert visit.complaints() == []
