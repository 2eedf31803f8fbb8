"""The registers of the transport system, kept by those the norm names: each act asks competence, then the registry.

One act, one record, one entry in the record's own stream. Vehicles, imports and guarantees will stand here too.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.cases import access
from app.law.norm import Norm
from app.registry import enrolment
from app.store import Tx
from app.values import Json

CARRIER, GRANT = "cadastrar_transportador", "cadastrar_outorga"
STAFF, ANTECEDENT = "cadastrar_pessoal", "registrar_antecedente"
ACTS = (CARRIER, GRANT, STAFF, ANTECEDENT)

Answers = Mapping[str, Json]


def register_carrier(tx: Tx, norm: Norm, answers: Answers) -> str:
    """Adds a carrier. Raises Forbidden without competence, Invalid with every field that cannot stand."""
    access.require(tx, norm, CARRIER)
    return enrolment.enrol_carrier(tx, norm, answers)


def register_grant(tx: Tx, norm: Norm, carrier_id: str, answers: Answers) -> str:
    """Adds the grant of a line to a carrier's record."""
    access.require(tx, norm, GRANT)
    return enrolment.enrol_grant(tx, norm, carrier_id, answers)


def register_staff(tx: Tx, norm: Norm, carrier_id: str, answers: Answers) -> str:
    """Adds a member of a carrier's traffic staff; the name is sealed."""
    access.require(tx, norm, STAFF)
    return enrolment.enrol_staff(tx, norm, carrier_id, answers)


def register_antecedent(tx: Tx, norm: Norm, infringer: str, answers: Answers) -> str:
    """Adds an occurrence that is on paper only. Raises Conflict when that sheet has been typed already."""
    access.require(tx, norm, ANTECEDENT)
    return enrolment.enrol_antecedent(tx, norm, infringer, answers)
