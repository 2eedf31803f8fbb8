"""Towns to act in, a mail server to write to, and what the relay logs, kept instead of printed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from tests.cases.fixtures import prepare_database, town
from tests.outbox.mailbox import Mailbox, opened

__all__ = ["logs", "mailbox", "prepare_database", "town"]


@pytest.fixture(autouse=True)
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as told:
        yield told


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with opened() as box:
        yield box
