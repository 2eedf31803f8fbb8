"""How far a demo's clock is ahead of the wall, as its database keeps it. Nobody but a demo's store asks."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection, select

from app.store.tables import installation

AHEAD = "relogio"  # the installation's row
_OFFSET = select(installation.c.value).where(installation.c.key == AHEAD)


def stored_offset(connection: Connection) -> timedelta:
    """Zero until somebody has moved the clock."""
    told = connection.execute(_OFFSET).scalar()
    return timedelta(microseconds=told["ahead"]) if told else timedelta(0)
