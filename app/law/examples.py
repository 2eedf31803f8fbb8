"""Checks the counting against examples counted by hand, kept as CSV that a lawyer can write.

Reads text and gives a report; opening files and printing belong to the door that asks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.errors import Invalid
from app.law.arithmetic import short
from app.law.calendar import KINDS, Calendar, Closure
from app.law.counting import PROFILES, Due, Interruption, Suspension, Term, Unit, count, count_each
from app.law.profiles import Parties

_T = TypeVar("_T")

COLUMNS = (
    "id",
    "rule",
    "unit",
    "amount",
    "service_instant",
    "holidays_assumed",
    "expected_first_counted_day",
    "expected_due_instant",
    "legal_basis",
    "note",
    "timezone",
    "suspensions",
    "certainty",
)


@dataclass(frozen=True)
class Mismatch:
    """An example that the counting does not confirm.

    Attributes:
        line: line of the file.
        reasons: what differs, or what makes the row unreadable, in Portuguese.
        trace: how the program counted; empty for a row that could not be read.
    """

    id: str
    line: int
    reasons: tuple[str, ...]
    trace: tuple[str, ...] = ()

    def lines(self) -> tuple[str, ...]:
        head = f"{self.id or '(sem id)'} (linha {self.line}): {'; '.join(self.reasons)}"
        return (head, *(f"    {line}" for line in self.trace))


@dataclass(frozen=True)
class Report:
    """What a file of examples came to.

    Attributes:
        faults: what is wrong with the file as a whole, such as a missing column.
    """

    matched: int
    total: int
    mismatches: tuple[Mismatch, ...] = ()
    faults: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.faults and self.matched == self.total

    @property
    def summary(self) -> str:
        """`40 of 40`."""
        return f"{self.matched} of {self.total}"

    def lines(self) -> tuple[str, ...]:
        """Every fault and every mismatch with its trace, and the summary as the last line."""
        told = [line for mismatch in self.mismatches for line in mismatch.lines()]
        return (*self.faults, *told, self.summary)


class _Unreadable(Exception):
    """A cell that cannot be read; its text says which, in Portuguese."""


def check_examples(text: str) -> Report:
    """Counts every row and compares first counted day and due instant. Never raises for what a file says."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        faults = _header_faults(reader.fieldnames or ())
        rows = [] if faults else [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        return Report(0, 0, faults=(f"linha {reader.reader.line_num}: o CSV não pode ser lido ({error})",))
    if not faults and not rows:
        faults = ("o arquivo não tem nenhum exemplo",)
    checked = [_checked(line, row) for line, row in rows]
    wrong = tuple(mismatch for mismatch in checked if mismatch)
    return Report(len(rows) - len(wrong), len(rows), wrong, faults)


def _header_faults(names: object) -> tuple[str, ...]:
    given = tuple(names) if isinstance(names, list | tuple) else ()
    missing = [name for name in COLUMNS if name not in given]
    unknown = [name for name in given if name not in COLUMNS]
    twice = sorted({name for name in given if given.count(name) > 1})
    return (
        *(f"falta a coluna {name}" for name in missing),
        *(f"a coluna {name} não é conhecida" for name in unknown),
        *(f"a coluna {name} aparece mais de uma vez" for name in twice),
    )


def _checked(line: int, row: Mapping[str | None, object]) -> Mismatch | None:
    if None in row or None in row.values():
        return Mismatch(str(row.get("id") or ""), line, ("a linha não tem uma célula por coluna",))
    cells = {str(name): str(value).strip() for name, value in row.items()}
    try:
        dues = _counted(cells)
        first = _each(cells, "expected_first_counted_day", date.fromisoformat)
        expected = _each(cells, "expected_due_instant", _aware)
    except _Unreadable as error:
        return Mismatch(cells["id"], line, (str(error),))
    except Invalid as error:
        return Mismatch(cells["id"], line, (error.message,))
    reasons = tuple(_differences(dues, first, expected))
    trace = tuple(told for due in dues for told in due.trace.lines())
    return Mismatch(cells["id"], line, reasons, trace) if reasons else None


def _differences(dues: tuple[Due, ...], first: list[date], expected: list[datetime]) -> Iterator[str]:
    if not len(dues) == len(first) == len(expected):
        yield f"há {len(dues)} prazo(s), {len(first)} primeiro(s) dia(s) e {len(expected)} vencimento(s)"
        return
    for due, day, instant in zip(dues, first, expected, strict=True):
        if due.first_day != day:
            yield f"primeiro dia contado: esperado {short(day)}, contado {short(due.first_day)}"
        if due.due_at != instant:
            counted = due.due_at.astimezone(ZoneInfo(due.trace.zone))
            yield f"vencimento: esperado {instant.isoformat()}, contado {counted.isoformat()}"


def _counted(cells: Mapping[str, str]) -> tuple[Due, ...]:
    term = _term(cells)
    served = _each(cells, "service_instant", _aware)
    calendar = Calendar(_closures(cells["holidays_assumed"]))
    pauses = tuple(_pauses(cells["suspensions"]))
    if PROFILES[term.profile].parties is Parties.EACH:
        return count_each(term, served, calendar, pauses)
    return (count(term, served, calendar, pauses),)


def _term(cells: Mapping[str, str]) -> Term:
    try:
        zone = ZoneInfo(cells["timezone"])
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _Unreadable(f"o fuso {cells['timezone']!r} não existe") from None
    try:
        unit = Unit(cells["unit"])
    except ValueError:
        raise _Unreadable(f"a unidade {cells['unit']!r} não existe") from None
    amount, day, month = _amount(cells["amount"], unit)
    return Term(
        key=cells["id"],
        name=f"Exemplo {cells['id']}",
        amount=amount,
        unit=unit,
        profile=cells["rule"],
        article=cells["legal_basis"],
        zone=zone,
        day=day,
        month=month,
    )


def _amount(text: str, unit: Unit) -> tuple[int | None, int | None, int | None]:
    """A number or, for a fixed date, `30/03` or the day of every month (`10`)."""
    parts = text.split("/")
    if not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
        raise _Unreadable(f"a quantidade {text!r} não é um número inteiro positivo")
    numbers = [int(part) for part in parts]
    if len(numbers) > (2 if unit is Unit.FIXED_DATE else 1):
        raise _Unreadable(f"a quantidade {text!r} não serve para a unidade {unit.value}")
    if unit is not Unit.FIXED_DATE:
        return numbers[0], None, None
    return None, numbers[0], numbers[1] if len(numbers) == 2 else None


def _closures(text: str) -> Iterator[Closure]:
    for part in filter(None, text.split(";")):
        day, _, kind = part.strip().partition("=")
        if kind not in KINDS:
            raise _Unreadable(f"o dia {part!r} não tem tipo H, P, E ou L")
        yield Closure(_read(day, "holidays_assumed", date.fromisoformat), kind, office_closed=kind == "P")


def _pauses(text: str) -> Iterator[Suspension | Interruption]:
    interrupted: date | None = None
    for part in filter(None, text.split(";")):
        when, _, what = part.strip().partition("=")
        if what == "suspend":
            first, _, last = when.partition("..")
            yield Suspension(
                _read(first, "suspensions", date.fromisoformat),
                _read(last or first, "suspensions", date.fromisoformat),
            )
        elif what == "interrupt" and interrupted is None:
            interrupted = _read(when, "suspensions", date.fromisoformat)
        elif what == "restart" and interrupted is not None:
            yield Interruption(interrupted, _read(when, "suspensions", _aware))
            interrupted = None
        else:
            raise _Unreadable(f"a suspensão {part!r} não pode ser lida")
    if interrupted is not None:
        raise _Unreadable("falta o reinício (restart) do prazo interrompido")


def _aware(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("naive")
    return instant


def _each(cells: Mapping[str, str], column: str, reader: Callable[[str], _T]) -> list[_T]:
    return [_read(part, column, reader) for part in cells[column].split("|")]


def _read(text: str, column: str, reader: Callable[[str], _T]) -> _T:
    try:
        return reader(text.strip())
    except ValueError:
        raise _Unreadable(
            f"coluna {column}: {text!r} não é uma data válida (com fuso, se for instante)"
        ) from None
