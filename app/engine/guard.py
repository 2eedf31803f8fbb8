"""What may enter the flow data of a case: small, flat, plain values in one canonical form.

Everything that reaches a token passes here: opening data, answers, message payloads, answers to questions. Anything
else would be lost or changed by being saved (floats, dates, nested objects) or would not replay byte by byte (key
order, text not in NFC). No field of any form is known here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import cast

from app.errors import Invalid
from app.values import Json

MAX_INT = 2**53
MAX_TEXT = 1000
MAX_KEY = 100
MAX_ITEMS = 200


def flow_data(data: Mapping[str, Json], origin: str) -> dict[str, Json]:
    """A canonical copy of `data`: keys sorted, text in NFC. Raises Invalid naming every value that may not enter.

    Args:
        origin: what the person sees as the source, such as `resposta` or `mensagem contestacao`.
    """
    faults: dict[str, str] = {}
    clean: dict[str, Json] = {}
    if len(data) > MAX_ITEMS:
        faults["*"] = f"são permitidos no máximo {MAX_ITEMS} valores"
    for key, value in data.items():
        fault = _key_fault(key) or ("" if str(key).isidentifier() else "nome não é um identificador")
        try:
            if not fault:
                clean[unicodedata.normalize("NFC", key)] = flow_value(value)
        except ValueError as error:
            fault = str(error)
        if fault:
            faults[str(key)] = fault
    if faults:
        raise Invalid(f"Há valores de {origin} que não cabem no fluxo.", code="dado.invalido", fields=faults)
    return dict(sorted(clean.items()))


def flow_value(value: Json) -> Json:
    """A canonical copy of one flow value. Raises ValueError with a Portuguese reason."""
    if isinstance(value, Mapping):
        return _flat_mapping(cast("Mapping[str, Json]", value))
    if isinstance(value, list | tuple):
        _few(len(value))
        return [_scalar(item) for item in value]
    return _scalar(value)


def _flat_mapping(value: Mapping[str, Json]) -> dict[str, Json]:
    _few(len(value))
    clean: dict[str, Json] = {}
    for key, item in value.items():
        if fault := _key_fault(key):
            raise ValueError(fault)
        clean[unicodedata.normalize("NFC", key)] = _scalar(item)
    return dict(sorted(clean.items()))


def _few(count: int) -> None:
    if count > MAX_ITEMS:
        raise ValueError(f"são permitidos no máximo {MAX_ITEMS} itens")


def _key_fault(key: object) -> str:
    if not isinstance(key, str) or not 0 < len(key) <= MAX_KEY:
        return f"a chave precisa ser um texto de 1 a {MAX_KEY} caracteres"
    # NFKC is what the expression language reads names in: a look-alike must not slip past these two rules.
    plain = unicodedata.normalize("NFKC", key)
    if plain.startswith("_") or plain == "typename":
        return f"a chave {key!r} é reservada"
    return _text_fault(key)


def _text_fault(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "o texto tem caracteres inválidos"
    return ""


def _scalar(value: Json) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) >= MAX_INT:
            raise ValueError("número inteiro grande demais")
        return int(value)
    if isinstance(value, str):
        # Far too long is never normalised: accents in a row take time with the square of their number.
        text = unicodedata.normalize("NFC", value) if len(value) <= 4 * MAX_TEXT else value
        if len(text) > MAX_TEXT:
            raise ValueError(f"texto com mais de {MAX_TEXT} caracteres")
        if fault := _text_fault(text):
            raise ValueError(fault)
        return str(text)
    raise ValueError(f"{type(value).__name__} não é um valor simples")


def same(left: Json, right: Json) -> bool:
    """Equality that tells 1 from True and 0 from False, unlike `==`, at every depth."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def detached(value: Json) -> Json:
    """A copy that shares nothing mutable with `value`; flow values are one level deep, so one copy is enough."""
    return value.copy() if isinstance(value, dict | list) else value
