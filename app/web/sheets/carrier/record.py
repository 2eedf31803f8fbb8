"""The record of occurrences: what first offence and recurrence look back on, and until when each one counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import select

from app.law.norm import Norm
from app.registry import carriers, occurrences, values
from app.store import Reader, Row
from app.store.cases_tables import cases
from app.web.sheets.carrier.identity import Member, member

DAYS, COUNTED = "reincidencia.dias", "reincidencia.conta_advertencia"
FIRST, WHOSE = "primario.codigo", "registro.pessoal"
CHOICES = (
    FIRST,
    "primario.sem_outorga",
    WHOSE,
    COUNTED,
    "reincidencia.codigo",
    "reincidencia.alcance",
)


@dataclass(frozen=True)
class Reading:
    """How the municipality reads the law today.

    `first`: the article on first offenders, empty where the law knows none; `same_code`: only the same code ends first
    offence. `days`, `article`: the window of recurrence; None where the law sets none. `whole`: what the staff did
    stands in the carrier's record.
    `chosen`: what was chosen where the law can be read in more than one way, with the article. Open cases keep the
    reading they began with.
    """

    first: str
    same_code: bool
    days: int | None
    article: str
    counted: str
    whole: bool
    chosen: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Line:
    """One occurrence. `own`: it stands in the record of whom the page is about; `until`: the last day on which another
    makes a recurrence of it, None when it never does; `running`: that day has not passed."""

    day: date
    code: str
    what: str
    status: str
    who: Member | None
    line: str
    source: str
    number: str | None
    own: bool
    until: date | None
    running: bool


def reading(reader: Reader, norm: Norm, today: date) -> Reading:
    options = values.choices_on(reader, norm, today)
    days = values.parameter_on(reader, norm, DAYS, today) if DAYS in norm.parameters else None
    told = [(norm.choices[key], options[key]) for key in CHOICES if key in norm.choices]
    return Reading(
        norm.choices[FIRST].article if FIRST in norm.choices else "",
        options.get(FIRST) == "mesmo",
        days if isinstance(days, int) else None,
        norm.parameters[DAYS].article if DAYS in norm.parameters else "",
        options.get(COUNTED, "sim"),
        options.get(WHOSE, "pessoa") == "transportador",
        tuple((choice.labels.get(option, option), choice.article) for choice, option in told),
    )


def of_carrier(reader: Reader, norm: Norm, read: Reading, carrier_id: str, today: date) -> list[Line]:
    """All that a carrier and its staff were caught at, the newest first."""
    rows = occurrences.whole_record_of_carrier(reader, carrier_id)
    own = None if read.whole else carriers.stream_of(carrier_id)
    return _lines(reader, norm, read, rows, own, today)


def of_person(reader: Reader, norm: Norm, read: Reading, staff_id: str, today: date) -> list[Line]:
    rows = occurrences.record_of(reader, f"pessoal:{staff_id}")
    return _lines(reader, norm, read, rows, None, today)


def _lines(
    reader: Reader, norm: Norm, read: Reading, rows: Sequence[Row], own: str | None, today: date
) -> list[Line]:
    """`own`: whose rows alone stand in the record; all of them when None."""
    numbers = _cases(reader, {row["case_id"] for row in rows if row["case_id"]})
    lines = {row["grant_id"]: "" for row in rows if row["grant_id"]}
    lines = {grant: str(carriers.grant_by_id(reader, grant)["line"]) for grant in lines}
    people = {row["infringer"]: _person(reader, row["infringer"]) for row in rows}
    return [
        _line(norm, read, row, numbers.get(row["case_id"]), lines, people[row["infringer"]], own, today)
        for row in rows
    ]


def _line(
    norm: Norm,
    read: Reading,
    row: Row,
    case: Row | None,
    lines: Mapping[str, str],
    who: Member | None,
    own: str | None,
    today: date,
) -> Line:
    final = case is None or case["closed_at"] is not None
    stands = row["status"] != "anulada"
    counts = stands and occurrences.makes_recurrence(row["status"], read.counted, final)
    until = row["happened_on"] + timedelta(days=read.days) if counts and read.days is not None else None
    return Line(
        day=row["happened_on"],
        code=row["code"],
        what=described(norm, row["code"], row["happened_on"]),
        status=row["status"],
        who=who,
        line=lines.get(row["grant_id"], ""),
        source=row["source"],
        number=case["number"] if case else None,
        own=stands and own in (None, row["infringer"]),
        until=until,
        running=until is not None and until >= today,
    )


def described(norm: Norm, code: str, day: date) -> str:
    """What the law's table says of a code."""
    rows = (table.known_on(code, day) for table in norm.tables.values())
    return next((row["descricao"] for row in rows if row and row.get("descricao")), "")


def _cases(reader: Reader, ids: set[str]) -> dict[str, Row]:
    rows = reader.all(select(cases.c.id, cases.c.number, cases.c.closed_at).where(cases.c.id.in_(ids)))
    return {row["id"]: row for row in rows}


def _person(reader: Reader, infringer: str) -> Member | None:
    kind, _, record = infringer.partition(":")
    return member(reader, carriers.staff_by_id(reader, record)) if kind == "pessoal" else None
