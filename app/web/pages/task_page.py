"""The page of one task: everything needed to decide it in one place, and its form when the person may do it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g, render_template
from sqlalchemy import bindparam, select

from app import audit, people
from app.audit import seal
from app.cases import access, history
from app.cases.dossier import Dossier, definition_of, stream_of
from app.cases.history import Folder
from app.errors import Refused
from app.law.norm import Norm
from app.registry import norms
from app.store import Reader, Row
from app.store.cases_tables import cases, work_item
from app.web.forms import copied, sheet
from app.web.language import N_
from app.web.session import as_actor, today
from app.web.sheets import facts, holders
from app.web.sheets.about import about
from app.web.sheets.task import law, record

MISSING = N_("Esta tarefa não existe, ou você não pode vê-la.")


_ITEM = (
    select(work_item, cases.c.number, cases.c.norm_digest)
    .join(cases, cases.c.id == work_item.c.case_id)
    .where(work_item.c.id == bindparam("item_id"))
)


def task_page(
    reader: Reader,
    item: Row,
    folder: Folder,
    norm: Norm,
    typed: Mapping[str, str],
    *,
    refused: Refused | None = None,
    saved_at: Any = None,
) -> str:
    asking = _asking(reader, folder, norm)
    barred = _barred(asking, item)
    held_by = people.name_of(reader, f"pessoa:{item['claimed_by']}") if item["claimed_by"] else None
    mine = item["claimed_by"] == g.person["id"]
    can_act = item["status"] == "open" and barred is None and (held_by is None or mine)
    again = [] if can_act else copied(schema_of(norm, item), typed)  # no form to put it into
    asked = typed if typed or refused or saved_at else _prefilled(reader, item, folder, norm)
    return render_template(
        "task.html",
        item=item,
        case=folder.case,
        folder=folder,
        pinned=norm,
        form=sheet(reader, norm, item["form"], asked, refused) if item["form"] in norm.forms else None,
        submit=_submit(norm, item),
        refused=refused,
        copied=again,
        kept_draft=again if saved_at else [],
        can_act=can_act,
        barred=barred,
        held_by=held_by,
        mine=mine,
        closed_by=people.name_of(reader, item["closed_by"] or ""),
        saved_at=saved_at,
        who=holders.of_item(reader, norm, item),
        warnings=access.warnings(asking, item) if barred is None and item["status"] == "open" else [],
        law=law.beside(norm, item, today(norm)),
        record=record.record(asking),
        **_case_sheets(reader, item, folder, norm),
    )


def _case_sheets(reader: Reader, item: Row, folder: Folder, norm: Norm) -> dict[str, Any]:
    """What the case is about and how it stands, beside the form."""
    told = audit.entries(reader, stream_of(folder.case["id"]))
    return {
        "erased": seal.erased(reader, folder.case["subject_id"]),
        "answered": facts.answered(reader, norm, folder),
        "checked": _checked(item, folder, norm),
        **about(reader, norm, folder, told),
    }


def _prefilled(reader: Reader, item: Row, folder: Folder, norm: Norm) -> dict[str, str]:
    """What the case knows already of a form that nobody has begun: its fields that say where from (`ui:inicial`)."""
    ui = norm.forms[item["form"]][1] if item["form"] in norm.forms else {}
    found = {}
    for name, told in ui.items():
        form, _, field = (
            str(told.get("ui:inicial", "")).partition(".") if isinstance(told, dict) else ("",) * 3
        )
        if isinstance(value := facts.latest(reader, folder, form, field), str):
            found[name] = value
    return found


def item_by_id(reader: Reader, item_id: str) -> tuple[Row, Norm]:
    """A task, with the number of its case, and the norm that the case is pinned to."""
    item = reader.one(_ITEM, MISSING, item_id=item_id)
    return item, norms.by_digest(reader, item["norm_digest"])


def task_by_id(reader: Reader, item_id: str) -> tuple[Row, Folder, Norm]:
    """The task with all that its page shows."""
    item, norm = item_by_id(reader, item_id)
    return item, history.folder(reader, item["case_id"]), norm


def _barred(asking: Dossier, item: Row) -> Refused | None:
    """Why the person may not work on the task, as the act itself would say; None when they may."""
    refused = holders.refusal(access.require_for_item, asking, item)
    if refused is None and item["seat"] and item["board"]:
        refused = holders.refusal(access.require_one_seat, asking, item)
    return refused


def _asking(reader: Reader, folder: Folder, norm: Norm) -> Dossier:
    """The case laid open for questions only."""
    process = norm.processes[folder.case["process"]]
    return Dossier(as_actor(reader), folder.case, norm, process, definition_of(norm, process), reader.now, 0)


def _checked(item: Row, folder: Folder, norm: Norm) -> list[tuple[str, bool]]:
    """What the diagram wants seen at this task."""
    elements = definition_of(norm, norm.processes[folder.case["process"]]).elements
    element = elements.get(item["element"])
    return facts.checked(element.properties.get("mostra", ""), folder.case["flow"]) if element else []


def schema_of(norm: Norm, item: Row) -> Any:
    return norm.forms[item["form"]][0] if item["form"] in norm.forms else {}


def _submit(norm: Norm, item: Row) -> str:
    ui = norm.forms[item["form"]][1] if item["form"] in norm.forms else {}
    return str(ui.get("ui:submitButtonOptions", {}).get("submitText", ""))
