"""Correcting what the office wrote: the same form, filled in as it was answered, and what the correction would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template, request, url_for

from app.cases import access, acts, preview
from app.cases.acts import correction
from app.cases.forms import Answers, properties
from app.errors import Refused
from app.store import Reader
from app.values import Json
from app.web import once
from app.web.forms.reading import typed_in
from app.web.pages.backwards.asked import Asked, Typed, asked, typed, version
from app.web.pages.backwards.rewriting import Rewriting, rewriting
from app.web.pages.cases import opened
from app.web.session import as_actor, store
from app.web.sheets import receipt
from app.web.sheets.backwards import foreseen

routes = Blueprint("correcting", __name__)
MOVES, ONLY = "move", "so_corrige"


@dataclass(frozen=True)
class Sent:
    """The form as it was sent: texts of its fields, the reason, and the effect that the page had shown."""

    texts: Mapping[str, str]
    told: Typed
    effect: str = ""


@routes.get("/processos/<number:number>/registros/<seq:seq>/corrigir")
def show(number: str, seq: int) -> Any:
    with store().read() as reader:
        _case, _folder, norm = opened(reader, number)
        access.require(as_actor(reader), norm, "corrigir")
        case = asked(reader, number)
        written = rewriting(reader, case.dossier, seq)
        return _page(reader, case, written, Sent(written.original, Typed()))


@routes.post("/processos/<number:number>/registros/<seq:seq>/corrigir")
@once.keyed
def correct(number: str, seq: int) -> Any:
    """Shows what the correction would do; does it once the person has seen that, and pressed the button for it."""
    with store().read() as reader:
        case = asked(reader, number)
        try:
            once.known(reader)
            access.require(as_actor(reader), case.norm, "corrigir")
            written = rewriting(reader, case.dossier, seq)
        except Refused as refused:
            return _barred(case, seq, refused), refused.status
        texts = {**typed_in(written.schema, request.form), **written.fixed_texts}
        sent = Sent(texts, typed(), request.form.get("efeito", ""))
        answers = written.answers(texts)
        try:
            wrong, checked = correction.weighed(case.dossier, seq, answers)
            effect = MOVES if correction.moves(case.dossier, wrong, checked) else ONLY
        except Refused as refused:
            return _page(reader, case, written, sent, refused=refused), refused.status
        if request.form.get("_acao") != "corrigir" or effect != sent.effect:
            try:
                return _page(reader, case, written, sent, effect, checked=checked)
            except Refused as refused:  # the journal allows no such correction: nothing to foresee
                return _barred(case, seq, refused), refused.status
    try:
        with once.act() as tx:
            acts.correct(tx, case.dossier.id, seq, answers, sent.told.reason, version())
            last = receipt.seq_of(tx, case.dossier.id, "correct")
            done = once.lead(tx, url_for("cases.show", number=number, registro=last))
    except Refused as refused:
        return _refused(number, seq, sent, effect, refused, checked), refused.status
    return done


def _refused(number: str, seq: int, sent: Sent, effect: str, refused: Refused, checked: Answers) -> str:
    with store().read() as reader:
        case = asked(reader, number)
        try:
            written = rewriting(reader, case.dossier, seq)
        except Refused as barred:  # somebody was faster: there is no form any more, only what was typed
            return _barred(case, seq, barred)
        return _page(reader, case, written, sent, effect, refused, checked)


def _barred(case: Asked, seq: int, refused: Refused) -> str:
    """The entry cannot be corrected, by this person or at all: what was typed is shown to be copied."""
    line, told = case.line(seq), typed()
    schema = _schema_of(case, seq)
    return render_template(
        "correct.html",
        case=case.folder.case,
        pinned=case.norm,
        line=line,
        seq=seq,
        moved=case.since(told.seen) if told.seen else [],
        refused=refused,
        form=None,
        typed=told,
        texts=[
            (spec.get("title", name), text)
            for name, spec in properties(schema).items()
            if (text := typed_in(schema, request.form).get(name))
        ],
    )


def _schema_of(case: Asked, seq: int) -> Json:
    forms = {row["seq"]: row["form"] for row in case.folder.submissions}
    return case.norm.forms[forms[seq]][0] if forms.get(seq) in case.norm.forms else {}


def _page(
    reader: Reader,
    case: Asked,
    written: Rewriting,
    sent: Sent,
    effect: str = "",
    refused: Refused | None = None,
    checked: Answers | None = None,
) -> str:
    told = sent.told
    outlook = None
    if effect == MOVES:
        first = correction.moving(case.dossier, written.entry)
        outlook = foreseen.outlook(
            reader, case.norm, case.folder, case.lines, preview.foresee(case.dossier, first.seq, redo=checked)
        )
    return render_template(
        "correct.html",
        case=case.folder.case,
        pinned=case.norm,
        line=case.line(written.entry.seq),
        seq=written.entry.seq,
        last=case.last,
        typed=told,
        moved=case.since(told.seen) if refused and told.seen else [],
        refused=refused,
        form=written.sheet(reader, sent.texts, refused),
        fixed=written.fixed(reader),
        moving=written.moving_titles,
        effect=effect,
        outlook=outlook,
        texts=[],
    )
