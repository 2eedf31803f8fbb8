"""The mail works on a thread of its own and ends in order."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from structlog.typing import EventDict

from app import outbox, people
from app.outbox.relay import Relay
from app.scheduler import MailRoom
from app.store import INSTALLER
from app.store.tables import message
from tests.cases.town import Town
from tests.outbox.mailbox import Mailbox, opened

SECONDS = 20  # more than any of this takes, less than a hang
SITE = "https://tramita.example.org"


def write(town: Town) -> None:
    with town.store.act(INSTALLER) as tx:
        people.set_email(tx, "presidente", "paulo@example.org")
        outbox.queue(tx, town.world.people["presidente"], "Prazo", "Terminou.", "/caixa")


def test_a_room_sends_what_waits_and_what_comes_later(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    real, idle, sent = Relay.send_next, threading.Event(), threading.Event()

    def counted(relay: Relay) -> bool:
        took = real(relay)
        (sent if took else idle).set()
        return took

    monkeypatch.setattr(Relay, "send_next", counted)
    write(town)
    with opened() as box:
        room = MailRoom(town.store, box.mail(), SITE, look=0.01)
        room.start()
        try:
            assert sent.wait(SECONDS)
            assert idle.wait(SECONDS)
            sent.clear()
            write(town)
            assert sent.wait(SECONDS)
        finally:
            room.stop()
    assert len(box.letters) == len(town.rows(message)) == 2
    assert all(f"{SITE}/caixa" in received.letter.get_content() for received in box.letters)


def test_what_goes_wrong_is_told_and_the_room_looks_again(
    town: Town, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    looks, enough = [0], threading.Event()

    def broken(_relay: Relay) -> Any:
        looks[0] += 1
        if looks[0] == 3:
            enough.set()
        raise RuntimeError("no database")

    monkeypatch.setattr(Relay, "send_next", broken)
    room = MailRoom(town.store, Mailbox(port=1).mail(), SITE, look=0.01)
    room.start()
    assert enough.wait(SECONDS)
    room.stop()
    assert {e["event"] for e in logs} == {"relay_failed"}


def test_a_room_that_was_never_opened_can_be_closed(town: Town) -> None:
    MailRoom(town.store, Mailbox(port=1).mail(), SITE).stop()
