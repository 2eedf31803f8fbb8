"""Loads a municipality's norm from its files, or refuses it with every fault found.

A norm is all or nothing: a deadline without its article, or a document that asks for a field no form has, must
be seen by whoever publishes, not by a citizen at the counter. The diagrams' insides are checked by the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.errors import Invalid
from app.law.counting import Term, Unit
from app.law.norm_files import (
    content_digest,
    read_articles,
    read_calendar,
    read_competences,
    read_forms,
    read_table,
    read_toml,
    source_problem,
)
from app.law.norm_reading import Faults, Section
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
UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        "dias_uteis": Unit.BUSINESS_DAYS,
        "dias": Unit.CALENDAR_DAYS,
        "horas": Unit.HOURS,
        "meses": Unit.MONTHS,
        "anos": Unit.YEARS,
        "dias_antes": Unit.BACKWARDS_DAYS,
        "data_fixa": Unit.FIXED_DATE,
    }
)


def load_norm(files: Mapping[str, bytes]) -> Norm:
    """Reads one municipality's content.

    Args:
        files: path relative to the content root (`bpmn/jequie/norma.toml`, `forms/jequie/…`) to bytes.

    Raises:
        Invalid: code `norma.invalida`, one field per file and key, `context["faults"]` with (file, key, text).
    """
    faults = Faults()
    names = [path for path in files if path.startswith("bpmn/") and path.endswith("/norma.toml")]
    if len(names) != 1 or names[0].count("/") != 2:
        faults.add("bpmn", "", f"esperava-se um arquivo bpmn/<municipio>/norma.toml; há {len(names)}")
        faults.raise_if_any()
    reader = _Reader(files, names[0].split("/")[1], faults)
    norm = reader.norm()
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
        self.file = self.folder + "norma.toml"
        self.root = Section(
            read_toml(self.files[self.file], self.file, self.faults), self.file, "", self.faults
        )
        self.zone = ZoneInfo("UTC")

    def norm(self) -> Norm:
        head = self._head()
        roles = {key: self._role(key, s) for key, s in self.root.keyed("papeis")}
        deadlines = {key: term for key, s in self.root.keyed("prazos") if (term := self._term(key, s))}
        tables = {key: self._table(key, s) for key, s in self.root.keyed("tabelas")}
        forms = read_forms(self.files, self.forms_folder, tables, self.faults)
        competences = read_competences(self.files, self.folder + "competencias.csv", roles, self.faults)
        acts = {competence.act for competence in competences}
        norm = Norm(
            **head,
            zone=self.zone,
            roles=_frozen(roles),
            boards=_frozen(
                {key: self._board(key, s, roles, acts) for key, s in self.root.keyed("colegiados")}
            ),
            deadlines=_frozen(deadlines),
            choices=_frozen({key: self._choice(key, s) for key, s in self.root.keyed("escolhas")}),
            parameters=_frozen({key: self._parameter(key, s) for key, s in self.root.keyed("parametros")}),
            statuses=_frozen({key: self._status(key, s) for key, s in self.root.keyed("estados")}),
            processes=_frozen(
                {key: self._process(key, s, forms, acts) for key, s in self.root.keyed("processos")}
            ),
            filings=_frozen(
                {key: self._filing(key, s, forms, deadlines) for key, s in self.root.keyed("protocolo")}
            ),
            documents=_frozen(
                {key: self._document(key, s, forms, deadlines) for key, s in self.root.keyed("documentos")}
            ),
            tables=_frozen(tables),
            competences=competences,
            articles=read_articles(self.files, self.folder + "artigos.csv", self.faults),
            calendar_rows=read_calendar(self.files, self.folder + "calendario.csv", self.faults),
            forms=_frozen(forms),
            diagrams=_frozen(self._inside(self.folder, ".bpmn")),
            templates=_frozen(self._inside(self.forms_folder + "documentos/", ".typ")),
            digest=content_digest(self.files),
        )
        self.root.finish()
        return norm

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

    def _term(self, key: str, section: Section) -> Term | None:
        unit = UNITS.get(section.text("unidade"))
        if unit is None and section.has("unidade"):
            section.fault("unidade", f"não existe; use {', '.join(UNITS)}")
        fixed = unit is Unit.FIXED_DATE
        values = {
            "code": section.text("codigo"),
            "name": section.text("nome"),
            "profile": section.text("perfil"),
            "article": section.article(),
            "starts": section.text("inicio", required=False),
            "binds": section.text("vincula", required=False),
            "effect": section.text("efeito", required=False),
        }
        amount = None if fixed else section.integer("quantidade", required=False)
        day, month = (
            (section.integer("dia"), section.integer("mes", required=False)) if fixed else (None, None)
        )
        section.finish()
        if unit is None or not values["profile"] or (fixed and day is None):
            return None
        try:
            return Term(key=key, amount=amount, unit=unit, zone=self.zone, day=day, month=month, **values)
        except Invalid as error:
            section.fault("perfil" if error.code == "prazo.perfil" else "", error.message)
            return None

    def _choice(self, key: str, section: Section) -> Choice:
        choice = Choice(
            key=key,
            options=section.texts("opcoes"),
            default=section.text("padrao"),
            article=section.article(),
            reason=section.text("razao"),
            labels=_frozen(section.labels("rotulos")),
        )
        if choice.default not in choice.options:
            section.fault("padrao", f"{choice.default!r} não está entre as opções")
        for option in sorted(set(choice.labels) ^ set(choice.options)):
            known = option in choice.options
            section.fault("rotulos", f"{option!r} {'não tem rótulo' if known else 'não é uma das opções'}")
        section.finish()
        return choice

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
        self, key: str, section: Section, forms: Mapping[str, object], acts: Collection[str]
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
        )
        if process.file and self.folder + process.file not in self.files:
            section.fault("arquivo", f"o diagrama {self.folder}{process.file} não existe")
        if not process.articles:
            section.fault("artigos", "falta o artigo que fundamenta")
        if process.form:
            _must_exist(section, "formulario", process.form, forms, "o formulário")
        _must_exist(section, "ato", process.act, acts, "em competencias.csv, o ato")
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
        forms: Mapping[str, tuple[Json, Json]],
        deadlines: Mapping[str, Term],
    ) -> DocumentKind:
        fields = []
        for item in section.sections("campos", required=True):
            line = DocumentField(
                item.text("chave"), item.text("rotulo"), item.text("de"), item.article(required=False)
            )
            if problem := source_problem(line.source, forms, deadlines):
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
        )
        section.finish()
        return document

    def _table(self, key: str, section: Section) -> Table:
        file, column = section.text("arquivo"), section.text("chave")
        settings = _frozen(section.rest())
        if not file or not column:
            return Table(key, file, column, {}, settings)
        return read_table(self.files, self.folder, key, file, column, settings, self.faults)


def _must_exist(section: Section, key: str, value: str, among: Collection[str], what: str) -> None:
    if value and value not in among:
        section.fault(key, f"{what} {value!r} não existe na norma")


def _frozen(values: dict[str, _V]) -> Mapping[str, _V]:
    return MappingProxyType(values)
