"""The words of a story and the shape of what each says. `docs/scenarios.md` describes them; every other is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from app.demo.shapes import (
    Place,
    Shape,
    amount,
    flag,
    listing,
    pairs,
    record,
    shown,
    text,
    whole,
)

STORY_KEYS = {"cenario", "titulo", "artigos", "municipio", "dado", "quando", "variantes", "comum"}
ACTS = ("abre", "conclui", "protocola", "anota", "cancela", "anula", "afasta", "corrige")
STEP_KEYS = {"em", "quem", *ACTS, "com", "carimbo", "processo", "assento", "recusa", "entao", "motivo"}
FIRST, LAST = datetime(2025, 1, 2, 12, 0, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def _end_of_term(place: Place, value: Any) -> Any:
    """The last day, or the last instant, of a term; nothing when it must not run."""
    if isinstance(value, str):
        try:
            return (
                datetime.fromisoformat(value.strip())
                if len(value.strip()) > 10
                else date.fromisoformat(value)
            )
        except ValueError:
            raise place.fault(f"data ilegível: {shown(value)}") from None
    if value is not None and not isinstance(value, date):
        raise place.fault(f"esperava-se uma data ou null, veio {shown(value)}")
    return value


def _fields(place: Place, value: Any) -> Any:
    """The fields of one document: a list of those filled in, or the text that each contains."""
    return listing(text)(place, value) if isinstance(value, list) else pairs(_part)(place, value)


def _part(place: Place, value: Any) -> str:
    return "" if value == "" else text(place, value.isoformat() if isinstance(value, date) else value)


def _flow(_: Place, value: Any) -> Any:
    return value


# What each expectation says. A part that is misspelt would check nothing in silence: parts are named too.
THEN: dict[str, Shape] = {
    "estado": text,
    "encerrado": flag,
    "prazos": pairs(_end_of_term),
    "documentos": listing(text),
    "sem_documentos": listing(text),
    "campos": pairs(_fields),
    "cobranca": record({}, {"ufp": amount, "reais": amount, "devedor": text}),
    "devolucao": record({}, {"percentual": whole, "ufp": amount, "reais": amount}),
    "pago": amount,
    "ocorrencia": text,
    "tarefas": listing(text),
    "quem_age": listing(text),
    "protocolo": record({}, {"moveu": flag}),
    "peticao": flag,
    "infrator": text,
    "votos": pairs(text),
    "fatos": pairs(_flow),
    "avisos": whole,
    "sem_efeito": listing(text),
    "numeros": pairs(listing(whole)),
}
expectations = record({}, THEN)


def instant(place: Place, value: Any, zone: ZoneInfo) -> datetime:
    """A date and hour; only the date stands for nine o'clock. Without an offset it is local to `zone`."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise place.fault(f"data e hora ilegíveis: {shown(value)}") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(9, 0))
    if not isinstance(value, datetime):
        raise place.fault(f"data e hora ilegíveis: {shown(value)}; escreva como 2026-05-18 16:30")
    told = value if value.tzinfo else value.replace(tzinfo=zone)
    day = timedelta(days=1)
    if not FIRST.date() + day <= told.date() <= LAST.date() - day:
        raise place.fault(f"{told:%d/%m/%Y} está fora dos dias das histórias, de 03/01/2025 a 30/12/2099")
    return told
