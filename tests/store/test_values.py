"""Amounts as people write them, and what could be read a thousandfold wrong."""

from __future__ import annotations

import pytest

from app.values import Money, Units


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
