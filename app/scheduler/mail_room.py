"""Keeps a relay going beside the pacemaker: a mail server that hangs holds up mail only."""

from __future__ import annotations

from app.outbox.post import Post
from app.outbox.relay import Relay
from app.scheduler.room import LOOK_SECONDS, Room
from app.settings import Mail
from app.store import Store


class MailRoom(Room):
    """Sends what waits, until stopped."""

    def __init__(self, store: Store, mail: Mail, address: str, look: float = LOOK_SECONDS) -> None:
        super().__init__("relay", Relay(store, Post(mail).send, address).send_next, look)
