"""The law's text beside a task: the articles that its act, its term and its form cite."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from app.law.competence import roles_for
from app.law.norm import Norm
from app.law.text import Article, cited
from app.store import Row
from app.values import Json


def beside(norm: Norm, item: Row, day: date) -> list[Article]:
    """In the order of the law; none where the norm comes without its text.

    Args:
        day: the local day on which competence is looked at.
    """
    if norm.text is None:
        return []
    board = norm.boards.get(item["board"] or "")
    words = [row.article for row in roles_for(norm, item["act"], day)]
    words += [board.article] if board and item["seat"] else []
    words += _words(norm.forms[item["form"]][0]) if item["form"] in norm.forms else []
    wanted = {number for text in words for number in cited(text)}
    return [article for number, article in norm.text.articles.items() if number in wanted]


def _words(schema: Json) -> Iterator[str]:
    """What a form says to people: titles, explanations, options."""
    for key, part in schema.items() if isinstance(schema, dict) else ():
        if key in ("title", "description") and isinstance(part, str):
            yield part
        elif key == "properties":
            for field in part.values():
                yield from _words(field)
        elif key == "oneOf":
            for option in part:
                yield from _words(option)
