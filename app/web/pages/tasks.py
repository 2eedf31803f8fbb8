"""One task: everything needed to decide it on one page, its form, and the acts on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, g, redirect, request, url_for

from app.cases import acts
from app.cases import inbox as waiting
from app.errors import Conflict, Refused
from app.store import Tx
from app.web.forms.reading import answers_in, typed_again, typed_in
from app.web.language import N_
from app.web.once import act as act_once
from app.web.once import keyed, lead
from app.web.pages.task_page import item_by_id, schema_of, task_by_id, task_page
from app.web.session import store
from app.web.sheets import receipt

routes = Blueprint("tasks", __name__)
MISSING = N_("Esta tarefa não existe, ou você não pode vê-la.")


@routes.get("/tarefas/<id:item_id>")
def show(item_id: str) -> Any:
    with store().read() as reader:
        item, folder, norm = task_by_id(reader, item_id)
        draft = waiting.draft_of(reader, item_id, g.person["id"])
        typed = typed_again(schema_of(norm, item), draft["answers"], norm.zone) if draft else {}
        return task_page(reader, item, folder, norm, typed, saved_at=draft["saved_at"] if draft else None)


@routes.post("/tarefas/<id:item_id>")
@keyed
def complete(item_id: str) -> Any:
    """Completes the task, or keeps a draft when that button was pressed."""
    with store().read() as reader:
        item, norm = item_by_id(reader, item_id)
    typed = typed_in(schema_of(norm, item), request.form)
    answers = answers_in(schema_of(norm, item), typed, norm.zone)
    try:
        if request.form.get("_acao") == "rascunho":
            with store().silent_act(g.actor) as tx:
                acts.save_draft(tx, item_id, answers)
            return redirect(url_for("tasks.show", item_id=item_id), 303)
        with act_once() as tx:
            case_id = acts.complete(tx, item_id, answers, _version())
            seq = receipt.last_seq(tx, case_id)
            done = lead(tx, url_for("cases.show", number=item["number"], registro=seq))
    except Refused as refused:
        return _again(item_id, typed, refused)
    return done


@routes.post("/tarefas/<id:item_id>/descartar-rascunho")
def discard(item_id: str) -> Any:
    with store().silent_act(g.actor) as tx:
        acts.discard_draft(tx, item_id)
    return redirect(url_for("tasks.show", item_id=item_id), 303)


@routes.post("/tarefas/<id:item_id>/assumir")
@keyed
def claim(item_id: str) -> Any:
    return _take(item_id, acts.claim)


@routes.post("/tarefas/<id:item_id>/devolver")
@keyed
def release(item_id: str) -> Any:
    return _take(item_id, acts.release)


def _take(item_id: str, act: Callable[[Tx, str, int], None]) -> Any:
    try:
        with act_once() as tx:
            act(tx, item_id, _version())
            return lead(tx, url_for("tasks.show", item_id=item_id))
    except Refused as refused:
        return _again(item_id, {}, refused)


def _again(item_id: str, typed: Mapping[str, str], refused: Refused) -> Any:
    """The same page with what was typed and why it was refused, under the refusal's own status."""
    with store().read() as reader:
        item, folder, norm = task_by_id(reader, item_id)
        return task_page(reader, item, folder, norm, typed, refused=refused), refused.status


def _version() -> int:
    """The version of the task that the person saw."""
    text = request.form.get("versao", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Conflict(
            N_("A página estava incompleta. Confira a tarefa e envie de novo."), code="tarefa.mudou"
        )
    return int(text)
