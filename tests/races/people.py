"""People, and the clock, at work at the same time, each with a connection of their own.

Somebody may be stopped at a named point of an act and sent on by the test: a race is a script then, not luck.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from app.clock import Clock
from app.errors import Refused
from app.store import CLOCK, Actor, Tx
from tests.crash.hamlet import Hamlet
from tests.crash.points import Moment, Point, watch

Deed = Callable[[Tx], Any]
Outcome = tuple[bool, Any]  # whether the act is through; what it gave, or the code of its refusal
PATIENCE = 30.0  # seconds for which a script waits for what must come, on a busy machine too
_A_WHILE = 0.15  # seconds in which whoever is not held up would have gone on


class Someone:
    """A thread that performs one act in a transaction of its own. `login` None: the clock."""

    def __init__(self, url: str, clock: Clock, login: str | None, deed: Deed, silent: bool = False) -> None:
        self._hamlet = Hamlet.at(url, clock)
        store = self._hamlet.store
        self._actor = CLOCK if login is None else Actor(self._hamlet.people[login])
        self._opens = store.silent_act if silent else store.act
        self._deed = deed
        self._stop: Point | None = None
        self._begun, self._there, self._go = threading.Event(), threading.Event(), threading.Event()
        self._passed: list[tuple[Moment, str]] = []
        self._thread = threading.Thread(target=self._work)
        self.outcome: Any = None
        watch(store.database, self._notice)

    def goes_to(self, point: Point) -> Someone:
        """Begins, and stands still at the point."""
        self._stop = point
        self._thread.start()
        assert self._there.wait(PATIENCE), f"never came to {point.name}"
        return self

    def begins(self) -> Someone:
        self._thread.start()
        assert self._begun.wait(PATIENCE)
        return self

    def is_held_up(self) -> bool:
        """Whether it waits for somebody: it is neither through nor has it got the case."""
        self._thread.join(_A_WHILE)
        return self._thread.is_alive() and not self._has_the_case()

    def goes_on(self) -> Outcome:
        """Sends it on, and tells how it ended."""
        self._go.set()
        return self.ends()

    def ends(self) -> Outcome:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "waits for somebody for ever"
        self._hamlet.close()
        if isinstance(self.outcome, Refused):
            return False, self.outcome.code
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return True, self.outcome

    def _has_the_case(self) -> bool:
        return any(moment == "after" and "FROM cases" in sql for moment, sql in self._passed)

    def _work(self) -> None:
        try:
            self._begun.set()
            with self._opens(self._actor) as tx:
                told = self._deed(tx)
            self.outcome = told
        except BaseException as error:
            self.outcome = error
        finally:
            self._there.set()

    def _notice(self, moment: Moment, sql: str) -> None:
        self._passed.append((moment, sql))
        if self._stop is not None and self._stop.is_at(moment, sql):
            self._stop = None
            self._there.set()
            assert self._go.wait(PATIENCE)
