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
_MARKS = (" ", "-", ".")  # written in a plate or left out, as people like


def matching(reader: Reader, norm: Norm, text: str) -> ColumnElement[bool]:
    """Cases with the text in their number, in their carrier's name or in an answer that may be searched."""
    words = folded(text)  # an accent alone folds to nothing, and nothing is in every name
    named = [row["id"] for row in all_carriers(reader) if words and words in folded(row["name"])]
    # Compared here and not in SQL: neither database ignores accents, and a municipality has hundreds of carriers.
    return or_(
        cases.c.number.contains(text, autoescape=True), cases.c.carrier_id.in_(named), *_answered(norm, text)
    )


def _answered(norm: Norm, text: str) -> Iterator[ColumnElement[bool]]:
    """Plates as people write them: with or without hyphen and blanks, in either case; and the answer as it stands."""
    forms = dict.fromkeys((_bare(text), _without_marks(text)))  # one and the same for most plates
    typed = [t for t in forms if sum(map(str.isalnum, t)) >= _FEWEST]
    if not typed:
        return
    for form, (schema, _ui) in sorted(norm.forms.items()):
        for name, spec in properties(schema).items():
            if spec.get("x-busca") and not spec.get("x-pessoal"):
                said = func.upper(member(submission.c.answers, literal(name)))
                for mark in _MARKS:
                    said = func.replace(said, mark, "")
                found = or_(*(said.contains(func.upper(_escaped(t)), escape="/") for t in typed))
                yield cases.c.id.in_(select(submission.c.case_id).where(submission.c.form == form, found))


def _bare(text: str) -> str:
    return "".join(c for c in text if c.isascii() and c.isalnum())


def _without_marks(text: str) -> str:
    """With its slashes and accents, which the other form drops. The database raises both sides to capitals itself.

    SQLite leaves accented letters as they are, PostgreSQL does not: what was typed must go the same way.
    """
    return "".join(c for c in text if c not in _MARKS)


def _escaped(text: str) -> str:
    return text.replace("/", "//").replace("%", "/%").replace("_", "/_")
