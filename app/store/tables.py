"""Tables that belong to no single subject: the journal, its streams, the norm as published, the calendar, seals.

Facts only; what may be written when is decided by the rooms above. `cases_tables.py` and `registry_tables.py`
hold the rest.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from app.store.types import Bytes, JsonText, Utc

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BigId = BigInteger().with_variant(Integer, "sqlite")

# One row per chain: a case, a registry record, the calendar, a person, the norm.
stream = Table(
    "stream",
    metadata,
    Column("name", String(120), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("head", String(64), nullable=False),
)

# Append-only. `body` holds the exact bytes that were hashed; the other columns repeat parts of it for queries.
journal = Table(
    "journal",
    metadata,
    Column("id", BigId, primary_key=True, autoincrement=True),
    Column("stream", String(120), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", Utc, nullable=False),
    Column("effective_at", Utc, nullable=False),
    Column("actor", String(80), nullable=False),
    Column("act", String(60), nullable=False),
    Column("body", Bytes, nullable=False),
    Column("prev", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    UniqueConstraint("stream", "seq"),
)

blob = Table(
    "blob",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("bytes", Bytes, nullable=False),
)

norm_version = Table(
    "norm_version",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("slug", String(60), nullable=False),
    Column("published_at", Utc, nullable=False),
    Column("in_force_from", Date, nullable=False),
    Column("approved_by", Text, nullable=False),
)

norm_file = Table(
    "norm_file",
    metadata,
    Column("norm_digest", String(64), ForeignKey("norm_version.digest"), primary_key=True),
    Column("path", String(300), primary_key=True),
    Column("blob_digest", String(64), ForeignKey("blob.digest"), nullable=False),
)

# Values the law leaves unset, unit values and options of choices: each with the act that fixed it.
norm_value = Table(
    "norm_value",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("key", String(80), nullable=False),
    Column("value", Text, nullable=False),
    Column("since", Date, nullable=False),
    Column("act", Text, nullable=False),
    Column("fixture", Boolean, nullable=False),
    Column("recorded_at", Utc, nullable=False),
    Index("ix_norm_value_key", "key", "since"),
)

closure = Table(
    "closure",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("day", Date, nullable=False),
    Column("kind", String(1), nullable=False),
    Column("name", Text, nullable=False),
    Column("scope", String(20), nullable=False),
    Column("office_closed", Boolean, nullable=False),
    Column("opens_at", String(5)),
    Column("closes_at", String(5)),
    Column("act", Text, nullable=False),
    Column("published_on", Date),
    Column("in_force_from", Date),
    Column("revoked_by", Text),
    Column("revoked_on", Date),
    Column("recorded_at", Utc, nullable=False),
    Index("ix_closure_day", "day"),
)

# A natural person whose data may one day have to be erased. Destroying the key erases; the chain still verifies.
subject = Table(
    "subject",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("created_at", Utc, nullable=False),
)

subject_key = Table(
    "subject_key",
    metadata,
    Column("subject_id", String(40), ForeignKey("subject.id"), primary_key=True),
    Column("key", Bytes, nullable=False),
)

sealed = Table(
    "sealed",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("subject_id", String(40), ForeignKey("subject.id"), nullable=False),
    Column("nonce", Bytes, nullable=False),
    Column("ciphertext", Bytes, nullable=False),
)

series = Table(
    "series",
    metadata,
    Column("name", String(60), primary_key=True),
    Column("year", Integer, primary_key=True),
    Column("last", Integer, nullable=False),
)

# E-mails that acts have queued. `message_id` is final from the start, so that a message sent twice is recognised;
# `page` follows the site's address, which the relay knows. A row is kept when sent; it is nobody's evidence.
message = Table(
    "message",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("message_id", String(100), nullable=False, unique=True),
    Column("person_id", String(40), ForeignKey("person.id"), nullable=False),
    Column("subject", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("page", Text, nullable=False),
    Column("queued_at", Utc, nullable=False),
    Column("taken_until", Utc),
    Column("sent_at", Utc),
    Column("given_up_at", Utc),
    Column("failures", Integer, nullable=False, default=0),
    Column("not_before", Utc),
    Column("failure", Text),
    Index("ix_message_sent_at", "sent_at", "queued_at"),
)

# Forms that were sent and acted upon: one row per person and key of a form, so that the same sending has one effect and
# one answer. Not evidence, not journaled; swept away after a day.
answered = Table(
    "answered",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("led_to", Text),
    Column("at", Utc, nullable=False),
    Index("ix_answered_at", "at"),
)

# What the demo and the worker remember between starts; not part of any case, so not journaled.
installation = Table(
    "installation",
    metadata,
    Column("key", String(60), primary_key=True),
    Column("value", JsonText, nullable=False),
)

# A worker that watches the deadlines, as it last said of itself by its machine's clock. `skew_seconds`: how far that
# clock is ahead, while it is too far for terms to be decided by it. Nobody's evidence: gone when its worker stops.
worker = Table(
    "worker",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("place", String(120), nullable=False),
    Column("started_at", Utc, nullable=False),
    Column("beat_at", Utc, nullable=False),
    Column("swept_at", Utc, nullable=False),
    Column("skew_seconds", Float),
)

APPEND_ONLY = ("journal", "blob", "norm_file", "sealed")
