"""A database that is not this program's, not of its version or out of reach is told, and left as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from app.settings import ROOT
from app.store import connect
from app.store.migrate import migrate
from tests.cli.conftest import Tramita, refused

COMMANDS = [
    ("db", "migrate"),
    ("run", "--port", "1"),
    ("web", "--port", "1"),
    ("worker",),
    ("audit", "verify"),
    ("db", "backup"),
    ("db", "check"),
]
every_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)


def run(url: str, *statements: str) -> list[object]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
            return sorted(connection.dialect.get_table_names(connection))
    finally:
        engine.dispose()


@every_command
def test_tables_of_another_program_are_left_alone(
    command: tuple[str, ...], tramita: Tramita, database_url: str
) -> None:
    run(database_url, "CREATE TABLE cliente (nome TEXT)")
    sentence = refused(tramita(*command, TRAMITA_DATABASE_URL=database_url))
    assert sentence.startswith("Este banco de dados já tem tabelas de outro programa")
    assert run(database_url) == ["cliente"]


@every_command
def test_a_newer_database_is_left_alone(
    command: tuple[str, ...], tramita: Tramita, database_url: str
) -> None:
    run(
        database_url,
        "CREATE TABLE alembic_version (version_num VARCHAR(32))",
        "INSERT INTO alembic_version VALUES ('9999')",
    )
    sentence = refused(tramita(*command, TRAMITA_DATABASE_URL=database_url))
    assert sentence.startswith("Este banco de dados é de uma versão mais nova do Tramita")
    assert run(database_url) == ["alembic_version"]


def test_an_audit_neither_makes_nor_upgrades_a_database(tramita: Tramita, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'novo' / 'tramita.db'}"
    for command in (["audit", "verify"], ["audit", "replay", "--all"]):
        assert refused(tramita(*command, TRAMITA_DATABASE_URL=url)).startswith("Não há dados do Tramita")
    assert not (tmp_path / "novo").exists()


def test_a_table_that_was_dropped_is_missed(tramita: Tramita, database_url: str) -> None:
    database = connect(database_url)
    migrate(database)
    database.close()
    run(database_url, "DROP TABLE closure")
    sentence = refused(tramita("audit", "verify", TRAMITA_DATABASE_URL=database_url))
    assert sentence.startswith("Faltam tabelas no banco de dados (closure)")


@every_command
def test_a_file_that_is_no_database(command: tuple[str, ...], tramita: Tramita, tmp_path: Path) -> None:
    path = tmp_path / "tramita.db"
    path.write_text("Isto é uma carta, e não um banco de dados. " * 20)
    sentence = refused(tramita(*command, TRAMITA_DATABASE_URL=f"sqlite:///{path}"))
    assert sentence.startswith("O arquivo do banco não é do SQLite")
    assert path.read_text().startswith("Isto é uma carta")


@every_command
def test_a_postgresql_that_does_not_answer(command: tuple[str, ...], tramita: Tramita) -> None:
    url = "postgresql+psycopg://u:segredo@127.0.0.1:1/x"
    sentence = refused(tramita(*command, TRAMITA_DATABASE_URL=url))
    assert sentence.startswith("O PostgreSQL não atende no endereço de TRAMITA_DATABASE_URL")


@every_command
def test_a_postgresql_without_the_database_or_the_user(
    command: tuple[str, ...], tramita: Tramita, pg_url: str
) -> None:
    url = make_url(pg_url)
    for changed, sentence in (
        (url.set(database="nao_ha"), "O PostgreSQL não tem o banco"),
        (url.set(username="ninguem"), "O PostgreSQL não tem o usuário"),
    ):
        told = changed.render_as_string(hide_password=False)
        assert refused(tramita(*command, TRAMITA_DATABASE_URL=told)).startswith(sentence)


@pytest.mark.parametrize("command", [("db", "migrate"), ("web", "--port", "1"), ("worker",)], ids=" ".join)
def test_a_data_folder_that_cannot_be_made(
    command: tuple[str, ...], tramita: Tramita, tmp_path: Path
) -> None:
    (tmp_path / "arquivo").write_text("")
    sentence = refused(tramita(*command, TRAMITA_DATA_DIR=str(tmp_path / "arquivo" / "var")))
    assert str(tmp_path / "arquivo") in sentence


def test_an_unknown_case(tramita: Tramita) -> None:
    assert tramita("db", "migrate").exit_code == 0
    for number in ("1/1999", "x" * 5000, "'; --", "\x00", "\udcff"):
        assert refused(tramita("audit", "replay", number)).split()[0] in ("Não", "O")


def test_a_norm_that_cannot_be_published_is_told_fault_by_fault(tramita: Tramita, tmp_path: Path) -> None:
    for folder in ("bpmn", "forms"):
        shutil.copytree(ROOT / folder / "jequie", tmp_path / folder / "jequie")
    toml = tmp_path / "bpmn" / "jequie" / "norma.toml"
    text_of = (
        toml.read_text("utf-8").replace('fuso = "', 'fuso = "Nenhum/').replace("quorum = 3", "quorum = 9")
    )
    toml.write_text(text_of, "utf-8")
    result = tramita("db", "migrate", TRAMITA_CONTENT_DIR=str(tmp_path))
    assert (result.exit_code, result.stdout) == (1, "")
    first, *faults = result.stderr.splitlines()
    assert first.startswith("A norma não pode ser publicada: tem ")
    assert len(faults) >= 2
    assert all(line.startswith("  bpmn/jequie/norma.toml [") for line in faults), faults
