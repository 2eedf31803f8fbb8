"""Triggers that make the journal append-only, and the schema as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from app.store import cases_tables, registry_tables
from app.store.tables import APPEND_ONLY, metadata

__all__ = ["append_only_statements", "metadata"]

_MODULES = (cases_tables, registry_tables)  # imported so that their tables are known to `metadata`

_KEYS = {
    "journal": "stream = NEW.stream AND seq = NEW.seq",
    "blob": "digest = NEW.digest",
    "norm_file": "norm_digest = NEW.norm_digest AND path = NEW.path",
    "sealed": "id = NEW.id",
}


def append_only_statements(dialect: str) -> Iterator[str]:
    """DDL that refuses UPDATE, DELETE and REPLACE on the append-only tables.

    This stops accidents and our own bugs. Who owns the file or the server can remove it: evidence against
    them is the hash chain and its copies outside.
    """
    yield from _sqlite() if dialect == "sqlite" else _postgresql()


def _sqlite() -> Iterator[str]:
    for table in APPEND_ONLY:
        refuse = f"SELECT RAISE(ABORT, '{table} is append-only'); END"
        yield f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} BEGIN {refuse}"
        yield f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {refuse}"
        clash = f"EXISTS (SELECT 1 FROM {table} WHERE {_KEYS[table]})"
        yield f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {clash} BEGIN {refuse}"
    replaced = "NEW.id IS NOT NULL AND EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)"
    yield (
        f"CREATE TRIGGER journal_no_replace_id BEFORE INSERT ON journal WHEN {replaced} "
        "BEGIN SELECT RAISE(ABORT, 'journal is append-only'); END"
    )


def _postgresql() -> Iterator[str]:
    yield (
        "CREATE FUNCTION tramita_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in APPEND_ONLY:
        for name, event, level in (
            ("rows", "UPDATE OR DELETE", "ROW"),
            ("truncate", "TRUNCATE", "STATEMENT"),
        ):
            trigger = f"{table}_append_only_{name}"
            yield (
                f"CREATE TRIGGER {trigger} BEFORE {event} ON {table} "
                f"FOR EACH {level} EXECUTE FUNCTION tramita_append_only()"
            )
            yield f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {trigger}"
