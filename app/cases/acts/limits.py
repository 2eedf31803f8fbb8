"""Checks that many acts share: instants that cannot be, versions that have moved, texts that are too long."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app import people
from app.errors import Conflict, Invalid
from app.store import Reader, Tx
from app.values import keepable, utc

OLDEST, NEWEST = 1900, 2200  # years in which something may have happened to a case


def legal_instant(tx: Tx, effective_at: datetime | None) -> datetime:
    """When the act legally happened: as told, or now. Raises Invalid for the future and for naive instants."""
    if effective_at is None:
        return tx.now
    if effective_at.tzinfo is None:
        raise Invalid("O instante precisa de fuso horário.", code="instante.sem_fuso")
    if not OLDEST <= effective_at.year <= NEWEST:
        raise Invalid(f"O ano {effective_at.year} não pode estar certo.", code="instante.absurdo")
    if effective_at > tx.now:
        raise Invalid("O instante do ato está no futuro.", code="instante.futuro")
    return utc(effective_at)


def require_version(reader: Reader, item: Mapping[str, Any], version: int) -> None:
    """Raises Conflict unless the task is open and unchanged since the person opened it; says who did what."""
    if item["status"] != "open":
        who = people.name_of(reader, item["closed_by"] or "")
        verb = "concluída" if item["status"] == "done" else "encerrada"
        raise Conflict(
            f"A tarefa “{item['name']}” já foi {verb} por {who}. O que você escreveu não foi gravado.",
            code="tarefa.encerrada",
        )
    if item["version"] != version:
        who = people.name_of(reader, f"pessoa:{item['claimed_by']}") if item["claimed_by"] else "outra pessoa"
        raise Conflict(
            f"A tarefa mudou depois que você a abriu (com {who}). Confira e envie de novo.",
            code="tarefa.mudou",
        )


def text(value: object, label: str, longest: int) -> str:
    """A non-empty text of at most `longest` characters that can be kept, or Invalid."""
    cleaned = value.strip() if isinstance(value, str) else ""
    if not cleaned:
        raise Invalid(f"{label}: escreva um texto.", code="texto.vazio")
    if len(cleaned) > longest:
        raise Invalid(f"{label}: no máximo {longest} caracteres.", code="texto.longo")
    if not keepable(cleaned):
        raise Invalid(f"{label}: há caracteres que não podem ser gravados.", code="texto.caracteres")
    return cleaned
