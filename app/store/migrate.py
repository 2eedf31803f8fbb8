"""Brings a database to the newest schema, by Alembic. The only way a schema comes into being."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import inspect

from app.store.database import Database

SCRIPTS = Path(__file__).parent / "migrations"


def config_of(database: Database) -> Config:
    """Alembic's configuration bound to an open database."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["database"] = database
    return config


def migrate(database: Database) -> None:
    """Upgrades to the newest revision; a database that is there already is left alone."""
    command.upgrade(config_of(database), "head")


def empty(database: Database) -> None:
    """Takes every table away, with all that is in it."""
    command.downgrade(config_of(database), "base")
    with database.writing() as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")


def is_empty(database: Database) -> bool:
    """Whether no table has been made yet."""
    return not inspect(database.engine).get_table_names()
