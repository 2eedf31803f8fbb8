"""Deadlines as people read them: until when, how they stand, how they were counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.law.norm import Norm
from app.law.trace import Trace
from app.store import Row
from app.store.cases_tables import ANNULLED
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
    """A deadline: its name in the norm, its end, how it stands and the counting, line by line.

    `instead`: the name of the term that was used, where this one ended because of that and nobody used it.
    """

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
    instead: str = ""


def terms(norm: Norm, rows: Iterable[Row], now: datetime, filed: Sequence[Row] = ()) -> list[Shown]:
    """The deadlines of a case, those still running first, each group by its end. `filed`: the filings of the case."""
    every = list(rows)
    shown = [
        replace(
            term(norm, row, now, Trace.read(row["trace"]).lines()), instead=_instead(norm, row, every, filed)
        )
        for row in every
    ]
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


def _instead(norm: Norm, row: Row, every: Sequence[Row], filed: Sequence[Row]) -> str:
    """A filing that came within its own term ends other waits with it: those terms were met by nobody."""
    if row["status"] != "met":
        return ""
    came = next((f for f in filed if f["seq"] == row["closed_seq"]), None)
    kind = norm.filings.get(came["kind"]) if came else None
    if came is None or kind is None or kind.deadline in (None, row["key"]):
        return ""
    own = [r for r in every if r["key"] == kind.deadline and r["status"] != ANNULLED]
    used = any(came["stamped_at"] < r["expires_at"] for r in own)
    return norm.deadlines[kind.deadline].name if used else ""
