"""Adding to a case's folder: a note, a file; and ending the case by a reasoned act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, render_template, request, url_for

from app.cases import acts
from app.errors import Invalid, Refused
from app.store import Tx
from app.web.forms.reading import clean
from app.web.language import N_
from app.web.once import act as act_once
from app.web.once import keyed, lead
from app.web.pages.cases import opened
from app.web.session import store
from app.web.sheets import receipt, subject

routes = Blueprint("folder", __name__)


@routes.post("/processos/<number:number>/anotar")
@keyed
def annotate(number: str) -> Any:
    words = clean(request.form.get("texto", ""))

    def act(tx: Tx, case_id: str) -> None:
        acts.annotate(tx, case_id, words)

    return _add(number, act, "annotate", N_("Anotar"), words)


@routes.post("/processos/<number:number>/anexar")
@keyed
def attach(number: str) -> Any:
    upload = request.files.get("arquivo")

    def act(tx: Tx, case_id: str) -> None:
        if upload is None or not upload.filename:
            raise Invalid(N_("Escolha um arquivo PDF, PNG ou JPEG."), code="arquivo.ausente")
        acts.attach(tx, case_id, upload.filename, upload.mimetype, upload.read())

    return _add(number, act, "attach", N_("Juntar arquivo"), "")


@routes.post("/processos/<number:number>/cancelar")
@keyed
def cancel(number: str) -> Any:
    reason, charge = clean(request.form.get("texto", "")), clean(request.form.get("cobranca", ""))

    def act(tx: Tx, case_id: str) -> None:
        acts.cancel(tx, case_id, reason, charge)

    return _add(number, act, "cancel", N_("Cancelar processo"), reason, charge)


def _add(
    number: str, act: Callable[[Tx, str], None], endpoint: str, title: str, typed: str, fate: str = ""
) -> Any:
    """Does one act on the folder; refused, it comes back on a page of its own with what was typed."""
    with store().read() as reader:
        case, _folder, norm = opened(reader, number)
        owed = subject.owed(reader, norm, case["id"])
    try:
        with act_once() as tx:
            act(tx, case["id"])
            seq = receipt.last_seq(tx, case["id"])
            done = lead(tx, url_for("cases.show", number=number, registro=seq))
    except Refused as refused:
        told = {"title": title, "typed": typed, "fate": fate, "owed": owed}
        return render_template(
            "again.html", case=case, endpoint=endpoint, refused=refused, **told
        ), refused.status
    return done
