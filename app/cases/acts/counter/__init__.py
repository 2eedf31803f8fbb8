"""The counter (protocolo): what parties hand in is received, stamped and routed to a decision; never refused, lost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select, update

from app import audit, documents
from app.audit import seal
from app.cases import access, record
from app.cases.acts.clock import expire_overdue
from app.cases.acts.counter.payment import pay
from app.cases.acts.counter.stamp import before_its_term, not_before_the_case
from app.cases.acts.entry import entry
from app.cases.acts.limits import legal_instant, read_form
from app.cases.acts.opening import new_dossier, start
from app.cases.dossier import Dossier, open_dossier
from app.cases.engines import ENGINE
from app.cases.forms import Answers, split
from app.cases.standstill import standstill
from app.cases.vocabulary.facts import ask_of
from app.errors import NotFound
from app.law.norm import Filing
from app.store import Row, Tx
from app.store.cases_tables import filing, submission
from app.values import Json, iso

PETITION = "peticao"  # the process that a filing opens when the case it belongs to has ended


@entry
def file(
    tx: Tx,
    case_id: str,
    kind: str,
    answers: Mapping[str, Json],
    stamped_at: datetime | None = None,
    surplus_confirmed: bool = False,
    stamp_confirmed: bool = False,
) -> str:
    """Receives a filing for a case and gives its protocol number.

    Args:
        kind: key of the filing in the norm, such as `contestacao` or `pagamento`.
        stamped_at: the protocol stamp; timeliness is judged by it, never by when it was typed. Now when absent.
        surplus_confirmed: whoever types a payment of more than is owed has looked at the receipt again.
        stamp_confirmed: whoever types a stamp from before the filing's term began has looked at it again.

    A filing that the diagram waits for moves the case; any other stays in the folder, in front of whoever
    decides next; for a case that has ended it opens a petition of its own. A case that cannot move keeps the filing
    too, and its entry says why it went no further.
    """
    dossier = open_dossier(tx, case_id, legal_instant(tx, stamped_at))
    access.require(tx, dossier.norm, "protocolar")
    what = _kind(dossier, kind)
    not_before_the_case(dossier)
    checked = read_form(tx, dossier.norm, what.form, answers, dossier.effective_at)
    stuck = standstill(dossier)
    if stuck is None:
        expire_overdue(dossier, dossier.effective_at)
    early = before_its_term(dossier, what, stamp_confirmed)
    message = what.message if stuck is None and what.message in dossier.row["awaited"] else None
    told = _receive(dossier, what, checked, delivered=message is not None) | early
    if what.payment:
        told |= pay(dossier, what, checked, told["filing"], surplus_confirmed)
    if message is not None:
        _deliver(dossier, message, checked, told)
    else:
        _keep(dossier, told | ({"standstill": stuck} if stuck else {}))
    return str(told["number"])


def _receive(dossier: Dossier, what: Filing, answers: Answers, *, delivered: bool) -> dict[str, Json]:
    """Numbers the filing and keeps it; gives what its entry says of it."""
    tx, stamp = dossier.tx, dossier.effective_at
    number = f"P{documents.take_number(tx, documents.FILINGS, dossier.today.year):05d}/{dossier.today.year}"
    # Nothing can be sealed for a subject whose data was erased, and what is handed in now is a new matter of its own.
    own = seal.new_subject(tx) if seal.erased(tx, dossier.row["subject_id"]) else None
    submission_id, kept = record.keep_submission(dossier, what.form, answers, None, own)
    filing_id = tx.new_id()
    row = {"id": filing_id, "case_id": dossier.id, "seq": dossier.seq, "number": number, "kind": what.key}
    when = {"stamped_at": stamp, "received_at": tx.now}
    tx.add(filing, **row, **when, delivered=delivered, dropped=False, submission_id=submission_id)
    return {
        **kept,
        "filing": filing_id,
        "number": number,
        "kind": what.key,
        "stamped_at": iso(stamp),
        **({"subject": own} if own else {}),
    }


def _kind(dossier: Dossier, kind: str) -> Filing:
    if kind not in dossier.norm.filings:
        raise NotFound(f"A norma não tem o tipo de petição {kind}.", code="protocolo.tipo_desconhecido")
    return dossier.norm.filings[kind]


def _deliver(dossier: Dossier, message: str, answers: Answers, told: Mapping[str, Json]) -> None:
    payload = {**answers.flow, "protocolada_em": iso(dossier.effective_at)}
    step = ENGINE.deliver(
        dossier.definition, dossier.row["state"], message, payload, dossier.tx.now, ask_of(dossier)
    )
    command = {"op": "deliver", "message": message, "data": payload}
    record.save(dossier, step, "file", command, told)


def deliver_again(dossier: Dossier, row: Row, message: str) -> None:
    """Hands a filing that the diagram now awaits to it, at the instant of its stamp."""
    tx = dossier.tx
    dossier.effective_at = row["stamped_at"]
    kept = tx.one(select(submission).where(submission.c.id == row["submission_id"]), "Petição inexistente.")
    given = {**kept["answers"], **(seal.unseal(tx, kept["sealed_id"]) or {})}
    answers = split(kept["form"], dossier.norm.forms[kept["form"]][0], given)
    payload = {**answers.flow, "protocolada_em": iso(dossier.effective_at)}
    step = ENGINE.deliver(dossier.definition, dossier.row["state"], message, payload, tx.now, ask_of(dossier))
    tx.write(update(filing).where(filing.c.id == row["id"]).values(delivered=True))
    command = {"op": "deliver", "message": message, "data": payload}
    told = {"refiled": row["id"], "number": row["number"], "kind": row["kind"]}
    record.save(dossier, step, "refile", command, told)


def _keep(dossier: Dossier, told: Mapping[str, Json]) -> None:
    opened = None
    if dossier.row["closed_at"] is not None and PETITION in dossier.norm.processes:
        opened = _open_petition(dossier)
    audit.append(
        dossier.tx,
        dossier.stream,
        "file",
        {"command": {"op": "none"}, **told, "petition": opened},
        dossier.effective_at,
    )


def _open_petition(dossier: Dossier) -> str:
    """A case of its own for what arrives after the end, so that somebody decides on it."""
    process = dossier.norm.processes[PETITION]
    references = {"transportador": dossier.row["carrier_id"]} if dossier.row["carrier_id"] else {}
    empty = Answers(process.form, references=references)
    petition = new_dossier(dossier.tx, dossier.norm, process, empty, dossier.effective_at, origin=dossier.id)
    start(petition, empty)
    return petition.id
