"""Towns to act in, a press for them, and papers read back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from tests.cases.fixtures import prepare_database, shared_town, town

__all__ = ["logs", "prepare_database", "shared_town", "town"]


@pytest.fixture(autouse=True)
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as told:
        yield told
