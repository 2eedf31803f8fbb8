"""A served demo on a clock moved by hand, and a real Chromium: for browser tests and for the pictures of the README."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from app import create_app
from app.clock import DemoClock, FixedClock
from app.scenario.past import load_once
from app.scheduler.heartbeat import Heartbeat
from app.settings import ROOT, Settings
from app.store import Store, connect
from app.store.migrate import migrate
from tests.browser.visit import ZONE, Served

TODAY = datetime(2026, 8, 18, 11, 0, tzinfo=ZONE)  # a Tuesday with no holiday near
MISSING = "Chromium is not installed (Debian: sudo apt install chromium chromium-l10n)"
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


def chromium_here() -> str | None:
    """Where Chromium is installed, if it is."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def launched(program: str) -> Iterator[Browser]:
    """Chromium, speaking Portuguese."""
    spoken = {**os.environ, "LANGUAGE": "pt_BR", "LANG": "pt_BR.UTF-8"}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS, env=spoken)
        yield browser
        browser.close()


def load_demo(path: Path) -> None:
    """A database with the demo and its past."""
    store = Store(connect(f"sqlite:///{path}"), FixedClock(TODAY))
    migrate(store.database)
    load_once(store, ROOT, "jequie")
    store.database.close()


def watched(served: Served) -> None:
    """A worker says that it lives and has just swept; on a wall clock that stands still it goes on saying so."""
    Heartbeat(served.store, served.clock).beat(None, 0.0)


@contextmanager
def serving(
    demo: Path,
    folder: Path,
    prepare: Callable[[Served], None] | None = None,
    add: Callable[[Flask], None] | None = None,
) -> Iterator[Served]:
    """A site on a copy of a demo's database. `prepare` acts on it, `add` gives the application more."""
    shutil.copy(demo, folder / "tramita.db")
    wall = FixedClock(TODAY)
    settings = Settings(data_dir=folder, database_url=f"sqlite:///{folder / 'tramita.db'}", demo=True)
    store = Store(connect(settings.database_url), DemoClock(base=wall), wall)
    app = create_app(settings, store)
    if add:
        add(app)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served = Served(f"http://127.0.0.1:{server.server_port}", store, wall, app)
    watched(served)
    if prepare:
        prepare(served)
    yield served
    server.shutdown()
    thread.join()
    store.database.close()
