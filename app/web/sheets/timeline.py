"""The journal of a case as people read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app import people
from app.audit import Entry
from app.cases.history import ACTS, Folder
from app.law.norm import Norm
from app.store import Reader, Row
from app.web.language import N_

# As `people.name_of` says them.
MACHINES = (N_("Relógio do sistema"), N_("Instalação"), N_("pessoa desconhecida"))


@dataclass(frozen=True)
class Line:
    """One line of the timeline: the verb, the norm's own name for what was done, who, when."""

    seq: int
    verb: str
    what: str
    who: str
    happened_at: datetime
    recorded_at: datetime
    documents: tuple[Row, ...]
    warnings: tuple[str, ...] = ()

    @property
    def late(self) -> bool:
        """Recorded on another minute than it happened: both are told."""
        return abs((self.recorded_at - self.happened_at).total_seconds()) >= 60


def lines(reader: Reader, norm: Norm, folder: Folder, told: Sequence[Entry]) -> list[Line]:
    """The journal of the case as people read it, newest first."""
    return [_line(reader, norm, folder, entry) for entry in reversed(told)]


def _line(reader: Reader, norm: Norm, folder: Folder, entry: Entry) -> Line:
    return Line(
        entry.seq,
        ACTS.get(entry.act, entry.act),
        _what(norm, folder, entry),
        people.name_of(reader, entry.actor),
        entry.effective_at,
        entry.at,
        tuple(row for row in folder.documents if row["seq"] == entry.seq),
        tuple(entry.body.get("warnings", ())),
    )


def _what(norm: Norm, folder: Folder, entry: Entry) -> str:
    """The task, the filing or the term that the entry is about, as the norm calls it."""
    body = entry.body
    if entry.act == "file" and body.get("kind") in norm.filings:
        return f"{norm.filings[body['kind']].name}, {body.get('number', '')}"
    if entry.act == "expire" and body.get("key") in norm.deadlines:
        return norm.deadlines[body["key"]].name
    if entry.act == "attach":
        return next((r["name"] for r in folder.attachments if r["id"] == body.get("attachment")), "")
    task = body["command"].get("task")
    return next((str(r["name"]) for r in folder.items if r["id"] == task), "")
