"""Working on an open task: take it, give it back, keep or discard a draft, complete it, serve a notice through it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from app import audit
from app.audit import seal
from app.cases import access, record
from app.cases.acts.clock import expire_overdue
from app.cases.acts.entry import entry
from app.cases.acts.limits import legal_instant, read_form, require_version
from app.cases.dossier import Dossier, open_by_item
from app.cases.engines import ENGINE
from app.cases.forms import Answers, check_draft, require_less
from app.cases.standstill import require_subject
from app.cases.vocabulary.facts import ask_of
from app.errors import Conflict, Forbidden, Invalid, NotFound
from app.store import Tx
from app.store.cases_tables import document, draft, work_item
from app.values import Json, iso, parse_instant

_NO_DRAFT = delete(draft).where(
    draft.c.work_item_id == bindparam("item_id"), draft.c.person_id == bindparam("person_id")
)
_HANDED_OVER = timedelta(minutes=5)  # watches differ: a paper may be signed for a little before it was filed


@entry
def complete(
    tx: Tx,
    item_id: str,
    answers: Mapping[str, Json],
    version: int,
    effective_at: datetime | None = None,
) -> str:
    """Completes an open task with its form's answers and gives the case's id.

    A task that serves a notice takes its instant from the form (`instante`): terms run from it.
    Raises Conflict when somebody was faster or the task changed, Forbidden without competence, Invalid when the
    form has problems or a fact that the diagram needs is missing. Nothing changes when it raises.
    """
    dossier, item = _open_item(tx, item_id, version, effective_at)
    access.require_for_item(dossier, item)
    if item["claimed_by"] not in (None, tx.actor.person_id):
        raise Conflict("Outra pessoa está com esta tarefa.", code="tarefa.de_outra_pessoa")
    if item["seat"] and item["board"]:
        access.require_one_seat(dossier, item)
    checked = read_form(tx, dossier.norm, item["form"], answers, dossier.effective_at)
    told = {"warnings": list(warned)} if (warned := access.warnings(dossier, item)) else {}
    _drop_draft(tx, item_id)  # of whoever completes; what colleagues had begun to write stays theirs
    perform(dossier, item, checked, None, told)
    return dossier.id


def perform(
    dossier: Dossier,
    item: Mapping[str, Any],
    checked: Answers,
    act: str | None,
    told: Mapping[str, Json],
) -> None:
    """Completes a task with checked answers. `act` for the journal: `complete`, or `serve_notice`, when None."""
    require_less(dossier.norm, checked, dossier.row["flow"])
    variable = dossier.definition.elements[item["element"]].properties.get("ciencia")
    if variable:
        served_at = _served_at(dossier, checked)
        checked.flow[variable] = iso(served_at)
        dossier.effective_at = served_at
    submission_id, kept = record.keep_submission(dossier, item["form"], checked, item["id"])
    if variable:
        mode = str(checked.get("modo") or "")
        record.record_service(dossier, variable, mode, dossier.effective_at, submission_id)
        kept |= {"service": variable, "mode": mode, "served_at": iso(dossier.effective_at)}
    step = ENGINE.complete(
        dossier.definition,
        dossier.row["state"],
        item["task_id"],
        checked.flow,
        dossier.tx.now,
        ask_of(dossier),
    )
    command = {"op": "complete", "task": item["task_id"], "element": item["element"], "data": checked.flow}
    by_default = "serve_notice" if variable else "complete"
    record.save(dossier, step, act or by_default, command, {**kept, **told})


@entry
def claim(tx: Tx, item_id: str, version: int) -> None:
    """Takes an open task, so that colleagues see who is on it."""
    dossier, item = _open_item(tx, item_id, version, None)
    access.require_for_item(dossier, item)
    if item["claimed_by"]:
        raise Conflict("A tarefa já está com alguém.", code="tarefa.de_outra_pessoa")
    _set_claim(dossier, item, tx.actor.person_id, "claim")


@entry
def release(tx: Tx, item_id: str, version: int) -> None:
    """Gives a claimed task back to all who are competent for it."""
    dossier, item = _open_item(tx, item_id, version, None)
    if item["claimed_by"] != tx.actor.person_id:
        raise Forbidden("Só quem está com a tarefa pode devolvê-la.", code="tarefa.de_outra_pessoa")
    _set_claim(dossier, item, None, "release")


@entry
def save_draft(tx: Tx, item_id: str, answers: Mapping[str, Json]) -> None:
    """Keeps what a person has typed so far, for that person only. Outside the chain: nobody has acted yet."""
    if tx.actor.person_id is None:
        raise Forbidden("Só pessoas guardam rascunhos.", code="competencia.ausente")
    dossier = open_by_item(tx, item_id)  # held: a colleague may be completing the task at this moment
    item = record.item_of(dossier, item_id)
    if item["status"] != "open":
        raise Conflict("A tarefa já foi encerrada; o rascunho não foi gravado.", code="tarefa.encerrada")
    access.require_for_item(dossier, item)
    require_subject(dossier)
    key = {"work_item_id": item_id, "person_id": tx.actor.person_id}
    _drop_draft(tx, item_id)
    kept = check_draft(dossier.norm, item["form"], answers)
    hidden = seal.hide(tx, dossier.row["subject_id"], kept, item_id)
    tx.add(draft, **key, answers=hidden, saved_at=tx.now)


@entry
def discard_draft(tx: Tx, item_id: str) -> None:
    """Deletes what the actor had begun to write, on an open task or an ended one. Outside the chain, as drafts are.

    Raises NotFound when there is no draft of theirs.
    """
    if not _drop_draft(tx, item_id):
        raise NotFound("Você não tem rascunho nesta tarefa.", code="rascunho.inexistente")


def _drop_draft(tx: Tx, item_id: str) -> int:
    return tx.write(_NO_DRAFT, item_id=item_id, person_id=tx.actor.person_id)


def _open_item(
    tx: Tx, item_id: str, version: int, effective_at: datetime | None
) -> tuple[Dossier, Mapping[str, Any]]:
    happened = legal_instant(tx, effective_at)
    dossier = open_by_item(tx, item_id, happened)
    item = record.item_of(dossier, item_id)
    require_version(tx, item, version)
    if happened < item["opened_at"] and effective_at is not None:
        raise Invalid("O ato é anterior à abertura da tarefa.", code="instante.anterior")
    if expire_overdue(dossier, happened):
        item = record.item_of(dossier, item_id)
        require_version(tx, item, version)
    return dossier, item


def _served_at(dossier: Dossier, answers: Answers) -> datetime:
    """The instant of service: not in the future (the form checks), not before what is being served existed."""
    told = answers.get("instante")
    if not isinstance(told, str):
        raise Invalid(
            "Diga quando a parte recebeu.",
            code="ciencia.sem_instante",
            fields={"instante": "Preencha este campo."},
        )
    served_at = parse_instant(told)
    newest = dossier.tx.first(
        select(document.c.issued_at)
        .where(document.c.case_id == dossier.id, document.c.seq.not_in(sorted(dossier.fallen)))
        .order_by(document.c.issued_at.desc())
        .limit(1)
    )
    if newest and served_at < newest["issued_at"] - _HANDED_OVER:
        issued = f"{newest['issued_at'].astimezone(dossier.norm.zone):%d/%m/%Y %H:%M}"
        raise Invalid(
            f"A ciência não pode ser anterior ao documento, emitido em {issued}.",
            code="ciencia.anterior_ao_documento",
            fields={"instante": f"O documento foi emitido em {issued}."},
        )
    return served_at


def _set_claim(dossier: Dossier, item: Mapping[str, Any], person_id: str | None, act: str) -> None:
    dossier.tx.write(
        update(work_item)
        .where(work_item.c.id == item["id"])
        .values(claimed_by=person_id, version=work_item.c.version + 1)
    )
    audit.append(dossier.tx, dossier.stream, act, {"command": {"op": act, "task": item["task_id"]}})
