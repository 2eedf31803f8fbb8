"""The municipality's calendar of closed and irregular days, each with the act that made it so."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time
from typing import Any

from sqlalchemy import select

from app import audit
from app.law.calendar import Calendar, Closure
from app.store import Reader, Row, Tx
from app.store.tables import closure
from app.values import Json

STREAM = "calendario"


def record(tx: Tx, closures: Iterable[Closure]) -> None:
    """Adds days to the calendar by one act. Open deadlines are not moved by this (see law 6 of the house)."""
    rows: list[dict[str, Any]] = []
    for one in closures:
        rows.append(
            {
                "id": tx.new_id(),
                "day": one.day,
                "kind": one.kind,
                "name": one.name,
                "scope": one.scope,
                "office_closed": one.office_closed,
                "opens_at": _text(one.opens_at),
                "closes_at": _text(one.closes_at),
                "act": one.act,
                "published_on": one.published_on,
                "in_force_from": one.in_force_from,
                "revoked_by": one.revoked_by,
                "revoked_on": one.revoked_on,
                "recorded_at": tx.now,
            }
        )
    if not rows:
        return
    tx.add_all(closure, rows)
    told = [as_told(row) for row in rows]
    audit.append(tx, STREAM, "record_closures", {"closures": told})


def as_told(row: Row) -> Json:
    """A row as the journal keeps it: all of it but the instant, which the entry has."""
    return {
        key: value.isoformat() if isinstance(value, date) else value
        for key, value in row.items()
        if key != "recorded_at"
    }


def current(reader: Reader) -> Calendar:
    """The calendar as recorded today."""
    rows = reader.all(select(closure).order_by(closure.c.day, closure.c.id))
    return Calendar(
        tuple(
            Closure(
                day=r["day"],
                kind=r["kind"],
                name=r["name"],
                scope=r["scope"],
                office_closed=r["office_closed"],
                opens_at=_time(r["opens_at"]),
                closes_at=_time(r["closes_at"]),
                act=r["act"],
                published_on=r["published_on"],
                in_force_from=r["in_force_from"],
                revoked_by=r["revoked_by"],
                revoked_on=r["revoked_on"],
            )
            for r in rows
        )
    )


def _text(clock: time | None) -> str | None:
    return f"{clock:%H:%M}" if clock else None


def _time(text: str | None) -> time | None:
    return time.fromisoformat(text) if text else None
