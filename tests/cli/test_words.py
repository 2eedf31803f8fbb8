"""What is said of a command that cannot be understood, and what its help says: Portuguese, in one sentence."""

from __future__ import annotations

import errno

import click
import pytest
import structlog
from click.testing import CliRunner
from sqlalchemy.exc import DataError, OperationalError

from app.cli import main
from app.cli.faults import Fault, expected
from app.errors import Invalid
from tests.cli.conftest import Tramita, refused

MISUNDERSTOOD = {
    ("desfazer",): "Não há o comando desfazer. Veja tramita --help.",
    ("db", "apagar"): "Não há o comando apagar. Veja tramita db --help.",
    ("--verbose",): "Não há a opção --verbose. Veja tramita --help.",
    ("run", "--port", "abc"): "--port='abc' não é um número de porta; use um de 1 a 65535, como 8000.",
    ("run", "--port", "70000"): "--port='70000' não é um número de porta",
    ("web", "--port"): "A opção --port foi usada com um valor a mais ou a menos.",
    ("deadlines", "check"): "Falta ARQUIVO. Veja tramita deadlines check --help.",
    ("deadlines", "check", "a.csv", "b.csv"): "Sobra no comando: b.csv.",
    ("scenario", "run"): "Falta CAMINHO.",
    ("audit", "replay"): "Diga o número de um processo ou --all.",
    ("audit", "replay", "1/2026", "--all"): "Diga o número de um processo ou --all.",
}


@pytest.mark.parametrize("arguments", MISUNDERSTOOD, ids=" ".join)
def test_a_command_that_cannot_be_understood_ends_with_2(
    arguments: tuple[str, ...], tramita: Tramita
) -> None:
    result = tramita(*arguments)
    assert refused(result).startswith(MISUNDERSTOOD[arguments])
    assert result.exit_code == 2


@pytest.mark.parametrize("arguments", [(), ("audit",), ("audit", "replay"), ("run",), ("scenario", "run")])
def test_help_is_in_portuguese(arguments: tuple[str, ...]) -> None:
    help_page = CliRunner().invoke(main, [*arguments, "--help"]).stdout
    assert help_page.startswith("Uso: ")
    assert "Mostra esta ajuda." in help_page
    assert [word for word in ("Usage", "Options", "Commands", "Show this", "ARGS") if word in help_page] == []


def test_what_is_logged_stands_beside_the_answer_and_shows_no_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    CliRunner().invoke(main, ["deadlines", "check", "/nowhere"])  # any command sets the log up
    secret = "Maria de Souza"  # noqa: F841 (what a trace with the values of variables would show)
    try:
        raise ValueError("algo falhou")
    except ValueError:
        structlog.get_logger().exception("falhou")
    out, err = capsys.readouterr()
    assert "builtins.ValueError" in err
    assert "algo falhou" not in err  # it might have quoted somebody
    assert "Maria" not in err.replace('secret = "Maria', "")
    assert out == ""


def raised(error: Exception) -> str:
    with pytest.raises(Fault) as told, expected():
        raise error
    return told.value.message


SAID = {
    'FATAL:  password authentication failed for user "u"': "O PostgreSQL recusou o usuário ou a senha",
    "fe_sendauth: no password supplied": "O PostgreSQL recusou o usuário ou a senha",
    'FATAL:  role "u" does not exist': "O PostgreSQL não tem o usuário",
    'FATAL:  database "x" does not exist': "O PostgreSQL não tem o banco",
    "failed to resolve host 'h'": "O PostgreSQL não atende",
    "database or disk is full": "O disco está cheio",
    "database disk image is malformed": "O arquivo do banco de dados está danificado",
    "attempt to write a readonly database": "O banco de dados só permite leitura",
    "o servidor encerrou a conexão": "O banco de dados não pôde ser usado (o servidor encerrou a conexão).",
}


@pytest.mark.parametrize("words", SAID)
def test_the_words_of_a_driver_become_a_sentence_without_the_statement_s_values(words: str) -> None:
    error = OperationalError("INSERT INTO person VALUES (?)", ("Maria de Souza",), Exception(words))
    sentence = raised(error)
    assert sentence.startswith(SAID[words])
    assert "Maria" not in sentence


def test_a_refusal_and_a_full_disk_are_expected() -> None:
    assert raised(Invalid("Não pode.")) == "Não pode."
    assert raised(OSError(errno.ENOSPC, "No space left", "x.db")).startswith("x.db: o disco está cheio")


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x"),
        OSError(errno.ECHILD, "No child processes"),
        OperationalError("SELECT", (), Exception("no such column: x")),
        DataError("INSERT", (), Exception("value too long")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_the_program_keeps_its_traceback(error: Exception) -> None:
    with pytest.raises(type(error)), expected():
        raise error


def test_an_interrupted_command_says_so() -> None:
    @main.command("interrompe")
    def interrupt() -> None:
        raise KeyboardInterrupt

    try:
        result = CliRunner().invoke(main, ["interrompe"])
    finally:
        main.commands.pop("interrompe")
    assert result.stderr.strip() == "Interrompido."
    assert result.exit_code == 1
    assert isinstance(main, click.Group)
