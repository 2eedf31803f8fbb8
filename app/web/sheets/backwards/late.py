"""Filings that were stamped within a term and typed after it had been recorded as run out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from app.audit import Entry
from app.cases.acts.annulment import typed_late
from app.cases.dossier import Dossier
from app.errors import Broken
from app.law.norm import Filing
from app.store import Row
from app.store.cases_tables import deadline


@dataclass(frozen=True)
class Overtaken:
    """A recorded expiry that a filing in time was overtaken by: term, end, when it was recorded, the filings."""

    seq: int
    term: str
    article: str
    due_at: datetime
    recorded_at: datetime
    filings: tuple[tuple[Filing, Row], ...]


def overtaken(dossier: Dossier, told: Iterable[Entry]) -> list[Overtaken]:
    """Every expiry in the journal of the case that may be set aside, oldest first."""
    found = [_overtaken(dossier, e) for e in told if e.act == "expire"]
    return [one for one in found if one is not None]


def _overtaken(dossier: Dossier, expiry: Entry) -> Overtaken | None:
    try:
        rows = typed_late(dossier, expiry)
    except Broken:  # a journal that does not replay is told of elsewhere, and bars no page
        return None
    if not rows:
        return None
    norm = dossier.norm
    term = norm.deadlines.get(expiry.body["key"])
    row = dossier.tx.one(select(deadline).where(deadline.c.id == expiry.body["deadline"]), "")
    return Overtaken(
        expiry.seq,
        term.name if term else expiry.body["key"],
        term.article if term else "",
        row["due_at"],
        expiry.at,
        tuple((norm.filings[r["kind"]], r) for r in rows),
    )
