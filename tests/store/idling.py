"""A server that soon ends transactions that idle, and a way to idle for longer without asking a clock."""

from __future__ import annotations

import select
from contextlib import closing

import psycopg
from sqlalchemy.engine import make_url

from tests.databases import plain

# What a connection of the program asks of its server, but for the time.
HASTY = "-c lock_timeout={}ms -c idle_in_transaction_session_timeout=500ms -c timezone=UTC"


def outwait_another(url: str) -> None:
    """Returns when the server has ended a transaction that began to idle after the caller's did."""
    told = "-c idle_in_transaction_session_timeout=600ms"
    with closing(psycopg.connect(plain(make_url(url)), options=told)) as other:
        other.execute("SELECT 1")
        select.select([other], [], [])
