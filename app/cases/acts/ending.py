"""Ending a case before its diagram does, by a reasoned act of a person."""

from __future__ import annotations

from sqlalchemy import select, update

from app import audit
from app.cases import access, record
from app.cases.acts.limits import text
from app.cases.dossier import open_dossier
from app.registry import occurrences
from app.store import Tx
from app.store.cases_tables import cases, deadline, work_item
from app.store.registry_tables import occurrence

CANCELLED = "CANCELADO"


def cancel(tx: Tx, case_id: str, reason: str) -> None:
    """Ends a case with a reason: open tasks and deadlines fall, its occurrence no longer counts against anybody.

    Raises Conflict when it has ended already, Forbidden without competence, Invalid without a reason.
    """
    dossier = open_dossier(tx, case_id)
    access.require(tx, dossier.norm, "cancelar_processo")
    dossier.require_open()
    kept = text(reason, "Motivo", 2_000)
    tx.write(
        update(work_item)
        .where(work_item.c.case_id == dossier.id, work_item.c.status == "open")
        .values(
            status="cancelled",
            version=work_item.c.version + 1,
            closed_at=tx.now,
            closed_seq=dossier.seq,
            closed_by=str(tx.actor),
        )
    )
    tx.write(
        update(deadline)
        .where(deadline.c.case_id == dossier.id, deadline.c.status == "armed")
        .values(status="cancelled", closed_seq=dossier.seq)
    )
    record.close_windows(dossier)
    if tx.first(select(occurrence.c.id).where(occurrence.c.case_id == dossier.id)):
        occurrences.change_status(tx, dossier.id, "anulada")
    tx.write(
        update(cases)
        .where(cases.c.id == dossier.id)
        .values(
            status=CANCELLED,
            closed_at=tx.now,
            closed_reason=kept,
            awaited=[],
            version=dossier.row["version"] + 1,
        )
    )
    audit.append(tx, dossier.stream, "cancel", {"command": {"op": "none"}, "reason": kept})
