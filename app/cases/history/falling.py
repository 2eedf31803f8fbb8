"""Since when something of a case is without effect: the annulment that a document or an entry fell by."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from app import audit
from app.cases.dossier import stream_of
from app.store import Reader


def fell_at(reader: Reader, case_id: str, fallen: Collection[int], seq: int) -> datetime | None:
    """When entry `seq` lost its effect; None while it has one.

    Going back behind an annulment undoes it: what fell by it stands again, and what it undid falls again as before.
    """
    if seq not in fallen:
        return None
    fell: list[datetime | None] = [None]  # as it was after each entry
    for entry in audit.entries(reader, stream_of(case_id)):
        command, before = entry.body["command"], fell[-1]
        if command["op"] != "annul":
            fell.append(before)
        elif command["from"] <= seq:
            fell.append(before or entry.at)
        else:
            fell.append(fell[command["from"] - 1])
    return fell[-1]
