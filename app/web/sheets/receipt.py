"""What an act caused, told right after it: papers issued, tasks opened and closed, terms that began or ended."""

from __future__ import annotations

from dataclasses import dataclass

from app import audit
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


def last_seq(tx: Tx, case_id: str) -> int:
    """The number of the entry that the open transaction has just written for the case."""
    return audit.next_seq(tx, stream_of(case_id)) - 1


def receipt(reader: Reader, norm: Norm, folder: Folder, line: Line) -> Receipt:
    told = audit.entries(reader, stream_of(folder.case["id"]))
    entry = next(e for e in told if e.seq == line.seq)
    milestones = entry.body.get("milestones") or [None]
    return Receipt(
        line,
        [row for row in folder.documents if row["seq"] == line.seq],
        [
            (row, holders.of_item(reader, norm, row))
            for row in folder.items
            if row["opened_seq"] == line.seq and row["status"] == "open"
        ],
        terms(norm, [row for row in folder.deadlines if row["armed_seq"] == line.seq], reader.now),
        [f for f in filings(norm, folder.filings, folder.deadlines, told) if f.seq == line.seq],
        milestones[-1],
    )
