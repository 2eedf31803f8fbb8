"""Brings a database to the newest schema, by Alembic. The only way a schema comes into being."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import inspect

from app.store.database import Database

_SCRIPTS = Path(__file__).parent / "migrations"


def config_of(database: Database) -> Config:
    """Alembic's configuration bound to an open database."""
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    config.attributes["database"] = database
    return config


def migrate(database: Database) -> None:
    """Upgrades to the newest revision; a database that is there already is left alone."""
    command.upgrade(config_of(database), "head")


def is_empty(database: Database) -> bool:
    """Whether no table has been made yet."""
    return not inspect(database.engine).get_table_names()
