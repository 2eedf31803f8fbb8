"""The demo in a real Chromium: a served application on a clock moved by hand, and people who sign in to it.

Without Chromium the tests are skipped with the reason; where TRAMITA_BROWSER_TESTS=required that is a failure.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from app import create_app
from app.clock import FixedClock
from app.scenario.past import load_once
from app.settings import ROOT, Settings
from app.store import Store, connect
from app.store.migrate import migrate
from tests.browser.visit import Served, Visit

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
    """The demo with its past, loaded once: each test works on a copy."""
    path = tmp_path_factory.mktemp("demo") / "tramita.db"
    store = Store(connect(f"sqlite:///{path}"), FixedClock(TODAY))
    migrate(store.database)
    load_once(store, ROOT, "jequie")
    store.database.close()
    return path


@pytest.fixture
def served(demo_file: Path, tmp_path: Path) -> Iterator[Served]:
    shutil.copy(demo_file, tmp_path / "tramita.db")
    clock = FixedClock(TODAY)
    settings = Settings(data_dir=tmp_path, database_url=f"sqlite:///{tmp_path / 'tramita.db'}", demo=True)
    store = Store(connect(settings.database_url), clock)
    server = make_server("127.0.0.1", 0, create_app(settings, store), threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Served(f"http://127.0.0.1:{server.server_port}", store, clock)
    server.shutdown()
    thread.join()
    store.database.close()


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def visit(request: pytest.FixtureRequest, chromium: Browser, served: Served) -> Iterator[Visit]:
    """Somebody in front of the site, with and without JavaScript."""
    yield from visiting(chromium, served, script=request.param)


@pytest.fixture
def reader(chromium: Browser, served: Served) -> Iterator[Visit]:
    """Somebody with JavaScript: for what both ways share."""
    yield from visiting(chromium, served, script=True)


def visiting(chromium: Browser, served: Served, *, script: bool) -> Iterator[Visit]:
    context = chromium.new_context(
        base_url=served.url,
        locale="pt-BR",
        timezone_id="America/Bahia",
        java_script_enabled=script,
        viewport={"width": 1280, "height": 900},
    )
    context.set_default_timeout(15_000)
    page = context.new_page()
    visit = Visit(page, served, script)
    page.on("pageerror", lambda error: visit.faults.append(str(error)))
    page.on("console", lambda told: told.type == "error" and visit.faults.append(told.text))
    yield visit
    context.close()
    assert [f for f in visit.faults if "status of 4" not in f] == []
