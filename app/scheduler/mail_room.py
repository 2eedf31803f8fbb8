"""Keeps a relay going beside the pacemaker, on a thread of its own: a mail server that hangs holds up mail only."""

from __future__ import annotations

import threading

import structlog

from app.outbox.post import Post
from app.outbox.relay import Relay
from app.settings import Mail
from app.store import Store

LOOK_SECONDS = 2.0  # between two looks for messages
_BREATH = 0.05  # between two messages: on SQLite a loop that commits at once again starves the web
_PATIENCE = 5.0  # with a server that does not answer, when the program ends

log = structlog.get_logger()


class MailRoom:
    """Sends what waits, looks again, until stopped. What goes wrong is told and left to the next look."""

    def __init__(self, store: Store, mail: Mail, address: str, look: float = LOOK_SECONDS) -> None:
        self._relay = Relay(store, Post(mail).send, address)
        self._look = look
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="tramita-mail", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends after the message in hand; one that a slow server keeps for longer is left to be sent again."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE)

    def _work(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(_BREATH if self._sent() else self._look)

    def _sent(self) -> bool:
        try:
            return self._relay.send_next()
        except Exception:  # a database in trouble, for one: the next look may find it well
            log.exception("relay_failed")
            return False
