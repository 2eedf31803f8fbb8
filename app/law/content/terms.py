"""A deadline of the norm, `[prazos.<key>]`, as a term that can be counted, and choices that say how."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.law.content.sections import Section
from app.law.counting import Term, Unit
from app.law.provisions import Choice

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


def read_term(key: str, section: Section, zone: ZoneInfo) -> Term | None:
    """The term, or None when it is too faulty to be one."""
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
    day, month = (section.integer("dia"), section.integer("mes", required=False)) if fixed else (None, None)
    section.finish()
    if unit is None or not values["profile"] or (fixed and day is None):
        return None
    try:
        return Term(key=key, amount=amount, unit=unit, zone=zone, day=day, month=month, **values)
    except Invalid as error:
        section.fault("perfil" if error.code == "prazo.perfil" else "", error.message)
        return None


def read_choice(key: str, section: Section, deadlines: Mapping[str, Term]) -> Choice:
    """`[escolhas."<key>"]`: each option has its label, and one of them is the default."""
    choice = Choice(
        key=key,
        options=section.texts("opcoes"),
        default=section.text("padrao"),
        article=section.article(),
        reason=section.text("razao"),
        labels=MappingProxyType(section.labels("rotulos")),
        starts=MappingProxyType(section.labels("inicios", required=False)),
    )
    if problem := start_problem(key, choice.options, choice.starts, deadlines):
        section.fault("inicios", problem)
    if problem := unit_problem(key, choice.options, deadlines):
        section.fault("opcoes", problem)
    if choice.default not in choice.options:
        section.fault("padrao", f"{choice.default!r} não está entre as opções")
    for option in sorted(set(choice.labels) ^ set(choice.options)):
        known = option in choice.options
        section.fault("rotulos", f"{option!r} {'não tem rótulo' if known else 'não é uma das opções'}")
    section.finish()
    return choice


def start_problem(
    choice: str, options: Collection[str], starts: Collection[str], deadlines: Collection[str]
) -> str | None:
    """Why a choice could not say from when a deadline runs (`inicios`, of `<deadline>.inicio`), or None."""
    if not starts:
        return None
    key, _, tail = choice.rpartition(".")
    if tail != "inicio" or key not in deadlines:
        return "só uma escolha `<prazo>.inicio`, de um prazo da norma, diz desde quando ele corre"
    odd = sorted(set(starts) - set(options))
    return f"{odd[0]!r} não é uma das opções" if odd else None


def unit_problem(choice: str, options: Collection[str], deadlines: Mapping[str, Term]) -> str | None:
    """Why a choice `prazo.<key>.unidade` could not say in which days the deadline counts, or None."""
    head, _, rest = choice.partition(".")
    key, _, tail = rest.rpartition(".")
    if (head, tail) != ("prazo", "unidade"):
        return None
    if key not in deadlines:
        return f"o prazo {key!r} não existe na norma"
    if odd := [option for option in options if option not in UNITS]:
        return f"{odd[0]!r} não é uma unidade; use {', '.join(UNITS)}"
    try:
        for option in options:
            replace(deadlines[key], unit=UNITS[option])
    except Invalid as error:
        return error.message
    return None
