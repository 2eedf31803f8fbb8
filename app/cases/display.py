"""How a form's answers are read by people: titles of options, dates and amounts in local style."""

from __future__ import annotations

from datetime import date, datetime

from app.cases.forms import field_spec
from app.law.norm import Norm
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
