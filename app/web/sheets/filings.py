"""What parties handed in, and how each stands to the terms of its case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app import audit
from app.cases.dossier import stream_of
from app.law.norm import Norm
from app.store import Reader, Row


@dataclass(frozen=True)
class Received:
    """A filing with its stamp and how it stands to the terms.

    `verdict`: `in` (within `term`), `out` (of every term, as the diagram found), `after` (the end of `term`; whether
    another term still admits it is for whoever decides), or empty where no term has begun for it.
    """

    id: str
    number: str
    name: str
    article: str
    stamped_at: datetime
    received_at: datetime
    verdict: str
    term: str
    seq: int


def filings(
    norm: Norm, rows: Sequence[Row], deadlines: Iterable[Row], judged: Mapping[str, str]
) -> list[Received]:
    """What was handed in. `judged`: what the diagram found of the first filing of each kind."""
    ends = {row["key"]: row for row in deadlines if row["status"] != "annulled"}
    first = {row["kind"]: row["id"] for row in reversed(rows)}
    return [
        _received(norm, row, ends, judged.get(row["kind"], "") if first[row["kind"]] == row["id"] else "")
        for row in rows
    ]


def judged(reader: Reader, case_id: str) -> dict[str, str]:
    """By kind of filing: the term it was found to be in, or `intempestiva`. From the questions in the journal."""
    found: dict[str, str] = {}
    for entry in audit.entries(reader, stream_of(case_id)):
        for question, args, answer in entry.body.get("asked", []):
            if question == "tempestividade" and args and answer != "nenhuma":
                found[str(args[0])] = str(answer)
    return found


def _received(norm: Norm, row: Row, ends: Mapping[str, Row], found: str) -> Received:
    kind = norm.filings.get(row["kind"])
    verdict, term = _verdict(row, kind.deadline if kind else None, ends, found)
    return Received(
        id=row["id"],
        number=row["number"],
        name=kind.name if kind else row["kind"],
        article=kind.article if kind else "",
        stamped_at=row["stamped_at"],
        received_at=row["received_at"],
        verdict=verdict,
        term=norm.deadlines[term].name if term in norm.deadlines else "",
        seq=row["seq"],
    )


def _verdict(row: Row, key: str | None, ends: Mapping[str, Row], found: str) -> tuple[str, str]:
    if found:
        return ("out", "") if found == "intempestiva" else ("in", found)
    if key is None or key not in ends:
        return "", ""
    return ("in" if row["stamped_at"] < ends[key]["expires_at"] else "after"), key
