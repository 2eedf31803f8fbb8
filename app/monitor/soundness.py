"""Examines a whole database: schema, integrity, references, triggers, chains, registers, every case played again.

Reads only, and may take long. What is found is said in Portuguese, a line for each thing that was looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, exists, func, inspect, select

from app.audit.verify import verify
from app.cases.proof import whole
from app.cases.proof.replay import case_ids, replay
from app.errors import Refused
from app.store import Database, Reader, Store
from app.store.backup import sqlite
from app.store.schema import append_only_statements, metadata

_MOST = 20  # faults of one kind that are told one by one


@dataclass(frozen=True)
class Line:
    """One thing that was looked at: what was seen, and what is wrong with it."""

    told: str
    faults: Sequence[str] = ()

    @property
    def sound(self) -> bool:
        return not self.faults


def examined(store: Store, *, replaying: bool = True) -> Iterator[Line]:
    """Looks at everything, one line after the other. Without `replaying` the cases are not played again."""
    with store.read(long=True) as reader:
        dialect, connection = store.database.dialect, reader.connection
        yield _server(connection, dialect)
        yield Line("tabelas do esquema", _most(_missing(connection)))
        yield Line("integridade do banco de dados", _most(_integrity(connection, dialect)))
        yield Line("referências entre as tabelas", _most(_orphans(connection)))
        yield Line("travas que impedem alterar o histórico", _most(_untied(connection, dialect)))
        yield _chains(reader)
        yield Line("registros conferidos com o histórico", _most(list(whole.faults(reader))))
        if replaying:
            yield _replayed(reader)


def believe(database: Database, store_of: Callable[[Database], Store]) -> None:
    """Raises Refused unless every chain of a copy holds. For copies, which are compared and examined besides."""
    with store_of(database).read(long=True) as reader:
        broken = verify(reader).faults
    if broken:
        raise Refused(
            f"O histórico tem {len(broken)} cadeia(s) que não confere(m) (a primeira: {broken[0].stream}, registro "
            f"{broken[0].seq}). Veja tramita audit verify. Para guardar a cópia assim mesmo, use --com-defeitos.",
            code="copia.historico",
        )


def _server(connection: Connection, dialect: str) -> Line:
    if dialect == "sqlite":
        version = connection.exec_driver_sql("SELECT sqlite_version()").scalar_one()
        return Line(f"banco de dados ao alcance: SQLite {version}")
    version = str(connection.exec_driver_sql("SHOW server_version").scalar_one()).split()[0]
    return Line(f"banco de dados ao alcance: PostgreSQL {version}")


def _missing(connection: Connection) -> list[str]:
    there = inspect(connection)
    names = set(there.get_table_names())
    found = [f"falta a tabela {name}" for name in sorted(set(metadata.tables) - names)]
    for table in metadata.sorted_tables:
        if table.name in names:
            lacking = set(table.columns.keys()) - {str(c["name"]) for c in there.get_columns(table.name)}
            found += [f"falta a coluna {table.name}.{name}" for name in sorted(lacking)]
    return found


def _integrity(connection: Connection, dialect: str) -> list[str]:
    if dialect == "sqlite":
        return sqlite.faults(connection)
    invalid = """SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND NOT (i.indisvalid AND i.indisready)
        UNION ALL SELECT conname FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
        WHERE n.nspname = current_schema() AND NOT convalidated"""
    return [f"{row[0]}: índice ou restrição sem validade" for row in connection.exec_driver_sql(invalid)]


def _orphans(connection: Connection) -> list[str]:
    """Rows that name a row that is not there, asked of the tables themselves: constraints can be switched off."""
    there = set(inspect(connection).get_table_names())
    found = []
    for table in metadata.sorted_tables:
        for key in table.foreign_keys:
            parent = key.column.table.alias()
            if not {table.name, key.column.table.name} <= there:
                continue
            kept = exists().where(parent.c[key.column.name] == key.parent)
            query = select(func.count()).select_from(table).where(and_(key.parent.is_not(None), ~kept))
            if count := connection.execute(query).scalar_one():
                found.append(f"{table.name}.{key.parent.name}: {count} sem {key.column.table.name}")
    return found


def _untied(connection: Connection, dialect: str) -> list[str]:
    """Triggers that should be there and are not, or not as they were made."""
    wanted = list(append_only_statements(dialect))
    if dialect == "sqlite":
        rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        made = {str(name): str(sql) for name, sql in rows}
        return [_name(sql) for sql in wanted if made.get(_name(sql)) != sql]
    # 'A': it fires whatever role the session plays.
    rows = connection.exec_driver_sql(
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'A'"
    )
    tied = {str(row[0]) for row in rows}
    return [_name(sql) for sql in wanted if sql.startswith("CREATE TRIGGER") and _name(sql) not in tied]


def _name(statement: str) -> str:
    found = re.match(r"CREATE TRIGGER (\w+)", statement)
    return found[1] if found else statement


def _chains(reader: Reader) -> Line:
    result = verify(reader)
    faults = [f"{fault.stream}, registro {fault.seq}: {fault.reason}" for fault in result.faults]
    return Line(f"histórico: {result.entries} registros em {result.streams} cadeias", _most(faults))


def _replayed(reader: Reader) -> Line:
    ids = case_ids(reader)
    faults = [f"{told.number}: {fault}" for told in (replay(reader, i) for i in ids) for fault in told.faults]
    return Line(f"processos reproduzidos do histórico: {len(ids)}", _most(faults))


def _most(faults: list[str]) -> list[str]:
    rest = len(faults) - _MOST
    return faults if rest <= 0 else [*faults[:_MOST], f"e mais {rest}"]
