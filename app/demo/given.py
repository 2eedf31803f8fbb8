"""What may be given before a case begins: the language of `demonstracao.toml` and of `dado` in a story."""

from __future__ import annotations

from typing import Any

from app.demo.shapes import (
    Place,
    Shape,
    clock,
    day,
    flag,
    keys_among,
    listing,
    number_or_text,
    one_of,
    record,
    text,
)
from app.law.calendar import KINDS
from app.registry.carriers import CATEGORIES, REGIMES
from app.registry.occurrences import STATUSES

_GRANT = record({"linha": text, "regime": one_of(*REGIMES), "desde": day}, {"ate": day})

GIVEN: dict[str, Shape] = {
    "pessoas": record(
        {"login": text, "nome": text, "matricula": text, "papeis": listing(text)},
        {"assento": text, "desde": day, "ato": text, "email": text},
    ),
    "transportadores": record(
        {"chave": text, "nome": text, "cnpj": text, "desde": day}, {"outorgas": listing(_GRANT)}
    ),
    "pessoal": record(
        {
            "chave": text,
            "transportador": text,
            "nome": text,
            "categoria": one_of(*CATEGORIES),
            "matricula": text,
            "desde": day,
        }
    ),
    "antecedentes": record(
        {"infrator": text, "codigo": text, "data": day, "situacao": one_of(*STATUSES)},
        {"outorga": text, "fonte": text},
    ),
    "valores": record({"chave": text, "valor": number_or_text, "ato": text}, {"desde": day}),
    "feriados": record(
        {"data": day, "tipo": one_of(*sorted(KINDS)), "nome": text, "ato": text},
        {
            "ambito": text,
            "abre": clock,
            "fecha": clock,
            "expediente_fechado": flag,
            "publicado_em": day,
            "em_vigor_desde": day,
        },
    ),
}


def given(place: Place, told: Any) -> dict[str, list[dict[str, Any]]]:
    """The givens, each in its shape. Raises Invalid with the place of the first that is not."""
    keys_among(place, told, GIVEN)
    return {key: listing(GIVEN[key])(place.at(told, key), lines or []) for key, lines in told.items()}
