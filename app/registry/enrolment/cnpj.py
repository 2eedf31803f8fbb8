"""The CNPJ: the federal number of a company. Digits until 2026; since then its first twelve places may be letters.

Both kinds carry the same two check digits (a letter counts as its ASCII code less 48).
"""

from __future__ import annotations

import re

_SHAPE = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_WEIGHTS = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


def bare(text: str) -> str:
    """Letters and digits alone, as a person's typing is compared."""
    return "".join(c for c in text.upper() if c.isascii() and c.isalnum())


def written(text: str) -> str | None:
    """The number as it is printed, `11.222.333/0001-81`; None when it is no CNPJ or its check digits are wrong."""
    typed = text.strip().upper()
    number = re.sub(r"[.\-/ ]", "", typed)
    if not _SHAPE.fullmatch(number) or len(set(number)) == 1 or number[12:] != _check_digits(number[:12]):
        return None
    return f"{number[:2]}.{number[2:5]}.{number[5:8]}/{number[8:12]}-{number[12:]}"


def _check_digits(base: str) -> str:
    first = _check_digit(base)
    return first + _check_digit(base + first)


def _check_digit(places: str) -> str:
    weights = _WEIGHTS[-len(places) :]
    rest = sum((ord(c) - 48) * weight for c, weight in zip(places, weights, strict=True)) % 11
    return "0" if rest < 2 else str(11 - rest)
