"""Bytes to text, TOML, JSON and CSV rows, within limits. Nothing is parsed before its size is known.

The limits are far above any law's needs: they are there so that a broken or hostile folder is refused in moments.
Knows no section, table or form.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping

from app.law.content.sections import LONGEST, Faults
from app.values import Json, NotUtf8, keepable, utf8

MAX_FILE = 2_000_000  # bytes in one file
MAX_FOLDER = 20_000_000  # bytes in all files of a norm
MAX_FILES = 300
MAX_DEPTH = 16  # tables in tables, objects in objects
MAX_DOTS = 100  # in one line of TOML: the parser's work grows with the square of a dotted name
MAX_COLUMNS = 50  # of a CSV
MAX_INTEGER = 2**53  # what JSON can carry everywhere

_POSITION = re.compile(r"\(at line (\d+), column \d+\)")


def check_sizes(sizes: Mapping[str, int], faults: Faults) -> None:
    """Sizes in bytes by path, asked before anything is read."""
    if len(sizes) > MAX_FILES:
        faults.add("pasta", "", f"a pasta tem {len(sizes)} arquivos; o limite é {MAX_FILES}")
    if (total := sum(sizes.values())) > MAX_FOLDER:
        faults.add("pasta", "", f"a pasta tem {_megabytes(total)}; o limite é {_megabytes(MAX_FOLDER)}")
    for path, size in sizes.items():
        if not keepable(path):
            faults.add(ascii(path), "", "o nome do arquivo não está em UTF-8")
        if size > MAX_FILE:
            faults.add(path, "", f"o arquivo tem {_megabytes(size)}; o limite é {_megabytes(MAX_FILE)}")


def content_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the sorted paths and bytes; each is preceded by its length, so that none can run into another."""
    total = hashlib.sha256()
    for path in sorted(files):
        for part in (path.encode(), files[path]):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def read_text(data: bytes, file: str, faults: Faults) -> str | None:
    """The text of a UTF-8 file; None, with the line and the byte told, when it is in another encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in data:
        faults.add(file, "", "o arquivo não está em UTF-8: parece estar em UTF-16 (tem bytes nulos)")
        return None
    try:
        return utf8(data)
    except NotUtf8 as error:
        told = f"o arquivo não está em UTF-8: byte 0x{error.byte:02x} na posição {error.position}"
        faults.add(file, f"linha {error.line}", told)
        return None


def read_toml(data: bytes, file: str, faults: Faults) -> dict[str, Json]:
    """The TOML document; a repeated key is a fault that shows its line."""
    text = read_text(data, file, faults)
    if text is None or _too_dotted(text, file, faults):
        return {}
    try:
        return dict(_fit(tomllib.loads(text), file, "", 0, faults))
    except RecursionError:
        faults.add(file, "", _too_deep())
    except ValueError as error:  # its own kind, or a number longer than the language reads
        told = str(error)
        what = "chave repetida" if "overwrite" in told or "twice" in told else "TOML inválido"
        found = _POSITION.search(told)
        lines = text.splitlines()
        number = int(found[1]) if found else len(lines)
        line = next(iter(lines[number - 1 : number]), "").strip()
        if "digits" in told:
            faults.add(file, "", "há um número inteiro grande demais")
        else:
            faults.add(file, f"linha {number}", f"{what}: {line[:120] or 'fim do arquivo'}")
    return {}


def read_json(data: bytes, file: str, faults: Faults) -> dict[str, Json]:
    """The JSON object; anything else, a repeated key or a number that JSON does not have is a fault."""

    def once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        for name, times in Counter(name for name, _ in pairs).items():
            if times > 1:
                faults.add(file, name, "chave repetida")
        return dict(pairs)

    def no_number(text: str) -> Json:
        raise ValueError(f"{text} não é um número do JSON")

    text = read_text(data, file, faults)
    if text is None:
        return {}
    try:
        value = json.loads(text, object_pairs_hook=once, parse_constant=no_number)
    except RecursionError:
        faults.add(file, "", _too_deep())
        return {}
    except ValueError as error:
        reason = "há um número inteiro grande demais" if "digits" in str(error) else str(error)
        faults.add(file, "", f"o JSON não pode ser lido ({reason})")
        return {}
    if not isinstance(value, dict):
        faults.add(file, "", "esperava-se um objeto JSON")
        return {}
    return dict(_fit(value, file, "", 0, faults))


def read_rows(
    files: Mapping[str, bytes],
    file: str,
    columns: tuple[str, ...],
    faults: Faults,
    optional: tuple[str, ...] = (),
) -> Iterator[tuple[str, dict[str, str]]]:
    """Rows of a CSV with their line (`linha 3`). `columns` must exist; `optional` ones read as empty."""
    if file not in files:
        faults.add(file, "", "o arquivo não existe")
        return
    text = read_text(files[file], file, faults)
    if text is None:
        return
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = list(reader.fieldnames or ())
        if len(names) > MAX_COLUMNS:
            faults.add(file, "", f"a tabela tem {len(names)} colunas; o limite é {MAX_COLUMNS}")
            return
        for name in columns:
            if name not in names:
                faults.add(file, name, "falta a coluna")
        for name in sorted({name for name in names if names.count(name) > 1}):
            faults.add(file, name, "a coluna aparece mais de uma vez")
        for row in reader:
            line = f"linha {reader.line_num}"
            if None in row or None in row.values():
                faults.add(file, line, "a linha não tem uma célula por coluna")
                continue
            yield line, {name: row.get(name, "").strip() for name in (*names, *columns, *optional)}
    except csv.Error as error:
        faults.add(file, f"linha {reader.reader.line_num}", f"o CSV não pode ser lido ({error})")


def _too_dotted(text: str, file: str, faults: Faults) -> bool:
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line.count(".") > MAX_DOTS]
    for number in lines:
        faults.add(file, f"linha {number}", f"a linha tem mais de {MAX_DOTS} pontos")
    return bool(lines)


def _too_deep() -> str:
    return f"há mais de {MAX_DEPTH} níveis, um dentro do outro"


def _fit(value: Json, file: str, path: str, depth: int, faults: Faults) -> Json:
    """The value with a harmless one in the place of each that nobody could keep, so that reading goes on."""
    if isinstance(value, dict | list):
        if depth >= MAX_DEPTH:
            faults.add(file, path, _too_deep())
            return type(value)()
        if isinstance(value, list):
            return [
                _fit(v, file, f"{path[:LONGEST]}[{n}]", depth + 1, faults) for n, v in enumerate(value, 1)
            ]
        if odd := [name for name in value if not keepable(name)]:
            faults.add(file, path, f"há chave com caracteres que não podem ser gravados: {odd[0][:40]!a}")
        return {
            name: _fit(v, file, f"{path[:LONGEST]}.{name[:LONGEST]}".lstrip("."), depth + 1, faults)
            for name, v in value.items()
            if keepable(name)
        }
    if isinstance(value, int) and abs(value) >= MAX_INTEGER:
        faults.add(file, path, "o número inteiro é grande demais")
        return 0
    if isinstance(value, str) and not keepable(value):
        faults.add(file, path, "há caracteres que não podem ser gravados")
        return ""
    return value


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB".replace(".", ",")
