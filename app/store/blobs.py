"""Bytes kept once, by their SHA-256."""

from __future__ import annotations

from sqlalchemy import select

from app.store import Reader, Tx
from app.store.tables import blob
from app.values import digest


def keep(tx: Tx, data: bytes) -> str:
    """Stores the bytes unless they are there already and gives their digest."""
    name = digest(data)
    if tx.first(select(blob.c.digest).where(blob.c.digest == name)) is None:
        tx.ensure(blob, digest=name, bytes=data)
    return name


def fetch(reader: Reader, name: str) -> bytes:
    return bytes(
        reader.one(select(blob.c.bytes).where(blob.c.digest == name), "Arquivo não encontrado.")["bytes"]
    )
