"""An administrator records people's e-mail addresses from the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import people
from app.clock import SystemClock
from app.store import INSTALLER, Store, connect
from app.store.migrate import migrate
from tests.cli.conftest import Tramita, refused


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The data folder of the command, with one person in it."""
    made = Store(connect(f"sqlite:///{tmp_path / 'data' / 'tramita.db'}"), SystemClock())
    migrate(made.database)
    with made.act(INSTALLER) as tx:
        people.register(tx, "ana", "Ana", "2001")
    made.database.close()
    return made


def address(store: Store) -> str | None:
    with store.read() as reader:
        row = people.by_login(reader, "ana")
    store.database.close()
    found: str | None = row["email"] if row else None
    return found


def test_an_address_is_recorded_and_taken_away(tramita: Tramita, store: Store) -> None:
    result = tramita("people", "email", "ana", " ana@example.org ")
    assert (result.exit_code, result.stdout) == (0, "E-mail de ana registrado.\n")
    assert address(store) == "ana@example.org"
    assert tramita("people", "email", "ana", "").stdout == "E-mail de ana retirado.\n"
    assert address(store) is None


def test_a_person_or_an_address_that_is_none_is_told_in_one_sentence(tramita: Tramita, store: Store) -> None:
    assert refused(tramita("people", "email", "bia", "bia@example.org")) == "Não há pessoa com o acesso bia."
    assert "endereço de e-mail" in refused(tramita("people", "email", "ana", "ana"))
    assert address(store) is None
