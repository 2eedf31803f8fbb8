"""How a story annuls, sets aside and corrects: it names what it means, never a number of the journal."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import select

from app import audit
from app.audit import Entry, seal
from app.cases import acts
from app.cases.dossier import stream_of
from app.errors import Conflict
from app.scenario.story import Step
from app.store import Reader, Row, Tx
from app.store.cases_tables import cases, submission
from app.values import Json

BACKWARDS = ("anula", "afasta", "corrige")
_NAMED = {"annul": "anulacao", "set_aside": "afastamento", "correct": "correcao", "cancel": "cancelamento"}


def go_back(tx: Tx, step: Step, case_id: str, read: Callable[[str], dict[str, Json]]) -> None:
    """Performs the act of a step on the newest entry in force of that name.

    Args:
        read: turns the step's answers into those of a form; a correction changes only the fields it names.
    """
    case = tx.one(select(cases).where(cases.c.id == case_id), "Processo inexistente.")
    found = _entry(tx, case, step.target)
    if step.act == "anula":
        acts.annul(tx, case_id, found.seq, step.reason, case["version"])
    elif step.act == "afasta":
        acts.set_aside(tx, case_id, found.seq, step.reason, case["version"])
    else:
        answers = {**_answered(tx, found), **read(found.body["form"])}
        acts.correct(tx, case_id, found.seq, answers, step.reason, case["version"])


def _entry(reader: Reader, case: Row, name: str) -> Entry:
    """By the element of the task, the form, the kind of filing, the term that ran out, or what the act is called."""
    for entry in reversed(audit.entries(reader, stream_of(case["id"]))):
        body = entry.body
        names = (
            body["command"].get("element"),
            body.get("form"),
            body.get("kind"),
            body.get("key"),
            _NAMED.get(entry.act),
        )
        if name in names and entry.seq not in case["fallen"]:
            return entry
    raise Conflict(f"Não há registro em vigor de {name}.", code="historia.registro")


def _answered(reader: Reader, written: Entry) -> dict[str, Json]:
    row = reader.one(
        select(submission).where(submission.c.id == written.body["submission"]), "Respostas inexistentes."
    )
    return {**row["answers"], **(seal.unseal(reader, row["sealed_id"]) or {})}
