"""Entering a carrier, a grant, a member of the traffic staff, an earlier occurrence: one form and one act each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, g, render_template, request, url_for

from app import audit
from app.cases import access, registers
from app.errors import Refused
from app.registry import carriers
from app.store import Reader, Tx
from app.web.forms import Sheet, copied
from app.web.forms import registers as forms
from app.web.forms.fields import draw
from app.web.forms.reading import answers_in, typed_in
from app.web.once import act as act_once
from app.web.once import keyed, lead
from app.web.session import as_actor, store
from app.web.sheets import holders
from app.web.sheets.carrier import identity

routes = Blueprint("registering", __name__)
Act = Callable[[Tx, Mapping[str, Any]], str]  # gives the stream that the act wrote to


@routes.route("/transportadores/novo", methods=["GET", "POST"])
@keyed
def carrier() -> Any:
    def act(tx: Tx, answers: Mapping[str, Any]) -> str:
        return carriers.stream_of(registers.register_carrier(tx, g.norm, answers))

    return _answer(forms.CARRIER, "", act)


@routes.route("/transportadores/<id:carrier_id>/outorgas/nova", methods=["GET", "POST"])
@keyed
def grant(carrier_id: str) -> Any:
    def act(tx: Tx, answers: Mapping[str, Any]) -> str:
        registers.register_grant(tx, g.norm, carrier_id, answers)
        return carriers.stream_of(carrier_id)

    return _answer(forms.GRANT, carriers.stream_of(carrier_id), act)


@routes.route("/transportadores/<id:carrier_id>/pessoal/novo", methods=["GET", "POST"])
@keyed
def staff(carrier_id: str) -> Any:
    def act(tx: Tx, answers: Mapping[str, Any]) -> str:
        return f"pessoal:{registers.register_staff(tx, g.norm, carrier_id, answers)}"

    return _answer(forms.STAFF, carriers.stream_of(carrier_id), act)


@routes.route("/transportadores/<id:carrier_id>/antecedentes/novo", methods=["GET", "POST"])
@keyed
def antecedent(carrier_id: str) -> Any:
    return _antecedent(carriers.stream_of(carrier_id))


@routes.route("/pessoal-de-trafego/<id:staff_id>/antecedentes/novo", methods=["GET", "POST"])
@keyed
def antecedent_of_staff(staff_id: str) -> Any:
    return _antecedent(f"pessoal:{staff_id}")


def _antecedent(infringer: str) -> Any:
    def act(tx: Tx, answers: Mapping[str, Any]) -> str:
        registers.register_antecedent(tx, g.norm, infringer, answers)
        return infringer

    return _answer(forms.ANTECEDENT, infringer, act)


def _answer(form: forms.Form, about: str, act: Act) -> Any:
    """The blank form, or the act; refused, the form comes back with what was typed. `about`: whose record it is."""
    if request.method == "GET":
        with store().read() as reader:
            access.require(as_actor(reader), g.norm, form.act)
            return _page(reader, form, about, {})
    typed = typed_in(form.schema, request.form)
    try:
        with act_once() as tx:
            stream = act(tx, answers_in(form.schema, typed, g.norm.zone))
            done = lead(tx, record_url(stream, registro=audit.next_seq(tx, stream) - 1))
    except Refused as refused:
        with store().read() as reader:
            return _page(reader, form, about, typed, refused), refused.status
    return done


def record_url(stream: str, **more: Any) -> str:
    """The page of a record, by the stream that tells of it."""
    kind, _, record = stream.partition(":")
    if kind == "pessoal":
        return url_for("carriers.staff", staff_id=record, **more)
    return url_for("carriers.show", carrier_id=record, **more)


def _page(
    reader: Reader, form: forms.Form, about: str, typed: Mapping[str, str], refused: Refused | None = None
) -> str:
    barred = holders.refusal(access.require, as_actor(reader), g.norm, form.act)
    wrong = dict(refused.fields) if refused else {}
    fields = draw(form.schema, form.ui, typed, wrong, lambda s: forms.options(reader, g.norm, about, dict(s)))
    titles = {field.name: field.title for field in fields}
    faults = [(name, titles.get(name, name), text) for name, text in wrong.items()]
    member = about.startswith("pessoal:")
    row = carriers.staff_by_id(reader, about.partition(":")[2]) if member else None
    return render_template(
        "register.html",
        form=Sheet(form.schema["title"], form.schema["description"], fields, None, refused, faults),
        carrier=carriers.carrier_by_id(reader, carriers.carrier_of(reader, about)) if about else None,
        member=identity.member(reader, row) if row else None,
        who=holders.of_act(reader, g.norm, form.act),
        refused=refused,
        can_act=barred is None,
        copied=copied(form.schema, typed) if barred else [],
    )
