"""What is due and its decision, one case per transaction. Nothing here knows threads or timers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import func, or_, select, update
from sqlalchemy.exc import OperationalError

from app.cases.acts import expire_deadline
from app.errors import Refused
from app.scheduler.passing import pass_over
from app.store import CLOCK, Busy, Store, Unreached
from app.store.cases_tables import deadline

SWEEP_SECONDS = 5
AGAIN_SECONDS = 1  # after a sweep that left something to whoever had it in hand
_BATCH = 200
_RETRY = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))

log = structlog.get_logger()


@dataclass(frozen=True)
class Swept:
    """What one sweep did. `left`: how many somebody else had in hand at that moment, or had decided just before."""

    expired: int = 0
    failed: int = 0
    left: int = 0


def sweep(store: Store, go_on: Callable[[], bool] = lambda: True) -> Swept:
    """Expires every deadline whose end has come, in due order, one case per transaction.

    `go_on` is asked after each deadline; the sweep ends when it says no. A case that cannot be moved is left for
    a later sweep, with the reason on its deadline for people to see; the others go on.
    """
    expired = failed = left = 0
    done: set[str] = set()
    # Those left undecided stay in front of the due order and must not hide the ones behind them.
    while due := [d for d in due_ids(store, _BATCH + failed + left) if d not in done]:
        for deadline_id in due:
            done.add(deadline_id)
            outcome = _expire_one(store, deadline_id)
            expired += outcome is True
            failed += outcome is None
            left += outcome is False
            if not go_on():
                return Swept(expired, failed, left)
    pass_over(store, go_on)
    return Swept(expired, failed, left)


def due_ids(store: Store, most: int = _BATCH) -> list[str]:
    """Ids of armed deadlines whose end has come and that are not waiting for a retry, in due order."""
    with store.read() as reader:
        rows = reader.all(
            select(deadline.c.id)
            .where(deadline.c.status == "armed", deadline.c.expires_at <= reader.now)
            .where(or_(deadline.c.retry_at.is_(None), deadline.c.retry_at <= reader.now))
            .order_by(deadline.c.expires_at, deadline.c.id)
            .limit(most)
        )
    return [str(r["id"]) for r in rows]


def next_end(store: Store) -> datetime | None:
    """The nearest end of an armed deadline, so that the pacemaker can wake exactly then."""
    with store.read() as reader:
        query = select(func.min(deadline.c.expires_at)).where(
            deadline.c.status == "armed", deadline.c.expires_at > reader.now
        )
        end: datetime | None = reader.scalar(query)
    return end


def wake_at(store: Store, wall: datetime, swept: Swept) -> datetime | None:
    """When, on the wall clock, there is something to do before the next beat: a term ends, or one was left to others.

    The demo clock runs ahead of the wall, at its speed.
    """
    end = next_end(store)
    waits = [] if end is None else [end - store.clock.now()]
    if swept.left:
        waits.append(timedelta(seconds=AGAIN_SECONDS))
    soonest = min(waits, default=timedelta.max)
    return wall + soonest if soonest <= timedelta(seconds=SWEEP_SECONDS) else None


def _expire_one(store: Store, deadline_id: str) -> bool | None:
    """True when it was expired, False when there was nothing to do or no way to do it now, None when it failed."""
    try:
        with store.act(CLOCK) as tx:
            return expire_deadline(tx, deadline_id)
    except Busy:
        return False  # somebody is working on the case: the next sweep comes soon
    except Unreached:
        raise  # the database is gone, or gave up waiting for this process: no fault of the deadline
    except Exception as error:
        log.exception("deadline_failed", deadline=deadline_id)
        _note_failure(store, deadline_id, error)
        return None


def _note_failure(store: Store, deadline_id: str, error: Exception) -> None:
    """A failure that cannot be noted is tried again in the next sweep, and costs no other deadline its turn."""
    try:
        _postpone(store, deadline_id, _reason(error))
    except Busy:
        pass
    except (OperationalError, Unreached):
        raise  # the database itself is in trouble: nothing else will do better in this sweep
    except Exception:
        log.exception("deadline_failure_not_noted", deadline=deadline_id)


def _reason(error: Exception) -> str:
    """A refusal's sentence, which is written for people; of anything else its kind: its words may quote somebody."""
    kind = type(error).__name__
    return f"{kind}: {error}" if isinstance(error, Refused) else kind


def _postpone(store: Store, deadline_id: str, reason: str) -> None:
    """Keeps a poisoned row from being tried every five seconds, and shows why it fails."""
    # What a failure quotes may be what made it fail: NUL and half surrogate pairs cannot be stored.
    storable = reason.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
    with store.silent_act(CLOCK) as tx:
        failures = tx.scalar(select(deadline.c.failures).where(deadline.c.id == deadline_id)) or 0
        wait = _RETRY[min(failures, len(_RETRY) - 1)]
        tx.write(
            update(deadline)
            .where(deadline.c.id == deadline_id)
            .values(failures=failures + 1, retry_at=tx.now + wait, failure=storable[:500])
        )
