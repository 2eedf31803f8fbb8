"""Setting a recorded expiry aside: the term, its end, the stamp, when it was typed, the reason, the act."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, url_for

from app.cases import access, acts, preview
from app.errors import Forbidden, NotFound, Refused
from app.store import Reader
from app.web.language import N_
from app.web.once import act, keyed, lead
from app.web.pages.backwards.asked import Typed, asked, faults, typed, version
from app.web.pages.cases import opened
from app.web.session import as_actor, store
from app.web.sheets import receipt
from app.web.sheets.backwards import foreseen, late

routes = Blueprint("setting_aside", __name__)


@routes.get("/processos/<number:number>/registros/<seq:seq>/afastar")
def show(number: str, seq: int) -> Any:
    with store().read() as reader:
        _case, _folder, norm = opened(reader, number)
        access.require(as_actor(reader), norm, "afastar_decurso")
        return _page(reader, number, seq, Typed())


@routes.post("/processos/<number:number>/registros/<seq:seq>/afastar")
@keyed
def set_aside(number: str, seq: int) -> Any:
    with store().read() as reader:
        case, _folder, _norm = opened(reader, number)
    told = typed()
    try:
        with act() as tx:
            acts.set_aside(tx, case["id"], seq, told.reason, version())
            seq_done = receipt.seq_of(tx, case["id"], "set_aside")
            done = lead(tx, url_for("cases.show", number=number, registro=seq_done))
    except Refused as refused:
        with store().read() as reader:
            return _page(reader, number, seq, told, refused), refused.status
    return done


def _page(reader: Reader, number: str, seq: int, told: Typed, refused: Refused | None = None) -> str:
    case = asked(reader, number)
    overtaken = next((one for one in late.overtaken(case.dossier, case.told) if one.seq == seq), None)
    if overtaken is None and refused is None:
        raise NotFound(
            N_("Não há decurso a afastar neste registro: nenhuma petição em tempo foi digitada depois dele."),
            code="decurso.sem_peticao",
        )
    outlook = None
    if overtaken is not None and not isinstance(refused, Forbidden):
        outlook = foreseen.outlook(
            reader, case.norm, case.folder, case.lines, preview.foresee(case.dossier, seq)
        )
    return render_template(
        "set_aside.html",
        case=case.folder.case,
        pinned=case.norm,
        overtaken=overtaken,
        seq=seq,
        last=case.last,
        typed=told,
        moved=case.since(told.seen) if refused and told.seen else [],
        refused=refused,
        form=faults(refused),
        outlook=outlook,
    )
