"""A form sent twice: a double click, or a reload that sends again. The second one must not become a second case.

Asked inside the act's transaction, after the act: what makes the first one visible is the lock that both need.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from app.audit import seal
from app.errors import Conflict
from app.store import Row, Tx
from app.store.cases_tables import attachment, cases, filing, note, submission
from app.web.language import N_

WINDOW = timedelta(minutes=10)


def refuse_second_opening(tx: Tx, case_id: str) -> None:
    """Raises Conflict when the person opened a case with the very same answers a moment ago."""
    mine = tx.first(select(submission).where(submission.c.case_id == case_id).order_by(submission.c.seq))
    for other in _alike(tx, mine, first_only=True) if mine else []:
        number = tx.one(select(cases.c.number).where(cases.c.id == other["case_id"]), "")["number"]
        raise Conflict(
            f"Este formulário já foi enviado por você: abriu o processo {number}. Nada mais foi gravado.",
            code="envio.repetido",
        )


def refuse_second_filing(tx: Tx, number: str) -> None:
    """Raises Conflict when the same filing with the same stamp was typed a moment ago."""
    mine = tx.one(
        select(submission, filing.c.kind, filing.c.stamped_at)
        .join(filing, filing.c.submission_id == submission.c.id)
        .where(filing.c.number == number),
        "",
    )
    for other in _alike(tx, mine):
        twin = tx.first(select(filing).where(filing.c.submission_id == other["id"]))
        same = ("case_id", "kind", "stamped_at")
        if twin and other["case_id"] == mine["case_id"] and all(twin[k] == mine[k] for k in same):
            raise Conflict(
                f"Esta petição já foi protocolada por você, com o número {twin['number']}. Nada mais foi gravado.",
                code="envio.repetido",
            )


def refuse_second_note(tx: Tx, case_id: str) -> None:
    """Raises Conflict when the newest two notes of a case are one, sent twice."""
    newest = tx.all(
        select(note).where(note.c.case_id == case_id).order_by(note.c.seq.desc(), note.c.id.desc()).limit(2)
    )
    if len(newest) == 2 and _same_hand(*newest) and newest[0]["text"] == newest[1]["text"]:
        raise Conflict(N_("Esta anotação já foi registrada. Nada mais foi gravado."), code="envio.repetido")


def refuse_second_file(tx: Tx, attachment_id: str) -> None:
    """Raises Conflict when the person added the same file, under the same name, to the case a moment ago."""
    mine = tx.one(select(attachment).where(attachment.c.id == attachment_id), "")
    same = ("case_id", "blob_digest", "name", "by")
    twin = tx.first(
        select(attachment.c.id)
        .where(*(attachment.c[column] == mine[column] for column in same))
        .where(attachment.c.id != attachment_id, attachment.c.at >= mine["at"] - WINDOW)
    )
    if twin:
        raise Conflict(
            N_("Este arquivo já foi juntado por você. Nada mais foi gravado."), code="envio.repetido"
        )


def _same_hand(one: Row, other: Row) -> bool:
    return bool(one["by"] == other["by"] and one["at"] - other["at"] <= WINDOW)


def _alike(tx: Tx, mine: Row, *, first_only: bool = False) -> list[Row]:
    rows = tx.all(
        select(submission)
        .where(
            submission.c.form == mine["form"],
            submission.c.by == mine["by"],
            submission.c.at >= mine["at"] - WINDOW,
            submission.c.id != mine["id"],
            submission.c.work_item_id.is_(None),
        )
        .order_by(submission.c.at)
    )
    sealed = seal.unseal(tx, mine["sealed_id"])
    return [
        row
        for row in rows
        if row["answers"] == mine["answers"]
        and seal.unseal(tx, row["sealed_id"]) == sealed
        and (row["seq"] == 1 or not first_only)
    ]
