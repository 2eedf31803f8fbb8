"""Forms of the norm as HTML and back. JSON Schema says what a form is; nothing here decides whether it is right.

`fields.py` draws, `reading.py` reads, `conditions.py` shows and hides without scripts, `choices.py` lists what may be
chosen, `boxes.py` what has to be confirmed by a tick.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import url_for

from app.cases.forms import properties
from app.errors import Refused
from app.law.norm import Norm
from app.store import Reader
from app.values import Json, blank
from app.web.forms.choices import choices_of
from app.web.forms.conditions import css
from app.web.forms.fields import Field, draw

__all__ = ["Field", "Sheet", "sheet"]


@dataclass(frozen=True)
class Sheet:
    """One form on a page: its fields, what was typed into them and what is wrong.

    `faults` are (field, title, message) in the order of the page; the field is empty when it has none of that name.
    """

    title: str
    help: str
    fields: list[Field]
    style: str | None
    refused: Refused | None
    faults: list[tuple[str, str, str]]


def sheet(
    reader: Reader,
    norm: Norm,
    form: str,
    typed: Mapping[str, str],
    refused: Refused | None = None,
    extra: Mapping[str, str] | None = None,
) -> Sheet:
    """The form `form` of the norm. `extra`: further fields of the page (name, title) that faults may point to."""
    schema, ui = norm.forms[form]
    wrong = dict(refused.fields) if refused else {}
    fields = draw(schema, ui, typed, wrong, lambda spec: choices_of(reader, norm, spec))
    titles = {f.name: f.title for f in fields} | dict(extra or {})
    order = {name: place for place, name in enumerate([*(extra or {}), *(f.name for f in fields)])}
    found = sorted(wrong.items(), key=lambda told: order.get(told[0], len(order)))
    faults = [(name if name in titles else "", titles.get(name, name), text) for name, text in found]
    style = url_for("norm.form_style", digest=norm.digest, form=form) if css(schema) else None
    return Sheet(schema.get("title", ""), schema.get("description", ""), fields, style, refused, faults)


def copied(schema: Json, typed: Mapping[str, str]) -> list[tuple[str, str]]:
    """What was typed, by title, to be copied from a page whose form is gone."""
    specs: dict[str, Any] = properties(schema)
    told = {name: text for name, text in typed.items() if name in specs and not blank(text)}
    return [
        (specs[name].get("title", name), _said(specs[name], told[name])) for name in specs if name in told
    ]


def _said(spec: Mapping[str, Any], value: str) -> str:
    """An option by its title, everything else as typed."""
    return next((o["title"] for o in spec.get("oneOf", []) if str(o.get("const")) == value), value)
