"""`tramita deadlines check` says what is wrong with the file, in the words of whoever made the spreadsheet."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.cli.conftest import Tramita, refused

EXAMPLES = (ROOT / "tests" / "law" / "deadline-examples.csv").read_text("utf-8")
HEAD = EXAMPLES.splitlines()[0]
WRONG = {
    "UTF-16": (EXAMPLES.encode("utf-16"), "exemplos.csv não é um texto em UTF-8: grave a planilha como “CSV UTF-8”."),
    "UTF-16 without a mark": (EXAMPLES.encode("utf-16-le"), "exemplos.csv não é um texto em UTF-8"),
    "Latin-1": (f"{HEAD}\nférias".encode("latin-1"), "exemplos.csv, linha 2: o texto não está em UTF-8"),
    "NUL bytes": (f"{HEAD}\na\x00b".encode(), "exemplos.csv não é um texto em UTF-8"),
    "semicolons": (HEAD.replace(",", ";").encode(), "exemplos.csv: as colunas têm de ser separadas por vírgula"),
    "a missing column": (HEAD.replace(",rule", "").encode(), "exemplos.csv: falta a coluna rule."),
    "nothing": (b"", "exemplos.csv: falta a coluna id; falta a coluna rule;"),
    "no example": (HEAD.encode(), "exemplos.csv: o arquivo não tem nenhum exemplo."),
    "too much": (b"," * 10_000_001, "exemplos.csv tem mais de 10 MB"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_file_that_cannot_be_checked(what: str, tramita: Tramita, tmp_path: Path) -> None:
    data, sentence = WRONG[what]
    path = tmp_path / "exemplos.csv"
    path.write_bytes(data)
    assert refused(tramita("deadlines", "check", str(path))).startswith(sentence)


def test_a_file_with_the_mark_of_utf_8_is_read(tramita: Tramita, tmp_path: Path) -> None:
    path = tmp_path / "exemplos.csv"
    path.write_bytes(EXAMPLES.encode("utf-8-sig"))
    assert tramita("deadlines", "check", str(path)).exit_code == 0


def test_no_file_a_folder_and_what_is_below_a_file(tramita: Tramita, tmp_path: Path) -> None:
    below = tmp_path / "arquivo" / "exemplos.csv"
    (tmp_path / "arquivo").write_text("")
    assert "não existe" in refused(tramita("deadlines", "check", str(tmp_path / "nada.csv")))
    assert "é uma pasta" in refused(tramita("deadlines", "check", str(tmp_path)))
    assert "há um arquivo onde devia haver uma pasta" in refused(tramita("deadlines", "check", str(below)))


def test_a_file_one_may_not_read(tramita: Tramita, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "exemplos.csv"
    path.write_text(EXAMPLES, "utf-8")

    def closed(self: Path, *_: object) -> None:  # whoever runs the tests may be allowed everything
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", closed)
    assert refused(tramita("deadlines", "check", str(path))).startswith(f"{path}: falta permissão")


@pytest.mark.parametrize("name", ["nada", "vazia"])
def test_a_place_without_stories(name: str, tramita: Tramita, tmp_path: Path) -> None:
    (tmp_path / "vazia").mkdir()
    sentence = refused(tramita("scenario", "run", str(tmp_path / name)))
    assert sentence.startswith(f"{tmp_path / name}: não ")
