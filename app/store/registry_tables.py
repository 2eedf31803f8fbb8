"""People of the administration and the registry of the transport system: who acts and about whom."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Date, ForeignKey, Index, Integer, String, Table, Text

from app.store.tables import metadata
from app.store.types import Utc

person = Table(
    "person",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("login", String(60), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("registration", String(40), nullable=False),
    Column("active", Boolean, nullable=False),
    # The journal knows salted digests of address and name: with the salt gone they say nothing.
    Column("email", String(254)),
    Column("email_salt", String(32)),
)

# An office held from one day to another, by an act. `seat` names the chair in a board of the norm.
appointment = Table(
    "appointment",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("person_id", String(40), ForeignKey("person.id"), nullable=False),
    Column("role", String(60), nullable=False),
    Column("seat", String(60)),
    Column("since", Date, nullable=False),
    Column("until", Date),
    Column("act", Text, nullable=False),
    Index("ix_appointment_person_id", "person_id"),
    Index("ix_appointment_role", "role"),
)

carrier = Table(
    "carrier",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", Text, nullable=False),
    Column("document", String(20), nullable=False, unique=True),
    Column("registered_on", Date, nullable=False),
)

# The outorga: one record per line (Jequié, Art. 134).
grants = Table(
    "grants",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("carrier_id", String(40), ForeignKey("carrier.id"), nullable=False),
    Column("line", String(40), nullable=False),
    Column("regime", String(20), nullable=False),
    Column("since", Date, nullable=False),
    Column("until", Date),
    Index("ix_grants_carrier_id", "carrier_id"),
)

# Pessoal de tráfego (Jequié, Art. 83). The name is sealed: it is a natural person's.
staff = Table(
    "staff",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("carrier_id", String(40), ForeignKey("carrier.id"), nullable=False),
    Column("category", String(30), nullable=False),
    Column("registration", String(40), nullable=False, unique=True),
    Column("registered_on", Date, nullable=False),
    Column("subject_id", String(40), ForeignKey("subject.id"), nullable=False),
    Column("name_sealed", String(40), ForeignKey("sealed.id"), nullable=False),
    Index("ix_staff_carrier_id", "carrier_id"),
)

# What first offence (D-09) and recurrence (D-11) look back on. Those without a case were typed in from paper.
occurrence = Table(
    "occurrence",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("case_id", String(40)),
    Column("infringer", String(60), nullable=False),
    Column("carrier_id", String(40), ForeignKey("carrier.id"), nullable=False),
    Column("grant_id", String(40), ForeignKey("grants.id")),
    Column("code", String(20), nullable=False),
    Column("happened_on", Date, nullable=False),
    Column("status", String(20), nullable=False),
    Column("source", Text, nullable=False),
    Index("ix_occurrence_infringer", "infringer", "happened_on"),
    Index("ix_occurrence_case_id", "case_id"),
)

# What a case makes somebody owe: units of the law, their value on the reference day, the amount in centavos.
charge = Table(
    "charge",
    metadata,
    Column("case_id", String(40), primary_key=True),
    Column("carrier_id", String(40), ForeignKey("carrier.id"), nullable=False),
    Column("units", BigInteger, nullable=False),
    Column("unit_cents", BigInteger, nullable=False),
    Column("cents", BigInteger, nullable=False),
    Column("reference_on", Date, nullable=False),
    Column("refund_percent", Integer),
    Column("refund_cents", BigInteger),
    Column("withdrawn", Boolean, nullable=False),
    Index("ix_charge_carrier_id", "carrier_id"),
)

payment = Table(
    "payment",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("case_id", String(40), ForeignKey("charge.case_id"), nullable=False),
    Column("cents", BigInteger, nullable=False),
    Column("paid_at", Utc, nullable=False),
    Column("filing_id", String(40)),
    Index("ix_payment_case_id", "case_id"),
)
