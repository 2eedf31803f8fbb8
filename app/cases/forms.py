"""Answers against their form: JSON Schema decides, in one place, for every door.

What comes in is a JSON object, already read from HTML or a story; what goes out is split by where it may live:
flow data for the diagram, plain answers for the table, personal answers for the seal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing.jsonschema import EMPTY_REGISTRY

from app.errors import Invalid, NotFound
from app.law.norm import Norm
from app.registry import carriers
from app.store import Reader
from app.values import Json, Money, Units, keepable, parse_day, parse_instant

_MESSAGES = {
    "required": "Preencha este campo.",
    "minLength": "Escreva ao menos {value} caracteres.",
    "maxLength": "Escreva no máximo {value} caracteres.",
    "enum": "Escolha uma das opções.",
    "oneOf": "Escolha uma das opções.",
    "const": "Escolha uma das opções.",
    "minimum": "O menor valor é {value}.",
    "maximum": "O maior valor é {value}.",
    "x-minimo": "O menor valor é {value}.",
    "x-menor-que": "Informe um valor menor que {value}.",
    "additionalProperties": "O formulário não tem este campo.",
    "type": "Valor de tipo errado.",
    "pattern": "O valor não está no formato esperado.",
}
# An option of the list, but not one that goes with another answer.
_OTHERWISE = "Esta opção não combina com as outras respostas."
_FORMATS = {
    "date": "Informe uma data válida, por exemplo 15/03/2026.",
    "date-time": "Informe data e hora válidas.",
    "decimal": "Informe um valor, por exemplo 1.234,56.",
}
_checker = FormatChecker(formats=())
_OLDEST, _NEWEST = 1900, 2999
_DEEPEST = 4


@dataclass(frozen=True)
class Answers:
    """Validated answers of one form, split by where each may be kept."""

    form: str
    flow: dict[str, Json] = field(default_factory=dict)
    plain: dict[str, Json] = field(default_factory=dict)
    personal: dict[str, Json] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)

    def get(self, key: str) -> Json:
        return self.plain.get(key, self.personal.get(key))


@_checker.checks("date", raises=ValueError)
def _is_date(value: object) -> bool:
    """`AAAA-MM-DD` of a year that a calendar of people may hold; the reader of the language takes more."""
    return not isinstance(value, str) or _OLDEST <= parse_day(value).year <= _NEWEST


@_checker.checks("date-time", raises=(ValueError, OverflowError))
def _is_instant(value: object) -> bool:
    """The day as in `_is_date`: the reader of the language takes weeks, too (`2026-W48-1T10:00-03:00`)."""
    return not isinstance(value, str) or (
        _is_date(value[:10]) and _OLDEST <= parse_instant(value).year <= _NEWEST
    )


@_checker.checks("decimal", raises=ValueError)
def _is_decimal(value: object) -> bool:
    return not isinstance(value, str) or bool(Money.parse(value) or True)


def _at_least(_: Any, minimum: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    try:
        if isinstance(value, str) and Money.parse(value) < Money.parse(str(minimum)):
            yield ValidationError("below the minimum", validator="x-minimo", validator_value=minimum)
    except ValueError:  # no amount at all: its format says so
        return


_Validator: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"x-minimo": _at_least}
)


def _validator(schema: Json) -> Draft202012Validator:
    """Nothing is ever fetched: a form is whole in its own file, as publication has checked."""
    return _Validator(schema, format_checker=_checker, registry=EMPTY_REGISTRY)


def validate(
    reader: Reader,
    norm: Norm,
    form: str,
    answers: Mapping[str, Json],
    zone: ZoneInfo,
    *,
    now: datetime,
    happened: datetime | None = None,
) -> Answers:
    """Checks answers against the form's schema, the registry, the norm's tables on the day of the act and the clock.

    Values of fields switched off by a condition are dropped. Dates after `now` are refused unless the field
    says `x-futuro`. Raises Invalid (`formulario.invalido`) with one message per field; nothing is half taken.
    """
    if form not in norm.forms:
        raise NotFound(f"A norma não tem o formulário {form}.")
    schema = norm.forms[form][0]
    given = {k: v for k, v in answers.items() if v is not None and not (isinstance(v, str) and not v.strip())}
    for name in inactive(schema, given):
        given.pop(name, None)
    day = (happened or now).astimezone(zone).date()
    faults = dict(_schema_faults(schema, given))
    faults |= {name: reason for name, value in given.items() if (reason := _unkeepable(value))}
    for name, value in given.items():
        spec = field_spec(schema, name)
        if name not in faults and spec is not None:
            reason = _registry_fault(reader, norm, spec, value, day) or _future_fault(spec, value, zone, now)
            if reason:
                faults[name] = reason
    refuse(faults)
    return split(form, schema, given)


def require_less(norm: Norm, answers: Answers, flow: Mapping[str, Json]) -> None:
    """Amounts that must stay below what the diagram knows (`x-menor-que`), such as a partial vote below the fine."""
    faults: dict[str, str] = {}
    for name, spec in properties(norm.forms[answers.form][0]).items():
        told, limit = answers.get(name), flow.get(spec.get("x-menor-que", ""))
        if isinstance(told, str) and type(limit) is int and Units.parse(told).hundredths >= limit:
            faults[name] = _MESSAGES["x-menor-que"].format(value=Units(limit))
    refuse(faults)


def refuse(faults: Mapping[str, str]) -> None:
    """Raises Invalid with one message per field, if there is any."""
    if faults:
        raise Invalid(
            "O formulário tem problemas; nada foi gravado.", code="formulario.invalido", fields=dict(faults)
        )


def check_draft(norm: Norm, form: str, answers: Mapping[str, Json]) -> dict[str, Json]:
    """What of a draft can be kept: known fields of a sane size. A draft is never refused for what it says."""
    schema = norm.forms[form][0]
    return {
        name: value
        for name, value in answers.items()
        if field_spec(schema, name) is not None and len(str(value)) <= 20_000 and _unkeepable(value) is None
    }


def properties(schema: Json) -> dict[str, Json]:
    """All fields of a form, those declared inside conditions included, in order."""
    fields = dict(schema.get("properties", {}))
    for rule in schema.get("allOf", []):
        for branch in ("then", "else"):
            for name, spec in rule.get(branch, {}).get("properties", {}).items():
                if isinstance(spec, dict) and name not in fields:
                    fields[name] = spec
    return fields


def field_spec(schema: Json, name: str) -> dict[str, Any] | None:
    spec = properties(schema).get(name)
    return spec if isinstance(spec, dict) else None


def inactive(schema: Json, given: Mapping[str, Json]) -> set[str]:
    """Fields that the answers given switch off: `false` in the branch taken, or declared only in the other."""
    base, off, on = set(schema.get("properties", {})), set[str](), set[str]()
    for rule in schema.get("allOf", []):
        if "if" not in rule:
            continue
        holds = _validator(rule["if"]).is_valid(dict(given))
        taken, other = (
            (rule.get("then", {}), rule.get("else", {}))
            if holds
            else (rule.get("else", {}), rule.get("then", {}))
        )
        off |= {k for k, v in taken.get("properties", {}).items() if v is False}
        off |= {k for k, v in other.get("properties", {}).items() if isinstance(v, dict) and k not in base}
        on |= {k for k, v in taken.get("properties", {}).items() if v is not False}
    return off - on


def _schema_faults(schema: Json, given: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    closed = {**schema, "properties": properties(schema), "additionalProperties": False}
    for error in _validator(closed).iter_errors(dict(given)):
        if error.validator == "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            yield from ((name, _MESSAGES["required"]) for name in missing)
        elif error.validator == "additionalProperties":
            unknown = sorted(set(given) - set(closed["properties"]))
            yield from ((name, _MESSAGES["additionalProperties"]) for name in unknown)
        elif error.absolute_path:
            yield str(error.absolute_path[0]), _message(error)


def _message(error: ValidationError) -> str:
    if error.validator == "format":
        return _FORMATS.get(str(error.validator_value), "O valor não está no formato esperado.")
    if error.validator == "pattern" and isinstance(error.schema, dict) and "x-formato" in error.schema:
        return f"Escreva no formato {error.schema['x-formato']}."
    if error.validator in ("enum", "const") and "allOf" in error.absolute_schema_path:
        return _OTHERWISE
    template = _MESSAGES.get(str(error.validator), "Valor inválido.")
    shown = error.validator_value if isinstance(error.validator_value, int | str) else ""
    return template.format(value=shown)


def _unkeepable(value: Json, depth: int = 0) -> str | None:
    """Why a value could not be journaled or stored the same on every database, whatever its form says."""
    if isinstance(value, str):
        return None if keepable(value) else "Há caracteres que não podem ser gravados."
    if isinstance(value, int):
        return None if abs(value) < 2**53 else "O número é grande demais."
    if isinstance(value, list | dict) and depth < _DEEPEST:
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return next((reason for part in parts if (reason := _unkeepable(part, depth + 1))), None)
    return None if value is None else _MESSAGES["type"]


def _registry_fault(
    reader: Reader, norm: Norm, spec: Mapping[str, Any], value: Json, day: date
) -> str | None:
    table = spec.get("x-tabela")
    if table and norm.tables[table].row_on(str(value), day) is None:
        known = f" em vigor em {day:%d/%m/%Y}" if str(value) in norm.tables[table].codes else ""
        return f"O código não está na tabela da lei{known}."
    lookups = {
        "transportador": carriers.carrier_by_id,
        "pessoal": carriers.staff_by_id,
        "outorga": carriers.grant_by_id,
    }
    kind = spec.get("x-registro")
    if kind:
        try:
            lookups[kind](reader, str(value))
        except NotFound as missing:
            return missing.message
    return None


def _future_fault(spec: Mapping[str, Any], value: Json, zone: ZoneInfo, now: datetime) -> str | None:
    if spec.get("x-futuro") or not isinstance(value, str):
        return None
    if spec.get("format") == "date" and date.fromisoformat(value) > now.astimezone(zone).date():
        return "A data está no futuro."
    if spec.get("format") == "date-time" and datetime.fromisoformat(value) > now:
        return "O instante está no futuro."
    return None


def split(form: str, schema: Json, given: Mapping[str, Json]) -> Answers:
    """Checked answers by where each may be kept."""
    answers = Answers(form)
    for name, spec in properties(schema).items():
        if spec.get("x-fluxo"):
            answers.flow[name] = _for_flow(spec, given.get(name))
        if name not in given:
            continue
        target = answers.personal if spec.get("x-pessoal") else answers.plain
        target[name] = given[name]
        if kind := spec.get("x-registro"):
            answers.references[kind] = str(given[name])
    return answers


def _for_flow(spec: Mapping[str, Any], value: Json) -> Json:
    """Amounts enter the diagram as whole hundredths: it compares numbers, never text, and no float may exist."""
    if spec.get("format") == "decimal" and isinstance(value, str):
        return Units.parse(value).hundredths
    return value
