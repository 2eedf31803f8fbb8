"""One hash chain per stream: what was done, by whom, when, and that nobody has touched it since.

`append` is the only way to write the journal; `verify.py` checks chains; `seal.py` keeps personal data outside
the hashed bytes, as ciphertext whose key can be destroyed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import orjson
from sqlalchemy import bindparam, select, update

from app.errors import Broken
from app.store import Reader, Tx
from app.store.tables import journal, stream
from app.values import Json, canonical, iso

GENESIS = "0" * 64
_HEAD = select(stream.c.seq, stream.c.head).where(stream.c.name == bindparam("its_name")).with_for_update()
_MOVED = (
    update(stream)
    .where(stream.c.name == bindparam("its_name"), stream.c.seq == bindparam("last"))
    .values(seq=bindparam("last") + 1, head=bindparam("digest"))
)
_ENTRIES = select(journal).where(journal.c.stream == bindparam("name")).order_by(journal.c.seq)
_LEAF = b"\x00"  # domain separation from the inner nodes of a later Merkle tree (RFC 9162)


@dataclass(frozen=True)
class Entry:
    """One journal entry as read back."""

    stream: str
    seq: int
    at: datetime
    effective_at: datetime
    actor: str
    act: str
    body: Json
    hash: str


def link(prev: str, body: bytes) -> str:
    """Hash of an entry: SHA-256 over the leaf mark, the previous hash and the canonical bytes."""
    return hashlib.sha256(_LEAF + bytes.fromhex(prev) + body).hexdigest()


def next_seq(tx: Tx, name: str) -> int:
    """The number the next entry of `name` will have. Holds the stream's row until the act ends."""
    return _head(tx, name)[0] + 1


def hold(tx: Tx, names: Iterable[str]) -> None:
    """Holds all streams that an act is going to write, in order of their names.

    Two acts that write the same ones, whatever they write first, then wait for one another in turn and never both.
    """
    for name in sorted(set(names)):
        _head(tx, name)


def append(tx: Tx, name: str, act: str, body: Json, effective_at: datetime | None = None) -> int:
    """Writes one entry at the end of stream `name` and gives its number.

    Args:
        act: the verb of the act, such as `complete` or `file`.
        body: JSON without personal data; floats are refused.
        effective_at: when it legally happened; the transaction's instant when not given.
    """
    if tx.silent:
        raise Broken("a silent transaction may not be journaled")
    seq, prev = _head(tx, name)
    seq += 1
    happened = effective_at or tx.now
    envelope = {
        "schema": 1,
        "stream": name,
        "seq": seq,
        "at": iso(tx.now),
        "effective_at": iso(happened),
        "actor": str(tx.actor),
        "act": act,
        "body": body,
    }
    data = canonical(envelope)
    digest = link(prev, data)
    row = {"stream": name, "seq": seq, "at": tx.now, "effective_at": happened, "actor": str(tx.actor)}
    tx.add(journal, **row, act=act, body=data, prev=prev, hash=digest)
    moved = tx.write(_MOVED, its_name=name, last=seq - 1, digest=digest)
    if moved != 1:
        raise Broken(f"the head of {name} moved while its entry {seq} was being written")
    tx.entries += 1
    _heads(tx)[name] = (seq, digest)
    return seq


def _head(tx: Tx, name: str) -> tuple[int, str]:
    """Number and hash of the newest entry. Read once: whoever has the row keeps it until the act ends."""
    held = _heads(tx)
    if name not in held:
        row = tx.first(_HEAD, its_name=name)
        if row is None:
            # Another act may be making the same stream right now: whoever comes second waits, then holds its row.
            tx.ensure(stream, name=name, seq=0, head=GENESIS)
            row = tx.one(_HEAD, name, its_name=name)
        held[name] = (int(row["seq"]), str(row["head"]))
    return held[name]


def _heads(tx: Tx) -> dict[str, tuple[int, str]]:
    heads: dict[str, tuple[int, str]] = tx.scratch.setdefault("heads", {})
    return heads


def entries(reader: Reader, name: str) -> list[Entry]:
    """The stream from its first entry to its last."""
    rows = reader.all(_ENTRIES, name=name)
    return [
        Entry(
            r["stream"],
            r["seq"],
            r["at"],
            r["effective_at"],
            r["actor"],
            r["act"],
            orjson.loads(r["body"])["body"],
            r["hash"],
        )
        for r in rows
    ]
