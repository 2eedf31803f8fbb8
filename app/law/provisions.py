"""What a municipality's norm consists of, as frozen values. Each value carries the article that supports it.

Shapes only: reading and checking live in `norm.py` and its readers, counting in `counting.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from zoneinfo import ZoneInfo

from app.law.calendar import Calendar, Closure
from app.law.counting import Term
from app.law.text import LawText
from app.values import Json, Money, Units

#: A value of a parameter: `Units` for `unidades`, `Money` for `reais`, whole per cent for `percentual`.
ParameterValue = int | str | bool | Money | Units


def _flag(text: str) -> bool:
    if text.lower() not in ("sim", "não", "nao"):
        raise ValueError(f"not a flag: {text!r}")
    return text.lower() == "sim"


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise ValueError(f"not a whole number: {text!r}")
    return int(text)


_READERS: Mapping[str, Callable[[str], ParameterValue]] = {
    "inteiro": _whole,
    "percentual": _whole,
    "unidades": Units.parse,
    "reais": Money.parse,
    "texto": str,
    "booleano": _flag,
}
PARAMETER_TYPES = tuple(_READERS)


@dataclass(frozen=True)
class Role:
    """An office of the law, such as the chief inspector. `[papeis.<key>]`."""

    key: str
    name: str
    article: str


@dataclass(frozen=True)
class Seat:
    """A place on a board, held by whoever has the role."""

    key: str
    name: str
    role: str


@dataclass(frozen=True)
class Board:
    """A collegiate body: who sits, and how many must be seated to decide. `[colegiados.<key>]`.

    Attributes:
        barring_acts: whoever did one of these acts in a case may not judge it.
        appointing_role: who appoints its members; empty where the norm does not say.
    """

    key: str
    name: str
    article: str
    quorum: int
    seats: tuple[Seat, ...]
    alternate_role: str
    barring_acts: tuple[str, ...] = ()
    appointing_role: str = ""


@dataclass(frozen=True)
class Choice:
    """A legal line that a municipality may choose, with its default and the reason. `[escolhas.<key>]`.

    Attributes:
        labels: Portuguese text of each option.
        starts: of a choice `<deadline>.inicio`, by option, from when the deadline runs; an option that is not here
            says that there is no such deadline.
    """

    key: str
    options: tuple[str, ...]
    default: str
    article: str
    reason: str
    labels: Mapping[str, str]
    starts: Mapping[str, str]


@dataclass(frozen=True)
class Question:
    """How people read a fact that diagrams ask for: `[fatos.<key>]`, by the fact's name.

    Attributes:
        answers: text of each answer: `sim` and `nao`, or the number; `outra` for all others.
        reasons: text of each reason that needs no earlier occurrence.
        nothing: what is said when no earlier occurrence was found.
    """

    key: str
    text: str
    article: str
    answers: Mapping[str, str]
    reasons: Mapping[str, str]
    nothing: str

    def answer(self, value: Json) -> str:
        name = {True: "sim", False: "nao"}[value] if isinstance(value, bool) else str(value)
        return self.answers.get(name, self.answers.get("outra", name))


@dataclass(frozen=True)
class DatedValue:
    """A value, the first day on which it is in force, and the act that fixed it."""

    since: date
    value: ParameterValue
    source: str


@dataclass(frozen=True)
class Parameter:
    """A figure of the law that changes over time, or that the law leaves unset. `[parametros.<key>]`.

    Attributes:
        type: `inteiro`, `unidades`, `reais`, `percentual`, `texto` or `booleano`.
        values: in order of force; empty when the law as published has no legible value.
    """

    key: str
    type: str
    label: str
    article: str
    values: tuple[DatedValue, ...] = ()

    def read(self, text: str) -> ParameterValue:
        """A value of this parameter's type. Raises ValueError when the text is no such value."""
        return _READERS[self.type](text)

    def value_on(self, day: date) -> ParameterValue | None:
        """The value in force on a day; None when the law sets none, which is never guessed."""
        found = self.in_force_on(day)
        return found.value if found else None

    def in_force_on(self, day: date) -> DatedValue | None:
        """The value in force with the act that fixed it."""
        return next((dated for dated in reversed(self.values) if dated.since <= day), None)


@dataclass(frozen=True)
class Status:
    """A legal state of a case, as the public reads it. `[estados.<KEY>]`."""

    key: str
    name: str
    article: str
    text: str
    final: bool


@dataclass(frozen=True)
class Process:
    """A procedure that can be opened, and the diagram that drives it. `[processos.<key>]`.

    Attributes:
        file: name of the diagram inside the municipality's folder, a key of `Norm.diagrams`.
        form: form that opens it; empty when it opens by itself.
        act: the act in `competencias.csv` that says who may open it.
        table: the table of the law by which it charges, a key of `Norm.tables`; empty when it charges nothing.
    """

    key: str
    code: str
    name: str
    file: str
    process_id: str
    form: str
    act: str
    articles: tuple[str, ...]
    table: str = ""


@dataclass(frozen=True)
class Filing:
    """Something a party may hand in at the counter. `[protocolo.<key>]`.

    Attributes:
        message: message of the diagram that the filing delivers, if any waits for it.
        payment: whether the filing proves a payment.
        deadline: the term within which it is in time.
        meets: terms that are met once it has settled what the case makes owe.
    """

    key: str
    name: str
    message: str | None
    form: str
    article: str
    payment: bool
    deadline: str | None
    meets: tuple[str, ...] = ()


