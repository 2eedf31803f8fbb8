"""The verification code: unguessable, easy to type, hard to misread."""

from __future__ import annotations

import pytest

from app.documents.codes import grouped, new_code, read_code
from app.store import INSTALLER
from tests.cases.town import Town

CODE = "0123456789ABCDEF"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("0123-4567-89AB-CDEF", CODE),
        ("0123456789abcdef", CODE),
        (" 0123 4567 89ab cdef ", CODE),
        ("O123-4567-89AB-CDEF", CODE),
        ("oi23.4567-89ab-cdef", CODE),
        ("0l23–4567–89AB–CDEF", CODE),
        ("0123-4567-89AB-CDE", None),
        ("0123-4567-89AB-CDEFF", None),
        ("0123-4567-89AB-CDEU", None),  # a letter that no code has
        ("٠١٢٣-4567-89AB-CDEF", None),
        ("", None),
        ("0" * 100_000, None),
    ],
)
def test_a_code_is_read_however_it_is_typed(typed: str, code: str | None) -> None:
    assert read_code(typed) == code


def test_a_code_is_printed_in_groups_of_four() -> None:
    assert grouped(CODE) == "0123-4567-89AB-CDEF"


@pytest.mark.parametrize(
    ("random", "code"),
    [
        (bytes(10), "0" * 16),
        (b"\xff" * 10, "Z" * 16),
        # 80 bits in groups of five: 00000 00000 ... 00001
        (bytes(9) + b"\x01", "0" * 15 + "1"),
        # 10000 100..., so 16 and then 16: the seventeenth sign of the alphabet is G
        (b"\x84\x00" + bytes(8), "GG" + "0" * 14),
    ],
)
def test_every_bit_of_chance_is_in_the_code(
    shared_town: Town, monkeypatch: pytest.MonkeyPatch, random: bytes, code: str
) -> None:
    with shared_town.store.silent_act(INSTALLER) as tx:
        monkeypatch.setattr(tx, "random_bytes", lambda count: random[:count])
        assert new_code(tx) == code


def test_no_two_codes_are_the_same(shared_town: Town) -> None:
    with shared_town.store.silent_act(INSTALLER) as tx:
        codes = {new_code(tx) for _ in range(2_000)}
    assert len(codes) == 2_000
    assert all(read_code(code) == code for code in codes)
