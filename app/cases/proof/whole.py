"""Compares the table of cases as a whole with the journal: no case without its chain, no chain without its case.

Whoever replays case by case goes through the table, and would not miss what was taken out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import func, select, union

from app.audit.rows import bare, kept
from app.audit.verify import read
from app.cases.dossier import stream_of
from app.documents import CASES, FILINGS
from app.registry import evidence
from app.store import Reader
from app.store.cases_tables import cases, document, filing
from app.store.tables import journal, series, stream
from app.values import Json

_EVERY = stream_of("")  # what chains of cases begin with


@dataclass(frozen=True)
class Gone:
    """A case that is in the journal alone: its number, or its chain's name where no entry tells it; its entries."""

    number: str
    entries: int
    fault: str = "o histórico conhece este processo, mas ele não está na tabela de processos"


def faults(reader: Reader) -> Iterator[str]:
    """What tables say that the journal does not, or the other way round: all but what a case's own replay compares."""
    yield from evidence.faults(reader)
    chains, there = _chains(reader), _there(reader)
    yield from (f"{case.number}: {case.fault}" for case in _gone(reader, chains - there.keys()))
    for name, number in there.items():
        if name not in chains:
            yield f"{number}: o processo está na tabela de processos, mas o histórico não o conhece"
    yield from _series(reader)


def gone(reader: Reader) -> Iterator[Gone]:
    """Chains of cases whose case is not there."""
    return _gone(reader, _chains(reader) - _there(reader).keys())


def _gone(reader: Reader, names: Iterable[str]) -> Iterator[Gone]:
    for name in sorted(names):
        count = int(reader.scalar(select(func.count()).where(journal.c.stream == name)))
        yield Gone(_number(reader, name) or name, count)


def _there(reader: Reader) -> dict[str, str]:
    """The chain that each case of the table should have, with the case's number."""
    rows = reader.all(select(cases.c.id, cases.c.number).order_by(cases.c.number))
    return {stream_of(str(row["id"])): str(row["number"]) for row in rows}


def _chains(reader: Reader) -> set[str]:
    told = select(journal.c.stream).where(journal.c.stream.startswith(_EVERY, autoescape=True))
    heads = select(stream.c.name).where(stream.c.name.startswith(_EVERY, autoescape=True))
    return {str(row[0]) for row in reader.connection.execute(union(told, heads))}


def _number(reader: Reader, name: str) -> str | None:
    """The number that a case was opened with, by its chain; None where that can no longer be read."""
    first = select(*bare(reader, journal, "body")).where(journal.c.stream == name, journal.c.seq == 1)
    row = reader.first(first)
    told = read(row["body"]) if row else None
    number = told["body"].get("number") if told else None
    return number if isinstance(number, str) else None


def _series(reader: Reader) -> Iterator[str]:
    """The last number of each series in each year is that of what was numbered in it: cases, filings, documents."""
    found = {(row["name"], row["year"]): row["last"] for row in kept(reader, series)}
    highest: dict[tuple[Json, Json], int] = {}
    for name, number, year in _numbered(reader):
        if number.isdigit() and year.isdigit():
            key = (name, int(year))
            highest[key] = max(highest.get(key, 0), int(number))
    for key in sorted({*found, *highest}, key=str):
        if found.get(key) != highest.get(key):
            yield f"a numeração {key[0]} de {key[1]} não confere com o que foi numerado"


def _numbered(reader: Reader) -> Iterator[tuple[str, str, str]]:
    """Series, number and year of everything that was numbered."""
    for name, column in ((CASES, cases.c.number), (FILINGS, filing.c.number)):
        for (written,) in reader.connection.execute(select(column)):
            number, _, year = str(written).removeprefix("P").partition("/")
            yield name, number, year.partition("-")[0]
    columns = select(*bare(reader, document, "series", "number", "year"))
    for row in reader.connection.execute(columns):
        yield str(row[0]), str(row[1]), str(row[2])
