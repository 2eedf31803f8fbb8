"""The small municipality on both databases, and a nursery of processes that may be killed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.clock import FixedClock
from tests.crash.hamlet import OPENED, Hamlet, found
from tests.crash.nursery import Nursery
from tests.databases import Prepare


@pytest.fixture(scope="session")
def prepare_database() -> Prepare:
    return found


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    made = Nursery(tmp_path_factory.mktemp("nursery") / "children.log")
    yield made
    made.close()


@pytest.fixture
def hamlet(prepared_url: str) -> Iterator[Hamlet]:
    """The municipality on the Monday on which its cases are opened. What is left in it must verify and replay."""
    made = Hamlet.at(prepared_url, FixedClock(OPENED))
    yield made
    made.close()
