"""What a case is about and how it stands: the sheets that its own page and the page of each of its tasks share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from app import people
from app.audit import Entry
from app.cases.history import Folder
from app.law.norm import Norm
from app.store import Reader, Row
from app.store.cases_tables import cases
from app.web.sheets import filings, grounds, subject, terms, voting


def about(reader: Reader, norm: Norm, folder: Folder, told: list[Entry]) -> dict[str, Any]:
    """Names and values for templates. `told`: the case's journal; `grounds` are by entry of it."""
    by_entry = grounds.by_entry(reader, norm, told)
    return {
        "parties": subject.parties(reader, folder.case),
        "entry": subject.table_row(reader, norm, folder.case),
        "owed": subject.owed(reader, norm, folder.case["id"]),
        "round": voting.newest(reader, norm, folder),
        "grounds": by_entry,
        "newest_grounds": grounds.newest(by_entry.values()),
        "terms": terms.terms(norm, folder.deadlines, reader.now, folder.filings),
        "filings": filings.filings(norm, folder.filings, folder.deadlines, told),
        "origin": _origin(reader, folder.case),
        "names": people.names_of(reader, {row["by"] for row in [*folder.notes, *folder.attachments]}),
    }


def _origin(reader: Reader, case: Row) -> Row | None:
    """The case in which the petition that opened this one was filed."""
    if case["origin_case_id"] is None:
        return None
    return reader.first(select(cases).where(cases.c.id == case["origin_case_id"]))
