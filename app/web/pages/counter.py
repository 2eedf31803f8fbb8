"""The counter: what parties hand in is received and stamped here, for a case that runs or has ended."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Blueprint, render_template, request, url_for

from app.cases import access, acts
from app.errors import Invalid, NotFound, Refused
from app.law.norm import Filing, Norm
from app.store import Reader
from app.web.forms import copied, sheet
from app.web.forms.boxes import BOXES, SURE_OF_AMOUNT, SURE_OF_STAMP
from app.web.forms.reading import answers_in, clean, day_in, instant_in, local_text, typed_in
from app.web.language import N_, _
from app.web.once import act, keyed, lead
from app.web.pages.cases import opened
from app.web.session import as_actor, store
from app.web.sheets import holders, receipt, subject, terms

routes = Blueprint("counter", __name__)
STAMP = "_carimbo"


@routes.get("/processos/<number:number>/protocolar/<key:kind>")
def desk(number: str, kind: str) -> Any:
    with store().read() as reader:
        _case, _folder, norm = opened(reader, number)
        _filing(norm, kind)
        access.require(as_actor(reader), norm, "protocolar")
        return _filing_page(reader, number, kind, {}, local_text(reader.now, norm.zone))


@routes.post("/processos/<number:number>/protocolar/<key:kind>")
@keyed
def file(number: str, kind: str) -> Any:
    with store().read() as reader:
        case, _folder, norm = opened(reader, number)
    schema = norm.forms[_filing(norm, kind).form][0]
    typed, stamp = typed_in(schema, request.form), clean(request.form.get(STAMP, ""))[:40]
    try:
        stamped_at = _stamped(stamp, norm)
        with act() as tx:
            answers = answers_in(schema, typed, norm.zone)
            sure = (SURE_OF_AMOUNT in request.form, SURE_OF_STAMP in request.form)
            acts.file(tx, case["id"], kind, answers, stamped_at, *sure)
            seq = receipt.last_seq(tx, case["id"])
            done = lead(tx, url_for("cases.show", number=number, registro=seq))
    except Refused as refused:
        with store().read() as reader:
            return _filing_page(reader, number, kind, typed, stamp, refused), refused.status
    return done


def _stamped(stamp: str, norm: Norm) -> datetime:
    """The instant of the stamp. A day alone would be its midnight, which nobody meant: the hour is asked for."""
    stamped_at = instant_in(stamp, norm.zone)
    if stamped_at is not None:
        return stamped_at
    hour = N_("Informe também a hora em que a petição foi entregue.")
    raise Invalid(
        N_("Diga quando a petição foi entregue."),
        code="instante.ausente",
        fields={STAMP: hour if day_in(stamp) else N_("Informe data e hora válidas.")},
    )


def _filing_page(
    reader: Reader, number: str, kind: str, typed: dict[str, str], stamp: str, refused: Refused | None = None
) -> str:
    case, folder, norm = opened(reader, number)
    what = _filing(norm, kind)
    barred = holders.refusal(access.require, as_actor(reader), norm, "protocolar")
    if refused and refused.code.startswith("instante."):
        refused.fields.setdefault(STAMP, refused.message)
    own = {STAMP: _("Data e hora do carimbo"), **{box: _(words) for box, words in BOXES.items()}}
    return render_template(
        "filing.html",
        case=case,
        pinned=norm,
        kind=what,
        stamp=stamp,
        parties=subject.parties(reader, case),
        terms=terms.terms(norm, folder.deadlines, reader.now, folder.filings),
        form=sheet(reader, norm, what.form, typed, refused, own),
        boxes=BOXES,
        ticked=request.form,
        refused=refused,
        can_act=barred is None,
        copied=copied(norm.forms[what.form][0], typed) if barred else [],
        submit=norm.forms[what.form][1].get("ui:submitButtonOptions", {}).get("submitText", ""),
    )


def _filing(norm: Norm, key: str) -> Filing:
    if key not in norm.filings:
        raise NotFound(N_("A norma não tem este tipo de petição."), code="protocolo.tipo_desconhecido")
    return norm.filings[key]
