"""What a search looks at: numbers, names of carriers, and answers that a form of the norm opens to searching.

A form says so by `x-busca` at a field, such as the one with a vehicle's plate. Sealed answers are no part of the
searched text: they are not in it, and a norm that would open one is not published.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import ColumnElement, func, literal, or_, select

from app.cases.forms import properties
from app.law.norm import Norm
from app.registry.carriers import all_carriers
from app.registry.directory import folded
from app.store import Reader
from app.store.cases_tables import cases, submission
from app.store.types import member

_FEWEST = 3  # letters and digits: fewer would be found in every other plate


def matching(reader: Reader, norm: Norm, text: str) -> ColumnElement[bool]:
    """Cases with the text in their number, in their carrier's name or in an answer that may be searched."""
    words = folded(text)
    named = [row["id"] for row in all_carriers(reader) if words in folded(row["name"])]
    # Compared here and not in SQL: neither database ignores accents, and a municipality has hundreds of carriers.
    return or_(
        cases.c.number.contains(text, autoescape=True), cases.c.carrier_id.in_(named), *_answered(norm, text)
    )


def _answered(norm: Norm, text: str) -> Iterator[ColumnElement[bool]]:
    """Plates as people write them: with or without hyphen and blanks, in either case."""
    bare = "".join(c for c in text.upper() if c.isascii() and c.isalnum())
    if len(bare) < _FEWEST:
        return
    for form, (schema, _ui) in sorted(norm.forms.items()):
        for name, spec in properties(schema).items():
            if spec.get("x-busca") and not spec.get("x-pessoal"):
                said = func.upper(member(submission.c.answers, literal(name)))
                for mark in (" ", "-", "."):
                    said = func.replace(said, mark, "")
                told = select(submission.c.case_id).where(submission.c.form == form, said.contains(bare))
                yield cases.c.id.in_(told)
