"""What parties handed in, and how each stands to the terms of its case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.audit import Entry
from app.law.norm import Norm
from app.store import Row
from app.store.cases_tables import ANNULLED
from app.values import Json, Money
from app.web.sheets.standing import WHY


@dataclass(frozen=True)
class Received:
    """A filing with its stamp and how it stands to the terms.

    `verdict`: `in` (within `term`), `out` (of every term, as the diagram found), `after` (the end of `term`; whether
    another term still admits it is for whoever decides), or empty where no term has begun for it. `surplus`: what a
    payment brought above what was owed. `early`: the term that had not begun at the stamp, which was confirmed.
    `standstill`: why the filing was kept and went no further. `dropped`: it was
    annulled.
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
    surplus: Money | None
    early: str
    standstill: str
    dropped: bool


def filings(
    norm: Norm, rows: Sequence[Row], deadlines: Iterable[Row], told: Sequence[Entry]
) -> list[Received]:
    """What was handed in. `told`: the journal of the case."""
    found, bodies = _judged(told), {e.body["filing"]: e.body for e in told if "filing" in e.body}
    ends = {row["key"]: row for row in deadlines if row["status"] != ANNULLED}
    first = {row["kind"]: row["id"] for row in reversed(rows)}
    return [
        _received(
            norm,
            row,
            ends,
            found.get(row["kind"], "") if first[row["kind"]] == row["id"] else "",
            bodies.get(row["id"], {}),
        )
        for row in rows
    ]


def _judged(told: Sequence[Entry]) -> dict[str, str]:
    """By kind of filing: the term it was found to be in, or `intempestiva`. From the questions in the journal."""
    found: dict[str, str] = {}
    for entry in told:
        for question, args, answer in entry.body.get("asked", []):
            if question == "tempestividade" and args and answer != "nenhuma":
                found[str(args[0])] = str(answer)
    return found


def _received(
    norm: Norm, row: Row, ends: Mapping[str, Row], found: str, told: Mapping[str, Json]
) -> Received:
    kind = norm.filings.get(row["kind"])
    early = told.get("before_term", {}).get("term", "")
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
        surplus=Money(told["surplus"]) if "surplus" in told else None,
        early=norm.deadlines[early].name if early in norm.deadlines else "",
        standstill=WHY.get(told.get("standstill", ""), ""),
        dropped=row["dropped"],
    )


def _verdict(row: Row, key: str | None, ends: Mapping[str, Row], found: str) -> tuple[str, str]:
    if found:
        return ("out", "") if found == "intempestiva" else ("in", found)
    if key is None or key not in ends:
        return "", ""
    return ("in" if row["stamped_at"] < ends[key]["expires_at"] else "after"), key
