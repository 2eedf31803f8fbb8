"""Column types that mean the same on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import DateTime, Dialect, LargeBinary, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine

from app.values import Json, utc


class Utc(TypeDecorator[datetime]):
    """An instant. Refuses naive values; stores UTC; gives back aware UTC.

    SQLite keeps an aware local time without its offset, which would let a term expire hours early, so the
    conversion happens here and nowhere else.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        instant = utc(value)
        if dialect.name != "sqlite":
            return instant
        # Of one width, so that SQLite's comparison of text is the comparison of instants.
        return f"{instant.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if dialect.name == "sqlite":
            return datetime.fromisoformat(value)
        instant: datetime = value
        return instant.astimezone(UTC)


class JsonText(TypeDecorator[Json]):
    """A JSON value kept as text with its key order. Never PostgreSQL's jsonb, which reorders keys."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: Dialect) -> str | None:
        return None if value is None else orjson.dumps(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Json:
        return None if value is None else orjson.loads(value)


Bytes = LargeBinary


class member(FunctionElement[str]):
    """The text of one member of a `JsonText` object: `member(column, literal("key"))`. NULL where it has none."""

    type = Text()
    inherit_cache = True
    name = "member"


@compiles(member)
def _member(element: member, compiler: Any, **told: Any) -> str:
    column, key = (compiler.process(part, **told) for part in element.clauses)
    return f"(CAST({column} AS JSON) ->> {key})"


@compiles(member, "sqlite")
def _sqlite_member(element: member, compiler: Any, **told: Any) -> str:
    column, key = (compiler.process(part, **told) for part in element.clauses)
    return f"json_extract({column}, '$.\"' || {key} || '\"')"
