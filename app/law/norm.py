"""Loads a municipality's norm from its files, or refuses it with every fault found.

A norm is all or nothing: a deadline without its article, or a document that asks for a field no form has, must
be seen by whoever publishes, not by a citizen at the counter. The diagrams' insides are checked by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.law.content.citations import check_citations, read_law
from app.law.content.forms import form_fields, read_forms
from app.law.content.papers import CREST, check_papers
from app.law.content.questions import read_question
from app.law.content.raw import check_sizes, content_digest, read_toml
from app.law.content.sections import Faults, Section
from app.law.content.sources import source_problem
from app.law.content.tables import (
    read_articles,
    read_calendar,
    read_competences,
    read_table,
    setting_problems,
)
from app.law.content.terms import UNITS, read_choice, read_term
from app.law.counting import Term
from app.law.provisions import (
    PARAMETER_TYPES,
    ArticleNote,
    Board,
    Choice,
    Competence,
    DatedValue,
    DocumentField,
    DocumentKind,
    Filing,
    Norm,
    Parameter,
    Process,
    Role,
    Seat,
    Status,
    Table,
)
from app.values import Json

__all__ = [
    "UNITS",
    "ArticleNote",
    "Board",
    "Choice",
    "Competence",
    "DatedValue",
    "DocumentField",
    "DocumentKind",
    "Filing",
    "Norm",
    "Parameter",
    "Process",
    "Role",
    "Seat",
    "Status",
    "Table",
    "Term",
    "load_norm",
]

_V = TypeVar("_V")


def load_norm(
    files: Mapping[str, bytes], also: Callable[[Norm], Iterable[tuple[str, str, str]]] | None = None
) -> Norm:
    """Reads one municipality's content.

    Args:
        files: path relative to the content root (`bpmn/jequie/norma.toml`, `forms/jequie/…`) to bytes.
        also: what else must hold, as faults (file, key, text) told beside the others. It may see a faulty norm.

    Raises:
        Invalid: code `norma.invalida`, one field per file and key, `context["faults"]` with (file, key, text).
    """
    faults = Faults()
    check_sizes({path: len(data) for path, data in files.items()}, faults)
    faults.raise_if_any()
    names = [path for path in files if path.startswith("bpmn/") and path.endswith("/norma.toml")]
    if len(names) != 1 or names[0].count("/") != 2:
        faults.add("bpmn", "", f"esperava-se um arquivo bpmn/<municipio>/norma.toml; há {len(names)}")
        faults.raise_if_any()
    reader = _Reader(files, names[0].split("/")[1], faults)
    norm = reader.norm()
    for fault in also(norm) if also else ():
        faults.add(*fault)
    faults.raise_if_any()
    return norm


@dataclass
class _Reader:
    """Reads the sections of one norm in the order in which they refer to each other."""

    files: Mapping[str, bytes]
    slug: str
    faults: Faults
    root: Section = field(init=False)
    zone: ZoneInfo = field(init=False)

    def __post_init__(self) -> None:
        self.folder, self.forms_folder = f"bpmn/{self.slug}/", f"forms/{self.slug}/"
        self.papers_folder = self.forms_folder + "documentos/"
        self.file = self.folder + "norma.toml"
        self.toml = read_toml(self.files[self.file], self.file, self.faults)
        self.root = Section(self.toml, self.file, "", self.faults)
        self.zone = ZoneInfo("UTC")

    def norm(self) -> Norm:
        head = self._head()
        roles = self._each("papeis", self._role)
        deadlines = {
            key: term for key, s in self.root.keyed("prazos") if (term := read_term(key, s, self.zone))
        }
        tables = self._each("tabelas", self._table)
        forms = read_forms(self.files, self.forms_folder, tables, self.faults)
        if (text := head["text"]) is not None:
            check_citations(text, self.files, self.folder, self.toml, forms, self.faults)
        competences = read_competences(self.files, self.folder + "competencias.csv", roles, self.faults)
        acts = {competence.act for competence in competences}
        processes = self._each("processos", partial(self._process, forms=forms, acts=acts, tables=tables))
        parameters = self._each("parametros", self._parameter)
        choices = self._each("escolhas", partial(read_choice, deadlines=deadlines))
        filings = self._each("protocolo", partial(self._filing, forms=forms, deadlines=deadlines))
        known: dict[str, Any] = {"columns": _columns(tables, processes), "parameters": parameters}
        known |= {"choices": choices, "filings": filings}
        doubt = partial(source_problem, forms=forms, deadlines=deadlines, **known)
        norm = Norm(
            **head,
            zone=self.zone,
            roles=roles,
            boards=self._each("colegiados", partial(self._board, roles=roles, acts=acts)),
            deadlines=_frozen(deadlines),
            choices=choices,
            questions=self._each("fatos", read_question),
            parameters=parameters,
            statuses=self._each("estados", self._status),
            processes=processes,
            filings=filings,
            documents=self._each("documentos", partial(self._document, doubt=doubt)),
            tables=tables,
            competences=competences,
            forms=_frozen(forms),
            **self._beside(),
        )
        self.root.finish()
        return norm

    def _beside(self) -> dict[str, Any]:
        """What no section refers to: lists, drawings, templates, crest; and the digest of all files."""
        return {
            "articles": read_articles(self.files, self.folder + "artigos.csv", self.faults),
            "calendar_rows": read_calendar(self.files, self.folder + "calendario.csv", self.faults),
            "diagrams": _frozen(self._inside(self.folder, ".bpmn")),
            "templates": _frozen(self._inside(self.papers_folder, ".typ")),
            "crest": self.files.get(self.papers_folder + CREST, b""),
            "digest": content_digest(self.files),
        }

    def _each(self, name: str, read: Callable[[str, Section], _V]) -> Mapping[str, _V]:
        """Every `[name.<key>]`, read."""
        return _frozen({key: read(key, section) for key, section in self.root.keyed(name)})

    def _inside(self, folder: str, suffix: str) -> dict[str, bytes]:
        return {
            path.removeprefix(folder): self.files[path]
            for path in sorted(self.files)
            if path.startswith(folder) and path.endswith(suffix)
        }

    def _head(self) -> dict[str, Json]:
        section = self.root.section("norma")
        slug, zone = section.text("slug"), section.text("fuso")
        if slug and slug != self.slug:
            section.fault("slug", f"é {slug!r}, mas a pasta é {self.slug!r}")
        try:
            self.zone = ZoneInfo(zone or "UTC")
        except (ZoneInfoNotFoundError, ValueError, OSError):
            section.fault("fuso", f"o fuso {zone!r} não existe")
        head: dict[str, Json] = {
            "slug": slug,
            "municipality": section.text("municipio"),
            "state": section.text("uf"),
            "law": section.text("lei"),
            "summary": section.text("ementa"),
            "agency": section.text("orgao"),
            "unit_name": section.text("unidade_fiscal"),
            "published_on": section.day("publicada_em"),
            "in_force": section.text("vigencia", required=False),
            "text": read_law(self.files, self.folder, section),
        }
        section.finish()
        return head

    def _role(self, key: str, section: Section) -> Role:
        role = Role(key, section.text("nome"), section.article())
        section.finish()
        return role

    def _board(self, key: str, section: Section, roles: Mapping[str, Role], acts: Collection[str]) -> Board:
        seats = []
        for seat in section.sections("assentos", required=True):
            seats.append(Seat(seat.text("chave"), seat.text("nome"), seat.text("papel")))
            _must_exist(seat, "papel", seats[-1].role, roles, "o papel")
            seat.finish()
        board = Board(
            key=key,
            name=section.text("nome"),
            article=section.article(),
            quorum=section.integer("quorum") or 0,
            seats=tuple(seats),
            alternate_role=section.text("suplente"),
            barring_acts=section.texts("impedem", required=False),
            appointing_role=section.text("nomeia", required=False),
        )
        if len({seat.key for seat in seats}) != len(seats):
            section.fault("assentos", "há dois assentos com a mesma chave")
        if not 1 <= board.quorum <= max(len(seats), 1):
            section.fault("quorum", f"deve ficar entre 1 e o número de assentos ({len(seats)})")
        for act in board.barring_acts:
            _must_exist(section, "impedem", act, acts, "em competencias.csv, o ato")
        _must_exist(section, "suplente", board.alternate_role, roles, "o papel")
        if board.appointing_role:
            _must_exist(section, "nomeia", board.appointing_role, roles, "o papel")
        section.finish()
        return board

    def _parameter(self, key: str, section: Section) -> Parameter:
        kind = section.text("tipo")
        if kind and kind not in PARAMETER_TYPES:
            section.fault("tipo", f"não existe; use {', '.join(PARAMETER_TYPES)}")
        parameter = Parameter(key, kind, section.text("rotulo"), section.article())
        values = []
        for item in section.sections("valores"):
            since, text, source = item.day("desde"), item.text("valor"), item.text("fonte")
            item.finish()
            try:
                values.append(DatedValue(since, parameter.read(text), source))
            except ValueError:
                item.fault("valor", f"{text!r} não é um valor do tipo {kind}")
            except KeyError:
                continue
        values.sort(key=lambda value: value.since)
        for earlier, later in pairwise(values):
            if earlier.since == later.since:
                section.fault("valores", f"há dois valores em vigor desde {later.since.isoformat()}")
        section.finish()
        return replace(parameter, values=tuple(values))

    def _status(self, key: str, section: Section) -> Status:
        status = Status(
            key, section.text("nome"), section.article(), section.text("texto"), section.flag("final")
        )
        section.finish()
        return status

    def _process(
        self,
        key: str,
        section: Section,
        forms: Mapping[str, tuple[Json, Json]],
        acts: Collection[str],
        tables: Mapping[str, Table],
    ) -> Process:
        process = Process(
            key=key,
            code=section.text("codigo"),
            name=section.text("nome"),
            file=section.text("arquivo"),
            process_id=section.text("processo"),
            form=section.text("formulario", required=False),
            act=section.text("ato"),
            articles=section.texts("artigos"),
            table=section.text("tabela", required=False),
        )
        if process.file and self.folder + process.file not in self.files:
            section.fault("arquivo", f"o diagrama {self.folder}{process.file} não existe")
        if not process.articles:
            section.fault("artigos", "falta o artigo que fundamenta")
        if process.form:
            _must_exist(section, "formulario", process.form, forms, "o formulário")
        _must_exist(section, "ato", process.act, acts, "em competencias.csv, o ato")
        _must_exist(section, "tabela", process.table, tables, "a tabela")
        if process.table in tables and not _is_asked(tables[process.table], forms):
            column = tables[process.table].key_column
            section.fault("tabela", f"nenhum formulário põe no fluxo (x-fluxo) o campo {column!r} da tabela")
        section.finish()
        return process

    def _filing(
        self, key: str, section: Section, forms: Mapping[str, object], deadlines: Mapping[str, Term]
    ) -> Filing:
        filing = Filing(
            key=key,
            name=section.text("nome"),
            message=section.text("mensagem", required=False) or None,
            form=section.text("formulario"),
            article=section.article(),
            payment=section.flag("pagamento"),
            deadline=section.text("prazo", required=False) or None,
            meets=section.texts("cumpre", required=False),
        )
        _must_exist(section, "formulario", filing.form, forms, "o formulário")
        if filing.deadline:
            _must_exist(section, "prazo", filing.deadline, deadlines, "o prazo")
        for key in filing.meets:
            _must_exist(section, "cumpre", key, deadlines, "o prazo")
        section.finish()
        return filing

    def _document(
        self,
        key: str,
        section: Section,
        doubt: Callable[[str], str | None],
    ) -> DocumentKind:
        fields = []
        for item in section.sections("campos", required=True):
            line = DocumentField(
                item.text("chave"),
                item.text("rotulo"),
                item.text("de"),
                item.article(required=False),
                item.flag("se_houver"),
            )
            if problem := doubt(line.source):
                item.fault("de", problem)
            item.finish()
            fields.append(line)
        if len({line.key for line in fields}) != len(fields):
            section.fault("campos", "há dois campos com a mesma chave")
        document = DocumentKind(
            key=key,
            code=section.text("codigo"),
            title=section.text("titulo"),
            series=section.text("serie"),
            article=section.article(),
            fields=tuple(fields),
            template=section.text("modelo", required=False) or "documento",
        )
        check_papers(self.files, self.papers_folder, document.template, section)
        section.finish()
        return document

    def _table(self, key: str, section: Section) -> Table:
        file, column = section.text("arquivo"), section.text("chave")
        table = Table(key, file, column, _frozen(section.rest()))
        problems = list(setting_problems(table.settings))
        for setting, told in problems:
            section.fault(setting, told)
        if not file or not column or problems:
            return table
        table = replace(table, rows=read_table(self.files, self.folder + file, table, self.faults))
        for code in table.settings.get("codigos_de_veiculo", []):
            _must_exist(section, "codigos_de_veiculo", code, table.codes, "o código")
        return table


def _columns(tables: Mapping[str, Table], processes: Mapping[str, Process]) -> set[str]:
    """Columns of the tables by which processes charge."""
    used = [tables[process.table] for process in processes.values() if process.table in tables]
    return {column for table in used for row in table.rows[:1] for column in row.cells}


def _is_asked(table: Table, forms: Mapping[str, tuple[Json, Json]]) -> bool:
    """Whether some form brings the table's code into the flow, under the name of the key column."""
    asked = (form_fields(schema).get(table.key_column, {}) for schema, _ in forms.values())
    return any(field.get("x-tabela") == table.key and field.get("x-fluxo") is True for field in asked)


def _must_exist(section: Section, key: str, value: str, among: Collection[str], what: str) -> None:
    if value and value not in among:
        section.fault(key, f"{what} {value!r} não existe na norma")


def _frozen(values: dict[str, _V]) -> Mapping[str, _V]:
    return MappingProxyType(values)
