"""Keeps a press going beside the pacemaker: a paper that hangs holds up papers only."""

from __future__ import annotations

from app.documents.press import Press
from app.registry import norms
from app.scheduler.room import LOOK_SECONDS, Room
from app.store import Store


class PressRoom(Room):
    """Prints what waits, until stopped."""

    def __init__(self, store: Store, address: str, look: float = LOOK_SECONDS) -> None:
        super().__init__("press", Press(store, norms.by_digest, address).print_next, look)
