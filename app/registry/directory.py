"""Finding carriers: by name, CNPJ or line, with what is open and owed. Reads only.

Names and numbers are compared here and not in SQL: neither database ignores accents, and a municipality has hundreds
of carriers, not millions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from sqlalchemy import func, or_, select

from app.registry import charges
from app.registry.enrolment.cnpj import bare
from app.store import Reader
from app.store.cases_tables import cases
from app.store.registry_tables import carrier, charge, grants
from app.values import Money


@dataclass(frozen=True)
class Listed:
    """A carrier in the list. `lines`: those it holds today; `owed`: what is still to be paid of all its charges."""

    id: str
    name: str
    document: str
    lines: tuple[str, ...]
    open_cases: int
    owed: Money


def search(
    reader: Reader, words: str, line: str, day: date, *, page: int, size: int
) -> tuple[list[Listed], int]:
    """One page of the carriers that fit, by name, and how many fit. `words`: of the name, or of the CNPJ.

    A page after the last one is the last one.
    """
    found = [one for one in _all(reader, day) if _fits(one, words, line)]
    found.sort(key=lambda one: (folded(one.name), one.document))
    page = min(page, max(1, -(-len(found) // size)))
    shown = found[(page - 1) * size : page * size]
    ids = [one.id for one in shown]
    busy, due = _open_cases(reader, ids), _owed(reader, ids)
    told = [replace(c, open_cases=busy.get(c.id, 0), owed=due.get(c.id, Money(0))) for c in shown]
    return told, len(found)


def folded(text: str) -> str:
    """Without accents, case and doubled blanks, as people search."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return " ".join(plain.casefold().split())


def _all(reader: Reader, day: date) -> list[Listed]:
    held: dict[str, list[str]] = {}
    running = grants.c.since <= day, or_(grants.c.until.is_(None), grants.c.until >= day)
    for row in reader.all(select(grants.c.carrier_id, grants.c.line).where(*running).order_by(grants.c.line)):
        held.setdefault(row["carrier_id"], []).append(row["line"])
    rows = reader.all(select(carrier.c.id, carrier.c.name, carrier.c.document))
    return [
        Listed(r["id"], r["name"], r["document"], tuple(held.get(r["id"], ())), 0, Money(0)) for r in rows
    ]


def _fits(one: Listed, words: str, line: str) -> bool:
    wanted, number = folded(words), bare(words)
    named = not words or _has(one.name, wanted)
    # A number is looked for as such only when nothing but a number was typed: "Viação 1" is no CNPJ.
    numbered = bool(number) and number[0].isdigit() and " " not in wanted and number in bare(one.document)
    return (named or numbered) and (not line or any(_has(held, folded(line)) for held in one.lines))


def _has(text: str, wanted: str) -> bool:
    """An accent alone folds to nothing: it is in no text, rather than in all."""
    return bool(wanted) and wanted in folded(text)


def _open_cases(reader: Reader, ids: Sequence[str]) -> dict[str, int]:
    rows = reader.all(
        select(cases.c.carrier_id, func.count().label("count"))
        .where(cases.c.carrier_id.in_(ids), cases.c.closed_at.is_(None))
        .group_by(cases.c.carrier_id)
    )
    return {r["carrier_id"]: int(r["count"]) for r in rows}


def _owed(reader: Reader, ids: Sequence[str]) -> dict[str, Money]:
    """Of the carriers that owe something, how much in all."""
    lacking = charges.missing()
    rows = reader.all(
        select(charge.c.carrier_id, func.sum(lacking).label("cents"))
        .where(charge.c.carrier_id.in_(ids), lacking > 0)
        .group_by(charge.c.carrier_id)
    )
    return {r["carrier_id"]: Money(int(r["cents"])) for r in rows}
