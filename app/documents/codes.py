"""The code by which anybody checks a paper: 80 random bits as sixteen characters that are hard to misread."""

from __future__ import annotations

from app.store import Tx

LENGTH = 16
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O or U
_MISREAD = str.maketrans("OIL", "011")


def new_code(tx: Tx) -> str:
    """A code that nobody can guess or count up to; as likely to be given twice as a key."""
    bits = int.from_bytes(tx.random_bytes(LENGTH * 5 // 8))
    return "".join(_ALPHABET[bits >> shift & 31] for shift in range(LENGTH * 5 - 5, -1, -5))


def grouped(code: str) -> str:
    """As it is printed: `XXXX-XXXX-XXXX-XXXX`."""
    return "-".join(code[at : at + 4] for at in range(0, LENGTH, 4))


def read_code(typed: str) -> str | None:
    """The code somebody typed, with or without separators, in any case; None when it can be none."""
    if len(typed) > 4 * LENGTH:
        return None
    code = "".join(c for c in typed.upper() if c not in " -–.\t").translate(_MISREAD)
    return code if len(code) == LENGTH and set(code) <= set(_ALPHABET) else None
