"""Reading a case: its folder as pages and stories show it. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Table, select

from app import audit, people
from app.audit import Entry
from app.cases.dossier import MISSING, stream_of
from app.cases.history import trail
from app.store import Reader, Row
from app.store.cases_tables import (
    attachment,
    cases,
    deadline,
    document,
    element_log,
    filing,
    note,
    service,
    submission,
    work_item,
)

ACTS = {
    "open": "Processo aberto",
    "complete": "Tarefa concluída",
    "serve_notice": "Ciência registrada",
    "file": "Petição protocolada",
    "expire": "Prazo decorrido",
    "claim": "Tarefa assumida",
    "release": "Tarefa devolvida",
    "annotate": "Anotação",
    "attach": "Arquivo juntado",
    "cancel": "Processo cancelado",
    "annul": "Atos anulados",
    "set_aside": "Decurso afastado",
    "correct": "Registro corrigido",
    "refile": "Petição reapresentada",
    "render": "PDF preparado",
}


@dataclass(frozen=True)
class Folder:
    """Everything in a case's folder, oldest first."""

    case: Row
    items: Sequence[Row]
    deadlines: Sequence[Row]
    documents: Sequence[Row]
    filings: Sequence[Row]
    services: Sequence[Row]
    submissions: Sequence[Row]
    notes: Sequence[Row]
    attachments: Sequence[Row]
    linked: Sequence[Row]


@dataclass(frozen=True)
class Line:
    """One line of the timeline."""

    entry: Entry
    title: str
    who: str
    happened_at: datetime
    recorded_at: datetime


def by_number(reader: Reader, number: str) -> Row:
    return reader.one(select(cases).where(cases.c.number == number), MISSING)


def folder(reader: Reader, case_id: str) -> Folder:
    case = reader.one(select(cases).where(cases.c.id == case_id), MISSING)

    def rows(table: Table, *order: str) -> Sequence[Row]:
        columns = [table.c[name] for name in order]
        return reader.all(select(table).where(table.c.case_id == case_id).order_by(*columns))

    linked = reader.all(select(cases).where(cases.c.origin_case_id == case_id).order_by(cases.c.number))
    return Folder(
        case,
        rows(work_item, "opened_seq", "id"),
        rows(deadline, "armed_seq", "expires_at", "key"),
        rows(document, "seq", "id"),
        rows(filing, "stamped_at", "id"),
        rows(service, "seq", "id"),
        rows(submission, "seq", "id"),
        rows(note, "seq", "id"),
        rows(attachment, "seq", "id"),
        linked,
    )


def timeline(reader: Reader, case_id: str) -> list[Line]:
    """The journal of a case as people read it, oldest first."""
    names = {
        r["task_id"]: r["name"] for r in reader.all(select(work_item).where(work_item.c.case_id == case_id))
    }
    lines = []
    for entry in audit.entries(reader, stream_of(case_id)):
        title = ACTS.get(entry.act, entry.act)
        task = names.get(entry.body["command"].get("task"))
        if task:
            title = f"{title}: {task}"
        who = people.name_of(reader, entry.actor)
        lines.append(Line(entry, title, who, entry.effective_at, entry.at))
    return lines


def marks(reader: Reader, case_id: str, until_seq: int | None = None) -> dict[str, str]:
    """How each element of the diagram stands after entry `until_seq` (or now): done or active.

    What was annulled by then has left no mark.
    """
    standing = set(trail.path(audit.entries(reader, stream_of(case_id)), until_seq))
    query = select(element_log).where(element_log.c.case_id == case_id).order_by(element_log.c.seq)
    rows = [row["changes"] for row in reader.all(query) if row["seq"] in standing]
    return trail.marked((element, state, task_id) for row in rows for element, state, task_id in row)
