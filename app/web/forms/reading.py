"""An HTML form becomes JSON answers, as its schema says. What cannot be read stays as typed, for the schema to refuse.

Decimals lose their local dress ("1.234,50" is "1234.50"), local times get the municipality's offset, and characters
that nobody can see are dropped: a NUL pasted along with a text must not stop a person, nor a database.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from app.cases.forms import properties
from app.values import Json, Money, blank, composed, parse_day

# Only what people write: the language also reads weeks and dates without their dashes (`2026-W48-1T10:00`).
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:?[0-9]{2}")
_LOCAL_DATE = re.compile(r"(\d{2})/(\d{2})/(\d{4})(?:[ ,T]+(\d{2}:\d{2}(?::\d{2})?))?")
_KEPT = "\n\t"


LONGEST = 100_000  # letters of one field that are looked at; every form refuses far fewer


def clean(raw: str) -> str:
    """Text in NFC, with unix line ends and without control or direction-changing characters."""
    text = composed(raw[:LONGEST].replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c for c in text if c in _KEPT or not _invisible(c))


def typed_in(schema: Json, form: Mapping[str, str]) -> dict[str, str]:
    """What was typed into the fields of the form, and nothing else."""
    return {name: clean(form[name]) for name in properties(schema) if name in form}


def answers_in(schema: Json, typed: Mapping[str, str], zone: ZoneInfo) -> dict[str, Json]:
    """The answers as JSON. A blank is no answer."""
    specs = properties(schema)
    return {
        name: _read(specs[name], text.strip(), zone)
        for name, text in typed.items()
        if name in specs and not blank(text)
    }


def typed_again(schema: Json, answers: Mapping[str, Json], zone: ZoneInfo) -> dict[str, str]:
    """Answers kept as JSON, as a person would type them: how a draft comes back."""
    specs = properties(schema)
    return {name: _type(specs[name], value, zone) for name, value in answers.items() if name in specs}


def instant_in(text: str, zone: ZoneInfo) -> datetime | None:
    """The instant of a local date and time; None when it is none. A day without its hour is no instant."""
    written = _iso_day(text)
    if not _INSTANT.match(written):
        return None
    try:
        local = datetime.fromisoformat(written)
    except ValueError:
        return None
    return local if local.tzinfo else local.replace(tzinfo=zone)


def day_in(text: str) -> date | None:
    """A date alone, as the browser sends it or as people write it; None when it is none."""
    try:
        return parse_day(_iso_day(text.strip()))
    except ValueError:
        return None


def local_text(moment: datetime, zone: ZoneInfo) -> str:
    """An instant as a `datetime-local` field holds it."""
    try:
        return moment.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes")
    except OverflowError:  # year 1 or 9999 at the edge of the calendar: typed again, not shown
        return ""


def _invisible(character: str) -> bool:
    # Zero-width joiners (Cf) are part of some scripts and emoji; marks that reorder text are not wanted anywhere.
    kind = unicodedata.category(character)
    return (
        kind in ("Cc", "Cs", "Co", "Cn")
        or "\u202a" <= character <= "\u202e"
        or "\u2066" <= character <= "\u2069"
    )


def _read(spec: Mapping[str, Any], text: str, zone: ZoneInfo) -> Json:
    if spec.get("type") == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if spec.get("type") == "integer":
        return int(text) if re.fullmatch(r"-?[0-9]{1,15}", text) else text
    kind = spec.get("format")
    if kind == "decimal":
        return _decimal(text)
    if kind == "date":
        return _iso_day(text)
    if kind == "date-time":
        moment = instant_in(text, zone)
        return moment.isoformat() if moment else text
    return text


def _decimal(text: str) -> str:
    try:
        amount = Money.parse(text).cents
    except ValueError:
        return text
    whole, hundredths = divmod(abs(amount), 100)
    return f"{'-' if amount < 0 else ''}{whole}.{hundredths:02d}"


def _iso_day(text: str) -> str:
    """`15/03/2026 14:30` in ISO; anything else as it is."""
    found = _LOCAL_DATE.fullmatch(text)
    if not found:
        return text
    day, month, year, hour = found.groups()
    return f"{year}-{month}-{day}" + (f"T{hour}" if hour else "")


def _type(spec: Mapping[str, Any], value: Json, zone: ZoneInfo) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return str(value)
    if spec.get("format") == "decimal":
        try:
            return str(Money.parse(value)).removeprefix("R$ ")
        except ValueError:
            return value
    moment = instant_in(value, zone) if spec.get("format") == "date-time" else None
    return local_text(moment, zone) if moment else value
