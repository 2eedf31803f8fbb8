"""The counter (protocolo): what parties hand in is received, stamped and routed to a decision; never refused, lost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import insert, update

from app import audit, documents
from app.cases import access, record
from app.cases.acts.clock import expire_overdue
from app.cases.acts.limits import legal_instant
from app.cases.acts.opening import new_dossier, start
from app.cases.dossier import Dossier, open_dossier
from app.cases.engines import ENGINE
from app.cases.forms import Answers, validate
from app.cases.vocabulary.facts import ask_of
from app.errors import Invalid, NotFound
from app.law.norm import Filing
from app.registry import charges
from app.store import Tx
from app.store.cases_tables import deadline, filing
from app.values import Json, Money, iso, parse_instant

PETITION = "peticao"  # the process that a filing opens when the case it belongs to has ended


def file(
    tx: Tx, case_id: str, kind: str, answers: Mapping[str, Json], stamped_at: datetime | None = None
) -> str:
    """Receives a filing for a case and gives its protocol number.

    Args:
        kind: key of the filing in the norm, such as `contestacao` or `pagamento`.
        stamped_at: the protocol stamp; timeliness is judged by it, never by when it was typed. Now when absent.

    A filing that the diagram waits for moves the case; any other stays in the folder, in front of whoever
    decides next; for a case that has ended it opens a petition of its own.
    """
    stamp = legal_instant(tx, stamped_at)
    dossier = open_dossier(tx, case_id, stamp)
    access.require(tx, dossier.norm, "protocolar")
    what = _kind(dossier, kind)
    if stamp < dossier.row["opened_at"]:
        raise Invalid("O carimbo é anterior à abertura do processo.", code="instante.anterior")
    checked = validate(tx, dossier.norm, what.form, answers, dossier.norm.zone, now=tx.now)
    expire_overdue(dossier, stamp)
    number = f"P{documents.take_number(tx, 'protocolo', dossier.today.year):05d}/{dossier.today.year}"
    submission_id, kept = record.keep_submission(dossier, what.form, checked, None)
    filing_id = tx.new_id()
    awaited = what.message is not None and what.message in dossier.row["awaited"]
    row = {"id": filing_id, "case_id": dossier.id, "seq": dossier.seq, "number": number, "kind": kind}
    tx.write(
        insert(filing).values(
            **row, stamped_at=stamp, received_at=tx.now, delivered=awaited, submission_id=submission_id
        )
    )
    if what.payment:
        _pay(dossier, what, checked, filing_id)
    told = {**kept, "filing": filing_id, "number": number, "kind": kind, "stamped_at": iso(stamp)}
    if awaited and what.message is not None:
        _deliver(dossier, what.message, checked, told)
    else:
        _keep(dossier, checked, told)
    return number


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


def _keep(dossier: Dossier, answers: Answers, told: Mapping[str, Json]) -> None:
    opened = None
    if dossier.row["closed_at"] is not None and PETITION in dossier.norm.processes:
        opened = _open_petition(dossier, answers)
    audit.append(
        dossier.tx,
        dossier.stream,
        "file",
        {"command": {"op": "none"}, **told, "petition": opened},
        dossier.effective_at,
    )


def _open_petition(dossier: Dossier, answers: Answers) -> str:
    """A case of its own for what arrives after the end, so that somebody decides on it."""
    process = dossier.norm.processes[PETITION]
    references = {"transportador": dossier.row["carrier_id"]} if dossier.row["carrier_id"] else {}
    empty = Answers(process.form, references=references)
    petition = new_dossier(dossier.tx, dossier.norm, process, empty, dossier.effective_at, origin=dossier.id)
    start(petition, empty)
    return petition.id


def _pay(dossier: Dossier, what: Filing, answers: Answers, filing_id: str) -> None:
    amount = answers.get("valor")
    if not isinstance(amount, str) or Money.parse(amount).cents <= 0:
        raise Invalid(
            "Informe o valor pago.",
            code="pagamento.valor",
            fields={"valor": "Informe um valor maior que zero."},
        )
    paid_at = answers.get("pago_em")
    instant = parse_instant(paid_at) if isinstance(paid_at, str) else dossier.effective_at
    if instant < dossier.row["opened_at"]:
        raise Invalid(
            "O recolhimento não pode ser anterior à abertura do processo.",
            code="pagamento.anterior",
            fields={"pago_em": "Confira a data do comprovante: o processo foi aberto depois."},
        )
    if dossier.row["closed_at"] is None and charges.of_case(dossier.tx, dossier.id) is None:
        raise Invalid(
            "Este processo ainda não cobra nada: o comprovante não pode ser lançado como recolhimento da multa. "
            "Nada se perde: protocole-o como outra petição, e ele fica nos autos.",
            code="pagamento.nada_devido",
        )
    charges.pay(dossier.tx, dossier.id, Money.parse(amount), instant, filing_id)
    if charges.settled(dossier.tx, dossier.id):
        _meet(dossier, what.meets, instant)


def _meet(dossier: Dossier, keys: tuple[str, ...], instant: datetime) -> None:
    """Terms that were only shown are met by a payment made within them; nobody need watch them any longer."""
    dossier.tx.write(
        update(deadline)
        .where(deadline.c.case_id == dossier.id, deadline.c.key.in_(keys))
        .where(deadline.c.status == "window", deadline.c.expires_at > instant)
        .values(status="met", closed_seq=dossier.seq)
    )
