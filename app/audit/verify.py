"""Recomputes every chain and says where the first thing stopped matching. Reads only; works on a copy offline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import orjson
from sqlalchemy import select

from app.audit import GENESIS, link
from app.audit.rows import bare
from app.store import Reader, Row
from app.store.tables import journal, stream
from app.values import Json, iso

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


def verify(reader: Reader, only: str | None = None) -> Verification:
    """Checks all streams, or one: order, links, bytes against columns, heads. One fault per stream, the first.

    Whatever somebody has made of an entry is a fault of its stream: the others are checked all the same.
    """
    faults: list[Fault] = []
    known = select(stream).where(stream.c.name == only) if only else select(stream)
    heads = {r["name"]: (r["seq"], r["head"]) for r in reader.all(known)}
    count = 0
    seen: dict[str, tuple[int, str]] = {}
    broken: set[str] = set()
    for row in _in_order(reader, only):
        count += 1
        name = row["stream"]
        if name in broken:
            continue
        seq, prev = seen.get(name, (0, GENESIS))
        reason = wrong(row, seq, prev)
        if reason:
            at = row["seq"] if isinstance(row["seq"], int) else seq + 1
            faults.append(Fault(str(name), at, reason))
            broken.add(name)
            continue
        seen[name] = (int(row["seq"]), str(row["hash"]))
    for name in sorted((set(heads) | set(seen)) - broken, key=str):
        if heads.get(name) != seen.get(name, (0, GENESIS)):
            last = seen.get(name, (0, ""))[0]
            faults.append(Fault(name, last + 1, "o fim da cadeia não confere: falta ou sobra registro"))
    return Verification(len(heads), count, tuple(faults))


def _in_order(reader: Reader, only: str | None) -> Iterator[Row]:
    """All entries, a few at a time: a journal of years does not fit into memory."""
    statement = select(*bare(reader, journal)).order_by(journal.c.stream, journal.c.seq)
    if only:
        statement = statement.where(journal.c.stream == only)
    rows = reader.connection.execute(statement, execution_options={"yield_per": _AT_ONCE})
    return cast(Iterator[Row], iter(rows.mappings()))


def wrong(row: Row, last_seq: int, prev: str) -> str | None:
    """What keeps an entry from following entry `last_seq`, whose hash is `prev`; None when nothing does."""
    if row["seq"] != last_seq + 1:
        return f"esperava-se o registro {last_seq + 1}"
    written = isinstance(row["body"], bytes)  # SQLite keeps text where somebody's own UPDATE left text
    if not written or row["prev"] != prev or row["hash"] != link(prev, row["body"]):
        return "os bytes do registro não conferem com a cadeia"
    told = read(row["body"])
    if told is None:
        return "os bytes do registro não são os de um registro"
    columns = {
        "stream": row["stream"],
        "seq": row["seq"],
        "at": _instant(row["at"]),
        "effective_at": _instant(row["effective_at"]),
        "actor": row["actor"],
        "act": row["act"],
    }
    different = [key for key, value in columns.items() if told.get(key) != value]
    return f"a coluna {different[0]} contradiz o registro" if different else None


def read(body: Any) -> dict[str, Json] | None:
    """What the bytes of an entry say; None for bytes that no act has written."""
    try:
        told = orjson.loads(body)
    except (ValueError, TypeError):
        return None
    return told if isinstance(told, dict) and isinstance(told.get("body"), dict) else None


def _instant(kept: Any) -> str | None:
    """The instant of a column, read or as stored; None for what is none."""
    try:
        return iso(kept if isinstance(kept, datetime) else datetime.fromisoformat(kept))
    except (ValueError, TypeError):
        return None
