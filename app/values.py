"""The vocabulary every room may use: instants, money, units of account, canonical bytes and digests.

Values only: no input or output, no clock, no knowledge of any law.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import orjson
import rfc8785

_LARGEST = 2**53 - 1  # what every reader of JSON takes for the same integer
Json = Any  # None, bool, int, str, or list/dict of the same


def utc(instant: datetime) -> datetime:
    """The same instant in UTC. Raises ValueError for a naive datetime: local digits are not an instant."""
    if instant.tzinfo is None:
        raise ValueError("an aware datetime is required")
    return instant.astimezone(UTC)


def iso(instant: datetime) -> str:
    """Canonical text of an instant: UTC, microseconds only when present, `Z` suffix."""
    return utc(instant).isoformat().replace("+00:00", "Z")


def parse_instant(text: str) -> datetime:
    """Reads what `iso` wrote, or any ISO 8601 instant with offset. ValueError when naive or malformed."""
    return utc(datetime.fromisoformat(text))


def parse_day(text: str) -> date:
    """Reads `AAAA-MM-DD` alone: the language also takes weeks and dates without dashes. ValueError otherwise."""
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError(f"not written as AAAA-MM-DD: {text!r}")
    return day


@dataclass(frozen=True, order=True)
class Money:
    """An amount of Brazilian reais in whole centavos."""

    cents: int

    @classmethod
    def parse(cls, text: str) -> Money:
        """Reads `1234.50`, `1.234,50` or `R$ 1.234,50`. Raises ValueError otherwise."""
        return cls(_hundredths(text))

    def __str__(self) -> str:
        return "R$ " + _pt_br(self.cents)


@dataclass(frozen=True, order=True)
class Units:
    """An amount of the law's unit of account (UFP, UR) in whole hundredths of a unit."""

    hundredths: int

    @classmethod
    def parse(cls, text: str) -> Units:
        """Reads `5`, `2.5` or `2,50`. Raises ValueError otherwise."""
        return cls(_hundredths(text))

    def times(self, factor: int) -> Units:
        return Units(self.hundredths * factor)

    def share(self, percent: int) -> Units:
        """`percent` hundredths of the amount, half up to the hundredth of a unit."""
        return Units(_half_up(Decimal(self.hundredths) * percent / 100))

    def at(self, unit_value: Money) -> Money:
        """Worth in reais when one unit costs `unit_value`; centavos rounded half up."""
        return Money(_half_up(Decimal(self.hundredths) * unit_value.cents / 100))

    def __str__(self) -> str:
        return _pt_br(self.hundredths).removesuffix(",00")


def _half_up(value: Decimal) -> int:
    return int(value.quantize(Decimal(1), rounding=ROUND_HALF_UP))


# `1234`, `1234.5`, `1234,50`, `1.234` and `1.234,50`. A dot with three digits parts thousands, as people here write;
# `0.500` or `5,000` could be read a thousandfold wrong, so they are no amount.
_AMOUNT = re.compile(
    r"(-?)(\d{1,11}|[1-9]\d{0,2}(?:\.\d{3})+)(?:,(\d{1,2}))?|(-?)(\d{1,11})\.(\d{1,2})", re.ASCII
)


def _hundredths(text: str) -> int:
    raw = text.replace("R$", "").replace("\u00a0", "").replace(" ", "")
    found = _AMOUNT.fullmatch(raw)
    if found is None:
        raise ValueError(f"not an amount: {text[:40]!r}")
    sign, whole, part = found[1] or found[4], found[2] or found[5], found[3] or found[6] or ""
    amount = int(whole.replace(".", "")) * 100 + int(part.ljust(2, "0"))
    if amount >= 10**15:
        raise ValueError(f"not an amount: {text[:40]!r}")
    return -amount if sign else amount


def _pt_br(hundredths: int) -> str:
    sign = "-" if hundredths < 0 else ""
    whole, cents = divmod(abs(hundredths), 100)
    return f"{sign}{whole:,}".replace(",", ".") + f",{cents:02d}"


def canonical(value: Json) -> bytes:
    """RFC 8785 bytes of a JSON value, text in NFC. ValueError for floats, big integers, lone surrogates."""
    faster = _Plain()
    plain = faster.copy(value)
    try:
        # The two write the same bytes but for the order of keys beyond the letters of programs, which RFC 8785 takes
        # from UTF-16; orjson is twenty times faster, and every act writes several.
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS) if faster.ascii_keys else rfc8785.dumps(plain)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, orjson.JSONEncodeError) as error:
        raise ValueError(str(error)) from None


class _Plain:
    """Copies a value into what JSON can say, and notices keys that the two writers might order differently."""

    ascii_keys = True

    def copy(self, value: Json) -> Json:
        if isinstance(value, str):
            return _nfc(value)
        if isinstance(value, Mapping):
            return {self._key(str(key)): self.copy(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.copy(part) for part in value]
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int) and abs(value) <= _LARGEST:
            return int(value)
        raise ValueError(f"{type(value).__name__} has no canonical form, or is too large for one")

    def _key(self, key: str) -> str:
        if key.isascii():
            return key
        self.ascii_keys = False
        return unicodedata.normalize("NFC", key)


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


MOST_MARKS = 30  # in a row, as Unicode's stream-safe text has them; no writing needs so many


def composed(text: str) -> str:
    """Text that somebody sent, in NFC, with at most 30 marks in a row.

    To normalise a run of accents takes time with the square of its length; bounded, it is as long as the text.
    """
    if text.isascii():
        return text
    kept, run = [], 0
    for character in text:
        # By category, not by combining class: some marks of class 0 come apart into marks that have to be sorted.
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        if run <= MOST_MARKS:
            kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


class NotUtf8(ValueError):
    """Bytes that are no text in UTF-8: the first of them, its place, and the line it stands on, from 1."""

    def __init__(self, data: bytes, position: int) -> None:
        super().__init__(f"not UTF-8 at byte {position}")
        self.position, self.byte, self.line = position, data[position], data.count(b"\n", 0, position) + 1


def utf8(data: bytes) -> str:
    """The text of a file, without the mark that some programs put before it. Raises NotUtf8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotUtf8(data, error.start) from None


_ADDRESS = re.compile(
    r"(?=.{6,254}\Z)(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*"
    r"@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
    re.ASCII | re.IGNORECASE,
)


def is_email(text: str) -> bool:
    """Whether a text is one plain e-mail address, without a name, a comment or quotes."""
    return _ADDRESS.fullmatch(text) is not None


def keepable(text: str) -> bool:
    """Whether every database can keep the text: no NUL, no half of a surrogate pair."""
    return "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


# Letters and signs by their category, yet drawn as nothing: fillers of Hangul, the braille blank, the null notehead.
_EMPTY_GLYPHS = frozenset("\u115f\u1160\u3164\uffa0\u2800\U0001d159")


def blank(text: str) -> bool:
    """Whether a text has nothing to be seen: blanks, joiners and marks of direction, accents without a letter."""
    return not any(unicodedata.category(c)[0] in "LNPS" and c not in _EMPTY_GLYPHS for c in text)


def digest(data: bytes) -> str:
    """SHA-256 in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()
