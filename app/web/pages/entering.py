"""The doors in and out, and the language. Real sign-in is not part of this version: only demo accounts can enter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask import session as cookie

from app import people
from app.cases import inbox as waiting
from app.law.norm import Norm
from app.store import Reader
from app.web.addresses import local_path
from app.web.language import LANGUAGES
from app.web.session import role_names, site, store, today

routes = Blueprint("entering", __name__)


@dataclass(frozen=True)
class Account:
    """A demo account as the entry shows it."""

    id: str
    name: str
    roles: tuple[str, ...]
    waiting: int


def _accounts(reader: Reader, norm: Norm) -> list[Account]:
    by_person: dict[str, list[people.Office]] = {}
    for office in people.holders(reader, tuple(norm.roles), today(norm)):
        by_person.setdefault(office.person_id, []).append(office)
    order = _walk(norm)
    ranked = sorted(by_person.items(), key=lambda p: (min(order.index(o.role) for o in p[1]), p[1][0].name))
    return [
        Account(key, held[0].name, role_names(norm, held), waiting.count(reader, norm, key))
        for key, held in ranked
    ]


def _walk(norm: Norm) -> list[str]:
    """Offices in the order in which a case needs them, as the norm lists their acts; then those without any."""
    return list(dict.fromkeys([*(row.role for row in norm.competences), *norm.roles]))


@routes.get("/entrar")
def enter() -> Any:
    demo = site().settings.demo
    with store().read() as reader:
        accounts = _accounts(reader, g.norm) if demo else []
    return render_template(
        "enter.html", accounts=accounts, demo=demo, next=local_path(request.args.get("next"), "")
    )


@routes.post("/entrar")
def sign_in() -> Any:
    with store().read() as reader:
        allowed = {a.id for a in _accounts(reader, g.norm)} if site().settings.demo else set()
    person_id = request.form.get("pessoa", "")
    if person_id not in allowed:
        abort(403)
    _forget()
    cookie["pessoa"] = person_id
    cookie.permanent = True
    return redirect(local_path(request.form.get("next"), url_for("inbox.show")), 303)


@routes.post("/sair")
def sign_out() -> Any:
    _forget()
    return redirect(url_for("entering.enter"), 303)


def _forget() -> None:
    """A new session for whoever comes next; only the language stays."""
    language = cookie.get("lang")
    cookie.clear()
    if language:
        cookie["lang"] = language


@routes.post("/idioma")
def speak() -> Any:
    if request.form.get("lang") in LANGUAGES:
        cookie["lang"] = request.form["lang"]
    return redirect(local_path(request.form.get("next"), url_for("inbox.show")), 303)
