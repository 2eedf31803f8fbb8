"""Writes how a case stands after an annulment over the rows that said otherwise. No row is deleted.

Rows of what fell are marked, for whoever looks at the case as it was on an earlier day. Drafts are not touched:
nobody has acted in them, and whoever began one still finds it at its task, open again or ended.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, update

from app.cases.dossier import Dossier
from app.cases.proof.standing import Standing
from app.cases.record import near
from app.store import Row
from app.store.cases_tables import ANNULLED, cases, deadline, filing, work_item
from app.values import digest


def restore(dossier: Dossier, after: Standing) -> None:
    """Tasks, terms, filings and the case itself, as they now stand."""
    _items(dossier, after)
    _terms(dossier, after)
    _filings(dossier, after)
    step = after.step
    changes: dict[str, Any] = {
        "state": step.state if step else b"",
        "state_digest": step.digest if step else digest(b""),
        "flow": dict(step.data) if step else {},
        "awaited": sorted(step.awaited) if step and after.closed_at is None else [],
        "status": after.status,
        "closed_at": after.closed_at,
        "closed_reason": after.closed_reason,
        "fallen": sorted(after.fallen),
        "version": dossier.row["version"] + 1,
    }
    dossier.tx.write(update(cases).where(cases.c.id == dossier.id).values(**changes))
    near.refresh(dossier)


def _items(dossier: Dossier, after: Standing) -> None:
    tx = dossier.tx
    wanted = {(item.opened_seq, item.task.id): item for item in after.items}
    for row in tx.all(select(work_item).where(work_item.c.case_id == dossier.id)):
        item = wanted.get((row["opened_seq"], row["task_id"]))
        if item is not None:
            changes: dict[str, Any] = {
                "status": item.status,
                "closed_seq": item.closed_seq,
                "closed_at": item.closed_at,
                "closed_by": item.closed_by,
            }
        elif row["status"] == ANNULLED:
            continue
        else:
            changes = {"status": ANNULLED}
            if row["status"] == "open":
                changes |= {"closed_seq": dossier.seq, "closed_at": tx.now, "closed_by": str(tx.actor)}
        if _same(row, changes):
            continue
        changes |= {"version": row["version"] + 1, "claimed_by": None}
        tx.write(update(work_item).where(work_item.c.id == row["id"]).values(**changes))


def _terms(dossier: Dossier, after: Standing) -> None:
    wanted = {(term.armed_seq, term.key, term.base): term for term in after.terms}
    for row in dossier.tx.all(select(deadline).where(deadline.c.case_id == dossier.id)):
        term = wanted.get((row["armed_seq"], row["key"], row["base"]))
        if term is not None:
            changes: dict[str, Any] = {
                "status": term.status,
                "task_id": term.task_id,
                "closed_seq": term.closed_seq,
                "noticed_at": term.noticed_at,
            }
        elif row["status"] == ANNULLED:
            continue
        else:
            changes = {"status": ANNULLED, "closed_seq": row["closed_seq"] or dossier.seq}
        if not _same(row, changes):
            changes |= {"failures": 0, "retry_at": None, "failure": None}
            dossier.tx.write(update(deadline).where(deadline.c.id == row["id"]).values(**changes))


def _filings(dossier: Dossier, after: Standing) -> None:
    for row in dossier.tx.all(select(filing).where(filing.c.case_id == dossier.id)):
        changes = {"delivered": row["id"] in after.delivered, "dropped": row["id"] in after.dropped}
        if not _same(row, changes):
            dossier.tx.write(update(filing).where(filing.c.id == row["id"]).values(**changes))


def _same(row: Row, changes: dict[str, Any]) -> bool:
    return all(row[key] == value for key, value in changes.items())
