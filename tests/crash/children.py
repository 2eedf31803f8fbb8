"""What a forked child does until it ends or is killed. Nothing of it is part of the product."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from apscheduler import schedulers
from waitress.server import create_server

from app import audit, create_app
from app.cases import acts
from app.clock import Clock, FixedClock
from app.scheduler import Pacemaker, pacemaker
from app.settings import Settings
from app.store import Actor, Store, Tx, connect
from tests.crash.hamlet import CONTENT, SLUG
from tests.crash.points import Moment, Point, watch


def work(url: str, clock: Clock, dies_after: int | None = None) -> None:
    """A worker on the clock of its town: sweeps until it is ended, or until it has passed so many boundaries."""
    store = _opened(url, clock)
    if dies_after is not None:
        passed = itertools.count(1)
        watch(store.database, lambda *_: _end(signal.SIGKILL) if next(passed) >= dies_after else None)
    _sweep_on(store)


def work_until(url: str, clock: Clock, point: Point) -> None:
    """A worker that gets as far as a named point and stands still there, once."""
    store = _opened(url, clock)
    passed = itertools.count()

    def notice(moment: Moment, sql: str) -> None:
        if point.is_at(moment, sql) and next(passed) == 0:
            _end(signal.SIGSTOP)

    watch(store.database, notice)
    _sweep_on(store)


def work_on_a_machine(url: str, clock: Clock, machine: Clock, interval: float | None = None) -> None:
    """A worker whose machine has a clock of its own, which its timer goes by too. Beats every `interval` seconds."""

    class Told(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return machine.now().astimezone(tz)

    schedulers.base.datetime = Told
    if interval is not None:
        pacemaker.SWEEP_SECONDS = interval
        pacemaker.STALE_SECONDS = 3 * interval
        pacemaker._QUIET_SECONDS = 1.5 * interval
        pacemaker._WATCH_SECONDS = interval / 5
    _sweep_on(Store(connect(url), clock, machine))


def serve(url: str, clock: Clock, port: int, folder: str) -> None:
    """The pages, as `tramita web` serves them, on the clock of the town."""
    settings = Settings(
        url, Path(folder), SLUG, demo=True, secret_key="races", port=port, content_dir=CONTENT
    )
    app = create_app(settings, _opened(url, clock))
    create_server(app, host="127.0.0.1", port=port, threads=8).run()


def act_until(
    url: str, now: datetime, actor: Actor, act: str, told: dict[str, Any], boundary: int, defect: str = ""
) -> list[tuple[Moment, str]]:
    """Performs one act and dies at the boundary of that number; gives the boundaries when it outlived them all."""
    store = _opened(url, FixedClock(now))
    passed: list[tuple[Moment, str]] = []

    def notice(moment: Moment, sql: str) -> None:
        if len(passed) == boundary:
            _end(signal.SIGKILL)
        passed.append((moment, sql))

    watch(store.database, notice)
    if defect:
        DEFECTS[defect]()
    opened = store.silent_act if act in ("save_draft", "discard_draft") else store.act
    with opened(actor) as tx:
        getattr(acts, act)(tx, **told)
    store.database.close()
    return passed


def _split_commit() -> None:
    """What was written so far is committed before the act is journaled."""
    append = audit.append

    def committing(tx: Tx, *told: Any, **named: Any) -> int:
        tx.connection.exec_driver_sql("COMMIT")
        if tx.dialect == "sqlite":
            tx.connection.exec_driver_sql("BEGIN IMMEDIATE")
        return append(tx, *told, **named)

    audit.append = committing


DEFECTS: dict[str, Callable[[], None]] = {"split_commit": _split_commit}


def _opened(url: str, clock: Clock) -> Store:
    store = Store(connect(url), clock)
    with store.read():  # what a first connection asks for is no boundary of any act
        pass
    return store


def _sweep_on(store: Store) -> None:
    worker = Pacemaker(store)
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    worker.start()
    worker.wait()
    store.database.close()


def _end(how: int) -> None:
    os.kill(os.getpid(), how)
