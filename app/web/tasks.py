"""One task: everything needed to decide it on one page, its form, and the acts on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, abort, g, redirect, render_template, request, url_for
from sqlalchemy import select

from app import people
from app.cases import access, acts, history
from app.cases import inbox as waiting
from app.cases.dossier import Dossier, definition_of
from app.cases.history import Folder
from app.errors import Conflict, Refused
from app.law.norm import Norm
from app.registry import norms
from app.store import Reader, Row, Tx
from app.store.cases_tables import cases, work_item
from app.web.forms import copied, sheet
from app.web.forms.conditions import css
from app.web.forms.reading import answers_in, typed_again, typed_in
from app.web.language import N_
from app.web.session import as_actor, store
from app.web.sheets import facts, holders, receipt, terms

pages = Blueprint("tasks", __name__)
MISSING = N_("Esta tarefa não existe, ou você não pode vê-la.")


@pages.get("/tarefas/<id:item_id>")
def show(item_id: str) -> Any:
    with store().read() as reader:
        item, folder, norm = _task(reader, item_id)
        draft = waiting.draft_of(reader, item_id, g.person["id"])
        typed = typed_again(_schema(norm, item), draft["answers"], norm.zone) if draft else {}
        return _page(reader, item, folder, norm, typed, saved_at=draft["saved_at"] if draft else None)


@pages.post("/tarefas/<id:item_id>")
def complete(item_id: str) -> Any:
    """Completes the task, or keeps a draft when that button was pressed."""
    with store().read() as reader:
        item, _folder, norm = _task(reader, item_id)
    typed = typed_in(_schema(norm, item), request.form)
    answers = answers_in(_schema(norm, item), typed, norm.zone)
    try:
        if request.form.get("_acao") == "rascunho":
            with store().silent_act(g.actor) as tx:
                acts.save_draft(tx, item_id, answers)
            return redirect(url_for("tasks.show", item_id=item_id), 303)
        with store().act(g.actor) as tx:
            case_id = acts.complete(tx, item_id, answers, _version())
            seq = receipt.last_seq(tx, case_id)
    except Refused as refused:
        return _again(item_id, typed, refused)
    return redirect(url_for("cases.show", number=_number(item), registro=seq), 303)


@pages.post("/tarefas/<id:item_id>/assumir")
def claim(item_id: str) -> Any:
    return _take(item_id, acts.claim)


@pages.post("/tarefas/<id:item_id>/devolver")
def release(item_id: str) -> Any:
    return _take(item_id, acts.release)


@pages.get("/formularios/<digest>/<key:form>.css")
def form_style(digest: str, form: str) -> Any:
    """Which fields of a form are seen for which answers. It never changes: the norm's digest is in its address."""
    if len(digest) != 64 or not digest.isalnum():
        abort(404)
    with store().read() as reader:
        norm = norms.by_digest(reader, digest)
    if form not in norm.forms:
        abort(404)
    response = Response(css(norm.forms[form][0]), mimetype="text/css")
    response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def _take(item_id: str, act: Callable[[Tx, str, int], None]) -> Any:
    try:
        with store().act(g.actor) as tx:
            act(tx, item_id, _version())
    except Refused as refused:
        return _again(item_id, {}, refused)
    return redirect(url_for("tasks.show", item_id=item_id), 303)


def _again(item_id: str, typed: Mapping[str, str], refused: Refused) -> Any:
    """The same page with what was typed and why it was refused, under the refusal's own status."""
    with store().read() as reader:
        item, folder, norm = _task(reader, item_id)
        return _page(reader, item, folder, norm, typed, refused=refused), refused.status


def _page(
    reader: Reader,
    item: Row,
    folder: Folder,
    norm: Norm,
    typed: Mapping[str, str],
    *,
    refused: Refused | None = None,
    saved_at: Any = None,
) -> str:
    barred = _barred(reader, item, folder, norm)
    held_by = people.by_id(reader, item["claimed_by"])["name"] if item["claimed_by"] else None
    mine = item["claimed_by"] == g.person["id"]
    can_act = item["status"] == "open" and barred is None and (held_by is None or mine)
    return render_template(
        "task.html",
        item=item,
        case=folder.case,
        folder=folder,
        pinned=norm,
        form=sheet(reader, norm, item["form"], typed, refused) if item["form"] in norm.forms else None,
        submit=_submit(norm, item),
        refused=refused,
        copied=[] if can_act else copied(_schema(norm, item), typed),
        can_act=can_act,
        barred=barred,
        held_by=held_by,
        mine=mine,
        closed_by=people.name_of(reader, item["closed_by"] or ""),
        saved_at=saved_at,
        who=holders.of_item(reader, norm, item),
        parties=facts.parties(reader, folder.case),
        entry=facts.table_row(norm, folder.case),
        answered=facts.answered(reader, norm, folder),
        owed=facts.owed(reader, norm, folder.case["id"]),
        terms=terms.terms(norm, folder.deadlines, reader.now),
        filings=terms.filings(norm, folder.filings, folder.deadlines),
    )


def _task(reader: Reader, item_id: str) -> tuple[Row, Folder, Norm]:
    statement = select(work_item, cases.c.number).join(cases, cases.c.id == work_item.c.case_id)
    item = reader.one(statement.where(work_item.c.id == item_id), MISSING)
    folder = history.folder(reader, item["case_id"])
    return item, folder, norms.by_digest(reader, folder.case["norm_digest"])


def _barred(reader: Reader, item: Row, folder: Folder, norm: Norm) -> Refused | None:
    """Why the person may not work on the task, as the act itself would say; None when they may."""
    process = norm.processes[folder.case["process"]]
    definition = definition_of(norm, process)
    asked = Dossier(as_actor(reader), folder.case, norm, process, definition, reader.now, 0)
    refused = holders.refusal(access.require_for_item, asked, item)
    if refused is None and item["seat"] and item["board"]:
        refused = holders.refusal(access.require_one_seat, asked, item)
    return refused


def _schema(norm: Norm, item: Row) -> Any:
    return norm.forms[item["form"]][0] if item["form"] in norm.forms else {}


def _submit(norm: Norm, item: Row) -> str:
    ui = norm.forms[item["form"]][1] if item["form"] in norm.forms else {}
    return str(ui.get("ui:submitButtonOptions", {}).get("submitText", ""))


def _number(item: Row) -> str:
    return str(item["number"])


def _version() -> int:
    """The version of the task that the person saw."""
    text = request.form.get("versao", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Conflict(
            N_("A página estava incompleta. Confira a tarefa e envie de novo."), code="tarefa.mudou"
        )
    return int(text)
