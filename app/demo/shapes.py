"""Shapes of written values: each takes a place and what stands there, gives it back clean or says what was expected.

Knows no key of any file; `given.py` and the story language put these together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from app.errors import Invalid
from app.values import Money, keepable

_LONG = 20_000


@dataclass(frozen=True)
class Place:
    """Where something is written, for a sentence: `linha 12: P12-VOTACAO-A, passo 3: entao`."""

    name: str
    line: int | None = None

    def at(self, holder: Any, key: Any) -> Place:
        """The place of a key, on its own line when the holder knows its lines."""
        lines: Mapping[str, int] = getattr(holder, "lines", {})
        return Place(f"{self.name}: {key}" if self.name else key, lines.get(key, self.line))

    def fault(self, sentence: str) -> Invalid:
        return Invalid(f"{self}: {sentence}")

    def __str__(self) -> str:
        name = self.name or "o arquivo"
        return name if self.line is None else f"linha {self.line}: {name}"


Shape = Callable[[Place, Any], Any]


def text(place: Place, value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise place.fault(f"esperava-se um texto, veio {shown(value)}; se preciso, ponha-o entre aspas")
    if not keepable(value) or len(value) > _LONG:
        raise place.fault("o texto é longo demais ou traz caracteres que não podem ser gravados")
    return value


def number_or_text(place: Place, value: Any) -> str:
    """What becomes a value of the norm: `5`, `2.5` or words."""
    return str(value) if isinstance(value, float) else text(place, value)


def flag(place: Place, value: Any) -> bool:
    if not isinstance(value, bool):
        raise place.fault(f"esperava-se true ou false, veio {shown(value)}")
    return value


def whole(place: Place, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise place.fault(f"esperava-se um número inteiro, veio {shown(value)}")
    return value


def amount(place: Place, value: Any) -> str:
    """An amount of money or units, as the text that `Money.parse` and `Units.parse` read."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            Money.parse(str(value))
        except ValueError:
            pass
        else:
            return str(value)
    raise place.fault(f"esperava-se uma quantia, como 500.00, veio {shown(value)}")


def day(place: Place, value: Any) -> date:
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value.strip())
        except ValueError:
            raise place.fault(f"data ilegível: {shown(value)}") from None
    if not isinstance(value, date) or isinstance(value, datetime):
        raise place.fault(f"esperava-se uma data, como 2026-03-02, veio {shown(value)}")
    return value


def clock(place: Place, value: Any) -> str:
    try:
        return f"{time.fromisoformat(str(value).strip()):%H:%M}"
    except ValueError:
        raise place.fault(f"esperava-se uma hora, como 07:40, veio {shown(value)}") from None


def one_of(*options: str) -> Shape:
    def check(place: Place, value: Any) -> str:
        if value not in options:
            raise place.fault(f"{shown(value)} não é nenhum destes: {', '.join(options)}")
        return str(value)

    return check


def listing(shape: Shape) -> Shape:
    def check(place: Place, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise place.fault(f"esperava-se uma lista, veio {shown(value)}")
        return [shape(Place(place.name, getattr(item, "line", place.line)), item) for item in value]

    return check


def pairs(shape: Shape) -> Shape:
    """Any keys; every value in one shape."""

    def check(place: Place, value: Any) -> dict[str, Any]:
        keys_among(place, value, None)
        return {key: shape(place.at(value, key), item) for key, item in value.items()}

    return check


def record(needed: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """These keys and no others, each with a value: an expectation left blank would check nothing in silence."""
    shapes = {**needed, **(optional or {})}

    def check(place: Place, value: Any) -> dict[str, Any]:
        keys_among(place, value, shapes)
        if missing := sorted(key for key in needed if value.get(key) is None):
            raise place.fault(f"falta {', '.join(missing)}")
        if blank := [key for key, item in value.items() if item is None]:
            raise place.at(value, blank[0]).fault("chave sem valor")
        return {key: shapes[key](place.at(value, key), item) for key, item in value.items()}

    return check


def keys_among(place: Place, value: Any, allowed: Collection[str] | None) -> None:
    """Refuses what is no mapping, and keys that are unknown or no text."""
    if not isinstance(value, Mapping):
        raise place.fault(f"esperavam-se chaves e valores, veio {shown(value)}")
    for key in value:
        if not isinstance(key, str):
            line = place.at(value, key).line
            raise Place(place.name, line).fault(
                f"a chave {shown(key)} tem de ser um texto; ponha-a entre aspas"
            )
    if unknown := sorted(key for key in value if allowed is not None and key not in allowed):
        line = place.at(value, unknown[0]).line
        raise Place(place.name, line).fault(f"chave desconhecida: {', '.join(unknown)}")


def shown(value: Any) -> str:
    """A value in a sentence, short whatever it is."""
    if value is None or value == "":
        return "nada"
    if isinstance(value, Mapping):
        return "um bloco de chaves e valores"
    if isinstance(value, list):
        return "uma lista"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float | date):
        told = str(value)
        return told if len(told) <= 60 else f"{told[:60]}…"
    return "outra coisa"
