"""A case played again from its journal, one entry at a time. Looks only, for everybody who may see the case.

`?parte=1` gives what changes from step to step, for a page that is open already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for

from app.cases import history
from app.cases.history import past as pasts
from app.cases.history.past import Past
from app.errors import NotFound
from app.store import Reader, Row
from app.web.language import N_
from app.web.picture import picture
from app.web.session import store
from app.web.sheets.replay.asof import as_of
from app.web.sheets.replay.changed import changes
from app.web.sheets.replay.entry import card
from app.web.sheets.replay.flow import Flow
from app.web.sheets.replay.names import Names
from app.web.sheets.replay.steps import opening, steps

routes = Blueprint("replay", __name__)
_UNKNOWN = N_("O histórico deste processo não tem o registro pedido. Escolha um da lista.")


@routes.get("/processos/<number:number>/historico")
def last(number: str) -> Any:
    """The newest entry that is an act, or the one typed into the form of the page."""
    asked = request.args.get("registro", "").strip()
    if asked.isascii() and asked.isdigit():
        return redirect(url_for("replay.step", number=number, seq=int(asked[:9])), 303)
    if asked:
        raise NotFound(_UNKNOWN, code="registro.inexistente")
    return _page(number, None)


@routes.get("/processos/<number:number>/historico/<int:seq>")
def step(number: str, seq: int) -> Any:
    return _page(number, seq)


def _page(number: str, seq: int | None) -> str:
    with store().read() as reader:
        case = history.by_number(reader, number)
        past = pasts.read(reader, case["id"])
        shown = seq if seq is not None else opening(past)
        if seq is not None and past.entry(seq) is None:
            raise NotFound(_UNKNOWN, code="registro.inexistente")
        part = request.args.get("parte")
        told = _told(reader, case, past, shown, drawn=part != "1")
        return render_template(
            "_replay.html" if part else "replay.html", part=part, case=case, seq=shown, **told
        )


def _told(reader: Reader, case: Row, past: Past, seq: int, *, drawn: bool) -> dict[str, Any]:
    """Everything that the page says of one step. From a fault on, the case is shown as it stood before it."""
    norm, at = past.pinned.norm if past.pinned else g.norm, min(seq, past.believed)
    entry, before = past.entry(seq), past.entry(at)
    names = Names(replace(reader, now=before.at) if before else reader, norm)
    known = as_of(reader, case["id"], past, at, names) if before else None
    process = past.pinned.process if past.pinned else None
    moved = entry is not None and seq <= past.believed
    return {
        "past": past,
        "pinned": norm,
        "process": process,
        "at": at,
        "steps": steps(past),
        "card": card(reader, past, entry, names) if entry else None,
        "changes": changes(past, seq, norm) if moved else [],
        "flow_changes": Flow(past, names).changes(seq) if moved else [],
        "now_then": known,
        "picture": picture(
            norm.diagrams[process.file], known.marks, process.name, _here(past, at, known.marks)
        )
        if drawn and known and process
        else None,
    }


def _here(past: Past, seq: int, marks: Mapping[str, str]) -> str:
    """The element that the drawing is centred on: what somebody had to do, else where the case waited or had ended."""
    step = past.history[seq].step
    tasks = [task.element for task in step.tasks] if step else []
    active = [key for key, mark in marks.items() if mark == "active"]
    return next(iter([*tasks, *active, *(step.ends if step else ())]), "")
