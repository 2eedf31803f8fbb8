"""How a form's answers are read by people: titles of options, dates and amounts in local style; what is a vote."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from app.cases.forms import field_spec, properties
from app.engine.definition import Definition
from app.law.norm import Norm
from app.store import Row
from app.values import Json, Money, Units


def shown(norm: Norm, form: str, name: str, value: Json) -> str:
    """One answer as text in Portuguese. Values of unknown fields come back as they are."""
    spec = field_spec(norm.forms[form][0], name) if form in norm.forms else None
    if spec is None or value is None:
        return "" if value is None else str(value)
    for option in spec.get("oneOf", []):
        if option.get("const") == value:
            return str(option.get("title", value))
    if isinstance(value, bool):
        return "sim" if value else "não"
    kind = spec.get("format")
    if kind == "date":
        return f"{date.fromisoformat(value):%d/%m/%Y}"
    if kind == "date-time":
        return f"{datetime.fromisoformat(value).astimezone(norm.zone):%d/%m/%Y %H:%M}"
    if kind == "decimal":
        money = spec.get("x-moeda") == "BRL"
        return str(Money.parse(value)) if money else f"{Units.parse(value)} {spec.get('x-moeda', '')}".strip()
    return str(value)


def vote_in(norm: Norm, form: str, answers: Mapping[str, Json], value: Json = None) -> str:
    """What was voted, as the form of the vote calls it: its field that the diagram counts is the one with options.

    `value`: the vote itself, where the answers are not at hand. Empty when the form has no such field.
    """
    schema = norm.forms[form][0] if form in norm.forms else {}
    for name, spec in properties(schema).items():
        if spec.get("x-fluxo") and "oneOf" in spec:
            cast = answers.get(name) if value is None else value
            return shown(norm, form, name, cast)
    return ""


def is_vote(definition: Definition, item: Row) -> bool:
    """Whether the task was one member's of a round: nobody else may word it, nor see it while the round is open.

    A task whose seat the diagram itself names is not: the president of a board words what the board has decided.
    """
    element = definition.elements.get(item["element"])
    return bool(item["seat"]) and not (element and "assento" in element.properties)
