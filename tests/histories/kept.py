"""Reads and writes histories, and tells what of a case's life one shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from app.audit import Entry
from app.cases.vocabulary import LANGUAGE
from app.engine import definition as definitions
from app.engine.definition import Definition, load
from app.values import Json, digest, parse_instant

HERE = Path(__file__).parent
DIAGRAMS = HERE / "diagrams"
SUFFIX = ".history"


@dataclass(frozen=True)
class Line:
    """One entry as kept: the bytes that were hashed, and the two hashes."""

    prev: str
    hash: str
    body: bytes

    @property
    def entry(self) -> Entry:
        told = orjson.loads(self.body)
        at, happened = parse_instant(told["at"]), parse_instant(told["effective_at"])
        return Entry(
            told["stream"], told["seq"], at, happened, told["actor"], told["act"], told["body"], self.hash
        )


@dataclass(frozen=True)
class History:
    """One case. `head` holds `story`, `process`, `definition` and `case`."""

    name: str
    head: dict[str, str]
    lines: tuple[Line, ...]

    @property
    def entries(self) -> list[Entry]:
        return [line.entry for line in self.lines]

    def definition(self) -> Definition:
        """Read from its files and compiled afresh, as a process does that has just started."""
        definitions._cache.clear()
        folder = DIAGRAMS / self.head["definition"]
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        return load(self.head["process"], files, LANGUAGE)

    def shows(self) -> set[tuple[str, str]]:
        """Acts and ends of the diagram, each on this definition."""
        told = {what for e in self.entries for what in (f"act {e.act}", *map("end {}".format, _ends(e.body)))}
        return {(self.head["definition"], what) for what in told}


def _ends(body: Json) -> list[str]:
    return list(body.get("ends", ()))


def histories() -> list[History]:
    return [read(path) for path in sorted(HERE.glob(f"*{SUFFIX}"))]


def read(path: Path) -> History:
    head, *rest = path.read_bytes().removesuffix(b"\n").split(b"\n")
    return History(path.name.removesuffix(SUFFIX), json.loads(head), tuple(_lines(rest)))


def _lines(rest: list[bytes]) -> Iterator[Line]:
    for hashes, body in zip(rest[::2], rest[1::2], strict=True):
        prev, own = hashes.decode().split()
        yield Line(prev, own, body)


def write(history: History, files: dict[str, bytes]) -> Path:
    """Adds a history and its diagram. Raises FileExistsError rather than change what is there."""
    folder = DIAGRAMS / history.head["definition"]
    for name, data in files.items():
        path = folder / name
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assert digest(path.read_bytes()) == digest(data)
    path = HERE / f"{history.name}{SUFFIX}"
    head = json.dumps(history.head, ensure_ascii=False, sort_keys=True).encode()
    told = [
        head,
        *(part for line in history.lines for part in (f"{line.prev} {line.hash}".encode(), line.body)),
    ]
    with path.open("xb") as new:
        new.write(b"\n".join(told) + b"\n")
    return path
