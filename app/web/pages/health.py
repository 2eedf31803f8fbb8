"""What watches the installation asks here: does the process answer, can people be served, are terms being decided.

No sign-in, no names. Why something is wrong is told to this machine and to people of the house; everybody else learns
whether, not why.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, jsonify, request

from app.monitor.health import Health, health
from app.web.session import may_see_now, store

routes = Blueprint("health", __name__)
_HERE = ("127.0.0.1", "::1")
_HANDED_ON = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


@routes.get("/saude")
def alive() -> Any:
    """The process answers. It asks nobody else."""
    return jsonify(estado="vivo")


@routes.get("/pronto")
def ready() -> Any:
    """This process can serve people, whatever becomes of their terms: for a proxy that shares them out."""
    found = health(store())
    return _told(found, "pronto", well=found.ready)


@routes.get("/prazos-em-dia")
def on_time() -> Any:
    """Terms are being decided: for an alarm."""
    found = health(store())
    return _told(found, "em_dia", well=found.on_time)


def _told(found: Health, state: str, *, well: bool) -> Any:
    told: dict[str, Any] = {"estado": state if well else "parado"}
    if _from_here() or may_see_now():
        told |= _details(found)
    return jsonify(told), 200 if well else 503


def _details(found: Health) -> dict[str, Any]:
    terms = found.terms
    return {
        "faltas": list(found.faults),
        "trabalhadores": terms.workers if terms else None,
        "prazos_sem_decisao": terms.overdue if terms else None,
        "prazos_adiados": terms.postponed if terms else None,
        "documentos_a_imprimir": found.papers,
        "mensagens_a_enviar": found.messages,
    }


def _from_here() -> bool:
    """From this machine itself, and not from a proxy on it that speaks for somebody else."""
    return request.remote_addr in _HERE and not any(name in request.headers for name in _HANDED_ON)
