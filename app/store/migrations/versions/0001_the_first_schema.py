"""The first schema

Revision: 0001, after nothing.
"""

import sqlalchemy as sa
from alembic import op

import app.store.types
from app.store.schema import append_only_statements

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

OF_OPEN_TASKS = (
    ("ix_work_item_next_end", ["next_end"], "status = 'open'"),
    (
        "ix_work_item_pool",
        ["act", "element", "next_end", "opened_at", "id"],
        "status = 'open' AND assigned_to IS NULL",
    ),
    (
        "ix_work_item_own",
        ["assigned_to", "act", "element", "next_end", "opened_at", "id"],
        "status = 'open' AND assigned_to IS NOT NULL",
    ),
    ("ix_work_item_claimed_by", ["claimed_by"], "status = 'open' AND claimed_by IS NOT NULL"),
)


def upgrade() -> None:
    op.create_table(
        "answered",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("led_to", sa.Text(), nullable=True),
        sa.Column("at", app.store.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_answered")),
    )
    op.create_index("ix_answered_at", "answered", ["at"], unique=False)
    op.create_table(
        "blob",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("bytes", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_blob")),
    )
    op.create_table(
        "carrier",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("document", sa.String(length=20), nullable=False),
        sa.Column("registered_on", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_carrier")),
        sa.UniqueConstraint("document", name=op.f("uq_carrier_document")),
    )
    op.create_table(
        "closure",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("kind", sa.String(length=1), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(length=20), nullable=False),
        sa.Column("office_closed", sa.Boolean(), nullable=False),
        sa.Column("opens_at", sa.String(length=5), nullable=True),
        sa.Column("closes_at", sa.String(length=5), nullable=True),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("published_on", sa.Date(), nullable=True),
        sa.Column("in_force_from", sa.Date(), nullable=True),
        sa.Column("revoked_by", sa.Text(), nullable=True),
        sa.Column("revoked_on", sa.Date(), nullable=True),
        sa.Column("recorded_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_closure")),
    )
    op.create_index("ix_closure_day", "closure", ["day"], unique=False)
    op.create_table(
        "installation",
        sa.Column("key", sa.String(length=60), nullable=False),
        sa.Column("value", app.store.types.JsonText(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_installation")),
    )
    op.create_table(
        "journal",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("stream", sa.String(length=120), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("effective_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("actor", sa.String(length=80), nullable=False),
        sa.Column("act", sa.String(length=60), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("prev", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
        sa.UniqueConstraint("stream", "seq", name=op.f("uq_journal_stream_seq")),
    )
    op.create_table(
        "norm_value",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("fixture", sa.Boolean(), nullable=False),
        sa.Column("recorded_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_norm_value")),
    )
    op.create_index("ix_norm_value_key", "norm_value", ["key", "since"], unique=False)
    op.create_table(
        "norm_version",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("published_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("in_force_from", sa.Date(), nullable=False),
        sa.Column("approved_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_norm_version")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("login", sa.String(length=60), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("registration", sa.String(length=40), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("email_salt", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("login", name=op.f("uq_person_login")),
    )
    op.create_table(
        "series",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", "year", name=op.f("pk_series")),
    )
    op.create_table(
        "stream",
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_stream")),
    )
    op.create_table(
        "subject",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("created_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subject")),
    )
    op.create_table(
        "appointment",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("role", sa.String(length=60), nullable=False),
        sa.Column("seat", sa.String(length=60), nullable=True),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=True),
        sa.Column("act", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_appointment_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointment")),
    )
    op.create_index("ix_appointment_person_id", "appointment", ["person_id"], unique=False)
    op.create_index("ix_appointment_role", "appointment", ["role"], unique=False)
    op.create_table(
        "charge",
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("carrier_id", sa.String(length=40), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("unit_cents", sa.BigInteger(), nullable=False),
        sa.Column("cents", sa.BigInteger(), nullable=False),
        sa.Column("reference_on", sa.Date(), nullable=False),
        sa.Column("refund_percent", sa.Integer(), nullable=True),
        sa.Column("refund_cents", sa.BigInteger(), nullable=True),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["carrier_id"], ["carrier.id"], name=op.f("fk_charge_carrier_id_carrier")),
        sa.PrimaryKeyConstraint("case_id", name=op.f("pk_charge")),
    )
    op.create_index("ix_charge_carrier_id", "charge", ["carrier_id"], unique=False)
    op.create_table(
        "grants",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("carrier_id", sa.String(length=40), nullable=False),
        sa.Column("line", sa.String(length=40), nullable=False),
        sa.Column("regime", sa.String(length=20), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("until", sa.Date(), nullable=True),
        sa.ForeignKeyConstraint(["carrier_id"], ["carrier.id"], name=op.f("fk_grants_carrier_id_carrier")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grants")),
    )
    op.create_index("ix_grants_carrier_id", "grants", ["carrier_id"], unique=False)
    op.create_table(
        "norm_file",
        sa.Column("norm_digest", sa.String(length=64), nullable=False),
        sa.Column("path", sa.String(length=300), nullable=False),
        sa.Column("blob_digest", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["blob_digest"], ["blob.digest"], name=op.f("fk_norm_file_blob_digest_blob")),
        sa.ForeignKeyConstraint(
            ["norm_digest"], ["norm_version.digest"], name=op.f("fk_norm_file_norm_digest_norm_version")
        ),
        sa.PrimaryKeyConstraint("norm_digest", "path", name=op.f("pk_norm_file")),
    )
    op.create_table(
        "sealed",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("subject_id", sa.String(length=40), nullable=False),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["subject_id"], ["subject.id"], name=op.f("fk_sealed_subject_id_subject")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sealed")),
    )
    op.create_table(
        "subject_key",
        sa.Column("subject_id", sa.String(length=40), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["subject_id"], ["subject.id"], name=op.f("fk_subject_key_subject_id_subject")
        ),
        sa.PrimaryKeyConstraint("subject_id", name=op.f("pk_subject_key")),
    )
    op.create_table(
        "cases",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.String(length=20), nullable=False),
        sa.Column("process", sa.String(length=60), nullable=False),
        sa.Column("norm_digest", sa.String(length=64), nullable=False),
        sa.Column("definition_digest", sa.String(length=64), nullable=False),
        sa.Column("choices", app.store.types.JsonText(), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("opened_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("closed_at", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("closed_reason", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("state_digest", sa.String(length=64), nullable=False),
        sa.Column("flow", app.store.types.JsonText(), nullable=False),
        sa.Column("awaited", app.store.types.JsonText(), nullable=False),
        sa.Column("carrier_id", sa.String(length=40), nullable=True),
        sa.Column("infringer", sa.String(length=60), nullable=True),
        sa.Column("grant_id", sa.String(length=40), nullable=True),
        sa.Column("subject_id", sa.String(length=40), nullable=False),
        sa.Column("origin_case_id", sa.String(length=40), nullable=True),
        sa.Column("fallen", app.store.types.JsonText(), nullable=False),
        sa.ForeignKeyConstraint(["carrier_id"], ["carrier.id"], name=op.f("fk_cases_carrier_id_carrier")),
        sa.ForeignKeyConstraint(["grant_id"], ["grants.id"], name=op.f("fk_cases_grant_id_grants")),
        sa.ForeignKeyConstraint(
            ["norm_digest"], ["norm_version.digest"], name=op.f("fk_cases_norm_digest_norm_version")
        ),
        sa.ForeignKeyConstraint(["subject_id"], ["subject.id"], name=op.f("fk_cases_subject_id_subject")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cases")),
        sa.UniqueConstraint("number", name=op.f("uq_cases_number")),
        postgresql_with={"fillfactor": 60},
    )
    op.create_index("ix_cases_carrier_id", "cases", ["carrier_id"], unique=False)
    op.create_index("ix_cases_origin_case_id", "cases", ["origin_case_id"], unique=False)
    op.create_index("ix_cases_opened_at", "cases", ["opened_at", "number"], unique=False)
    op.create_index("ix_cases_status", "cases", ["status", "closed_at"], unique=False)
    op.create_table(
        "occurrence",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=True),
        sa.Column("infringer", sa.String(length=60), nullable=False),
        sa.Column("carrier_id", sa.String(length=40), nullable=False),
        sa.Column("grant_id", sa.String(length=40), nullable=True),
        sa.Column("code", sa.String(length=20), nullable=False),
        sa.Column("happened_on", sa.Date(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["carrier_id"], ["carrier.id"], name=op.f("fk_occurrence_carrier_id_carrier")
        ),
        sa.ForeignKeyConstraint(["grant_id"], ["grants.id"], name=op.f("fk_occurrence_grant_id_grants")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_occurrence")),
    )
    op.create_index("ix_occurrence_case_id", "occurrence", ["case_id"], unique=False)
    op.create_index("ix_occurrence_infringer", "occurrence", ["infringer", "happened_on"], unique=False)
    op.create_table(
        "payment",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("cents", sa.BigInteger(), nullable=False),
        sa.Column("paid_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("filing_id", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["charge.case_id"], name=op.f("fk_payment_case_id_charge")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment")),
    )
    op.create_index("ix_payment_case_id", "payment", ["case_id"], unique=False)
    op.create_table(
        "staff",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("carrier_id", sa.String(length=40), nullable=False),
        sa.Column("category", sa.String(length=30), nullable=False),
        sa.Column("registration", sa.String(length=40), nullable=False),
        sa.Column("registered_on", sa.Date(), nullable=False),
        sa.Column("subject_id", sa.String(length=40), nullable=False),
        sa.Column("name_sealed", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["carrier_id"], ["carrier.id"], name=op.f("fk_staff_carrier_id_carrier")),
        sa.ForeignKeyConstraint(["name_sealed"], ["sealed.id"], name=op.f("fk_staff_name_sealed_sealed")),
        sa.ForeignKeyConstraint(["subject_id"], ["subject.id"], name=op.f("fk_staff_subject_id_subject")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staff")),
        sa.UniqueConstraint("registration", name=op.f("uq_staff_registration")),
    )
    op.create_index("ix_staff_carrier_id", "staff", ["carrier_id"], unique=False)
    op.create_table(
        "attachment",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("media_type", sa.String(length=80), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("blob_digest", sa.String(length=64), nullable=False),
        sa.Column("by", sa.String(length=80), nullable=False),
        sa.Column("at", app.store.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["blob_digest"], ["blob.digest"], name=op.f("fk_attachment_blob_digest_blob")
        ),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_attachment_case_id_cases")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attachment")),
    )
    op.create_index("ix_attachment_case_id", "attachment", ["case_id"], unique=False)
    op.create_table(
        "deadline",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=60), nullable=False),
        sa.Column("base", sa.String(length=40), nullable=False),
        sa.Column("due_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("expires_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("task_id", sa.String(length=40), nullable=True),
        sa.Column("trace", app.store.types.JsonText(), nullable=False),
        sa.Column("armed_seq", sa.Integer(), nullable=False),
        sa.Column("closed_seq", sa.Integer(), nullable=True),
        sa.Column("noticed_at", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("retry_at", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_deadline_case_id_cases")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deadline")),
    )
    op.create_index("ix_deadline_case_id", "deadline", ["case_id"], unique=False)
    op.create_index("ix_deadline_status", "deadline", ["status", "expires_at"], unique=False)
    op.create_table(
        "document",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("series", sa.String(length=60), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("sealed_id", sa.String(length=40), nullable=False),
        sa.Column("issued_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("issued_by", sa.String(length=80), nullable=False),
        sa.Column("code", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_document_case_id_cases")),
        sa.ForeignKeyConstraint(["sealed_id"], ["sealed.id"], name=op.f("fk_document_sealed_id_sealed")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
        sa.UniqueConstraint("code", name=op.f("uq_document_code")),
        sa.UniqueConstraint("series", "year", "number", name=op.f("uq_document_series_year_number")),
    )
    op.create_index("ix_document_case_id", "document", ["case_id"], unique=False)
    op.create_table(
        "rendition",
        sa.Column("document_id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("pdf_digest", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("template_digest", sa.String(length=64), nullable=False),
        sa.Column("typst", sa.String(length=20), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("sealed_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_rendition_case_id_cases")),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name=op.f("fk_rendition_document_id_document")
        ),
        sa.ForeignKeyConstraint(["sealed_id"], ["sealed.id"], name=op.f("fk_rendition_sealed_id_sealed")),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_rendition")),
    )
    op.create_index("ix_rendition_case_id", "rendition", ["case_id"], unique=False)
    op.create_table(
        "unprinted",
        sa.Column("document_id", sa.String(length=40), nullable=False),
        sa.Column("not_before", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name=op.f("fk_unprinted_document_id_document")
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_unprinted")),
    )
    op.create_table(
        "element_log",
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("changes", app.store.types.JsonText(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_element_log_case_id_cases")),
        sa.PrimaryKeyConstraint("case_id", "seq", name=op.f("pk_element_log")),
    )
    op.create_table(
        "note",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=80), nullable=False),
        sa.Column("at", app.store.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_note_case_id_cases")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note")),
    )
    op.create_index("ix_note_case_id", "note", ["case_id"], unique=False)
    op.create_table(
        "work_item",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("task_id", sa.String(length=40), nullable=False),
        sa.Column("element", sa.String(length=80), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("lane", sa.String(length=80), nullable=False),
        sa.Column("act", sa.String(length=60), nullable=False),
        sa.Column("form", sa.String(length=80), nullable=False),
        sa.Column("board", sa.String(length=60), nullable=True),
        sa.Column("seat", sa.String(length=60), nullable=True),
        sa.Column("assigned_to", sa.String(length=40), nullable=True),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("opened_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("opened_seq", sa.Integer(), nullable=False),
        sa.Column("closed_at", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("closed_seq", sa.Integer(), nullable=True),
        sa.Column("closed_by", sa.String(length=80), nullable=True),
        sa.Column("next_end", app.store.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["assigned_to"], ["person.id"], name=op.f("fk_work_item_assigned_to_person")),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_work_item_case_id_cases")),
        sa.ForeignKeyConstraint(["claimed_by"], ["person.id"], name=op.f("fk_work_item_claimed_by_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_work_item")),
    )
    op.create_index("ix_work_item_case_id", "work_item", ["case_id"], unique=False)
    for name, columns, where in OF_OPEN_TASKS:
        of_these = sa.text(where)
        op.create_index(name, "work_item", columns, sqlite_where=of_these, postgresql_where=of_these)
    op.create_table(
        "draft",
        sa.Column("work_item_id", sa.String(length=40), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("answers", sa.LargeBinary(), nullable=False),
        sa.Column("saved_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_draft_person_id_person")),
        sa.ForeignKeyConstraint(
            ["work_item_id"], ["work_item.id"], name=op.f("fk_draft_work_item_id_work_item")
        ),
        sa.PrimaryKeyConstraint("work_item_id", "person_id", name=op.f("pk_draft")),
    )
    op.create_index("ix_draft_person_id", "draft", ["person_id"], unique=False)
    op.create_table(
        "submission",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("work_item_id", sa.String(length=40), nullable=True),
        sa.Column("form", sa.String(length=80), nullable=False),
        sa.Column("answers", app.store.types.JsonText(), nullable=False),
        sa.Column("sealed_id", sa.String(length=40), nullable=True),
        sa.Column("by", sa.String(length=80), nullable=False),
        sa.Column("at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("effective_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_submission_case_id_cases")),
        sa.ForeignKeyConstraint(["sealed_id"], ["sealed.id"], name=op.f("fk_submission_sealed_id_sealed")),
        sa.ForeignKeyConstraint(
            ["work_item_id"], ["work_item.id"], name=op.f("fk_submission_work_item_id_work_item")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
    )
    op.create_index("ix_submission_case_id", "submission", ["case_id", "seq"], unique=False)
    op.create_table(
        "filing",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(length=20), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("stamped_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("received_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("delivered", sa.Boolean(), nullable=False),
        sa.Column("dropped", sa.Boolean(), nullable=False),
        sa.Column("submission_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_filing_case_id_cases")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_filing_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_filing")),
        sa.UniqueConstraint("number", name=op.f("uq_filing_number")),
    )
    op.create_index("ix_filing_case_id", "filing", ["case_id"], unique=False)
    op.create_table(
        "service",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("case_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("variable", sa.String(length=60), nullable=False),
        sa.Column("mode", sa.String(length=40), nullable=False),
        sa.Column("served_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("submission_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_service_case_id_cases")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_service_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service")),
    )
    op.create_index("ix_service_case_id", "service", ["case_id"], unique=False)
    op.create_table(
        "worker",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("place", sa.String(length=120), nullable=False),
        sa.Column("started_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("beat_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("swept_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("skew_seconds", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker")),
    )
    op.create_table(
        "message",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("message_id", sa.String(length=100), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("queued_at", app.store.types.Utc(timezone=True), nullable=False),
        sa.Column("taken_until", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("sent_at", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("given_up_at", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("not_before", app.store.types.Utc(timezone=True), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_message_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_message")),
        sa.UniqueConstraint("message_id", name=op.f("uq_message_message_id")),
    )
    op.create_index("ix_message_sent_at", "message", ["sent_at", "queued_at"], unique=False)
    for statement in append_only_statements(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    op.drop_index("ix_message_sent_at", table_name="message")
    op.drop_table("message")
    op.drop_index("ix_service_case_id", table_name="service")
    op.drop_table("service")
    op.drop_index("ix_filing_case_id", table_name="filing")
    op.drop_table("filing")
    op.drop_index("ix_submission_case_id", table_name="submission")
    op.drop_table("submission")
    op.drop_index("ix_draft_person_id", table_name="draft")
    op.drop_table("draft")
    for name, _columns, _where in reversed(OF_OPEN_TASKS):
        op.drop_index(name, table_name="work_item")
    op.drop_index("ix_work_item_case_id", table_name="work_item")
    op.drop_table("work_item")
    op.drop_index("ix_note_case_id", table_name="note")
    op.drop_table("note")
    op.drop_table("element_log")
    op.drop_table("unprinted")
    op.drop_index("ix_rendition_case_id", table_name="rendition")
    op.drop_table("rendition")
    op.drop_index("ix_document_case_id", table_name="document")
    op.drop_table("document")
    op.drop_index("ix_deadline_status", table_name="deadline")
    op.drop_index("ix_deadline_case_id", table_name="deadline")
    op.drop_table("deadline")
    op.drop_index("ix_attachment_case_id", table_name="attachment")
    op.drop_table("attachment")
    op.drop_index("ix_staff_carrier_id", table_name="staff")
    op.drop_table("staff")
    op.drop_index("ix_payment_case_id", table_name="payment")
    op.drop_table("payment")
    op.drop_index("ix_occurrence_infringer", table_name="occurrence")
    op.drop_index("ix_occurrence_case_id", table_name="occurrence")
    op.drop_table("occurrence")
    op.drop_index("ix_cases_status", table_name="cases")
    op.drop_index("ix_cases_opened_at", table_name="cases")
    op.drop_index("ix_cases_origin_case_id", table_name="cases")
    op.drop_index("ix_cases_carrier_id", table_name="cases")
    op.drop_table("cases")
    op.drop_table("subject_key")
    op.drop_table("sealed")
    op.drop_table("norm_file")
    op.drop_index("ix_grants_carrier_id", table_name="grants")
    op.drop_table("grants")
    op.drop_index("ix_charge_carrier_id", table_name="charge")
    op.drop_table("charge")
    op.drop_index("ix_appointment_role", table_name="appointment")
    op.drop_index("ix_appointment_person_id", table_name="appointment")
    op.drop_table("appointment")
    op.drop_table("subject")
    op.drop_table("worker")
    op.drop_table("stream")
    op.drop_table("series")
    op.drop_table("person")
    op.drop_table("norm_version")
    op.drop_index("ix_norm_value_key", table_name="norm_value")
    op.drop_table("norm_value")
    op.drop_table("journal")
    op.drop_table("installation")
    op.drop_index("ix_closure_day", table_name="closure")
    op.drop_table("closure")
    op.drop_table("carrier")
    op.drop_index("ix_answered_at", table_name="answered")
    op.drop_table("answered")
    op.drop_table("blob")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION tramita_append_only()")
