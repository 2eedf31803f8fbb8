"""What the pages of going back have in common: the case laid open for questions, what a person saw and typed."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from app import audit
from app.audit import Entry
from app.cases import preview
from app.cases.dossier import Dossier, stream_of
from app.cases.history import Folder
from app.errors import Conflict, Refused
from app.law.norm import Norm
from app.store import Reader
from app.web.forms.reading import clean
from app.web.language import N_, _
from app.web.pages.cases import opened
from app.web.session import as_actor
from app.web.sheets import timeline
from app.web.sheets.timeline import Line


@dataclass(frozen=True)
class Asked:
    """A case as its page of going back sees it."""

    dossier: Dossier
    folder: Folder
    norm: Norm
    told: list[Entry]
    lines: list[Line]

    @property
    def last(self) -> int:
        """The number of the newest entry: what the person saw when the page was drawn."""
        return self.lines[0].seq

    def line(self, seq: int) -> Line | None:
        return next((line for line in self.lines if line.seq == seq), None)

    def since(self, seen: int) -> list[Line]:
        """What was recorded after entry `seen`, oldest first."""
        return [line for line in reversed(self.lines) if line.seq > seen]


def asked(reader: Reader, number: str) -> Asked:
    case, folder, norm = opened(reader, number)
    told = audit.entries(reader, stream_of(case["id"]))
    dossier = preview.laid_open(as_actor(reader), case, norm, told)
    return Asked(dossier, folder, norm, told, timeline.lines(reader, norm, folder, told))


@dataclass(frozen=True)
class Typed:
    """What a person sent: reason, version and newest entry as they saw them, and filings to be annulled too."""

    reason: str = ""
    seen: int = 0
    dropped: tuple[str, ...] = ()


def typed() -> Typed:
    return Typed(
        clean(request.form.get("motivo", "")),
        _number("visto", 0),
        tuple(sorted({clean(one)[:64] for one in request.form.getlist("peticao")})),
    )


def version() -> int:
    """The version of the case that the person saw."""
    found = _number("versao", -1)
    if found < 0:
        raise Conflict(N_("A página estava incompleta. Confira e envie de novo."), code="processo.mudou")
    return found


def _number(name: str, otherwise: int) -> int:
    text = request.form.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise


@dataclass(frozen=True)
class Faults:
    """What is wrong with the fields of a page that has no form of the norm."""

    faults: list[tuple[str, str, str]]


def faults(refused: Refused | None) -> Faults:
    """A refusal of the reason points to its field."""
    if refused is not None and refused.code.startswith("texto."):
        refused.fields["motivo"] = refused.message
    told = refused.fields.items() if refused else ()
    return Faults([(name, _("Motivo"), text) for name, text in told if name == "motivo"])
