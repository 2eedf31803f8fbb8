"""Deadlines as people read them: until when, how they stand, how they were counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.law.norm import Norm
from app.law.trace import Trace
from app.store import Row
from app.web.language import N_

_STATUS = {
    "armed": N_("correndo"),
    "window": N_("correndo"),
    "met": N_("cumprido"),
    "expired": N_("decorrido"),
    "closed": N_("sem efeito"),
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


def terms(norm: Norm, rows: Iterable[Row], now: datetime) -> list[Shown]:
    """The deadlines of a case, those still running first, each group by its end."""
    shown = [term(norm, row, now, Trace.read(row["trace"]).lines()) for row in rows]
    return sorted(shown, key=lambda t: (not t.running, t.expires_at, t.key))


def term(norm: Norm, row: Row, now: datetime, lines: tuple[str, ...]) -> Shown:
    """One deadline as it stands at an instant. `lines`: how it was counted."""
    known = norm.deadlines.get(row["key"])
    running = row["status"] in ("armed", "window") and row["expires_at"] > now
    status = _STATUS.get(row["status"], str(row["status"]))
    if row["status"] in ("armed", "window") and not running:
        status = N_("decorrido")
    return Shown(
        id=row["id"],
        key=row["key"],
        code=known.code if known else "",
        name=known.name if known else row["key"],
        article=known.article if known else "",
        effect=known.effect if known else "",
        due_at=row["due_at"],
        expires_at=row["expires_at"],
        status=status,
        running=running,
        lines=lines,
        failure=row["failure"] or "",
        seq=row["armed_seq"],
    )
