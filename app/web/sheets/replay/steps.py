"""The entries of a journal as the steps of a replay: what each is called, whether it stands, whether it is believed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.audit import Entry
from app.cases.history import ACTS, moment
from app.cases.history.past import Past
from app.law.norm import Norm
from app.web.sheets.timeline import PRINTING


@dataclass(frozen=True)
class Step:
    """One entry in the list.

    `felled_by`: the entry that took its effect away, 0 when it stands. `quiet`: the press made it, and nothing moved.
    """

    seq: int
    verb: str
    what: str
    happened_at: datetime
    felled_by: int
    believed: bool
    quiet: bool = False


def steps(past: Past) -> list[Step]:
    """Every entry of the journal, oldest first."""
    felled = moment.felled(past)
    return [
        Step(
            entry.seq,
            ACTS.get(entry.act, entry.act),
            what(past, entry),
            entry.effective_at,
            felled.get(entry.seq, 0),
            entry.seq <= past.believed,
            entry.act in PRINTING,
        )
        for entry in past.told
    ]


def opening(past: Past) -> int:
    """The entry at which a replay opens: the last that is an act rather than a print; 0 when there is none at all."""
    last = max((entry.seq for entry in past.told), default=0)
    return max((entry.seq for entry in past.told if entry.act not in PRINTING), default=last)


def what(past: Past, entry: Entry) -> str:
    """The task, the filing or the term that an entry is about, as the norm calls it; empty where it is about none."""
    if past.pinned is None or entry.seq > past.believed:
        return ""
    norm, body = past.pinned.norm, entry.body
    if body.get("kind") in norm.filings:
        return f"{norm.filings[body['kind']].name}, {body.get('number', '')}"
    if entry.act == "expire" and body.get("key") in norm.deadlines:
        return norm.deadlines[body["key"]].name
    if "rendition" in body:
        papers = (paper for paper in moment.papers(past, entry.seq) if paper.id == body["rendition"])
        return next((f"{titled(norm, paper.kind)} {paper.number}" for paper in papers), "")
    task = body["command"].get("task")
    before = past.history[entry.seq - 1].items
    return next((item.task.name for item in reversed(before) if item.task.id == task), "")


def titled(norm: Norm, kind: str) -> str:
    """What a kind of document is called."""
    return norm.documents[kind].title if kind in norm.documents else kind
