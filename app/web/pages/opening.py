"""Opening a case: what may be begun, by whom, and the form it begins with."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, render_template, request, url_for
from sqlalchemy import select

from app.cases import access, acts
from app.cases.acts import counter as acts_counter
from app.errors import NotFound, Refused
from app.law.competence import acts_for
from app.law.norm import Norm, Process
from app.store import Reader
from app.store.cases_tables import cases
from app.web.forms import copied, sheet
from app.web.forms.reading import answers_in, typed_in
from app.web.language import N_
from app.web.once import act, keyed, lead
from app.web.session import as_actor, site, store, today
from app.web.sheets import holders, receipt

routes = Blueprint("opening", __name__)


@routes.get("/processos/novo")
def choose() -> Any:
    with store().read() as reader:
        mine = acts_for(g.norm, {office.role for office in g.offices}, today(g.norm))
        offered = [(p, p.act in mine, holders.of_act(reader, g.norm, p.act)) for p in _openable(g.norm)]
    return render_template("choose.html", offered=offered)


@routes.get("/processos/novo/<key:process>")
def blank(process: str) -> Any:
    with store().read() as reader:
        access.require(as_actor(reader), g.norm, _process(g.norm, process).act)
        return _opening_page(reader, _process(g.norm, process), {})


@routes.post("/processos/novo/<key:process>")
@keyed
def open_case(process: str) -> Any:
    what = _process(g.norm, process)
    schema = g.norm.forms[what.form][0]
    typed = typed_in(schema, request.form)
    try:
        with act() as tx:
            case_id = acts.open_case(
                tx, site().settings.municipality, what.key, answers_in(schema, typed, g.norm.zone)
            )
            seq = receipt.last_seq(tx, case_id)
            number = tx.one(select(cases.c.number).where(cases.c.id == case_id), "")["number"]
            done = lead(tx, url_for("cases.show", number=number, registro=seq))
    except Refused as refused:
        with store().read() as reader:
            return _opening_page(reader, what, typed, refused), refused.status
    return done


def _opening_page(
    reader: Reader, process: Process, typed: dict[str, str], refused: Refused | None = None
) -> str:
    barred = holders.refusal(access.require, as_actor(reader), g.norm, process.act)
    return render_template(
        "open.html",
        process=process,
        who=holders.of_act(reader, g.norm, process.act),
        form=sheet(reader, g.norm, process.form, typed, refused),
        refused=refused,
        can_act=barred is None,
        copied=copied(g.norm.forms[process.form][0], typed) if barred else [],
        submit=g.norm.forms[process.form][1].get("ui:submitButtonOptions", {}).get("submitText", ""),
    )


def _openable(norm: Norm) -> list[Process]:
    """Procedures that a person begins; one without a form, or opened by a petition, begins by itself."""
    return [p for p in norm.processes.values() if p.form and p.key != acts_counter.PETITION]


def _process(norm: Norm, key: str) -> Process:
    found = next((p for p in _openable(norm) if p.key == key), None)
    if found is None:
        raise NotFound(N_("A norma não tem este procedimento."), code="processo.desconhecido")
    return found
