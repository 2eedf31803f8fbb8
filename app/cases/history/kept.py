"""What an entry kept beside the journal, such as the answers of its form: believed only where its digest matches.

Personal fields are opened here, for whoever may see the case; what was erased, or altered, is said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import select

from app.audit import Entry, seal
from app.cases.history.moment import Term
from app.errors import Broken
from app.law.trace import Trace
from app.store import Reader
from app.store.cases_tables import deadline, note, submission
from app.store.tables import sealed
from app.values import Json, canonical, digest


@dataclass(frozen=True)
class Form:
    """A form as it was answered. `fault` in Portuguese where what is kept is not what was recorded."""

    name: str
    answers: Mapping[str, Json] = field(default_factory=dict)
    erased: bool = False
    fault: str = ""


def form(reader: Reader, entry: Entry) -> Form | None:
    """The answers that an entry recorded; None when it answered no form."""
    if "submission" not in entry.body:
        return None
    name = str(entry.body["form"])
    row = reader.first(select(submission).where(submission.c.id == entry.body["submission"]))
    if row is None:
        return Form(name, fault="as respostas que o histórico registra não estão guardadas")
    if digest(canonical(row["answers"])) != entry.body["answers"] or row["form"] != name:
        return Form(name, fault="as respostas guardadas não são as registradas")
    try:
        personal = _personal(reader, entry, row["sealed_id"])
    except Broken:
        return Form(name, row["answers"], fault="os dados pessoais guardados não são os registrados")
    return Form(name, {**row["answers"], **(personal or {})}, erased=personal is None)


def _personal(reader: Reader, entry: Entry, sealed_id: str | None) -> Mapping[str, Json] | None:
    """The sealed answers; None when their key was destroyed. Raises Broken when they are not those of the entry."""
    told = entry.body.get("sealed")
    if sealed_id is None or told is None:
        if sealed_id or told:
            raise Broken("sealed answers missing")
        return {}
    row = reader.first(select(sealed.c.ciphertext).where(sealed.c.id == sealed_id))
    if row is None or digest(bytes(row["ciphertext"])) != told:
        raise Broken("sealed answers altered")
    opened: Mapping[str, Json] | None = seal.unseal(reader, sealed_id)
    return opened


def words(reader: Reader, entry: Entry) -> str | None:
    """The text of a note; None when it is not the one recorded."""
    row = reader.first(select(note.c.text).where(note.c.id == entry.body["note"]))
    return str(row["text"]) if row and digest(canonical(row["text"])) == entry.body["text"] else None


def countings(
    reader: Reader, case_id: str, terms: Iterable[Term]
) -> dict[tuple[int, str, str], tuple[str, ...]]:
    """How each term was counted, line by line; nothing for one whose kept counting is not the recorded one."""
    rows = reader.all(select(deadline).where(deadline.c.case_id == case_id))
    kept = {(row["armed_seq"], row["key"], row["base"]): row["trace"] for row in rows}
    return {
        term.known_by: Trace.read(kept[term.known_by]).lines()
        for term in terms
        if term.known_by in kept and digest(canonical(kept[term.known_by])) == term.trace
    }
