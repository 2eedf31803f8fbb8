"""Opens what a command works on, or says why not: settings, and a database of this program and version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlalchemy.engine import make_url

from app.cli.faults import Fault
from app.clock import SystemClock, clock_for
from app.settings import Settings, from_environment
from app.store import Database, Store, connect
from app.store.alone import alone_in
from app.store.migrate import SCRIPTS, config_of, migrate
from app.store.schema import metadata

_NONE = "Não há dados do Tramita neste banco; confira TRAMITA_DATA_DIR e TRAMITA_DATABASE_URL."
_FOREIGN = (
    "Este banco de dados já tem tabelas de outro programa: crie um só para o Tramita e corrija "
    "TRAMITA_DATABASE_URL."
)
_NEWER = (
    "Este banco de dados é de uma versão mais nova do Tramita, ou de outro programa: atualize o Tramita ou "
    "corrija TRAMITA_DATABASE_URL."
)
_OLDER = "Este banco de dados é de uma versão anterior: atualize-o com tramita db migrate e repita o comando."


def settings_now(*, demo: bool = False, port: int | None = None) -> Settings:
    """The environment's settings, with what the command line says over them."""
    try:
        settings = from_environment()
    except ValueError as error:
        raise Fault(str(error)) from None
    return replace(settings, demo=settings.demo or demo, port=port or settings.port)


@contextmanager
def working_store(settings: Settings) -> Iterator[Store]:
    """The database, made or upgraded when it has to be."""
    check_database(settings)
    with closing(connect(settings.database_url)) as database:
        migrate(database)
        yield Store(database, clock_for(demo=settings.demo))


@contextmanager
def evidence_store(settings: Settings) -> Iterator[Store]:
    """The database as it is: an audit neither makes one nor upgrades it."""
    if not _is_there(settings):
        raise Fault(_NONE)
    with closing(connect(settings.database_url)) as database:
        revision = _revision(database)
        if revision is None:
            raise Fault(_NONE)
        if revision != _scripts(database).get_current_head():
            raise Fault(_OLDER)
        yield Store(database, SystemClock())


@contextmanager
def at_work(settings: Settings) -> Iterator[None]:
    """Holds the data folders together with the site's other processes; raises Fault while somebody has to be alone."""
    with alone_in(settings.folders, shared=True) as taken:
        if taken is not None:
            raise Fault(
                f"A pasta {taken} está em uso por um `tramita run` ou por uma restauração: encerre-o, ou espere que "
                "termine, e repita o comando."
            )
        yield


def check_database(settings: Settings) -> None:
    """Raises Fault when what is there may not be migrated: somebody else's tables, or newer ones."""
    if not _is_there(settings):
        return  # made by whoever opens it
    with closing(connect(settings.database_url)) as database:
        _revision(database)


def _is_there(settings: Settings) -> bool:
    url = make_url(settings.database_url)
    if url.get_backend_name() != "sqlite":
        return True
    return Path(url.database or "").exists()


def _revision(database: Database) -> str | None:
    """The revision of the tables, one this program knows; None when there are none yet."""
    with database.reading() as connection:
        tables = set(inspect(connection).get_table_names())
        heads = MigrationContext.configure(connection).get_current_heads()
    if not heads:
        if tables - {"alembic_version"}:
            raise Fault(_FOREIGN)
        return None
    scripts = _scripts(database)
    if len(heads) > 1 or heads[0] not in {script.revision for script in scripts.walk_revisions()}:
        raise Fault(_NEWER)
    missing = sorted(set(metadata.tables) - tables) if heads[0] == scripts.get_current_head() else []
    if missing:
        raise Fault(f"Faltam tabelas no banco de dados ({', '.join(missing)}): recorra à cópia de segurança.")
    return heads[0]


def knows_revision(revision: str) -> bool:
    """Whether this program has made, or can upgrade, tables of a revision."""
    return revision in {script.revision for script in ScriptDirectory(str(SCRIPTS)).walk_revisions()}


def _scripts(database: Database) -> ScriptDirectory:
    return ScriptDirectory.from_config(config_of(database))
