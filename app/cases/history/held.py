"""What was answered, handed in and added to a case's folder by an entry of its journal. All from what was played.

What was kept beside the journal, such as the answers themselves, is in `kept.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.audit import Entry
from app.cases.history.moment import secret
from app.cases.history.past import Past
from app.store import Row


@dataclass(frozen=True)
class Answered:
    """An entry that answered a form.

    Attributes:
        fallen: it had no effect any more, or what it handed in had been annulled.
        handed_in: it had no effect any more, but what it handed in stays in the folder.
        corrected_by: the entry that stood in its place, 0 when none did.
        secret: a vote of a round that is open today.
    """

    entry: Entry
    fallen: bool
    handed_in: bool
    corrected_by: int
    secret: bool

    @property
    def in_force(self) -> bool:
        return not self.corrected_by and (not self.fallen or self.handed_in)


def answered(past: Past, seq: int) -> list[Answered]:
    """Every form answered by then, oldest first."""
    now, told, hidden = past.history[seq], past.told[:seq], secret(past)
    corrected = {
        e.body["corrects"]: e.seq for e in told if e.body.get("corrects") and e.seq not in now.fallen
    }
    return [
        Answered(
            entry,
            entry.seq in now.fallen,
            "filing" in entry.body and entry.body["filing"] not in now.dropped,
            corrected.get(entry.seq, 0),
            entry.seq in hidden,
        )
        for entry in told
        if "submission" in entry.body
    ]


def filings(past: Past, seq: int) -> list[Row]:
    """What parties had handed in, in the order of its stamps, as the rows of the day tell it."""
    dropped = past.history[seq].dropped
    found = [
        {
            "id": entry.body["filing"],
            "seq": entry.seq,
            "number": entry.body["number"],
            "kind": entry.body["kind"],
            "stamped_at": entry.effective_at,  # an entry that receives a filing happened when it was stamped
            "received_at": entry.at,
            "dropped": entry.body["filing"] in dropped,
        }
        for entry in past.told[:seq]
        if "filing" in entry.body
    ]
    return sorted(found, key=lambda row: (row["stamped_at"], row["id"]))
