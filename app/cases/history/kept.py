"""What an entry kept beside the journal, such as the answers of its form: believed only where its digest matches.

Personal fields are opened here, for whoever may see the case; what was erased, or altered, is said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson
from sqlalchemy import select

from app.audit import Entry, seal
from app.audit.seal import Seal
from app.cases.history.moment import Term
from app.errors import Broken
from app.law.trace import Trace
from app.store import Reader, Row
from app.store.cases_tables import attachment, deadline, note, submission
from app.values import Json, canonical, digest


@dataclass(frozen=True)
class Form:
    """A form as it was answered. `fault` in Portuguese where what is kept is not what was recorded."""

    name: str
    answers: Mapping[str, Json] = field(default_factory=dict)
    erased: bool = False
    fault: str = ""


@dataclass(frozen=True)
class File:
    """A file that was handed in, under the name it got then. `fault` as in `Form`."""

    id: str
    name: str = ""
    size: int = 0
    fault: str = ""


def form(reader: Reader, entry: Entry) -> Form | None:
    """The answers that an entry recorded; None when it answered no form."""
    return forms(reader, [entry]).get(entry.seq) if "submission" in entry.body else None


def forms(reader: Reader, told: Iterable[Entry]) -> dict[int, Form]:
    """The answers that entries recorded, by number of the entry. Two statements, however many there are."""
    answering = [entry for entry in told if "submission" in entry.body]
    wanted = sorted({entry.body["submission"] for entry in answering})
    rows = {row["id"]: row for row in reader.all(select(submission).where(submission.c.id.in_(wanted)))}
    seals = seal.seals(reader, {row["sealed_id"] for row in rows.values()} - {None})
    return {entry.seq: _form(entry, rows.get(entry.body["submission"]), seals) for entry in answering}


def _form(entry: Entry, row: Row | None, seals: Mapping[str, Seal]) -> Form:
    name = str(entry.body["form"])
    if row is None:
        return Form(name, fault="as respostas que o histórico registra não estão guardadas")
    if digest(canonical(row["answers"])) != entry.body["answers"] or row["form"] != name:
        return Form(name, fault="as respostas guardadas não são as registradas")
    try:
        personal = _personal(entry, row["sealed_id"], seals)
    except Broken:
        return Form(name, row["answers"], fault="os dados pessoais guardados não são os registrados")
    return Form(name, {**row["answers"], **(personal or {})}, erased=personal is None)


def _personal(entry: Entry, sealed_id: str | None, seals: Mapping[str, Seal]) -> Mapping[str, Json] | None:
    """The sealed answers; None when their key was destroyed. Raises Broken when they are not those of the entry."""
    told = entry.body.get("sealed")
    if sealed_id is None or told is None:
        if sealed_id or told:
            raise Broken("sealed answers missing")
        return {}
    kept = seals.get(sealed_id)
    if kept is None or digest(kept.ciphertext) != told:
        raise Broken("sealed answers altered")
    opened = kept.unsealed()
    return None if opened is None else dict(orjson.loads(opened))


def words(reader: Reader, entry: Entry) -> str | None:
    """The text of a note; None when it is not the one recorded."""
    return notes(reader, [entry])[entry.seq]


def notes(reader: Reader, told: Iterable[Entry]) -> dict[int, str | None]:
    """The texts of notes, by number of the entry, as in `words`. One statement."""
    noting = {entry.seq: entry.body for entry in told if "note" in entry.body}
    wanted = sorted({body["note"] for body in noting.values()})
    texts = {row["id"]: row["text"] for row in reader.all(select(note).where(note.c.id.in_(wanted)))}
    return {
        seq: texts[body["note"]] if digest(canonical(texts.get(body["note"]))) == body["text"] else None
        for seq, body in noting.items()
    }


def files(reader: Reader, told: Iterable[Entry]) -> dict[int, File]:
    """The files that entries attached, by number of the entry. One statement; the content itself is not read."""
    attaching = {entry.seq: entry.body for entry in told if "attachment" in entry.body}
    wanted = sorted({body["attachment"] for body in attaching.values()})
    rows = reader.all(select(attachment).where(attachment.c.id.in_(wanted)))
    by_id = {row["id"]: row for row in rows}
    return {seq: _file(body, by_id.get(body["attachment"])) for seq, body in attaching.items()}


def _file(told: Json, row: Row | None) -> File:
    if row is None or (row["blob_digest"], row["size"]) != (told["digest"], told.get("size")):
        return File(told["attachment"], fault="o arquivo guardado não é o registrado")
    return File(row["id"], row["name"], row["size"])


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
