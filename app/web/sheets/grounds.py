"""What the registry answered to what the diagram asked, and on what the answer rests: which earlier occurrence.

Questions that the norm gives words to (`[fatos]`); answers and grounds as the journal kept them when they were asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from app.audit import Entry
from app.law.norm import Norm
from app.law.provisions import Question
from app.store import Reader, Row
from app.store.cases_tables import cases
from app.store.registry_tables import occurrence
from app.values import Json


@dataclass(frozen=True)
class Earlier:
    """An occurrence that counted. `number`: its case here, if it has one; `annulled`: it fell since."""

    text: str
    number: str
    annulled: bool


@dataclass(frozen=True)
class Ground:
    """A question with its answer and what it rests on; `because` where it rests on no occurrence."""

    fact: str
    question: str
    article: str
    answer: str
    because: str
    earlier: tuple[Earlier, ...]
    seq: int


def by_entry(reader: Reader, norm: Norm, told: Sequence[Entry]) -> dict[int, list[Ground]]:
    """Per entry of a case's journal what was asked in it, the last answer where something was asked twice."""
    known = _occurrences(reader, told)
    found: dict[int, list[Ground]] = {}
    for entry in told:
        rests: dict[str, Json] = {g["fact"]: g for g in entry.body.get("grounds", [])}
        answers = {question: answer for question, _args, answer in entry.body.get("asked", [])}
        grounds = [
            _ground(norm.questions[fact], answer, rests.get(fact), known, entry.seq)
            for fact, answer in answers.items()
            if fact in norm.questions
        ]
        if grounds:
            found[entry.seq] = grounds
    return found


def newest(grounds: Iterable[Sequence[Ground]]) -> list[Ground]:
    """The last answer to each question."""
    return list({ground.fact: ground for listed in grounds for ground in listed}.values())


def _ground(question: Question, answer: Json, rests: Json, known: dict[str, Earlier], seq: int) -> Ground:
    ids = rests["occurrences"] if rests else []
    earlier = tuple(known[i] for i in ids if i in known)
    because = ""
    if rests and not earlier:
        because = question.reasons.get(rests["reason"], "") if rests["reason"] else question.nothing
    return Ground(
        question.key, question.text, question.article, question.answer(answer), because, earlier, seq
    )


def _occurrences(reader: Reader, told: Sequence[Entry]) -> dict[str, Earlier]:
    ids = {i for entry in told for g in entry.body.get("grounds", []) for i in g["occurrences"]}
    rows = reader.all(
        select(occurrence, cases.c.number)
        .outerjoin(cases, cases.c.id == occurrence.c.case_id)
        .where(occurrence.c.id.in_(sorted(ids)))
    )
    return {row["id"]: _earlier(row) for row in rows}


def _earlier(row: Row) -> Earlier:
    where = "" if row["number"] else f", {row['source']}"
    return Earlier(
        f"{row['happened_on']:%d/%m/%Y}, {row['code']}{where}",
        row["number"] or "",
        row["status"] == "anulada",
    )
