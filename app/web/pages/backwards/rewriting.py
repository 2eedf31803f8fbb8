"""A form that was answered before, to be filled in anew: what may change, what is fixed, what moves the case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.audit import Entry
from app.cases.acts import correction
from app.cases.dossier import Dossier
from app.cases.forms import properties
from app.errors import Refused
from app.law.norm import Norm
from app.store import Reader
from app.values import Json
from app.web.forms import Sheet, sheet
from app.web.forms.choices import called
from app.web.forms.reading import answers_in, typed_again
from app.web.language import _

_INSTANT = "instante"  # the field of a service that its terms are counted from


@dataclass(frozen=True)
class Rewriting:
    """One entry whose form is corrected. `original`: what stands, as a person would type it."""

    norm: Norm
    entry: Entry
    form: str
    kept: Mapping[str, Json]
    original: Mapping[str, str]
    service: bool

    @property
    def schema(self) -> Any:
        return self.norm.forms[self.form][0]

    @property
    def _references(self) -> list[str]:
        return [name for name, spec in properties(self.schema).items() if spec.get("x-registro")]

    @property
    def fixed_texts(self) -> dict[str, str]:
        """Records of the registry as they were chosen: a correction does not exchange whom it is about."""
        return {name: self.original[name] for name in self._references if name in self.original}

    @property
    def moving_titles(self) -> list[str]:
        """Fields that the diagram decides by, or terms run from."""
        return [
            spec.get("title", name)
            for name, spec in properties(self.schema).items()
            if (spec.get("x-fluxo") and not spec.get("x-registro")) or (self.service and name == _INSTANT)
        ]

    def answers(self, texts: Mapping[str, str]) -> dict[str, Json]:
        """What was typed, as JSON; a field left alone keeps its value to the last digit."""
        read = answers_in(self.schema, texts, self.norm.zone)
        untouched = {
            name: value
            for name, value in self.kept.items()
            if name in texts and texts[name].strip() == self.original.get(name, "").strip()
        }
        return {**read, **untouched}

    def fixed(self, reader: Reader) -> list[tuple[str, str]]:
        """Title and name of each record that cannot be exchanged."""
        specs = properties(self.schema)
        return [
            (specs[name].get("title", name), called(reader, self.norm, specs[name], self.kept[name]) or "")
            for name in self._references
            if name in self.kept
        ]

    def sheet(self, reader: Reader, texts: Mapping[str, str], refused: Refused | None) -> Sheet:
        if refused is not None and refused.code.startswith("texto."):
            refused.fields["motivo"] = refused.message
        drawn = sheet(reader, self.norm, self.form, texts, refused, {"motivo": _("Motivo")})
        fields = [field for field in drawn.fields if field.name not in self._references]
        return replace(drawn, fields=fields)


def rewriting(reader: Reader, dossier: Dossier, seq: int) -> Rewriting:
    """Raises what the act would: an entry without form of ours, one that fell, one that was corrected already."""
    entry = correction.correctable(dossier, seq)
    kept = correction.answers_of(dossier, entry)
    norm, form = dossier.norm, str(entry.body["form"])
    shown = typed_again(norm.forms[form][0], kept, norm.zone)
    return Rewriting(norm, entry, form, kept, shown, "service" in correction.moving(dossier, entry).body)
