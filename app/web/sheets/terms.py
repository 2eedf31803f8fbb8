"""Deadlines and filings as people read them: until when, how it was counted, in time or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.law.norm import Norm
from app.law.trace import Trace
from app.store import Row
from app.web.language import N_

_STATUS = {
    "armed": N_("correndo"),
    "window": N_("correndo"),
    "met": N_("cumprido"),
    "expired": N_("decorrido"),
    "closed": N_("encerrado com o processo"),
    "cancelled": N_("sem efeito"),
    "annulled": N_("anulado"),
}


@dataclass(frozen=True)
class Shown:
    """A deadline: its name in the norm, its end, how it stands and the counting, line by line."""

    id: str
    key: str
    code: str
    name: str
    article: str
    effect: str
    due_at: datetime
    expires_at: datetime
    status: str
    running: bool
    lines: tuple[str, ...]
    failure: str
    seq: int


@dataclass(frozen=True)
class Received:
    """A filing with its stamp. `in_time` is None where the norm ties it to no term that has begun."""

    id: str
    number: str
    name: str
    article: str
    stamped_at: datetime
    received_at: datetime
    in_time: bool | None
    term: str
    seq: int


def terms(norm: Norm, rows: Iterable[Row], now: datetime) -> list[Shown]:
    """The deadlines of a case, those still running first, each group by its end."""
    shown = [_shown(norm, row, now) for row in rows]
    return sorted(shown, key=lambda t: (not t.running, t.expires_at, t.key))


def filings(norm: Norm, rows: Iterable[Row], deadlines: Iterable[Row]) -> list[Received]:
    ends = {row["key"]: row for row in deadlines if row["status"] != "annulled"}
    return [_received(norm, row, ends) for row in rows]


def _shown(norm: Norm, row: Row, now: datetime) -> Shown:
    term = norm.deadlines.get(row["key"])
    running = row["status"] in ("armed", "window") and row["expires_at"] > now
    status = _STATUS.get(row["status"], str(row["status"]))
    if row["status"] in ("armed", "window") and not running:
        status = N_("decorrido")
    return Shown(
        id=row["id"],
        key=row["key"],
        code=term.code if term else "",
        name=term.name if term else row["key"],
        article=term.article if term else "",
        effect=term.effect if term else "",
        due_at=row["due_at"],
        expires_at=row["expires_at"],
        status=status,
        running=running,
        lines=Trace.read(row["trace"]).lines(),
        failure=row["failure"] or "",
        seq=row["armed_seq"],
    )


def _received(norm: Norm, row: Row, ends: Mapping[str, Mapping[str, Any]]) -> Received:
    kind = norm.filings.get(row["kind"])
    end = ends.get(kind.deadline) if kind and kind.deadline else None
    return Received(
        id=row["id"],
        number=row["number"],
        name=kind.name if kind else row["kind"],
        article=kind.article if kind else "",
        stamped_at=row["stamped_at"],
        received_at=row["received_at"],
        in_time=None if end is None else row["stamped_at"] < end["expires_at"],
        term=norm.deadlines[end["key"]].name if end is not None else "",
        seq=row["seq"],
    )
