"""Carriers (transportadores), their grants per line and their traffic staff."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import Column, select

from app import audit
from app.audit import seal
from app.errors import Conflict, Invalid
from app.store import Reader, Row, Tx
from app.store.registry_tables import carrier, grants, staff

REGIMES = ("concessao", "permissao", "autorizacao")
CATEGORIES = ("motorista", "cobrador", "despachante", "fiscal_da_empresa")  # Jequié, Art. 83


def stream_of(carrier_id: str) -> str:
    """Name of a carrier's chain, and of the carrier as an infringer."""
    return f"transportador:{carrier_id}"


def register_carrier(tx: Tx, name: str, document: str, registered_on: date) -> str:
    """Adds a carrier; `document` is its CNPJ. Gives the opaque id that diagrams and occurrences use."""
    carrier_id = tx.new_id()
    row = {"name": name, "document": document}
    tx.ensure(carrier, id=carrier_id, registered_on=registered_on, **row)
    if _taken(tx, carrier_id, carrier.c.document, document):
        raise Conflict(f"O CNPJ {document} já está cadastrado.", code="transportador.repetido")
    body = {**row, "registered_on": registered_on.isoformat()}
    audit.append(tx, stream_of(carrier_id), "register_carrier", body)
    return carrier_id


def grant_line(
    tx: Tx, carrier_id: str, line: str, regime: str, since: date, until: date | None = None
) -> str:
    """Records the grant (outorga) of one line to a carrier (Jequié, Art. 134)."""
    if regime not in REGIMES:
        raise Invalid(f"Regime de outorga desconhecido: {regime}.", code="outorga.regime")
    row = {"carrier_id": carrier_id, "line": line, "regime": regime, "since": since, "until": until}
    grant_id = tx.new_id()
    tx.add(grants, id=grant_id, **row)
    body = {**row, "id": grant_id, "since": since.isoformat(), "until": until.isoformat() if until else None}
    audit.append(tx, stream_of(carrier_id), "grant_line", body)
    return grant_id


def register_staff(
    tx: Tx, carrier_id: str, name: str, category: str, registration: str, registered_on: date
) -> str:
    """Adds a member of a carrier's traffic staff (Jequié, Art. 83). The name is sealed."""
    if category not in CATEGORIES:
        raise Invalid(f"Categoria de pessoal desconhecida: {category}.", code="pessoal.categoria")
    staff_id, subject_id = tx.new_id(), seal.new_subject(tx)
    sealed_id, digest = seal.seal(tx, subject_id, {"nome": name})
    row = {"carrier_id": carrier_id, "category": category, "registration": registration}
    sealed_row = {"subject_id": subject_id, "name_sealed": sealed_id}
    tx.ensure(staff, id=staff_id, registered_on=registered_on, **sealed_row, **row)
    if _taken(tx, staff_id, staff.c.registration, registration):
        raise Conflict(f"A matrícula {registration} já está cadastrada.", code="pessoal.repetido")
    body = {**row, **sealed_row, "registered_on": registered_on.isoformat(), "sealed_digest": digest}
    audit.append(tx, f"pessoal:{staff_id}", "register_staff", body)
    return staff_id


def all_carriers(reader: Reader) -> Sequence[Row]:
    return reader.all(select(carrier).order_by(carrier.c.name))


def carrier_by_id(reader: Reader, carrier_id: str) -> Row:
    return reader.one(select(carrier).where(carrier.c.id == carrier_id), "Transportador não cadastrado.")


def grants_of(reader: Reader, carrier_id: str) -> Sequence[Row]:
    return reader.all(select(grants).where(grants.c.carrier_id == carrier_id).order_by(grants.c.since))


def grant_by_id(reader: Reader, grant_id: str) -> Row:
    return reader.one(select(grants).where(grants.c.id == grant_id), "Outorga não cadastrada.")


def all_grants(reader: Reader) -> Sequence[Row]:
    joined = select(grants, carrier.c.name.label("carrier_name")).join(
        carrier, carrier.c.id == grants.c.carrier_id
    )
    return reader.all(joined.order_by(carrier.c.name, grants.c.line))


def carrier_of(reader: Reader, infringer: str) -> str:
    """The carrier that an infringer is, or works for. NotFound when there is none."""
    kind, _, record = infringer.partition(":")
    if kind == "pessoal":
        return str(staff_by_id(reader, record)["carrier_id"])
    return str(carrier_by_id(reader, record)["id"])


def staff_of(reader: Reader, carrier_id: str) -> Sequence[Row]:
    return reader.all(select(staff).where(staff.c.carrier_id == carrier_id).order_by(staff.c.registration))


def staff_by_id(reader: Reader, staff_id: str) -> Row:
    return reader.one(
        select(staff).where(staff.c.id == staff_id), "Pessoa não cadastrada como pessoal de tráfego."
    )


def all_staff(reader: Reader) -> list[dict[str, str]]:
    """Staff with the unsealed name, for those who may see it."""
    rows = reader.all(select(staff).order_by(staff.c.registration))
    return [{**dict(row), "name": staff_name(reader, row)} for row in rows]


def staff_name(reader: Reader, row: Row) -> str:
    return known_name(reader, row) or "(dados eliminados)"


def known_name(reader: Reader, row: Row) -> str | None:
    """The unsealed name of a member of the staff; None when the person's data has been erased."""
    opened = seal.unseal(reader, row["name_sealed"])
    return str(opened["nome"]) if opened else None


def _taken(tx: Tx, own_id: str, unique: Column[str], value: str) -> bool:
    """Whether the unique value stood already, entered perhaps by an act that ran at this very moment."""
    return bool(tx.one(select(unique.table.c.id).where(unique == value), "")["id"] != own_id)
