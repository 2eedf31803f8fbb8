"""Recomputes every chain and says where the first thing stopped matching. Reads only; works on a copy offline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import orjson
from sqlalchemy import select

from app.audit import GENESIS, link
from app.store import Reader, Row
from app.store.tables import journal, stream
from app.values import iso

_AT_ONCE = 1000


@dataclass(frozen=True)
class Fault:
    """A stream, the entry where it stops being believable (0: the stream itself) and why, in Portuguese."""

    stream: str
    seq: int
    reason: str


@dataclass(frozen=True)
class Verification:
    streams: int
    entries: int
    faults: tuple[Fault, ...]


def verify(reader: Reader) -> Verification:
    """Checks all streams: order, links, bytes against columns, heads. One fault per stream, the first."""
    faults: list[Fault] = []
    heads = {r["name"]: (r["seq"], r["head"]) for r in reader.all(select(stream))}
    count = 0
    seen: dict[str, tuple[int, str]] = {}
    broken: set[str] = set()
    for row in _in_order(reader):
        count += 1
        name = row["stream"]
        if name in broken:
            continue
        seq, prev = seen.get(name, (0, GENESIS))
        reason = wrong(row, seq, prev)
        if reason:
            faults.append(Fault(name, int(row["seq"]), reason))
            broken.add(name)
            continue
        seen[name] = (int(row["seq"]), str(row["hash"]))
    for name in sorted((set(heads) | set(seen)) - broken):
        if heads.get(name) != seen.get(name, (0, GENESIS)):
            last = seen.get(name, (0, ""))[0]
            faults.append(Fault(name, last + 1, "o fim da cadeia não confere: falta ou sobra registro"))
    return Verification(len(heads), count, tuple(faults))


def _in_order(reader: Reader) -> Iterator[Row]:
    """All entries, a few at a time: a journal of years does not fit into memory."""
    statement = select(journal).order_by(journal.c.stream, journal.c.seq)
    rows = reader.connection.execute(statement, execution_options={"yield_per": _AT_ONCE})
    return cast(Iterator[Row], iter(rows.mappings()))


def wrong(row: Row, last_seq: int, prev: str) -> str | None:
    """What keeps an entry from following entry `last_seq`, whose hash is `prev`; None when nothing does."""
    if row["seq"] != last_seq + 1:
        return f"esperava-se o registro {last_seq + 1}"
    written = isinstance(row["body"], bytes)  # SQLite keeps text where somebody's own UPDATE left text
    if not written or row["prev"] != prev or row["hash"] != link(prev, row["body"]):
        return "os bytes do registro não conferem com a cadeia"
    told = orjson.loads(row["body"])
    columns = {
        "stream": row["stream"],
        "seq": row["seq"],
        "at": iso(row["at"]),
        "effective_at": iso(row["effective_at"]),
        "actor": row["actor"],
        "act": row["act"],
    }
    different = [key for key, value in columns.items() if told.get(key) != value]
    return f"a coluna {different[0]} contradiz o registro" if different else None
