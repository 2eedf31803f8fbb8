"""Settings that cannot be used stop the program, name their variable and never show a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import ROOT, Mail, from_environment
from tests.cli.conftest import Tramita, refused

FROM = "tramita@jequie.ba.gov.br"
WRONG = {
    "TRAMITA_DATABASE_URL": [
        "nada",
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://u:segredo@h/x",
        "postgres://u:segredo@h/x",
        "postgresql://u:segredo@h/x",
        "postgresql+psycopg://u:segredo@h",
        "postgresql+psycopg://u:segredo@h:porta/x",
        "://u:segredo@",
    ],
    "TRAMITA_PORT": ["abc", "0", "65536", "-1", "²", "8000.5", "9" * 5000],
    "TRAMITA_DEMO": ["sim", "true", "2"],
    "TRAMITA_MUNICIPALITY": ["../jequie", "/etc", "a/b", "Jequié", ".", "x" * 61],
    "TRAMITA_HOST": ["a..b", "x" * 64 + ".com.br"],
    "TRAMITA_DATA_DIR": ["x" * 5000],
    "TRAMITA_SMTP_URL": [
        "localhost:25",
        "http://u:segredo@h",
        "smtp://",
        "smtp://u:segredo@h:porta",
        "smtp://u:segredo@h:0",
        "smtp://u:segredo@h/caixa",
        "smtp://u:segredo@h?tls=1",
        "smtp://h b",
        "smtp://[::1",
        "smtp://só.segredo@h",
        "smtps://:segredo@h",
        "smtps://u:segredo%0d%0aRSET@h",
    ],
    "TRAMITA_MAIL_FROM": [
        "tramita",
        "Tramita <t@example.org>",
        "t@example.org\nBcc: x@example.org",
        "t@é.br",
    ],
    "TRAMITA_ADDRESS": [
        "tramita.jequie.ba.gov.br",
        "ftp://a",
        "https://",
        "https://a/?b",
        "https://a b",
        "https://é.br",
        "https://" + "x" * 100,
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_a_value_that_cannot_be_used_is_named(name: str, text: str, tramita: Tramita) -> None:
    sentence = refused(tramita("audit", "verify", **{name: text}))
    assert sentence.startswith(name)
    assert "segredo" not in sentence


@pytest.mark.parametrize(
    ("env", "printed"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"TRAMITA_PORT": "8123", "TRAMITA_HOST": "::1"}, "http://[::1]:8123"),
        ({"TRAMITA_ADDRESS": " https://tramita.jequie.ba.gov.br/ "}, "https://tramita.jequie.ba.gov.br"),
        ({"TRAMITA_ADDRESS": "http://10.0.0.7:8000/tramita"}, "http://10.0.0.7:8000/tramita"),
    ],
)
def test_papers_bear_the_public_address_or_that_of_this_machine(env: dict[str, str], printed: str) -> None:
    assert from_environment(env).public_address == printed


@pytest.mark.parametrize(
    ("url", "mail"),
    [
        ("smtp://correio.jequie.ba.gov.br", Mail("correio.jequie.ba.gov.br", 587, False, FROM)),
        (" smtp://[::1]:25/ ", Mail("::1", 25, False, FROM)),
        ("smtps://u%40jequie:a%2Fb%3Ac@correio", Mail("correio", 465, True, FROM, "u@jequie", "a/b:c")),
    ],
)
def test_a_mail_server_is_read_from_its_address(url: str, mail: Mail) -> None:
    settings = from_environment({"TRAMITA_SMTP_URL": url, "TRAMITA_MAIL_FROM": FROM})
    assert settings.mail == mail
    assert "a/b:c" not in repr(settings)


def test_a_mail_server_without_a_sender_is_told_and_a_sender_alone_sends_nothing(tramita: Tramita) -> None:
    sentence = refused(tramita("audit", "verify", TRAMITA_SMTP_URL="smtp://correio"))
    assert sentence.startswith("TRAMITA_MAIL_FROM falta")
    assert from_environment({"TRAMITA_MAIL_FROM": FROM}).mail is None


def test_an_empty_variable_counts_as_none() -> None:
    names = [
        "DATABASE_URL",
        "DATA_DIR",
        "MUNICIPALITY",
        "DEMO",
        "SECRET_KEY",
        "HOST",
        "PORT",
        "CONTENT_DIR",
        "ADDRESS",
        "SMTP_URL",
        "MAIL_FROM",
    ]
    settings = from_environment({f"TRAMITA_{name}": " " for name in names})
    assert settings == from_environment({})
    assert settings.data_dir == ROOT / "var"
    assert settings.database_url == f"sqlite:///{ROOT / 'var' / 'tramita.db'}"


def test_a_municipality_without_norm_is_told_with_those_there_are(tramita: Tramita) -> None:
    sentence = refused(tramita("db", "migrate", TRAMITA_MUNICIPALITY="atlantida"))
    assert sentence.startswith("Não há o município atlantida (bpmn/atlantida/norma.toml)")
    assert sentence.endswith("Há: jequie.")


def test_a_content_folder_without_norms_is_told(tramita: Tramita, tmp_path: Path) -> None:
    sentence = refused(tramita("db", "migrate", TRAMITA_CONTENT_DIR=str(tmp_path)))
    assert sentence.endswith("Confira TRAMITA_CONTENT_DIR.")


BROKEN = {
    "no TOML": b"[norma\n",
    "no text": b"\xff\xfe",
    "no head": b"x = 1\n",
    "a head that is a list": b"norma = [1]\n",
    "a zone nobody knows": b'[norma]\nfuso = "Marte/Olimpo"\npublicada_em = 1994-01-01\n',
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_norm_that_cannot_be_read_is_told_without_a_traceback(
    what: str, tramita: Tramita, tmp_path: Path
) -> None:
    folder = tmp_path / "bpmn" / "jequie"
    folder.mkdir(parents=True)
    (folder / "norma.toml").write_bytes(BROKEN[what])
    result = tramita("db", "migrate", TRAMITA_CONTENT_DIR=str(tmp_path))
    assert isinstance(result.exception, SystemExit)
    assert "norma.toml" in result.stderr
    assert result.exit_code == 1
