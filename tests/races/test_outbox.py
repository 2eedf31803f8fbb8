"""Relays at once: no message goes twice while all of them live, and none stays behind."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from app import outbox, people
from app.clock import FixedClock
from app.outbox.post import Letter
from app.outbox.relay import Relay
from app.store import INSTALLER, Busy, Store, connect
from app.store.tables import message
from tests.cases.fixtures import prepare_database, town
from tests.cases.town import Town

__all__ = ["prepare_database", "town"]

RELAYS, MESSAGES = 4, 24


def test_relays_that_work_at_once_share_the_messages(town: Town) -> None:
    with town.store.act(INSTALLER) as tx:
        people.set_email(tx, "presidente", "paulo@example.org")
        for number in range(MESSAGES):
            outbox.queue(tx, town.world.people["presidente"], f"Prazo {number}", "Terminou.")
    sent: list[Letter] = []

    def drain(_: int) -> None:
        database = connect(town.url)
        relay = Relay(
            Store(database, FixedClock(town.clock.now())), sent.append, "https://tramita.example.org"
        )
        while len(sent) < MESSAGES:
            try:
                relay.send_next()
            except Busy:
                continue
        database.close()

    with ThreadPoolExecutor(RELAYS) as pool:
        list(pool.map(drain, range(RELAYS)))
    assert set(Counter(letter.message_id for letter in sent).values()) == {1}
    assert {letter.message_id for letter in sent} == {row["message_id"] for row in town.rows(message)}
    assert all(row["sent_at"] for row in town.rows(message))
