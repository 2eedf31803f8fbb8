"""Rows as they are kept, whatever somebody with the database in their hands has made of them: reading raises nothing.

What no act could have written (a 31st of November, half a JSON text) comes out as `Unreadable`, which equals nothing:
whoever compares finds it different, and goes on to the next. What is read is in the journal's words: instants and days
as text, JSON as what it says, bytes as they are.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Date,
    Integer,
    LargeBinary,
    Table,
    Text,
    select,
    type_coerce,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.types import NullType, TypeEngine

from app.store import Reader
from app.store.types import JsonText, Utc
from app.values import Json, iso, parse_day


class Unreadable:
    """A value that is none of its column's kind. Equal to nothing, itself included."""

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return "ilegível"


def bare(reader: Reader, table: Table, *names: str) -> list[ColumnElement[Any]]:
    """Columns of the table, all or those named, without what turns stored values into ours."""
    server = reader.connection.dialect.name != "sqlite"
    chosen = [table.c[name] for name in names] if names else list(table.c)
    return [_bare(column, server=server).label(column.name) for column in chosen]


def kept(reader: Reader, table: Table, *conditions: ColumnElement[bool]) -> list[dict[str, Json]]:
    """The table's rows that meet the conditions, in order of their keys."""
    query = select(*bare(reader, table)).where(*conditions).order_by(*table.primary_key.columns)
    return [
        {column.name: _read(column.type, row[column.name]) for column in table.c} for row in reader.all(query)
    ]


def _bare(column: Column[Any], *, server: bool) -> ColumnElement[Any]:
    # As text: the driver cannot give us every instant that a server knows, `infinity` among them.
    if server and isinstance(column.type, Utc | Date):
        return sql_cast(column, Text)
    return type_coerce(column, NullType())


def _read(kind: TypeEngine[Any], value: Any) -> Json:
    if value is None:
        return None
    try:
        return _as(kind, value)
    except (ValueError, TypeError):
        return Unreadable()


def _as(kind: TypeEngine[Any], value: Any) -> Json:
    if isinstance(kind, Utc):
        return iso(datetime.fromisoformat(value))
    if isinstance(kind, Date):
        return parse_day(value).isoformat()
    if isinstance(kind, JsonText):
        return orjson.loads(value)
    if isinstance(kind, LargeBinary):
        return _only(value, bytes)
    if isinstance(kind, Boolean):
        return {0: False, 1: True}.get(value, Unreadable())
    return _only(value, int if isinstance(kind, Integer) else str)


def _only(value: Any, kind: type) -> Json:
    return value if isinstance(value, kind) else Unreadable()
