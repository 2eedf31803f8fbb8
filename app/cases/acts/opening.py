"""Opening a case: the first act, with the form that its process begins with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from app import audit, documents
from app.audit import seal
from app.cases import access, record
from app.cases.acts.entry import entry
from app.cases.acts.limits import legal_instant, read_form
from app.cases.dossier import FIRST_STATUS, Dossier, definition_of, stream_of
from app.cases.engines import ENGINE
from app.cases.forms import Answers
from app.cases.vocabulary.facts import ask_of
from app.errors import Invalid, NotFound
from app.law.norm import Norm, Process
from app.registry import carriers, norms, values
from app.store import Tx
from app.store.cases_tables import cases
from app.values import Json


@entry
def open_case(
    tx: Tx, slug: str, process: str, answers: Mapping[str, Json], effective_at: datetime | None = None
) -> str:
    """Opens a case of a process of the norm in force and gives its id.

    Args:
        slug: the municipality's norm.
        process: key of the process in the norm.
        answers: the opening form, as JSON.
        effective_at: when it legally happened (the notice was handed over); now when not given.
    Raises Forbidden without competence, Invalid when the form has problems, NotFound for an unknown process.
    """
    happened = legal_instant(tx, effective_at)
    norm = norms.in_force(tx, slug, tx.now)
    if process not in norm.processes:
        raise NotFound(f"A norma não tem o procedimento {process}.", code="processo.desconhecido")
    what = norm.processes[process]
    access.require(tx, norm, what.act)
    checked = read_form(tx, norm, what.form, answers, happened)
    _consistent(tx, checked)
    dossier = new_dossier(tx, norm, what, checked, happened)
    start(dossier, checked)
    return dossier.id


def new_dossier(
    tx: Tx, norm: Norm, process: Process, answers: Answers, happened: datetime, origin: str | None = None
) -> Dossier:
    """Numbers the case, pins it to norm, diagram and choices, and lays it open."""
    case_id, day = tx.new_id(), happened.astimezone(norm.zone).date()
    seq = audit.next_seq(tx, stream_of(case_id))
    definition = definition_of(norm, process)
    row = {
        "id": case_id,
        "number": documents.case_number(tx, day.year),
        "process": process.key,
        "norm_digest": norm.digest,
        "definition_digest": definition.digest,
        "choices": values.choices_on(tx, norm, day),
        "status": FIRST_STATUS,
        "opened_at": happened,
        "closed_at": None,
        "closed_reason": None,
        "version": 0,
        "state": b"",
        "state_digest": "",
        "flow": {},
        "awaited": [],
        "carrier_id": answers.references.get("transportador"),
        "infringer": None,
        "grant_id": answers.references.get("outorga"),
        "subject_id": seal.new_subject(tx),
        "origin_case_id": origin,
        "fallen": [],
    }
    tx.add(cases, **row)
    return Dossier(tx, row, norm, process, definition, happened, seq, _items=(), _armed=())


def start(
    dossier: Dossier, answers: Answers, act: str = "open", told: Mapping[str, Json] | None = None
) -> None:
    """Runs the diagram from its start event with the opening form's flow data."""
    kept = record.keep_submission(dossier, answers.form, answers, None)[1]
    step = ENGINE.start(dossier.definition, dossier.id, answers.flow, dossier.tx.now, ask_of(dossier))
    extra = {
        **kept,
        "number": dossier.row["number"],
        "process": dossier.process.key,
        "choices": dossier.row["choices"],
        "origin": dossier.row["origin_case_id"],
        "subject": dossier.row["subject_id"],
        "carrier": dossier.row["carrier_id"],
        "grant": dossier.row["grant_id"],
    }
    record.save(dossier, step, act, {"op": "start", "data": answers.flow}, {**extra, **(told or {})})


def _consistent(tx: Tx, answers: Answers) -> None:
    """Grant and staff must belong to the carrier named beside them."""
    carrier = answers.references.get("transportador")
    lookups = {"outorga": carriers.grant_by_id, "pessoal": carriers.staff_by_id}
    for kind, look in lookups.items():
        named = answers.references.get(kind)
        if carrier and named and look(tx, named)["carrier_id"] != carrier:
            raise Invalid(
                "O registro escolhido não é do transportador informado.",
                code="registro.de_outro_transportador",
                fields={"pessoa" if kind == "pessoal" else kind: "Não pertence ao transportador informado."},
            )
