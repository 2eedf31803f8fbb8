"""What the clock does: a deadline that has run out is decided once, at its legal instant, whoever notices it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from app.cases import record
from app.cases.acts.entry import entry
from app.cases.dossier import Dossier, open_dossier
from app.cases.engines import ENGINE
from app.cases.vocabulary.facts import ask_of
from app.store import CLOCK, Tx
from app.store.cases_tables import deadline


@entry
def expire_deadline(tx: Tx, deadline_id: str) -> bool:
    """Expires one deadline whose end has come. False when it was met, moved or already expired meanwhile."""
    found = tx.first(select(deadline.c.case_id).where(deadline.c.id == deadline_id))
    if found is None:
        return False
    dossier = open_dossier(tx, found["case_id"])
    row = tx.first(
        select(deadline).where(
            deadline.c.id == deadline_id, deadline.c.status == "armed", deadline.c.expires_at <= tx.now
        )
    )
    if row is None or dossier.row["closed_at"] is not None:
        return False
    _expire(dossier, row["id"])
    return True


def expire_overdue(dossier: Dossier, before: datetime) -> int:
    """Decides every deadline of the case that ended by `before`, in order, ahead of the act that comes next.

    Without it, an act between the end of a term and the next sweep would count as in time. Each expiry is its own
    entry, by the clock, in the same transaction.
    """
    expired = 0
    while True:
        row = dossier.tx.first(
            select(deadline.c.id)
            .where(
                deadline.c.case_id == dossier.id,
                deadline.c.status == "armed",
                deadline.c.expires_at <= before,
            )
            .order_by(deadline.c.expires_at, deadline.c.id)
            .limit(1)
        )
        if row is None or dossier.row["closed_at"] is not None:
            return expired
        told, actor = dossier.effective_at, dossier.tx.actor
        dossier.tx.actor = CLOCK
        try:
            _expire(dossier, row["id"])
        finally:
            dossier.tx.actor, dossier.effective_at = actor, told
        record.next_act(dossier)
        expired += 1


def _expire(dossier: Dossier, deadline_id: str) -> None:
    row = dossier.tx.one(select(deadline).where(deadline.c.id == deadline_id), "Prazo inexistente.")
    dossier.effective_at = row["due_at"]
    step = ENGINE.expire(
        dossier.definition, dossier.row["state"], row["task_id"], dossier.tx.now, ask_of(dossier)
    )
    command = {"op": "expire", "task": row["task_id"], "deadline": row["key"]}
    record.save(dossier, step, "expire", command, {"deadline": row["id"], "key": row["key"]})
