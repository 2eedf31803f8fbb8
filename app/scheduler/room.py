"""A thread that does one thing after the other as long as something waits, and looks again: printing, mail."""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog

LOOK_SECONDS = 2.0  # between two looks for work
_BREATH = 0.05  # between two pieces of it: on SQLite a loop that commits at once again starves the web

log = structlog.get_logger()


class Room:
    """Works beside the pacemaker, on a thread of its own: what hangs here holds up nothing else.

    What goes wrong is told as `<name>_failed` and left to the next look.

    Args:
        next_one: does the next piece of work; False when nothing waits.
        look: seconds between two looks.
    """

    def __init__(self, name: str, next_one: Callable[[], bool], look: float) -> None:
        self._name = name
        self._next_one = next_one
        self._look = look
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"tramita-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends after the piece in hand, which has a time limit of its own."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(_BREATH if self._done() else self._look)

    def _done(self) -> bool:
        try:
            return self._next_one()
        except Exception:  # a database in trouble, for one: the next look may find it well
            log.exception(f"{self._name}_failed")
            return False
