"""A file that is no copy, none of this database, or not whole is refused in words, and nothing is put in place."""

from __future__ import annotations

import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from app.store.backup import Place
from tests.store.copies import refusal, rewritten


@pytest.mark.parametrize("at", [0.2, 0.5, 0.9])
def test_one_changed_byte_is_enough_to_refuse_a_copy(copy: Path, empty: Place, at: float) -> None:
    data = bytearray(copy.read_bytes())
    data[int(len(data) * at)] ^= 1
    copy.write_bytes(data)
    assert refusal(empty, copy) in ("copia.danificada", "copia.estranha")
    assert empty.dialect != "sqlite" or not empty.file.exists()


def test_half_a_copy_and_what_is_none_are_refused(copy: Path, empty: Place, tmp_path: Path) -> None:
    half = tmp_path / "meia.tar"
    half.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    assert refusal(empty, half) == "copia.danificada"
    for name, data in (("carta.txt", b"Prezados,"), ("vazio.tar", b""), ("so.tar", b"\0" * 10240)):
        (tmp_path / name).write_bytes(data)
        assert refusal(empty, tmp_path / name) == "copia.estranha", name
    other = tmp_path / "outro.tar"
    with tarfile.open(other, "w") as tar:
        tar.add(copy, "manifesto.json")
    assert refusal(empty, other) == "copia.estranha"


@pytest.mark.parametrize(
    "text", ["[" * 60_000, '{"a":' * 12_000, "\x00", "{}"], ids=["lists", "objects", "nul", "none"]
)
def test_a_manifest_that_makes_no_sense_is_none(copy: Path, empty: Place, tmp_path: Path, text: str) -> None:
    strange = tmp_path / "m.tar"
    with tarfile.open(strange, "w") as tar:
        member = tarfile.TarInfo("manifesto.json")
        member.size = len(text)
        tar.addfile(member, BytesIO(text.encode()))
    assert refusal(empty, strange) == "copia.estranha"


@pytest.mark.parametrize(
    "told",
    [{"GNU.sparse.map": "a,b"}, {"GNU.sparse.size": "x"}, {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}],
    ids=lambda told: next(iter(told)),
)
def test_headers_that_make_no_sense_are_none_of_a_copy(
    copy: Path, empty: Place, tmp_path: Path, told: dict[str, str]
) -> None:
    strange = tmp_path / "p.tar"
    with tarfile.open(strange, "w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("manifesto.json")
        member.size, member.pax_headers = 2, told
        tar.addfile(member, BytesIO(b"{}"))
    assert refusal(empty, strange) == "copia.estranha"


def test_what_a_copy_says_of_its_day_is_a_day(copy: Path, empty: Place, tmp_path: Path) -> None:
    """It is shown on a terminal, which does as it is told."""
    strange = rewritten(copy, tmp_path / "d.tar", lambda told: told.update(created_at="\x1b[2J"))
    assert refusal(empty, strange) == "copia.estranha"


def test_a_copy_of_a_newer_program_is_refused(copy: Path, empty: Place, tmp_path: Path) -> None:
    newer = rewritten(copy, tmp_path / "n.tar", lambda told: told.update(revision="0999"))
    assert refusal(empty, newer) == "copia.mais_nova"
    format_2 = rewritten(copy, tmp_path / "f.tar", lambda told: told.update(format="tramita-copia-2"))
    assert refusal(empty, format_2) == "copia.mais_nova"


def test_a_copy_of_the_other_kind_of_database_is_refused(copy: Path, empty: Place, tmp_path: Path) -> None:
    kind = "postgresql" if empty.dialect == "sqlite" else "sqlite"
    other = rewritten(copy, tmp_path / "o.tar", lambda told: told.update(dialect=kind))
    assert refusal(empty, other) == "copia.outro_banco"


def test_a_copy_that_holds_less_than_it_says_is_refused(copy: Path, empty: Place, tmp_path: Path) -> None:
    less = rewritten(copy, tmp_path / "l.tar", lambda told: told.update(entries=told["entries"] + 1))
    assert refusal(empty, less) == "copia.danificada"
    other_end = rewritten(copy, tmp_path / "e.tar", lambda told: told.update(heads="0" * 64))
    assert refusal(empty, other_end) == "copia.danificada"
