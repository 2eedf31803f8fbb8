"""Keeps a press going beside the pacemaker, on a thread of its own: a paper that hangs holds up papers only."""

from __future__ import annotations

import threading

import structlog

from app.documents.press import Press
from app.registry import norms
from app.store import Store

LOOK_SECONDS = 2.0  # between two looks for documents to print
_BREATH = 0.05  # between two papers: on SQLite a loop that commits at once again starves the web

log = structlog.get_logger()


class PressRoom:
    """Prints what waits, looks again, until stopped. What goes wrong is told and left to the next look."""

    def __init__(self, store: Store, address: str, look: float = LOOK_SECONDS) -> None:
        self._press = Press(store, norms.by_digest, address)
        self._look = look
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="tramita-press", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends after the paper in hand, which has a time limit of its own."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(_BREATH if self._printed() else self._look)

    def _printed(self) -> bool:
        try:
            return self._press.print_next()
        except Exception:  # a database in trouble, for one: the next look may find it well
            log.exception("press_failed")
            return False
