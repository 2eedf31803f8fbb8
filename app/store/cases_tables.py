"""A case and everything in its folder. State, work items and deadlines are derived from the journal."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)

from app.store.tables import metadata
from app.store.types import Bytes, JsonText, Utc


def _case_id() -> Column[str]:
    return Column("case_id", String(40), ForeignKey("cases.id"), nullable=False)


cases = Table(
    "cases",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("number", String(20), nullable=False, unique=True),
    Column("process", String(60), nullable=False),
    Column("norm_digest", String(64), ForeignKey("norm_version.digest"), nullable=False),
    Column("definition_digest", String(64), nullable=False),
    Column("choices", JsonText, nullable=False),
    Column("status", String(40), nullable=False),
    Column("opened_at", Utc, nullable=False),
    Column("closed_at", Utc),
    Column("closed_reason", Text),
    Column("version", Integer, nullable=False),
    Column("state", Bytes, nullable=False),
    Column("state_digest", String(64), nullable=False),
    Column("flow", JsonText, nullable=False),
    Column("awaited", JsonText, nullable=False),
    Column("carrier_id", String(40), ForeignKey("carrier.id")),
    Column("infringer", String(60)),
    Column("grant_id", String(40), ForeignKey("grants.id")),
    Column("subject_id", String(40), ForeignKey("subject.id"), nullable=False),
    Column("origin_case_id", String(40)),
    # Journal entries whose content no longer stands: annulled ones, and corrections of them.
    Column("fallen", JsonText, nullable=False),
    Index("ix_cases_status", "status", "closed_at"),
    Index("ix_cases_opened_at", "opened_at", "number"),
    Index("ix_cases_carrier_id", "carrier_id"),
    Index("ix_cases_origin_case_id", "origin_case_id"),
    # A case is written at every act: with room left on its page it stays there and no index has to learn of it.
    postgresql_with={"fillfactor": 60},
)

# A human task. Derived and rebuildable; `version` moves when somebody claims, releases or completes it. The engine
# numbers its tasks anew after an annulment, so `task_id` may come again in another row of the same case.
ANNULLED = "annulled"  # status of a task or term that no longer stands: its row is kept, for earlier days

# `next_end` is the next end among the running terms of the task's case, so that tasks can be read in the order in which
# they press. Kept while the task is open, by `cases/record/near.py`; where it is past, it has to be looked up anew.
NO_END = datetime(9999, 1, 1, tzinfo=UTC)  # no term runs
_OPEN = "status = 'open'"


def _partial(name: str, *columns: str, where: str) -> Index:
    """Only of rows that `where` lets through: closed tasks are most of the table and in no list."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


work_item = Table(
    "work_item",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("task_id", String(40), nullable=False),
    Column("element", String(80), nullable=False),
    Column("name", Text, nullable=False),
    Column("lane", String(80), nullable=False),
    Column("act", String(60), nullable=False),
    Column("form", String(80), nullable=False),
    Column("board", String(60)),
    Column("seat", String(60)),
    Column("assigned_to", String(40), ForeignKey("person.id")),
    Column("claimed_by", String(40), ForeignKey("person.id")),
    Column("status", String(12), nullable=False),
    Column("version", Integer, nullable=False),
    Column("opened_at", Utc, nullable=False),
    Column("opened_seq", Integer, nullable=False),
    Column("closed_at", Utc),
    Column("closed_seq", Integer),
    Column("closed_by", String(80)),
    Column("next_end", Utc, nullable=False),
    Index("ix_work_item_case_id", "case_id"),
    _partial("ix_work_item_next_end", "next_end", where=_OPEN),
    _partial(
        "ix_work_item_pool",
        *("act", "element", "next_end", "opened_at", "id"),
        where=f"{_OPEN} AND assigned_to IS NULL",
    ),
    _partial(
        "ix_work_item_own",
        *("assigned_to", "act", "element", "next_end", "opened_at", "id"),
        where=f"{_OPEN} AND assigned_to IS NOT NULL",
    ),
    _partial("ix_work_item_claimed_by", "claimed_by", where=f"{_OPEN} AND claimed_by IS NOT NULL"),
)
OPEN: ColumnElement[str] = literal_column(
    "'open'"
)  # to compare with: a bound value would not be found to fit those indexes

# Outside the chain: nobody has acted yet. The answers are encrypted for the case's subject and deleted with the draft.
draft = Table(
    "draft",
    metadata,
    Column("work_item_id", String(40), ForeignKey("work_item.id"), primary_key=True),
    Column("person_id", String(40), ForeignKey("person.id"), primary_key=True),
    Column("answers", Bytes, nullable=False),
    Column("saved_at", Utc, nullable=False),
    Index("ix_draft_person_id", "person_id"),
)

