"""A JSON Schema with its uiSchema becomes a list of fields for the template: no HTML here, no decision there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.cases.forms import properties
from app.values import Json
from app.web.forms.choices import Option
from app.web.forms.conditions import conditional

FEW = 5  # up to so many options are radio buttons: all are seen at once
_INPUTS = {"date": "date", "date-time": "datetime-local", "decimal": "decimal"}


@dataclass(frozen=True)
class Field:
    """One field: how it is asked (`kind`), what has been typed, what is wrong with it."""

    name: str
    title: str
    kind: str
    help: str
    required: bool
    options: tuple[Option, ...]
    typed: str
    fault: str
    longest: int | None
    unit: str
    autocomplete: str
    placeholder: str
    rows: int

    @property
    def groups(self) -> list[tuple[str, list[Option]]]:
        """Options by group, in order; the group without a name first."""
        found: dict[str, list[Option]] = {}
        for option in self.options:
            found.setdefault(option.group, []).append(option)
        return list(found.items())


def draw(
    schema: Json,
    ui: Json,
    typed: Mapping[str, str],
    faults: Mapping[str, str],
    choices: Callable[[Mapping[str, Any]], tuple[Option, ...] | None],
) -> list[Field]:
    """The form's fields in the order of `ui:order`."""
    specs = properties(schema)
    needed = set(schema.get("required", [])) | _required_in_branches(schema) | conditional(schema)
    return [
        _field(
            name,
            specs[name],
            ui.get(name, {}),
            name in needed,
            typed,
            faults.get(name, ""),
            choices(specs[name]),
        )
        for name in _in_order(list(specs), ui.get("ui:order", ["*"]))
    ]


def _field(
    name: str,
    spec: Mapping[str, Any],
    ui: Mapping[str, Any],
    required: bool,
    typed: Mapping[str, str],
    fault: str,
    options: tuple[Option, ...] | None,
) -> Field:
    given = typed.get(name)
    return Field(
        name=name,
        title=spec.get("title", name),
        kind=_kind(spec, ui.get("ui:widget"), options),
        help=ui.get("ui:help") or spec.get("description", ""),
        required=required,
        options=options or (),
        typed=str(spec.get("default", "")) if given is None else given,
        fault=fault,
        longest=spec.get("maxLength"),
        unit={"BRL": "R$"}.get(spec.get("x-moeda", ""), spec.get("x-moeda", "")),
        autocomplete=ui.get("ui:autocomplete", "off"),
        placeholder=ui.get("ui:placeholder", ""),
        rows=ui.get("ui:options", {}).get("rows", 4),
    )


def _kind(spec: Mapping[str, Any], widget: str | None, options: tuple[Option, ...] | None) -> str:
    if spec.get("type") == "boolean" and (spec.get("const") is True or widget == "checkbox"):
        return "checkbox"
    if options is not None:
        from_registry = "x-registro" in spec or "x-tabela" in spec
        few = len(options) <= FEW and not from_registry
        return "radio" if widget == "radio" or (few and widget != "select") else "select"
    if widget == "textarea":
        return "textarea"
    if spec.get("type") == "integer":
        return "integer"
    return _INPUTS.get(spec.get("format", ""), "text")


def _required_in_branches(schema: Json) -> set[str]:
    """Fields that some answer makes obligatory: they are not called optional, since for somebody they are not."""
    branches = (rule.get(side, {}) for rule in schema.get("allOf", []) for side in ("then", "else"))
    return {name for branch in branches for name in branch.get("required", [])}


def _in_order(names: list[str], order: Iterable[str]) -> list[str]:
    named = [n for n in order if n in names]
    rest = [n for n in names if n not in named]
    at = list(order).index("*") if "*" in order else len(named)
    before = [n for n in list(order)[:at] if n in names]
    return before + rest + [n for n in named if n not in before]
