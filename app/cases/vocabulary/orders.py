"""What a diagram may order. Carried out after the engine's step, inside the same transaction.

Each order gives a result that the journal keeps beside it; results hold no personal data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from sqlalchemy import select, update

from app import audit, documents
from app.cases.dossier import Dossier
from app.cases.vocabulary import ORDERS
from app.cases.vocabulary.papers import content
from app.cases.vocabulary.terms import count_term, told
from app.engine.runner import Order
from app.errors import Invalid
from app.registry import carriers, charges, occurrences, values
from app.store.cases_tables import cases, deadline
from app.values import Json, Money, Units

Carrier = Callable[..., Json]


def perform(dossier: Dossier, orders: tuple[Order, ...], flow: Mapping[str, Json]) -> list[Json]:
    """Carries out a step's orders in their order and gives name, arguments and result of each."""
    audit.hold(dossier.tx, _written(dossier, orders))
    done: list[Json] = []
    for order in orders:
        result = _HANDLERS[order.name](dossier, flow, *order.args)
        done.append({"order": order.name, "args": list(order.args), "result": result})
    return done


def _written(dossier: Dossier, orders: Iterable[Order]) -> Iterator[str]:
    """The chains of the register that orders write."""
    for order in orders:
        if order.name in ("cobrar", "devolver") and dossier.row["carrier_id"]:
            yield carriers.stream_of(dossier.row["carrier_id"])
        elif order.name == "ocorrencia" and dossier.row["infringer"]:
            yield dossier.row["infringer"]
        elif order.name == "registrar_ocorrencia":
            yield str(order.args[0])


def emitir(dossier: Dossier, flow: Mapping[str, Json], kind: str) -> Json:
    """Issues a document: number, series and sealed content; the paper is rendered afterwards."""
    if kind not in dossier.norm.documents:
        raise Invalid(f"A norma não tem o documento {kind}.", code="documento.desconhecido")
    what = dossier.norm.documents[kind]
    paper = content(dossier, what, flow)
    issued = documents.issue(
        dossier.tx, dossier.id, dossier.row["subject_id"], dossier.seq, what, dossier.today, paper
    )
    return {
        "document": issued.id,
        "number": issued.number,
        "content": issued.content_digest,
        "code": issued.code,
    }


def cobrar(dossier: Dossier, _flow: Mapping[str, Json], units: int) -> Json:
    """Makes the carrier owe an amount of units (Jequié, Arts. 107, 109), or changes the amount owed."""
    carrier_id = dossier.row["carrier_id"]
    if carrier_id is None:
        raise Invalid("O processo não diz quem paga: falta o transportador.", code="cobranca.sem_devedor")
    worth = values.unit_value(dossier.tx, dossier.norm, dossier.today)
    amount = charges.owe(dossier.tx, dossier.id, carrier_id, Units(units), worth, dossier.today)
    return {"units": units, "cents": amount.cents}


def contar(dossier: Dossier, _flow: Mapping[str, Json], key: str, base: str) -> Json:
    """Shows a term from now on. No event of the diagram waits for its end."""
    due = count_term(dossier, key, base)
    dossier.tx.add(
        deadline,
        id=dossier.tx.new_id(),
        case_id=dossier.id,
        key=key,
        base=base,
        due_at=due.due_at,
        expires_at=due.expires_at,
        status="window",
        task_id=None,
        trace=due.trace.json(),
        armed_seq=dossier.seq,
        failures=0,
    )
    return told(key, base, due)


def encerrar(dossier: Dossier, _flow: Mapping[str, Json], key: str) -> Json:
    """A term that was only shown no longer matters: a later decision took its place."""
    dossier.tx.write(
        update(deadline)
        .where(deadline.c.case_id == dossier.id, deadline.c.key == key, deadline.c.status == "window")
        .values(status="closed", closed_seq=dossier.seq)
    )
    return None


def registrar_ocorrencia(
    dossier: Dossier,
    _flow: Mapping[str, Json],
    infringer: str,
    code: str,
    happened_on: str,
    grant_id: str | None,
) -> Json:
    """Enters the notice in the infringer's record, where first offence and recurrence will look."""
    kind, _, record_id = infringer.partition(":")
    carrier_id = carriers.staff_by_id(dossier.tx, record_id)["carrier_id"] if kind == "pessoal" else record_id
    occurrence = occurrences.record(
        dossier.tx,
        infringer,
        carrier_id,
        grant_id,
        code,
        date.fromisoformat(happened_on),
        case_id=dossier.id,
        status="notificada",
        source=f"processo {dossier.row['number']}",
    )
    dossier.tx.write(
        update(cases).where(cases.c.id == dossier.id).values(infringer=infringer, carrier_id=carrier_id)
    )
    dossier.row = {**dossier.row, "infringer": infringer, "carrier_id": carrier_id}
    return {"occurrence": occurrence}


def ocorrencia(dossier: Dossier, _flow: Mapping[str, Json], status: str) -> Json:
    """Says what became of the occurrence: warned, charged, confirmed or annulled."""
    if status not in occurrences.STATUSES:
        raise Invalid(f"Situação de ocorrência desconhecida: {status}.", code="ocorrencia.situacao")
    occurrences.change_status(dossier.tx, dossier.id, status)
    return None


def devolver(
    dossier: Dossier, _flow: Mapping[str, Json], percent: int, units: int, still_owed: int = 0
) -> Json:
    """Orders that a share of an annulled amount of units goes back, without interest or correction (Jequié, Art. 130).

    Never more than was paid above the units that are still owed.
    """
    owed = charges.of_case(dossier.tx, dossier.id)
    if owed is None:
        return None
    share = Units(int(units)).share(int(percent)).at(owed.unit_value)
    kept = Units(int(still_owed)).at(owed.unit_value)
    excess = Money(max(0, charges.paid(dossier.tx, dossier.id).cents - kept.cents))
    amount = min(share, excess)
    charges.refund(dossier.tx, dossier.id, int(percent), amount)
    return {"units": int(units), "percent": int(percent), "cents": amount.cents}


def window_of(dossier: Dossier, key: str, base: str) -> Any:
    """The row of a term that was shown before an event began to wait for it."""
    query = select(deadline).where(
        deadline.c.case_id == dossier.id,
        deadline.c.key == key,
        deadline.c.base == base,
        deadline.c.status == "window",
    )
    return dossier.tx.first(query)


_HANDLERS: dict[str, Carrier] = {
    "emitir": emitir,
    "cobrar": cobrar,
    "contar": contar,
    "registrar_ocorrencia": registrar_ocorrencia,
    "ocorrencia": ocorrencia,
    "devolver": devolver,
    "encerrar": encerrar,
}
assert set(_HANDLERS) == ORDERS