submission = Table(
    "submission",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("seq", Integer, nullable=False),
    Column("work_item_id", String(40), ForeignKey("work_item.id")),
    Column("form", String(80), nullable=False),
    Column("answers", JsonText, nullable=False),
    Column("sealed_id", String(40), ForeignKey("sealed.id")),
    Column("by", String(80), nullable=False),
    Column("at", Utc, nullable=False),
    Column("effective_at", Utc, nullable=False),
    Index("ix_submission_case_id", "case_id", "seq"),
)

# `window` rows are shown and judged by, but no event of the diagram waits for them.
deadline = Table(
    "deadline",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("key", String(60), nullable=False),
    Column("base", String(40), nullable=False),
    Column("due_at", Utc, nullable=False),
    Column("expires_at", Utc, nullable=False),
    Column("status", String(12), nullable=False),
    Column("task_id", String(40)),
    Column("trace", JsonText, nullable=False),
    Column("armed_seq", Integer, nullable=False),
    Column("closed_seq", Integer),
    Column("noticed_at", Utc),
    Column("failures", Integer, nullable=False, default=0),
    Column("retry_at", Utc),
    Column("failure", Text),
    Index("ix_deadline_case_id", "case_id"),
    Index("ix_deadline_status", "status", "expires_at"),
)

service = Table(
    "service",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("seq", Integer, nullable=False),
    Column("variable", String(60), nullable=False),
    Column("mode", String(40), nullable=False),
    Column("served_at", Utc, nullable=False),
    Column("submission_id", String(40), ForeignKey("submission.id"), nullable=False),
    Index("ix_service_case_id", "case_id"),
)

# What a party handed in at the counter (the livro protocolo). Never refused, never lost.
filing = Table(
    "filing",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("seq", Integer, nullable=False),
    Column("number", String(20), nullable=False, unique=True),
    Column("kind", String(60), nullable=False),
    Column("stamped_at", Utc, nullable=False),
    Column("received_at", Utc, nullable=False),
    Column("delivered", Boolean, nullable=False),
    Column("dropped", Boolean, nullable=False),
    Column("submission_id", String(40), ForeignKey("submission.id"), nullable=False),
    Index("ix_filing_case_id", "case_id"),
)

attachment = Table(
    "attachment",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("seq", Integer, nullable=False),
    Column("name", String(200), nullable=False),
    Column("media_type", String(80), nullable=False),
    Column("size", Integer, nullable=False),
    Column("blob_digest", String(64), ForeignKey("blob.digest"), nullable=False),
    Column("by", String(80), nullable=False),
    Column("at", Utc, nullable=False),
    Index("ix_attachment_case_id", "case_id"),
)

note = Table(
    "note",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("seq", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("by", String(80), nullable=False),
    Column("at", Utc, nullable=False),
    Index("ix_note_case_id", "case_id"),
)

document = Table(
    "document",
    metadata,
    Column("id", String(40), primary_key=True),
    _case_id(),
    Column("seq", Integer, nullable=False),
    Column("kind", String(60), nullable=False),
    Column("series", String(60), nullable=False),
    Column("year", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("sealed_id", String(40), ForeignKey("sealed.id"), nullable=False),
    Column("issued_at", Utc, nullable=False),
    Column("issued_by", String(80), nullable=False),
    Column("code", String(16), nullable=False, unique=True),
    UniqueConstraint("series", "year", "number"),
    Index("ix_document_case_id", "case_id"),
)

# Documents that wait for the press. Nobody's evidence: a row goes when its document is rendered.
unprinted = Table(
    "unprinted",
    metadata,
    Column("document_id", String(40), ForeignKey("document.id"), primary_key=True),
    Column("not_before", Utc),
    Column("failures", Integer, nullable=False, default=0),
    Column("failure", Text),
)

# The PDF of a document, sealed, and what its bytes follow from.
rendition = Table(
    "rendition",
    metadata,
    Column("document_id", String(40), ForeignKey("document.id"), primary_key=True),
    _case_id(),
    Column("seq", Integer, nullable=False),
    Column("pdf_digest", String(64), nullable=False),
    Column("size", Integer, nullable=False),
    Column("template_digest", String(64), nullable=False),
    Column("typst", String(20), nullable=False),
    Column("address", Text, nullable=False),
    Column("sealed_id", String(40), ForeignKey("sealed.id"), nullable=False),
    Index("ix_rendition_case_id", "case_id"),
)

# What happened to the elements of the diagram by each journal entry, in order: element, state, id of the engine's task.
# The highlighting at step n is one query.
element_log = Table(
    "element_log",
    metadata,
    Column("case_id", String(40), ForeignKey("cases.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("changes", JsonText, nullable=False),
)
