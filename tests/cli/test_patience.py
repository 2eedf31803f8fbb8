"""Commands that go through a whole journal take as long as they take, though servers end transactions that idle."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection

from app.store import Database
from tests.cli.conftest import Tramita
from tests.store.tools import of_the_server

LINK, CASES = ("app.audit.verify", "link"), ("app.cli", "case_ids")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(
    ("command", "slow"),
    [
        (("audit", "verify"), LINK),
        (("audit", "replay", "--all"), CASES),
        (("db", "check"), LINK),
        (("db", "backup"), LINK),
    ],
    ids=lambda told: " ".join(told),
)
def test_what_may_think_for_long_between_two_questions_has_asked_the_server_to_wait(
    tramita: Tramita,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    slow: tuple[str, str],
) -> None:
    """What the server does to those who have not: `test_a_long_look_outlives_others_that_idle_as_long`."""
    env = {"TRAMITA_DATABASE_URL": database_url, "TRAMITA_PG_BIN": str(of_the_server() or "")}
    assert tramita("db", "migrate", **env).exit_code == 0
    looking, patience = looks(monkeypatch), []
    module, name = importlib.import_module(slow[0]), slow[1]
    thinks = getattr(module, name)

    def thinking(*asked: Any) -> Any:
        for connection in looking:
            patience.append(connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar())
        return thinks(*asked)

    monkeypatch.setattr(module, name, thinking)
    done = tramita(*command, **env)
    assert done.exit_code == 0, done.output
    assert set(patience) == {"0"}


def looks(monkeypatch: pytest.MonkeyPatch) -> list[Connection]:
    """The looks that are under way."""
    real, now = Database.reading, []

    @contextmanager
    def reading(self: Database, **told: Any) -> Iterator[Connection]:
        with real(self, **told) as connection:
            now.append(connection)
            yield connection
            now.remove(connection)

    monkeypatch.setattr(Database, "reading", reading)
    return now
