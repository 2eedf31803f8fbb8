"""What a case is about, in one line of a list: whose it is, by which rule of the law, out of which other case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, FromClause

from app.registry import norms
from app.store import Reader, Row
from app.store.cases_tables import cases
from app.store.registry_tables import carrier

_origin = cases.alias("origin")
COLUMNS: tuple[ColumnElement[Any], ...] = (
    cases.c.number,
    cases.c.process,
    cases.c.flow,
    cases.c.norm_digest,
    cases.c.status.label("case_status"),
    cases.c.opened_at.label("case_opened_at"),
    cases.c.carrier_id,
    carrier.c.name.label("carrier_name"),
    _origin.c.number.label("origin_number"),
)


@dataclass(frozen=True)
class Matter:
    """A code of the law's table and what it says; empty words where the table says nothing of it."""

    code: str
    words: str


def joined(source: FromClause) -> FromClause:
    """`source`, which has the cases in it, with what `COLUMNS` needs beside them."""
    with_carrier = source.outerjoin(carrier, carrier.c.id == cases.c.carrier_id)
    return with_carrier.outerjoin(_origin, _origin.c.id == cases.c.origin_case_id)


def matters(reader: Reader, rows: Sequence[Row]) -> dict[str, Matter]:
    """What cases are about, by number, in the words of the norm that each is pinned to. Nothing where none is known."""
    found = {row["number"]: _matter(reader, row) for row in rows}
    return {number: matter for number, matter in found.items() if matter is not None}


def _matter(reader: Reader, row: Row) -> Matter | None:
    norm = norms.by_digest(reader, row["norm_digest"])  # read once per process, whatever the number of rows
    rule = norm.charged(row["process"], row["flow"])
    if rule is None:
        return None
    table, code = rule
    known = table.known_on(code, row["case_opened_at"].astimezone(norm.zone).date()) or {}
    return Matter(code, known.get("descricao", ""))
