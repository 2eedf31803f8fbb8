"""What the browser tests share: one browser, one loaded demo, sites on copies of it, and people in front of them.

Without Chromium the tests are skipped with the reason; where TRAMITA_BROWSER_TESTS=required that is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser

from tests.browser.site import MISSING, chromium_here, launched, load_demo, serving
from tests.browser.stage import furnish
from tests.browser.visit import Crowd, Served, Visit


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program = chromium_here()
    if program is None:
        pytest.fail(MISSING) if os.environ.get("TRAMITA_BROWSER_TESTS") == "required" else pytest.skip(
            MISSING
        )
    with launched(program) as browser:
        yield browser


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with its past, loaded once: every site works on a copy."""
    path = tmp_path_factory.mktemp("demo") / "tramita.db"
    load_demo(path)
    return path


@pytest.fixture
def served(demo_file: Path, tmp_path: Path) -> Iterator[Served]:
    """A site of its own, for a test that changes what is in it."""
    with serving(demo_file, tmp_path) as site:
        yield site


@pytest.fixture(scope="session")
def whole(demo_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One site for all tests that only look, with something in it for every page to show."""
    folder = tmp_path_factory.mktemp("whole")
    with serving(demo_file, folder, furnish, _with_a_page_that_breaks) as site:
        yield site


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
