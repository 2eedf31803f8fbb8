"""Terms that were only shown and are over: no act tells of that, and tasks would go on being listed as pressing."""

from __future__ import annotations

from collections.abc import Callable

from app.cases.record import near
from app.store import CLOCK, Busy, Store

_BATCH = 200


def pass_over(store: Store, go_on: Callable[[], bool]) -> None:
    """Brings the lists up to date. No act: nothing happens to a case when a term ends that nothing waits for.

    `go_on` is asked after each batch. Cases that somebody works on are left for the next sweep.
    """
    while True:
        with store.read() as reader:
            passed = near.passed(reader, _BATCH)
        if not passed:
            return
        try:
            with store.silent_act(CLOCK) as tx:
                moved = near.pass_over(tx, passed)
        except Busy:
            return
        if not moved or not go_on():
            return
