"""The norm as this site applies it, each thing with its article: deadlines, choices, values; and the law's own text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Blueprint, Response, abort, g, render_template, request

from app.errors import NotFound
from app.law.norm import Choice, Norm, Parameter
from app.law.profiles import PROFILES
from app.registry import norms, values
from app.store import Reader
from app.web.forms.conditions import css
from app.web.language import N_
from app.web.session import store

routes = Blueprint("norm", __name__)

CERTAINTY = {
    "certo": N_("legível no original"),
    "provavel": N_("provável: usa-se com aviso"),
    "inferido": N_("deduzido da posição na página: só onde o município o aceita"),
    "duvidoso": N_("duvidoso: bloqueado até confirmação"),
    "ausente": N_("não está no texto: bloqueado"),
    "ilegivel": N_("ilegível: bloqueado"),
}


@dataclass(frozen=True)
class Figure:
    """A parameter with the value in force and the act that fixed it; no value where nobody has fixed one."""

    parameter: Parameter
    value: str | None
    source: str
    fixture: bool


@routes.get("/norma")
def show() -> Any:
    with store().read() as reader:
        today = reader.now.astimezone(g.norm.zone).date()
        in_force = values.choices_on(reader, g.norm, today)
        figures = [_figure(reader, g.norm, p, today) for p in g.norm.parameters.values()]
    choices: list[tuple[Choice, str]] = [(c, in_force[c.key]) for c in g.norm.choices.values()]
    return render_template(
        "norm.html", figures=figures, choices=choices, profiles=PROFILES, certainty=CERTAINTY, today=today
    )


@routes.get("/norma/lei")
def law() -> Any:
    """The law's own text, of the norm in force or of the version that a case is pinned to (`?versao=`)."""
    pinned = _version(request.args["versao"]) if "versao" in request.args else g.norm
    if pinned.text is None:
        raise NotFound(N_("Esta versão da norma não traz o texto da lei."))
    return render_template("law.html", pinned=pinned, text=pinned.text)


@routes.get("/formularios/<digest>/<key:form>.css")
def form_style(digest: str, form: str) -> Any:
    """Which fields of a form are seen for which answers. It never changes: the norm's digest is in its address."""
    norm = _version(digest)
    if form not in norm.forms:
        abort(404)
    response = Response(css(norm.forms[form][0]), mimetype="text/css")
    response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def _version(digest: str) -> Norm:
    """A published version of the norm."""
    if len(digest) != 64 or not (digest.isascii() and digest.isalnum()):
        abort(404)
    with store().read() as reader:
        return norms.by_digest(reader, digest)


def _figure(reader: Reader, norm: Norm, parameter: Parameter, today: date) -> Figure:
    value = values.parameter_on(reader, norm, parameter.key, today)
    own = [r for r in values.all_recorded(reader) if r["key"] == parameter.key and r["since"] <= today]
    if own:
        return Figure(parameter, _shown(norm, parameter, value), own[-1]["act"], own[-1]["fixture"])
    dated = parameter.in_force_on(today)
    return Figure(parameter, _shown(norm, parameter, value), dated.source if dated else "", False)


def _shown(norm: Norm, parameter: Parameter, value: Any) -> str | None:
    if value is None:
        return None
    unit = {"unidades": f" {norm.unit_name}", "percentual": "%"}.get(parameter.type, "")
    if isinstance(value, bool):
        return "sim" if value else "não"
    return f"{value}{unit}"
