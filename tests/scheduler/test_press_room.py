"""The press works on a thread of its own and ends in order."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from structlog.typing import EventDict

from app.documents.press import Press
from app.scheduler import PressRoom
from app.store.cases_tables import rendition
from tests.cases.infringement import Infringement
from tests.cases.town import Town

SECONDS = 20  # more than any of this takes, less than a hang
ADDRESS = "https://tramita.exemplo.ba.gov.br"


def test_a_room_prints_what_waits_and_what_comes_later(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    real, idle, printed = Press.print_next, threading.Event(), threading.Event()

    def counted(press: Press) -> bool:
        took = real(press)
        (printed if took else idle).set()
        return took

    monkeypatch.setattr(Press, "print_next", counted)
    Infringement.opened(town)
    room = PressRoom(town.store, ADDRESS, look=0.01)
    room.start()
    try:
        assert printed.wait(SECONDS)
        assert idle.wait(SECONDS)
        printed.clear()
        Infringement.opened(town, when="2026-05-05 09:00")
        assert printed.wait(SECONDS)
    finally:
        room.stop()
    assert {row["address"] for row in town.rows(rendition)} == {ADDRESS}


def test_what_goes_wrong_is_told_and_the_room_looks_again(
    town: Town, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    looks, enough = [0], threading.Event()

    def broken(_press: Press) -> Any:
        looks[0] += 1
        if looks[0] == 3:
            enough.set()
        raise RuntimeError("no database")

    monkeypatch.setattr(Press, "print_next", broken)
    room = PressRoom(town.store, ADDRESS, look=0.01)
    room.start()
    assert enough.wait(SECONDS)
    room.stop()
    assert {e["event"] for e in logs} == {"press_failed"}


def test_a_room_that_was_never_opened_can_be_closed(town: Town) -> None:
    PressRoom(town.store, ADDRESS).stop()
