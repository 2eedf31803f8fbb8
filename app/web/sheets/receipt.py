"""What an act caused, told right after it: papers issued, tasks opened and closed, terms that began or ended."""

from __future__ import annotations

from dataclasses import dataclass

from app import audit
from app.audit import Entry
from app.cases.dossier import stream_of
from app.cases.history import Folder
from app.law.norm import Norm
from app.store import Reader, Row, Tx
from app.web.sheets import holders
from app.web.sheets.filings import Received, filings
from app.web.sheets.holders import Holders
from app.web.sheets.terms import Shown, terms
from app.web.sheets.timeline import Line


@dataclass(frozen=True)
class Receipt:
    line: Line
    documents: list[Row]
    opened: list[tuple[Row, Holders]]
    terms: list[Shown]
    filings: list[Received]
    status: str | None
    fallen: list[int]


GOING_BACK = ("annul", "set_aside", "correct")


def last_seq(tx: Tx, case_id: str) -> int:
    """The number of the entry that the open transaction has just written for the case."""
    return audit.next_seq(tx, stream_of(case_id)) - 1


def seq_of(tx: Tx, case_id: str, act: str) -> int:
    """The number of the newest entry of an act: what goes back may be followed by filings put before the case again."""
    return max(e.seq for e in audit.entries(tx, stream_of(case_id)) if e.act == act)


def receipt(reader: Reader, norm: Norm, folder: Folder, line: Line) -> Receipt:
    told = audit.entries(reader, stream_of(folder.case["id"]))
    entry = next(e for e in told if e.seq == line.seq)
    milestones, since = entry.body.get("milestones") or [None], _since(told, line)
    back = since is not None  # tasks, terms and state are those from before: they were not made by this entry
    items = [r for r in folder.items if r["status"] == "open" and (back or r["opened_seq"] == line.seq)]
    rows = [
        r
        for r in folder.deadlines
        if r["armed_seq"] == line.seq
        or (back and r["status"] in ("armed", "window") and r["expires_at"] > reader.now)
    ]
    return Receipt(
        line,
        [row for row in folder.documents if row["seq"] == line.seq],
        [(row, holders.of_item(reader, norm, row)) for row in items],
        terms(norm, rows, reader.now),
        [f for f in filings(norm, folder.filings, folder.deadlines, told) if f.seq == line.seq],
        folder.case["status"] if back else milestones[-1],
        [] if since is None else [n for n in folder.case["fallen"] if since <= n < line.seq],
    )


def _since(told: list[Entry], line: Line) -> int | None:
    """The first entry that fell by this one; None for an act that went nowhere back."""
    if line.act not in GOING_BACK:
        return None
    for entry in told[line.seq - 1 :: -1][
        :2
    ]:  # a correction that moves the case is told right after what fell
        if entry.body["command"]["op"] == "annul":
            return int(entry.body["command"]["from"])
        if entry.body["command"]["op"] == "none":
            return None
    return None
