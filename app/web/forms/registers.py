"""The forms of the registers. Their fields are the registry's own, so they are said here and not in a norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.cases import registers
from app.law.norm import Norm
from app.registry import carriers, enrolment, occurrences
from app.store import Reader
from app.values import Json
from app.web.forms.choices import Option, choices_of
from app.web.language import N_
from app.web.sheets.carrier.words import CATEGORIES, REGIMES, STATUSES

_DAY = {"type": "string", "format": "date"}


@dataclass(frozen=True)
class Form:
    """A form, the act it leads to and the words of its button."""

    act: str
    schema: Json
    ui: Json


def _form(act: str, title: str, help_: str, needed: list[str], ui: Json, **fields: Any) -> Form:
    schema = {"title": title, "description": help_, "required": needed, "properties": fields}
    return Form(act, schema, ui)


def _text(title: str, longest: int, help_: str = "") -> Json:
    return {"type": "string", "title": title, "maxLength": longest, "description": help_}


def _one_of(title: str, keys: tuple[str, ...], words: dict[str, str], help_: str = "") -> Json:
    options = [{"const": key, "title": words[key]} for key in keys]
    return {"type": "string", "title": title, "oneOf": options, "description": help_}


CARRIER = _form(
    registers.CARRIER,
    N_("Cadastrar transportador"),
    N_(
        "O cadastro vale a partir de hoje. Outorgas e pessoal registram-se depois, na página do transportador."
    ),
    ["nome", "cnpj"],
    {"nome": {"ui:autocomplete": "off"}},
    nome=_text(N_("Nome ou razão social"), enrolment.LONGEST_NAME),
    cnpj=_text(N_("CNPJ"), 18, N_("Com ou sem pontos. Por exemplo: 11.222.333/0001-81.")),
)
GRANT = _form(
    registers.GRANT,
    N_("Cadastrar outorga"),
    N_("Uma outorga por linha. A primariedade do transportador conta do seu início."),
    ["linha", "regime", "desde"],
    {},
    linha=_text(N_("Linha"), enrolment.LONGEST_LINE),
    regime=_one_of(N_("Regime"), carriers.REGIMES, REGIMES),
    desde={**_DAY, "title": N_("Início da vigência")},
    ate={
        **_DAY,
        "title": N_("Fim da vigência"),
        "description": N_("O último dia. Em branco: sem fim marcado."),
    },
)
STAFF = _form(
    registers.STAFF,
    N_("Cadastrar pessoal de tráfego"),
    "",
    ["nome", "categoria", "matricula"],
    {},
    nome=_text(
        N_("Nome"), enrolment.LONGEST_NAME, N_("Guardado cifrado: é dado pessoal e pode ser eliminado.")
    ),
    categoria=_one_of(N_("Categoria"), carriers.CATEGORIES, CATEGORIES),
    matricula=_text(N_("Matrícula"), 40),
)
ANTECEDENT = _form(
    registers.ANTECEDENT,
    N_("Registrar antecedente"),
    N_("Para o que está em papel e não passou por este sistema. Primariedade e reincidência contam com ele."),
    ["codigo", "ocorrida_em", "situacao", "fonte"],
    {"fonte": {"ui:widget": "textarea", "ui:options": {"rows": 3}}},
    codigo={"type": "string", "title": N_("Código da infração"), "x-tabela": ""},
    ocorrida_em={**_DAY, "title": N_("Ocorrida em")},
    outorga={"type": "string", "title": N_("Linha da outorga"), "x-registro": "outorga"},
    situacao=_one_of(N_("Situação no papel"), occurrences.STATUSES, STATUSES),
    fonte=_text(
        N_("Fonte"),
        enrolment.LONGEST_SOURCE,
        N_("Onde está o papel: livro, folha, número, arquivo. Não escreva nomes de pessoas."),
    ),
)


def options(reader: Reader, norm: Norm, infringer: str, spec: dict[str, Any]) -> tuple[Option, ...] | None:
    """What may be chosen: of the infringer's own grants and codes, else what the field itself says."""
    if "x-registro" in spec:
        held = carriers.grants_of(reader, carriers.carrier_of(reader, infringer))
        return tuple(Option(grant["id"], grant["line"]) for grant in held)
    if "x-tabela" in spec:
        kind = infringer.partition(":")[0]
        rows = [o for key in norm.tables for o in choices_of(reader, norm, {"x-tabela": key}) or ()]
        return tuple(o for o in rows if enrolment.group_of(norm, o.value) in (None, kind))
    return choices_of(reader, norm, spec)
