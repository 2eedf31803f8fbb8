"""Checks that many acts share: instants that cannot be, versions that have moved, texts that are none or too long."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from app import audit, people
from app.cases.dossier import stream_of
from app.cases.forms import Answers, field_spec, properties, refuse, validate
from app.errors import Conflict, Invalid
from app.law.norm import Norm
from app.store import Reader, Tx
from app.values import Json, blank, keepable, utc

OLDEST, NEWEST = 1900, 2200  # years in which something may have happened to a case
AHEAD = timedelta(minutes=5)  # how far the watch of whoever writes an hour down may be ahead of ours
_BACKWARDS = ("annul", "set_aside")  # what changes tasks without naming them
_HOUR = re.compile(r"[0-9]{2}:[0-9]{2}")


def legal_instant(tx: Tx, effective_at: datetime | None) -> datetime:
    """When the act legally happened: as told, or now. Raises Invalid for the future and for naive instants."""
    if effective_at is None:
        return tx.now
    if effective_at.utcoffset() is None:
        raise Invalid("O instante precisa de fuso horário.", code="instante.sem_fuso")
    if not OLDEST <= effective_at.year <= NEWEST:
        raise Invalid(f"O ano {effective_at.year} não pode estar certo.", code="instante.absurdo")
    if effective_at > tx.now:
        raise Invalid("O instante do ato está no futuro.", code="instante.futuro")
    return utc(effective_at)


def read_form(
    reader: Reader, norm: Norm, form: str, answers: Mapping[str, Json], happened: datetime
) -> Answers:
    """The answers of a form to an act that happened at an instant, checked against the form and the clock.

    An hour asked right after a date belongs to it: today's date with an hour to come is in the future too.
    """
    checked = validate(reader, norm, form, answers, norm.zone, now=reader.now, happened=happened)
    schema = norm.forms[form][0]
    for day, hour in pairwise(properties(schema)):
        spec, told = field_spec(schema, day) or {}, (checked.get(day), checked.get(hour))
        if spec.get("format") != "date" or spec.get("x-futuro") or not all(isinstance(t, str) for t in told):
            continue
        if not _HOUR.fullmatch(str(told[1])):
            continue
        happened = datetime.fromisoformat(f"{told[0]}T{told[1]}").replace(tzinfo=norm.zone)
        if happened > reader.now + AHEAD:
            refuse({hour: "A hora está no futuro."})
    return checked


def require_version(tx: Tx, item: Mapping[str, Any], version: int) -> None:
    """Raises Conflict unless the task is open and unchanged since the person opened it; says who did what."""
    if item["status"] != "open":
        who = people.name_of(tx, item["closed_by"] or "")
        if item["status"] == "done":
            sentence = (
                f"A tarefa “{item['name']}” já foi concluída por {who}. O que você escreveu não foi gravado."
            )
        else:
            sentence = (
                f"A tarefa “{item['name']}” já foi encerrada por {who}. O que você escreveu não foi gravado."
            )
        raise Conflict(sentence, code="tarefa.encerrada")
    if item["version"] != version:
        raise Conflict(_changed(tx, item) + " Confira e envie de novo.", code="tarefa.mudou")


def _changed(tx: Tx, item: Mapping[str, Any]) -> str:
    """Who took the task or gave it back since the person opened it, as the journal says; nobody's name if neither."""
    for entry in reversed(audit.entries(tx, stream_of(item["case_id"]))):
        if entry.act in _BACKWARDS:
            break
        if entry.act not in ("claim", "release") or entry.body["command"]["task"] != item["task_id"]:
            continue
        if entry.actor == str(tx.actor):
            return "Você assumiu ou devolveu esta tarefa em outra página."
        who = people.name_of(tx, entry.actor)
        if entry.act == "claim":
            return f"{who} assumiu a tarefa depois que você a abriu."
        return f"{who} esteve com a tarefa e a devolveu depois que você a abriu."
    return "A tarefa mudou depois que você a abriu."


def text(value: object, label: str, longest: int) -> str:
    """A non-empty text of at most `longest` characters that can be kept, or Invalid."""
    cleaned = value.strip() if isinstance(value, str) else ""
    if blank(cleaned):
        raise Invalid(f"{label}: escreva um texto.", code="texto.vazio")
    if len(cleaned) > longest:
        raise Invalid(f"{label}: no máximo {longest} caracteres.", code="texto.longo")
    if not keepable(cleaned):
        raise Invalid(f"{label}: há caracteres que não podem ser gravados.", code="texto.caracteres")
    return cleaned
