"""Lets time pass in a demo: the clock stops at every end of a term on its way, as if a worker had never slept.

Where it stands and where it goes to is a row of the installation, written step by step: who is stopped on the way goes
on from there. The offset only grows. One journey at a time: a new one waits for the end of the one under way, and
whoever takes up an interrupted one sends its first traveller home.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, update

from app import audit
from app.clock import DemoClock
from app.errors import Conflict, Invalid, NotFound
from app.scheduler import next_end, sweep
from app.store import Actor, Reader, Row, Store, Tx
from app.store.ahead import AHEAD
from app.store.tables import installation, journal
from app.values import iso, parse_instant

STREAM = "demonstracao"
FARTHEST = timedelta(days=366)  # of one journey
LAST_YEAR = (
    2099  # forms take dates that are far off for slips: a clock that got there would make every date one
)
_PAUSE = 0.005  # on SQLite, writers that follow each other at once starve the pages
_RESTS = threading.Event()


@dataclass(frozen=True)
class Journey:
    """The newest journey of the clock. `since`, `until`: rows of the journal that stand around what happened on it."""

    start: datetime
    end: datetime
    since: int
    until: int | None


@dataclass(frozen=True)
class Standing:
    """Where a demo's clock is: ahead of the wall by `offset`, under way to `target`. `moves`: journeys so far."""

    offset: timedelta = timedelta(0)
    target: datetime | None = None
    moves: int = 0
    last: Journey | None = None


def standing(reader: Reader) -> Standing:
    told = _row(reader)
    target, last = told.get("target"), told.get("last")
    return Standing(
        timedelta(microseconds=told.get("ahead", 0)),
        parse_instant(target) if target else None,
        told.get("moves", 0),
        Journey(parse_instant(last["from"]), parse_instant(last["to"]), last["since"], last.get("until"))
        if last
        else None,
    )


def happened(reader: Reader, journey: Journey, most: int) -> tuple[int, Sequence[Row]]:
    """How many terms ran out on a journey, and the first of them as the journal tells."""
    on_it = (journal.c.act == "expire") & (journal.c.id > journey.since)
    if journey.until is not None:
        on_it &= journal.c.id <= journey.until
    count = int(reader.scalar(select(func.count()).select_from(journal).where(on_it)))
    return count, reader.all(select(journal).where(on_it).order_by(journal.c.id).limit(most))


def let_pass(store: Store, actor: Actor, target: datetime, moves: int) -> None:
    """Moves the demo's clock to `target`, through every end of a term before it.

    Args:
        moves: journeys so far, as the person saw them: a form sent twice travels once.
    Raises Conflict when somebody else has moved or is moving it, Invalid for the past and for more than a year.
    """
    _demo_clock(store)
    with store.act(actor) as tx:
        ticket = _set_out(tx, target, moves)
    _travel(store, target, ticket)


def go_on(store: Store) -> bool:
    """Takes up the journey that was interrupted, wherever it stopped. Whether there was one."""
    _demo_clock(store)
    with store.silent_act(_nobody()) as tx:
        told = _row(tx, held=True)
        if not told.get("target"):
            return False
        ticket = tx.new_id()
        _write(tx, {**told, "ticket": ticket})
    _travel(store, parse_instant(told["target"]), ticket)
    return True


def _set_out(tx: Tx, target: datetime, moves: int) -> str:
    """Notes where the journey goes, and journals it: an auditor sees that a clock was moved, by whom, from when."""
    tx.ensure(installation, key=AHEAD, value={"ahead": 0})
    told = _row(tx, held=True)
    if told.get("target"):
        raise Conflict(
            "O relógio já está a caminho de outra data. Espere que chegue e recarregue a página.",
            code="relogio.a_caminho",
        )
    if told.get("moves", 0) != moves:
        raise Conflict(
            "O relógio andou depois que você abriu esta página. Confira a data e envie de novo.",
            code="relogio.andou",
        )
    if target <= tx.now:
        raise Invalid("O relógio só anda para a frente: escolha uma data futura.", code="relogio.passado")
    if target.year > LAST_YEAR:
        raise Invalid("O relógio da demonstração não passa do ano 2099.", code="relogio.longe")
    if target - tx.now > FARTHEST:
        raise Invalid("De cada vez o relógio avança no máximo um ano.", code="relogio.longe")
    ticket = tx.new_id()
    last = {"from": iso(tx.now), "to": iso(target), "since": _newest(tx)}
    _write(tx, {**told, "target": iso(target), "ticket": ticket, "moves": moves + 1, "last": last})
    audit.append(tx, STREAM, "advance", {"from": iso(tx.now), "to": iso(target)})
    return ticket


def _travel(store: Store, target: datetime, ticket: str) -> None:
    """Stop by stop. Ends without arriving when somebody else holds the ticket.

    What has ended already goes first: an interrupted journey may have come to a stop and done nothing there.
    """
    sweep(store, _breathe)
    while True:
        end = next_end(store)
        stop = target if end is None or end > target else end
        if not _arrive(store, stop, ticket):
            return
        sweep(store, _breathe)
        if stop == target:
            _arrive(store, target, ticket, last=True)
            return


def _arrive(store: Store, stop: datetime, ticket: str, *, last: bool = False) -> bool:
    """Moves the clock to a stop, if the ticket is still good. The last stop ends the journey."""
    clock = _demo_clock(store)
    with store.silent_act(_nobody()) as tx:
        told = _row(tx, held=True)
        if told.get("ticket") != ticket:
            return False
        gain = max(timedelta(0), stop - tx.now)
        told["ahead"] = (clock.offset + gain) // timedelta(microseconds=1)
        if last:
            told |= {"target": None, "ticket": None, "last": {**told["last"], "until": _newest(tx)}}
        _write(tx, told)
    return True


def _breathe() -> bool:
    """Between two cases, so that pages get their turn."""
    _RESTS.wait(_PAUSE)
    return True


def _row(reader: Reader, *, held: bool = False) -> dict[str, Any]:
    query = select(installation.c.value).where(installation.c.key == AHEAD)
    return dict(reader.scalar(query.with_for_update() if held else query) or {})


def _newest(tx: Tx) -> int:
    return int(tx.scalar(select(func.max(journal.c.id))) or 0)


def _write(tx: Tx, told: dict[str, Any]) -> None:
    tx.write(update(installation).where(installation.c.key == AHEAD).values(value=told))


def _nobody() -> Actor:
    return Actor(None)


def _demo_clock(store: Store) -> DemoClock:
    if not isinstance(store.clock, DemoClock):
        raise NotFound("Só uma demonstração tem relógio que se adianta.", code="relogio.real")
    return store.clock
