"""Cases: the list, and a case's whole folder on one page."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, g, render_template, request

from app import audit
from app.audit import Entry
from app.cases import history, preview
from app.cases.dossier import stream_of
from app.cases.history import Folder
from app.errors import NotFound
from app.law.competence import acts_for
from app.law.norm import Norm
from app.registry import norms
from app.store import Reader, Row
from app.web.language import N_
from app.web.pages.lists import browsing
from app.web.picture import picture
from app.web.session import as_actor, store, today
from app.web.sheets import facts, holders, receipt, standing, timeline, voting
from app.web.sheets.about import about
from app.web.sheets.backwards import late

routes = Blueprint("cases", __name__)
_ACTS = ("anotar", "anexar", "cancelar_processo", "afastar_decurso")


@routes.get("/processos")
def browse() -> Any:
    return browsing.cases_asked_for()


@routes.get("/processos/<number:number>")
def show(number: str) -> Any:
    with store().read() as reader:
        case, folder, norm = opened(reader, number)
        process = norm.processes[case["process"]]
        roles = {office.role for office in g.offices}
        told = audit.entries(reader, stream_of(case["id"]))
        lines = timeline.lines(reader, norm, folder, told, roles)
        done = next((line for line in lines if str(line.seq) == request.args.get("registro")), None)
        return render_template(
            "case.html",
            case=case,
            folder=folder,
            pinned=norm,
            process=process,
            status=norm.statuses.get(case["status"]),
            receipt=receipt.receipt(reader, norm, folder, done) if done else None,
            lines=timeline.grouped(lines),
            **_diagram(reader, norm, folder, told),
            **_folder_sheets(reader, norm, folder, told),
        )


@routes.get("/processos/<number:number>/diagrama.bpmn")
def diagram(number: str) -> Any:
    """The diagram that the case is pinned to, for the viewer in the browser."""
    with store().read() as reader:
        case, _folder, norm = opened(reader, number)
    return Response(norm.diagrams[norm.processes[case["process"]].file], mimetype="application/xml")


@routes.get("/processos/<number:number>/diagrama.svg")
def whole_diagram(number: str) -> Any:
    """The drawing of the case in full size, on an address of its own."""
    with store().read() as reader:
        _case, folder, norm = opened(reader, number)
        told = audit.entries(reader, stream_of(folder.case["id"]))
        diagram, marks, title = _to_draw(reader, norm, folder, told)
        drawn = picture(diagram, dict(marks), title)
    if drawn is None:
        raise NotFound(N_("Este procedimento não tem desenho."))
    return Response(drawn, mimetype="image/svg+xml")


def opened(reader: Reader, number: str) -> tuple[Row, Folder, Norm]:
    """A case by its number, with its folder and the norm it is pinned to. NotFound when there is none."""
    case = history.by_number(reader, number)
    return case, history.folder(reader, case["id"]), norms.by_digest(reader, case["norm_digest"])


def _folder_sheets(reader: Reader, norm: Norm, folder: Folder, told: list[Entry]) -> dict[str, Any]:
    case, asking = folder.case, as_actor(reader)
    held = acts_for(norm, {office.role for office in g.offices}, today(norm))
    return {
        **about(reader, norm, folder, told),
        "answered": {a.seq: a for a in facts.answered(reader, norm, folder)},
        "services": facts.services(norm, folder),
        "tasks": [
            (item, holders.of_item(reader, norm, item))
            for item in voting.in_seat_order(norm, folder.items)
            if item["status"] == "open"
        ],
        "standing": standing.standing(reader, case, told),
        "kinds": list(norm.filings.values()) if "protocolar" in held else [],
        "may": {act: act in held for act in _ACTS},
        # The earliest says it all: what expired after it falls with it.
        "overtaken": late.overtaken(preview.laid_open(asking, case, norm, told), told)[:1],
        "setting_aside_by": holders.of_act(reader, norm, "afastar_decurso"),
    }


def _diagram(reader: Reader, norm: Norm, folder: Folder, told: list[Entry]) -> dict[str, Any]:
    """The server's own drawing around where the case stands: what is on the page without scripts and on paper."""
    diagram, marks, title = _to_draw(reader, norm, folder, told)
    tasks = [item["element"] for item in folder.items if item["status"] == "open"]
    ended = [key for key, mark in marks if mark == "ended"]
    here = (*ended, *tasks, *(key for key, mark in marks if mark == "active"), "")[0]
    # The viewer knows no end of its own: it is where the case is.
    shown = {key: "active" if mark == "ended" else mark for key, mark in marks}
    return {"picture": picture(diagram, dict(marks), title, here), "marks": shown}


def _to_draw(
    reader: Reader, norm: Norm, folder: Folder, told: list[Entry]
) -> tuple[bytes, tuple[tuple[str, str], ...], str]:
    """The diagram, how each element stands, and the title. The end that a closed case reached is `ended`."""
    process = norm.processes[folder.case["process"]]
    marks = history.marks(reader, folder.case["id"])
    if folder.case["closed_at"] is not None:
        marks |= {
            end: "ended" for entry in told if entry.body.get("ended") for end in entry.body.get("ends", ())
        }
    return norm.diagrams[process.file], tuple(sorted(marks.items())), process.name
