"""What the clock does: a deadline that has run out is decided once, at its legal instant, whoever notices it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, select

from app.cases import notices, record
from app.cases.acts.entry import entry
from app.cases.dossier import Dossier, open_if_free
from app.cases.engines import ENGINE
from app.cases.vocabulary.facts import ask_of
from app.store import CLOCK, Busy, Row, Tx
from app.store.cases_tables import deadline

_CASE_OF = select(deadline.c.case_id).where(
    deadline.c.id == bindparam("deadline_id"), deadline.c.status == "armed"
)


@entry
def expire_deadline(tx: Tx, deadline_id: str) -> bool:
    """Expires one deadline whose end has come. False when it was met, moved or already expired meanwhile.

    False, too, while somebody works on the case: who sweeps has other cases to decide, and comes again.
    What ended before it in the same case is decided first, each by an entry of its own: one that waits for a retry
    may not be overtaken.
    """
    found = tx.first(_CASE_OF, deadline_id=deadline_id)
    dossier = open_if_free(tx, found["case_id"]) if found else None
    if dossier is None:
        return False
    due = _overdue(dossier, tx.now)
    while any(row["id"] == deadline_id for row in due):
        _expire(dossier, due[0])
        if due[0]["id"] == deadline_id:
            return True
        record.next_act(dossier)
        due = _overdue(dossier, tx.now)
    return False


def expire_overdue(dossier: Dossier, before: datetime) -> int:
    """Decides every deadline of the case that ended by `before`, in order, ahead of the act that comes next.

    Without it, an act between the end of a term and the next sweep would count as in time. Each expiry is its own
    entry, by the clock, in the same transaction.
    """
    if before >= dossier.tx.now:
        _require_agreement(dossier)
    expired = 0
    while due := _overdue(dossier, before):
        told, actor = dossier.effective_at, dossier.tx.actor
        dossier.tx.actor = CLOCK
        try:
            _expire(dossier, due[0])
        finally:
            dossier.tx.actor, dossier.effective_at = actor, told
        record.next_act(dossier)
        expired += 1
    return expired


def _overdue(dossier: Dossier, before: datetime) -> Sequence[Row]:
    """The terms that run although they ended by `before`, the first to end first; none in a case that has ended."""
    if dossier.row["closed_at"] is not None:
        return ()
    return [row for row in dossier.armed if row["expires_at"] <= before]


def _require_agreement(dossier: Dossier) -> None:
    """Raises Busy where a term still runs by this machine's clock and has ended by another: an act would be in time."""
    tx = dossier.tx
    if dossier.row["closed_at"] is not None or not dossier.armed:
        return
    skew = tx.skew()
    if skew is not None and dossier.armed[0]["expires_at"] <= tx.now - skew:
        raise _differs()


def _differs() -> Busy:
    return Busy(
        "O relógio deste servidor difere do relógio do banco de dados, e é por ele que se decidiria um prazo "
        "deste processo. Nada foi gravado: chame quem administra o sistema.",
        code="relogio.difere",
    )


def _expire(dossier: Dossier, row: Row) -> None:
    if dossier.tx.skew() is not None:
        raise _differs()
    dossier.effective_at = row["due_at"]
    step = ENGINE.expire(
        dossier.definition, dossier.row["state"], row["task_id"], dossier.tx.now, ask_of(dossier)
    )
    command = {"op": "expire", "task": row["task_id"], "deadline": row["key"]}
    record.save(dossier, step, "expire", command, {"deadline": row["id"], "key": row["key"]})
    notices.term_ended(dossier, row, step)