@dataclass(frozen=True)
class DocumentField:
    """A line of an official document and where its value comes from (`formulario.…`, `prazo.…`, `texto:…`).

    `optional` (`se_houver`): the law asks for it only in some cases, so without a value it is left out.
    """

    key: str
    label: str
    source: str
    article: str
    optional: bool = False


@dataclass(frozen=True)
class DocumentKind:
    """An official document: its number series and what the law wants on it. `[documentos.<key>]`.

    Attributes:
        template: name of the file in `documentos/`, without its ending, that sets it on paper.
    """

    key: str
    code: str
    title: str
    series: str
    article: str
    fields: tuple[DocumentField, ...]
    template: str = "documento"


@dataclass(frozen=True)
class Period:
    """Days on which a rule is in force, both ends included; without an end it still is."""

    since: date
    until: date | None = None

    def covers(self, day: date) -> bool:
        return self.since <= day and (self.until is None or day <= self.until)


@dataclass(frozen=True)
class TableRow:
    """A rule of a table of the law while it is in force; `cells` by column, as the file has them."""

    key: str
    period: Period
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """A table of the law kept as CSV, such as the annex of fines. `[tabelas.<key>]`.

    Attributes:
        key_column: the column of the code; the flow variable that holds a case's code has the same name.
        rows: in the order of the file; for one key they follow each other in time without gap or overlap.
        settings: what else the norm says of the table.
    """

    key: str
    file: str
    key_column: str
    settings: Mapping[str, Json]
    rows: tuple[TableRow, ...] = ()

    @property
    def amount_column(self) -> str:
        """The column with the amount in units of account, or empty when the table has none."""
        return str(self.settings.get("valor", ""))

    @property
    def codes(self) -> set[str]:
        """Every key that ever had a rule."""
        return set(self._by_key)

    def on(self, day: date) -> dict[str, Mapping[str, str]]:
        """The rules in force on a day by key, in the order of the file."""
        return {row.key: row.cells for row in self.rows if row.period.covers(day)}

    def row_on(self, key: str, day: date) -> Mapping[str, str] | None:
        """The rule in force on a day; None when the table has none, which is never guessed."""
        return next((row.cells for row in self._by_key.get(key, ()) if row.period.covers(day)), None)

    def known_on(self, key: str, day: date) -> Mapping[str, str] | None:
        """The rule in force on a day or the last one before: what a code meant, also after it was repealed."""
        begun = [row for row in self._by_key.get(key, ()) if row.period.since <= day]
        return max(begun, key=lambda row: row.period.since).cells if begun else None

    def amount(self, cells: Mapping[str, str]) -> Units | None:
        """A row's amount; None where the law's text does not give it."""
        text = cells.get(self.amount_column, "")
        return Units.parse(text) if text else None

    @cached_property
    def _by_key(self) -> Mapping[str, list[TableRow]]:
        found: dict[str, list[TableRow]] = {}
        for row in self.rows:
            found.setdefault(row.key, []).append(row)
        return found


@dataclass(frozen=True)
class Competence:
    """Which role may perform an act, by which article, and while which days. A row of `competencias.csv`."""

    act: str
    role: str
    article: str
    note: str
    period: Period


@dataclass(frozen=True)
class ArticleNote:
    """Where an article of the law lives in the content, or why it is not modelled. A row of `artigos.csv`."""

    article: str
    covered_by: str
    note: str


@dataclass(frozen=True)
class Norm:
    """One municipality's law as content, read and checked as a whole.

    Attributes:
        law: the law's name; `summary` its ementa; `in_force` what it says of its own entry into force.
        zone: where the municipality's days begin and end.
        unit_name: the unit of account, such as UFP.
        forms: (JSON Schema, uiSchema) by form name.
        diagrams: BPMN bytes by file name.
        templates: typst bytes by file name; `crest` is the SVG that stands at the head of each paper.
        digest: SHA-256 over every file, name and bytes.
        text: the law's own text; None where the content does not have it.
    """

    slug: str
    municipality: str
    state: str
    law: str
    summary: str
    agency: str
    zone: ZoneInfo
    unit_name: str
    published_on: date
    in_force: str
    roles: Mapping[str, Role]
    boards: Mapping[str, Board]
    deadlines: Mapping[str, Term]
    choices: Mapping[str, Choice]
    questions: Mapping[str, Question]
    parameters: Mapping[str, Parameter]
    statuses: Mapping[str, Status]
    processes: Mapping[str, Process]
    filings: Mapping[str, Filing]
    documents: Mapping[str, DocumentKind]
    tables: Mapping[str, Table]
    competences: tuple[Competence, ...]
    articles: tuple[ArticleNote, ...]
    calendar_rows: tuple[Closure, ...]
    forms: Mapping[str, tuple[Json, Json]]
    diagrams: Mapping[str, bytes]
    templates: Mapping[str, bytes]
    crest: bytes
    digest: str
    text: LawText | None = None

    @cached_property
    def calendar(self) -> Calendar:
        """The calendar as the content has it; acts recorded later are added by whoever keeps them."""
        return Calendar(self.calendar_rows, f"{self.municipality}/{self.state}")

    def charged(self, process: str, flow: Mapping[str, Json]) -> tuple[Table, str] | None:
        """The table by which a process charges and the code in the flow; None where there is neither."""
        what = self.processes.get(process)
        table = self.tables.get(what.table) if what else None
        code = flow.get(table.key_column) if table else None
        return (table, code) if table and isinstance(code, str) else None
