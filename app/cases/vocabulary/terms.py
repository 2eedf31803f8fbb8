"""Counting a case's terms: the diagram names the deadline, the norm says how long, the calendar which days."""

from __future__ import annotations

from dataclasses import replace

from app.cases.dossier import Dossier
from app.errors import Invalid
from app.law.counting import Due, Term, count
from app.law.norm import UNITS
from app.values import Json, canonical, digest, iso, parse_instant


def count_term(dossier: Dossier, key: str, base: str) -> Due:
    """The end of deadline `key` counted from the instant `base` (ISO). Kept until its row is written.

    Raises Invalid when the norm has no such deadline or nothing started it yet.
    """
    counted = dossier.counted.get((key, base))
    if counted is not None:
        return counted
    if key not in dossier.norm.deadlines:
        raise Invalid(f"A norma não tem o prazo {key}.", code="prazo.desconhecido")
    try:
        served = parse_instant(base)
    except ValueError:
        raise Invalid(
            f"O prazo {key} não pode ser contado: falta o instante que o inicia.", code="prazo.sem_inicio"
        ) from None
    due = count(term_of(dossier, key), served, dossier.calendar)
    dossier.counted[(key, base)] = due
    return due


def term_of(dossier: Dossier, key: str) -> Term:
    """A deadline as the municipality reads it: a choice `prazo.<key>.unidade` says in which days it counts."""
    term = dossier.norm.deadlines[key]
    unit = dossier.choice(f"prazo.{key}.unidade", "")
    return replace(term, unit=UNITS[unit]) if unit else term


def told(key: str, base: str, due: Due) -> Json:
    """What the journal keeps of a counted term: its ends, and the digest of how it was counted."""
    return {
        "term": key,
        "base": base,
        "due_at": iso(due.due_at),
        "expires_at": iso(due.expires_at),
        "trace": digest(canonical(due.trace.json())),
    }
