"""What the diagram knew: its variables, under the label that a form, a task or a document gives them, if any does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from app.cases.display import shown
from app.cases.forms import properties
from app.cases.history import moment
from app.cases.history.past import Past
from app.values import Json, Money, Units, parse_instant
from app.web.forms.choices import called
from app.web.language import N_
from app.web.sheets.replay.names import Names

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Variable:
    """A variable with its value as text. `secret`: nobody may read it yet."""

    name: str
    label: str
    text: str
    secret: bool = False


@dataclass(frozen=True)
class Changed:
    """A variable that an entry changed; empty text where it had, or has, no value."""

    name: str
    label: str
    before: str
    after: str


@dataclass
class Flow:
    """The variables of one case after each of its entries."""

    past: Past
    names: Names

    def variables(self, seq: int) -> list[Variable]:
        hidden = self._secret(seq)
        return [
            Variable(
                name, self._label(name), "" if name in hidden else self._text(name, value), name in hidden
            )
            for name, value in sorted(self._data(seq).items())
        ]

    def changes(self, seq: int) -> list[Changed]:
        """What an entry made the diagram know anew; nothing of a vote that is still secret."""
        before, after, hidden = self._data(seq - 1), self._data(seq), self._secret(seq)
        changed = sorted(n for n in {*before, *after} - hidden if before.get(n) != after.get(n))
        return [
            Changed(
                name,
                self._label(name),
                self._text(name, before[name]) if name in before else "",
                self._text(name, after[name]) if name in after else "",
            )
            for name in changed
        ]

    def _secret(self, seq: int) -> set[str]:
        """Variables in which the votes of a round that is open today show."""
        votes = [number for number in moment.secret(self.past) if number <= seq]
        pairs = ((self._data(number - 1), self._data(number)) for number in votes)
        return {name for old, new in pairs for name in new if old.get(name) != new[name]}

    def _data(self, seq: int) -> Mapping[str, Json]:
        step = self.past.history[seq].step
        return step.data if step else {}

    def _text(self, name: str, value: Json) -> str:
        """A value as people read it. Whole numbers stay what the diagram compares, but for those of a form's field."""
        norm = self.names.norm
        form, spec = self._fields.get(name, ("", {}))
        if spec.get("format") == "decimal" and isinstance(value, int):
            return str(Money(value)) if spec.get("x-moeda") == "BRL" else f"{Units(value)} {norm.unit_name}"
        if spec and isinstance(value, str | bool):
            return called(self.names.reader, norm, spec, value) or shown(norm, form, name, value)
        return plain(self.names, value)

    def _label(self, name: str) -> str:
        _, spec = self._fields.get(name, ("", {}))
        return str(spec.get("title") or self._words.get(name, ""))

    @cached_property
    def _fields(self) -> Mapping[str, tuple[str, Mapping[str, Json]]]:
        """The form field that gives a variable its value, with its form."""
        return {
            name: (form, spec)
            for form, (schema, _) in self.names.norm.forms.items()
            for name, spec in properties(schema).items()
            if spec.get("x-fluxo")
        }

    @cached_property
    def _words(self) -> Mapping[str, str]:
        """What documents of the norm and tasks of the diagram call a variable."""
        kinds = self.names.norm.documents.values()
        told = {f.source: f.label for kind in kinds for f in kind.fields if f.source.startswith("dado.")}
        words = {source.removeprefix("dado."): label for source, label in told.items()}
        elements = self.past.pinned.definition.elements.values() if self.past.pinned else ()
        for element in elements:
            for part in element.properties.get("mostra", "").split("|"):
                name, colon, said = part.partition(":")
                if colon:
                    words[name.strip()] = said.strip()
        return words


def plain(names: Names, value: Json) -> str:
    """A value of which no form says more."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return N_("sim") if value else N_("não")
    if isinstance(value, dict):
        return "; ".join(f"{key}: {plain(names, one)}" for key, one in value.items()) or "—"
    if isinstance(value, list):
        return "; ".join(plain(names, one) for one in value) or "—"
    told = str(value)
    if _INSTANT.fullmatch(told):
        return f"{parse_instant(told).astimezone(names.norm.zone):%d/%m/%Y %H:%M}"
    if _DAY.fullmatch(told):
        return f"{date.fromisoformat(told):%d/%m/%Y}"
    return names.record(told) or told
