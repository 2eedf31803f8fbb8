"""A relay killed between sending and marking loses nothing, and what is sent again is recognised (R11)."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta

from app import outbox, people
from app.outbox.post import Post
from app.outbox.relay import LEASE, Relay
from app.settings import ROOT
from app.store import INSTALLER
from app.store.tables import message
from tests.cases.fixtures import prepare_database, town
from tests.cases.town import Town
from tests.outbox.mailbox import Mailbox, opened

__all__ = ["prepare_database", "town"]

SITE = "https://tramita.example.org"
MESSAGES = 2


def killed_while_sending(town: Town, box: Mailbox) -> None:
    """Starts a relay, lets it hand one message over, and kills it before it can say so in the database."""
    told = [town.url, town.clock.now().isoformat(), str(box.port)]
    command = [sys.executable, "-m", "tests.crash.relaying", *told]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as relay:
        try:
            assert relay.stdout is not None
            assert relay.stdout.readline() == "sent\n"
        finally:
            relay.send_signal(signal.SIGKILL)
    assert relay.returncode == -signal.SIGKILL


def test_a_relay_killed_between_sending_and_marking_loses_and_disguises_nothing(town: Town) -> None:
    with town.store.act(INSTALLER) as tx:
        people.set_email(tx, "presidente", "paulo@example.org")
        for number in range(MESSAGES):
            outbox.queue(tx, town.world.people["presidente"], f"Prazo {number}", "Terminou.")
    with opened() as box:
        survivor = Relay(town.store, Post(box.mail()).send, SITE)
        for _ in range(MESSAGES):
            killed_while_sending(town, box)
        assert not survivor.send_next()  # what the dead had taken is theirs until their time is over
        town.clock.set(town.clock.now() + LEASE + timedelta(seconds=1))
        while survivor.send_next():
            pass
    rows = town.rows(message)
    assert all(row["sent_at"] for row in rows)
    by_id: dict[str, list[bytes]] = {}
    for received in box.letters:
        by_id.setdefault(str(received.letter["Message-ID"]), []).append(received.data)
    assert set(by_id) == {row["message_id"] for row in rows}
    assert all(len(copies) == 2 and copies[0] == copies[1] for copies in by_id.values())
