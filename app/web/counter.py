"""What begins something: opening a case, and the counter where parties' filings are received and stamped."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for
from sqlalchemy import select

from app.cases import access, acts
from app.cases.acts import counter as acts_counter
from app.errors import Invalid, NotFound, Refused
from app.law.norm import Filing, Norm, Process
from app.store import Reader
from app.store.cases_tables import cases
from app.web.cases import opened
from app.web.forms import copied, sheet
from app.web.forms.reading import answers_in, clean, instant_in, local_text, typed_in
from app.web.forms.repeated import refuse_second_filing, refuse_second_opening
from app.web.language import N_, _
from app.web.session import as_actor, site, store
from app.web.sheets import facts, holders, receipt, terms

pages = Blueprint("counter", __name__)
STAMP = "_carimbo"


@pages.get("/processos/novo")
def choose() -> Any:
    with store().read() as reader:
        mine = holders.held_acts(reader, g.norm, g.person["id"])
        offered = [(p, p.act in mine, holders.of_act(reader, g.norm, p.act)) for p in _openable(g.norm)]
    return render_template("choose.html", offered=offered)


@pages.get("/processos/novo/<key:process>")
def blank(process: str) -> Any:
    with store().read() as reader:
        access.require(as_actor(reader), g.norm, _process(g.norm, process).act)
        return _opening_page(reader, _process(g.norm, process), {})


@pages.post("/processos/novo/<key:process>")
def open_case(process: str) -> Any:
    what = _process(g.norm, process)
    schema = g.norm.forms[what.form][0]
    typed = typed_in(schema, request.form)
    try:
        with store().act(g.actor) as tx:
            case_id = acts.open_case(
                tx, site().settings.municipality, what.key, answers_in(schema, typed, g.norm.zone)
            )
            refuse_second_opening(tx, case_id)
            seq = receipt.last_seq(tx, case_id)
            number = tx.one(select(cases.c.number).where(cases.c.id == case_id), "")["number"]
    except Refused as refused:
        with store().read() as reader:
            return _opening_page(reader, what, typed, refused), refused.status
    return redirect(url_for("cases.show", number=number, registro=seq), 303)


@pages.get("/processos/<number:number>/protocolar/<key:kind>")
def desk(number: str, kind: str) -> Any:
    with store().read() as reader:
        _case, _folder, norm = opened(reader, number)
        _filing(norm, kind)
        access.require(as_actor(reader), norm, "protocolar")
        return _filing_page(reader, number, kind, {}, local_text(reader.now, norm.zone))


@pages.post("/processos/<number:number>/protocolar/<key:kind>")
def file(number: str, kind: str) -> Any:
    with store().read() as reader:
        case, _folder, norm = opened(reader, number)
    schema = norm.forms[_filing(norm, kind).form][0]
    typed, stamp = typed_in(schema, request.form), clean(request.form.get(STAMP, ""))[:40]
    try:
        stamped_at = instant_in(stamp, norm.zone)
        if stamped_at is None:
            raise Invalid(
                N_("Diga quando a petição foi entregue."),
                code="instante.ausente",
                fields={STAMP: N_("Informe data e hora válidas.")},
            )
        with store().act(g.actor) as tx:
            answers = answers_in(schema, typed, norm.zone)
            protocol = acts.file(tx, case["id"], kind, answers, stamped_at)
            refuse_second_filing(tx, protocol)
            seq = receipt.last_seq(tx, case["id"])
    except Refused as refused:
        with store().read() as reader:
            return _filing_page(reader, number, kind, typed, stamp, refused), refused.status
    return redirect(url_for("cases.show", number=number, registro=seq), 303)


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


def _filing_page(
    reader: Reader, number: str, kind: str, typed: dict[str, str], stamp: str, refused: Refused | None = None
) -> str:
    case, folder, norm = opened(reader, number)
    what = _filing(norm, kind)
    barred = holders.refusal(access.require, as_actor(reader), norm, "protocolar")
    if refused and refused.code.startswith("instante.") and not refused.fields:
        refused.fields[STAMP] = refused.message
    return render_template(
        "filing.html",
        case=case,
        pinned=norm,
        kind=what,
        stamp=stamp,
        parties=facts.parties(reader, case),
        terms=terms.terms(norm, folder.deadlines, reader.now),
        form=sheet(reader, norm, what.form, typed, refused, {STAMP: _("Data e hora do carimbo")}),
        refused=refused,
        can_act=barred is None,
        copied=copied(norm.forms[what.form][0], typed) if barred else [],
        submit=norm.forms[what.form][1].get("ui:submitButtonOptions", {}).get("submitText", ""),
    )


def _openable(norm: Norm) -> list[Process]:
    """Procedures that a person begins; one without a form, or opened by a petition, begins by itself."""
    return [p for p in norm.processes.values() if p.form and p.key != acts_counter.PETITION]


def _process(norm: Norm, key: str) -> Process:
    found = next((p for p in _openable(norm) if p.key == key), None)
    if found is None:
        raise NotFound(N_("A norma não tem este procedimento."), code="processo.desconhecido")
    return found


def _filing(norm: Norm, key: str) -> Filing:
    if key not in norm.filings:
        raise NotFound(N_("A norma não tem este tipo de petição."), code="protocolo.tipo_desconhecido")
    return norm.filings[key]
