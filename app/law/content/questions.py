"""How people read a fact that diagrams ask for: `[fatos.<name of the fact>]`."""

from __future__ import annotations

from types import MappingProxyType

from app.law.content.sections import Section
from app.law.provisions import Question


def read_question(key: str, section: Section) -> Question:
    """Which facts exist is for whoever answers them; here only their words are read."""
    question = Question(
        key=key,
        text=section.text("pergunta"),
        article=section.article(),
        answers=MappingProxyType(section.labels("respostas")),
        reasons=MappingProxyType(section.labels("razoes", required=False)),
        nothing=section.text("nada", required=False),
    )
    section.finish()
    return question
