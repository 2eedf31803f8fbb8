"""Annulling from a line of the timeline on: what would fall and come back, the reason, the act."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, url_for

from app.cases import access, acts, preview
from app.errors import Forbidden, Refused
from app.store import Reader
from app.web.once import act, keyed, lead
from app.web.pages.backwards.asked import Typed, asked, faults, typed, version
from app.web.pages.cases import opened
from app.web.session import as_actor, store
from app.web.sheets import receipt
from app.web.sheets.backwards import foreseen

routes = Blueprint("annulling", __name__)


@routes.get("/processos/<number:number>/registros/<seq:seq>/anular")
def show(number: str, seq: int) -> Any:
    with store().read() as reader:
        _case, _folder, norm = opened(reader, number)
        access.require(as_actor(reader), norm, "anular")
        return _page(reader, number, seq, Typed())


@routes.post("/processos/<number:number>/registros/<seq:seq>/anular")
@keyed
def annul(number: str, seq: int) -> Any:
    with store().read() as reader:
        case, _folder, _norm = opened(reader, number)
    told = typed()
    try:
        with act() as tx:
            acts.annul(tx, case["id"], seq, told.reason, version(), told.dropped)
            seq_done = receipt.seq_of(tx, case["id"], "annul")
            done = lead(tx, url_for("cases.show", number=number, registro=seq_done))
    except Refused as refused:
        with store().read() as reader:
            return _page(reader, number, seq, told, refused), refused.status
    return done


def _page(reader: Reader, number: str, seq: int, told: Typed, refused: Refused | None = None) -> str:
    """The page with its preview. Without one when the entry cannot fall: what was typed is then shown to be copied."""
    case = asked(reader, number)
    outlook = None
    if not isinstance(refused, Forbidden):
        try:
            outlook = foreseen.outlook(
                reader, case.norm, case.folder, case.lines, preview.foresee(case.dossier, seq, told.dropped)
            )
        except Refused as barred:
            if refused is None:
                raise
            if barred.code == "anulacao.repetida":
                refused = barred
    return render_template(
        "annul.html",
        case=case.folder.case,
        pinned=case.norm,
        line=case.line(seq),
        seq=seq,
        last=case.last,
        typed=told,
        moved=case.since(told.seen) if refused and told.seen else [],
        refused=refused,
        form=faults(refused),
        outlook=outlook,
    )
