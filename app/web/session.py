"""Who asks, and over which store. The doors in and out are `pages/entering.py`.

Sets `g.actor`, `g.person`, `g.offices`, `g.norm`, `g.now` for every page, and lets nobody pass who has not entered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, current_app, g, redirect, request, url_for
from flask import session as cookie
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import MethodNotAllowed

from app import people
from app.cases import access
from app.cases import inbox as waiting
from app.errors import Forbidden, NotFound, Refused
from app.law.norm import Norm
from app.registry import norms
from app.settings import Settings
from app.store import Actor, Reader, Store, Tx
from app.web.addresses import local_path
from app.web.language import N_

_PUBLIC = {"checking.ask", "checking.show", "checking.compare", "checking.astray"}
_WITHOUT_SIGN_IN = {"static", "entering.enter", "entering.sign_in", "entering.speak", *_PUBLIC}
_NOBODY = {"static", "health.alive", "health.ready", "health.on_time"}  # they ask nobody who they are
_WITHOUT_OFFICE = {"entering", "inbox", "norm", "checking", None}
_NO_OFFICE = N_(
    "Você não exerce hoje nenhum cargo registrado; por isso não pode ver processos. "
    "Peça ao administrador que registre sua designação."
)


@dataclass(frozen=True)
class Site:
    """What the pages stand on."""

    settings: Settings
    store: Store


def site() -> Site:
    found: Site = current_app.extensions["tramita"]
    return found


def store() -> Store:
    return site().store


def install(app: Flask) -> None:
    app.before_request(_look_who_asks)


def as_actor(reader: Reader) -> Tx:
    """The reader in the person's name, to ask `access` what they may do. Nothing is written through it."""
    return Tx(reader.connection, reader.now, g.actor, store().database.dialect, silent=True)


def _look_who_asks() -> Any:
    try:
        url_for("entering.enter")
    except (
        AttributeError
    ):  # the Host header names no site: there is no address to send anybody to, nor a page to draw
        return Response("Endereço inválido.\n", 400, mimetype="text/plain")
    if request.endpoint in _NOBODY:
        return None
    with store().read() as reader:
        g.now = reader.now
        g.norm = norms.in_force(reader, site().settings.municipality, reader.now)
        person_id = cookie.get("pessoa")
        g.person = _person(reader, person_id) if isinstance(person_id, str) else None
        if g.person is None:
            cookie.pop("pessoa", None)
            return _to_entry()
        g.actor = Actor(g.person["id"])
        g.offices = people.offices(reader, g.person["id"], today(g.norm))
        g.roles = role_names(g.norm, g.offices)
        g.waiting = waiting.count(reader, g.norm, g.person["id"])
        if request.blueprint not in _WITHOUT_OFFICE and not access.may_see(g.offices):
            raise Forbidden(_NO_OFFICE, code="competencia.sem_cargo")
    return None


def may_see_now() -> bool:
    """Whether who asks has entered and holds an office, where no page depends on it. False when nobody can tell."""
    person_id = cookie.get("pessoa")
    try:
        with store().read() as reader:
            if not isinstance(person_id, str) or _person(reader, person_id) is None:
                return False
            norm = norms.in_force(reader, site().settings.municipality, reader.now)
            held = people.offices(reader, person_id, reader.now.astimezone(norm.zone).date())
            return access.may_see(held)
    except (SQLAlchemyError, Refused):
        return False


def _to_entry() -> Any:
    # Sent to an address of the check in a way that it does not take: told so, whoever asks.
    wrong_way = isinstance(request.routing_exception, MethodNotAllowed)
    if request.endpoint in _WITHOUT_SIGN_IN or (wrong_way and f"{request.path}/".startswith("/conferir/")):
        return None
    wanted = local_path(request.full_path.rstrip("?"), "/") if request.method == "GET" else "/"
    return redirect(url_for("entering.enter", next=wanted if wanted != "/" else None), 303)


def _person(reader: Reader, person_id: str) -> Any:
    try:
        row = people.by_id(reader, person_id)
    except NotFound:
        return None
    return row if row["active"] else None


def today(norm: Norm) -> Any:
    return g.now.astimezone(norm.zone).date()


def role_names(norm: Norm, offices: Iterable[people.Office]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(norm.roles[o.role].name for o in offices if o.role in norm.roles))
