"""Amounts as people write them, what could be read a thousandfold wrong, and the bytes that are hashed."""

from __future__ import annotations

import unicodedata

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from app.values import Money, Units, canonical


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("1234.50", 123450),
        ("1.234,50", 123450),
        ("R$ 1.250,00", 125000),
        ("1234.5", 123450),
        ("0,5", 50),
        ("1.234", 123400),
        ("-3,00", -300),
        ("5", 500),
    ],
)
def test_an_amount_is_read_as_it_is_written(text: str, cents: int) -> None:
    assert Money.parse(text).cents == cents
    assert Units.parse(text).hundredths == cents


@pytest.mark.parametrize(
    "text",
    ["0.500", "0.001", "1.23,4", "5,000", "00.500", "1.2345", "", "x", "1e5", "٣", "1,", ".5", "9" * 30],
)
def test_what_is_no_amount_is_refused_and_never_guessed(text: str) -> None:
    with pytest.raises(ValueError, match="not an amount"):
        Money.parse(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=5), part, max_size=4),
    max_leaves=20,
)


def composed(value: object) -> object:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, dict):
        return {composed(key): composed(part) for key, part in value.items()}
    return [composed(part) for part in value] if isinstance(value, list) else value


@given(JSON)
def test_hashed_bytes_are_those_of_rfc_8785(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(composed(value))  # type: ignore[arg-type]


def test_keys_are_ordered_as_utf_16_orders_them() -> None:
    # U+1D306 is D834 DF06 in UTF-16 and goes before U+FF21, though its number is larger.
    assert canonical({"\uff21": 1, "\U0001d306": 2}) == '{"\U0001d306":2,"\uff21":1}'.encode()


@pytest.mark.parametrize("value", [1.0, float("nan"), 2**53, -(2**53), "\ud800", {"\ud800": 1}, {1, 2}, b"x"])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical({"a": [value]})
