"""Going back: acts are annulled from one entry on, an expiry is set aside for a filing stamped in time.

History is never edited. Annulling is an entry of its own; the state becomes how the case stood before the entry it
names. What parties handed in stays handed in, and is put before the case again in the order of its stamps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from app import audit
from app.audit import Entry
from app.cases import access, record
from app.cases.acts import clock, counter
from app.cases.acts.entry import entry
from app.cases.acts.limits import text
from app.cases.dossier import Dossier, open_dossier
from app.cases.proof.replay import steps
from app.cases.proof.standing import Standing, falls, fold
from app.cases.record import restoring
from app.engine.step import Step
from app.errors import Conflict, Invalid, NotFound
from app.registry import charges, occurrences
from app.store import Row, Tx
from app.store.cases_tables import deadline, filing
from app.values import Json, Money, Units

Played = list[tuple[Entry, Step | None]]


@entry
def annul(tx: Tx, case_id: str, seq: int, reason: str, version: int, dropped: Sequence[str] = ()) -> None:
    """Annuls an entry of the case's journal and everything after it that followed from it.

    Args:
        seq: number of the first entry that falls.
        version: of the case, as the person saw it: what they were shown to fall is what falls.
        dropped: ids of filings, received from that entry on, that are annulled too; the others are put before the case
            again.
    Raises Forbidden without competence, Conflict when the case has moved, Invalid for an entry that cannot be annulled.
    """
    dossier = open_dossier(tx, case_id)
    access.require(tx, dossier.norm, "anular")
    require_standing(dossier, seq)
    require_case_version(dossier, version)
    kept = text(reason, "Motivo", 2_000)
    unknown = set(dropped) - {row["id"] for row in filings_since(dossier, seq)}
    if unknown:
        raise Invalid("Uma das petições não está no trecho a anular.", code="anulacao.peticao")
    go_back(dossier, seq, "annul", {"reason": kept, "dropped": sorted(dropped)})
    enter_again(dossier, seq)


@entry
def set_aside(tx: Tx, case_id: str, seq: int, reason: str, version: int) -> None:
    """Sets a recorded expiry aside, because a filing stamped before the end of the term was typed after it.

    Args:
        seq: the entry that recorded the expiry.
    Raises Invalid when no filing was stamped in time.
    """
    dossier = open_dossier(tx, case_id)
    access.require(tx, dossier.norm, "afastar_decurso")
    require_standing(dossier, seq)
    require_case_version(dossier, version)
    kept = text(reason, "Motivo", 2_000)
    late = typed_late(dossier, entry_of(dossier, seq))
    if not late:
        raise Invalid(
            "Nenhuma petição deste processo foi carimbada antes do fim desse prazo e digitada depois.",
            code="decurso.sem_peticao",
        )
    go_back(dossier, seq, "set_aside", {"reason": kept, "filings": [row["number"] for row in late]})
    enter_again(dossier, seq)


def require_standing(dossier: Dossier, seq: int) -> None:
    """Raises Conflict when the entry fell already: asked before the version, so that who sends twice is told so."""
    if seq in dossier.fallen:
        raise Conflict("Este registro já está sem efeito.", code="anulacao.repetida")


def require_case_version(dossier: Dossier, version: int) -> None:
    """Raises Conflict when the case moved after the person looked at it."""
    if dossier.row["version"] != version:
        raise Conflict(
            "O processo andou depois que você abriu esta página. Confira de novo o que cai e envie outra vez.",
            code="processo.mudou",
        )


def entry_of(dossier: Dossier, seq: int) -> Entry:
    told = audit.entries(dossier.tx, dossier.stream)
    if not 1 <= seq <= len(told):
        raise NotFound("Não há este registro no histórico do processo.", code="registro.inexistente")
    return told[seq - 1]


def typed_late(dossier: Dossier, expiry: Entry) -> list[Row]:
    """Filings that the diagram awaited when the recorded term ran out, stamped before its end, received after that.

    One that nobody awaited then (a payment, say) would not have kept the term from running out.
    """
    if expiry.act != "expire" or expiry.seq in dossier.fallen:
        return []
    row = dossier.tx.one(
        select(deadline).where(deadline.c.id == expiry.body["deadline"]), "Prazo inexistente."
    )
    stamped = [f for f in filings_since(dossier, expiry.seq) if f["stamped_at"] < row["expires_at"]]
    if not stamped:
        return []
    before = _played(dossier)[expiry.seq - 2][1]
    awaited = before.awaited if before else frozenset()
    return [f for f in stamped if dossier.norm.filings[f["kind"]].message in awaited]


def filings_since(dossier: Dossier, seq: int) -> Sequence[Row]:
    """What parties handed in, or was put before the case again, from an entry on, in the order of its stamps."""
    told = audit.entries(dossier.tx, dossier.stream)
    ids = {e.body.get("filing") or e.body.get("refiled") for e in told if e.seq >= seq} - {None}
    return dossier.tx.all(
        select(filing)
        .where(filing.c.case_id == dossier.id, filing.c.id.in_(sorted(ids)), filing.c.dropped.is_(False))
        .order_by(filing.c.stamped_at, filing.c.id)
    )


def go_back(dossier: Dossier, seq: int, act: str, told: dict[str, Json]) -> Standing:
    """Puts the case where it stood before entry `seq`, rows and registers too, and journals it."""
    played, body = going_back(dossier, seq, act, told)
    after = fold(played)[-1]
    restoring.restore(dossier, after)
    _registers(dossier, after)
    audit.append(dossier.tx, dossier.stream, act, body)
    record.next_act(dossier)
    return after


def going_back(
    dossier: Dossier, seq: int, act: str, told: Mapping[str, Json]
) -> tuple[Played, dict[str, Json]]:
    """The journal as it would be after going back, each entry with the step after it; and the body of the last one.

    Nothing is written. Raises Invalid for an entry without effect, and for an opening that is not done again at once
    (`correcting`): without one there is no case. Conflict for an entry that fell already.
    """
    if not falls(entry_of(dossier, seq)):
        raise Invalid(
            "Este registro não moveu o processo: não há o que anular nele.", code="anulacao.sem_efeito"
        )
    require_standing(dossier, seq)
    played = _played(dossier)
    step = played[seq - 2][1] if seq > 1 else None
    if step is None and "correcting" not in told:
        raise Invalid(
            "A abertura não se anula: cancele o processo ou corrija o registro.", code="anulacao.abertura"
        )
    body: dict[str, Json] = {
        "command": {"op": "annul", "from": seq},
        "state": step.digest if step else None,
        **told,
    }
    return [*played, (to_be(dossier, act, body), step)], body


def _played(dossier: Dossier) -> Played:
    return list(steps(dossier.definition, dossier.id, audit.entries(dossier.tx, dossier.stream)))


def to_be(dossier: Dossier, act: str, body: Json) -> Entry:
    """The entry that is about to be written, as the fold reads it."""
    tx = dossier.tx
    return Entry(dossier.stream, dossier.seq, tx.now, tx.now, str(tx.actor), act, body, "")


def enter_again(dossier: Dossier, seq: int) -> None:
    """Puts what parties handed in from entry `seq` on before the case again, each at the instant of its stamp."""
    for row in filings_since(dossier, seq):
        message = dossier.norm.filings[row["kind"]].message
        if message is None or row["delivered"]:
            continue
        clock.expire_overdue(dossier, row["stamped_at"])
        if message in dossier.row["awaited"]:
            counter.deliver_again(dossier, row, message)
            record.next_act(dossier)
    dossier.effective_at = dossier.tx.now


def _registers(dossier: Dossier, after: Standing) -> None:
    """What the case makes owe, gives back and enters in the infringer's record, as it now stands."""
    audit.hold(dossier.tx, dossier.registers)
    tx, owed = dossier.tx, charges.of_case(dossier.tx, dossier.id)
    if owed is not None:
        if after.units is None:
            charges.withdraw(tx, dossier.id)
        elif owed.withdrawn or owed.units.hundredths != after.units:
            units = Units(after.units)
            charges.owe(tx, dossier.id, owed.carrier_id, units, owed.unit_value, owed.reference_on)
        if (owed.refund_percent, owed.refund.cents if owed.refund else None) != (
            after.refund or (None, None)
        ):
            percent, cents = after.refund or (None, None)
            charges.refund(tx, dossier.id, percent, None if cents is None else Money(cents))
    if occurrences.of_case(tx, dossier.id) is not None:
        occurrences.change_status(tx, dossier.id, after.occurrence or "anulada")
