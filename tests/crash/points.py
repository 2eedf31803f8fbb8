"""Named points of an act, told by the SQL that is being executed; no line of the product knows of them.

A process may be killed at one (`tests/crash`), a person stopped and released at one (`tests/races`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import event

from app.store import Database

# Before a statement, after it, before the commit, after it.
Moment = Literal["before", "after", "commit", "committed"]
Notice = Callable[[Moment, str], None]


@dataclass(frozen=True)
class Point:
    """A moment of an act by name: the first statement of its kind decides."""

    name: str
    moment: Moment
    statement: str = ""

    def is_at(self, moment: Moment, sql: str) -> bool:
        return moment == self.moment and re.match(self.statement, sql, re.S) is not None


case_locked = Point("case_locked", "after", r"SELECT .*\bcases\.state\b.*\sFROM cases")
state_written = Point("state_written", "after", r"UPDATE cases SET .*\bstate=")
entry_written = Point("entry_written", "after", r"INSERT INTO journal\b")
before_commit = Point("before_commit", "commit")
after_commit = Point("after_commit", "committed")
POINTS = (case_locked, state_written, entry_written, before_commit, after_commit)


def watch(database: Database, notice: Notice) -> None:
    """Calls `notice` at every boundary of every write transaction of this process, on the thread that passes it.

    What a look at the database executes is no boundary of an act, and neither is a rollback.
    """
    committed: set[int] = set()
    engine = database.engine

    def writes(connection: Any) -> bool:
        return bool(connection.get_execution_options().get("tramita_writes"))

    @event.listens_for(engine, "before_cursor_execute")
    def before(connection: Any, _cursor: Any, sql: str, *_: Any) -> None:
        if writes(connection):
            notice("before", sql)

    @event.listens_for(engine, "after_cursor_execute")
    def after(connection: Any, _cursor: Any, sql: str, *_: Any) -> None:
        if writes(connection):
            notice("after", sql)

    @event.listens_for(engine, "commit")
    def commit(connection: Any) -> None:
        if writes(connection):
            notice("commit", "")
            committed.add(id(connection.connection.dbapi_connection))

    @event.listens_for(engine, "checkin")
    def back(dbapi_connection: Any, _record: Any) -> None:
        if id(dbapi_connection) in committed:
            committed.discard(id(dbapi_connection))
            notice("committed", "")
