"""Ending a case before its diagram does, by a reasoned act of a person."""

from __future__ import annotations

from sqlalchemy import select, update

from app import audit
from app.cases import access, record
from app.cases.acts.clock import expire_overdue
from app.cases.acts.entry import entry
from app.cases.acts.limits import text
from app.cases.dossier import CANCELLED, Dossier, open_dossier
from app.cases.standstill import standstill
from app.errors import Invalid
from app.registry import charges, occurrences
from app.store import Tx
from app.store.cases_tables import cases, deadline, work_item
from app.store.registry_tables import occurrence
from app.values import Json, Units

FALLS, STANDS = "cancelada", "permanece"  # what becomes of the charge: the law is silent, so the person says


@entry
def cancel(tx: Tx, case_id: str, reason: str, charge: str = "") -> None:
    """Ends a case with a reason: open tasks and deadlines fall, its occurrence no longer counts against anybody.

    Args:
        charge: `cancelada` or `permanece` where the case makes somebody owe; the reason gives the grounds for it too.

    What is overdue is decided first. A case whose state is damaged cannot decide anything any more and is cancelled
    as it stands: there is no other way out of it.
    Raises Conflict when it has ended already, Forbidden without competence, Invalid without a reason.
    """
    dossier = open_dossier(tx, case_id)
    access.require(tx, dossier.norm, "cancelar_processo")
    dossier.require_open()
    kept = text(reason, "Motivo", 2_000)
    stuck = standstill(dossier)
    if stuck is None:
        expire_overdue(dossier, tx.now)
        dossier.require_open()
    _close_what_is_open(dossier)
    audit.hold(tx, dossier.registers)
    if tx.first(select(occurrence.c.id).where(occurrence.c.case_id == dossier.id)):
        occurrences.change_status(tx, dossier.id, "anulada")
    told: dict[str, Json] = {"command": {"op": "none"}, "reason": kept, **_settle(dossier, charge)}
    changes = {"status": CANCELLED, "closed_at": tx.now, "closed_reason": kept, "awaited": []}
    tx.write(
        update(cases).where(cases.c.id == dossier.id).values(**changes, version=dossier.row["version"] + 1)
    )
    audit.append(tx, dossier.stream, "cancel", told | ({"standstill": stuck} if stuck else {}))


def _settle(dossier: Dossier, charge: str) -> dict[str, Json]:
    """What becomes of the charge, as the person decided; it stays in the carrier's record either way."""
    owed = charges.of_case(dossier.tx, dossier.id)
    if owed is None or not owed.units.hundredths:
        if charge:
            raise Invalid("Este processo não cobra nada de ninguém.", code="cobranca.inexistente")
        return {}
    if charge not in (FALLS, STANDS):
        raise Invalid(
            "A lei não diz o que o cancelamento faz da cobrança: diga se ela cai ou permanece.",
            code="cobranca.indefinida",
            fields={"cobranca": "Escolha uma das opções."},
        )
    if charge == FALLS:
        unit, day = owed.unit_value, owed.reference_on
        charges.owe(dossier.tx, dossier.id, owed.carrier_id, Units(0), unit, day)
    return {"charge": charge, "cents": owed.amount.cents}


def _close_what_is_open(dossier: Dossier) -> None:
    tx = dossier.tx
    closed = {"closed_at": tx.now, "closed_seq": dossier.seq, "closed_by": str(tx.actor)}
    tx.write(
        update(work_item)
        .where(work_item.c.case_id == dossier.id, work_item.c.status == "open")
        .values(status="cancelled", version=work_item.c.version + 1, **closed)
    )
    tx.write(
        update(deadline)
        .where(deadline.c.case_id == dossier.id, deadline.c.status == "armed")
        .values(status="cancelled", closed_seq=dossier.seq)
    )
    record.close_windows(dossier)
