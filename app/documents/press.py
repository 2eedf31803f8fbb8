"""The press: takes issued documents one at a time and keeps the PDF of each, in an act of its own.

Rows decide, so several presses may run at once and one may die at any moment: a document is taken for a while, and
whoever takes it again later finds either the PDF or the same order. No deadline ever waits for a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import Select, delete, or_, select, update

from app import audit
from app.audit import seal
from app.documents import content_of, number_of, rendition_of
from app.documents.paper import Paper
from app.documents.printing import SECONDS, TYPST, Typeset, Unprintable, typeset
from app.law.norm import Norm
from app.store import PRESS, Busy, Reader, Row, Store, Tx
from app.store.cases_tables import cases, document, rendition, unprinted
from app.store.tables import sealed, subject_key
from app.values import Json, digest

_TAKEN = timedelta(
    seconds=SECONDS + 15
)  # for so long no other press takes it: longer than one may take to set
_RETRY = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
_GONE = "o modelo do documento não está na norma"

log = structlog.get_logger()


@dataclass(frozen=True)
class Press:
    """Prints for one site.

    Attributes:
        norm_of: the norm of a digest, which a case is pinned to.
        address: where the public finds this site; it is printed on every paper.
        setter: what makes a PDF of an order.
    """

    store: Store
    norm_of: Callable[[Reader, str], Norm]
    address: str
    setter: Typeset = typeset

    def print_next(self) -> bool:
        """Prints the document that has waited longest. False when none waits that may be tried now."""
        document_id = self._take()
        if document_id is None:
            return False
        try:
            self._print(document_id)
        except Busy:
            pass  # somebody works on the case for long: it is taken again when it may be
        except Unprintable as error:
            self._postpone(document_id, str(error))
        except Exception as error:
            log.exception("document_failed", document=document_id)
            self._postpone(document_id, type(error).__name__)
        return True

    def _take(self) -> str | None:
        with self.store.read() as reader:  # an idle press must not hold the one lock that SQLite has
            if reader.first(_ripe(reader)) is None:
                return None
        with self.store.silent_act(PRESS) as tx:
            row = tx.first(_ripe(tx).with_for_update(of=unprinted, skip_locked=True))
            if row is None:
                return None
            _note(tx, row["document_id"], not_before=tx.now + _TAKEN)
            return str(row["document_id"])

    def _print(self, document_id: str) -> None:
        with self.store.read() as reader:
            paper = self._paper(reader, document_id)
        if paper is None:
            return  # printed meanwhile, or its subject was erased
        pdf = self.setter(paper.order(self.address))
        facts = {
            "pdf": digest(pdf),
            "size": len(pdf),
            "template": paper.template_digest,
            "typst": TYPST,
            "address": self.address,
        }
        with self.store.act(PRESS) as tx:
            _keep(tx, document_id, pdf, facts)

    def _paper(self, reader: Reader, document_id: str) -> Paper | None:
        row = _document(reader, document_id)
        content = content_of(reader, document_id)
        if content is None or rendition_of(reader, document_id) is not None:
            return None
        norm = self.norm_of(reader, row["norm_digest"])
        kind = norm.documents[row["kind"]]
        if f"{kind.template}.typ" not in norm.templates:
            raise Unprintable(_GONE)
        return Paper(norm, kind, number_of(row), row["code"], row["issued_at"], content)

    def _postpone(self, document_id: str, reason: str) -> None:
        """What cannot be printed is tried again later and less and less often; people see why."""
        with self.store.silent_act(PRESS) as tx:
            row = tx.first(select(unprinted).where(unprinted.c.document_id == document_id))
            failures = row["failures"] if row else 0
            pause = _RETRY[min(failures, len(_RETRY) - 1)]
            _note(tx, document_id, not_before=tx.now + pause, failures=failures + 1, failure=reason[:500])


def _ripe(reader: Reader) -> Select[Any]:
    """The next document to print: not taken, not put off, and its subject's key is there."""
    return (
        select(unprinted.c.document_id)
        .join(document, document.c.id == unprinted.c.document_id)
        .join(sealed, sealed.c.id == document.c.sealed_id)
        .join(subject_key, subject_key.c.subject_id == sealed.c.subject_id)
        .where(or_(unprinted.c.not_before.is_(None), unprinted.c.not_before <= reader.now))
        .order_by(document.c.issued_at, document.c.id)
        .limit(1)
    )


def _document(reader: Reader, document_id: str) -> Row:
    query = (
        select(document, cases.c.norm_digest, cases.c.subject_id)
        .join(cases, cases.c.id == document.c.case_id)
        .where(document.c.id == document_id)
    )
    return reader.one(query, "Documento não encontrado.")


def _keep(tx: Tx, document_id: str, pdf: bytes, facts: Mapping[str, Json]) -> None:
    """Seals the PDF and journals what its bytes follow from; nothing when another press was faster."""
    case = _document(tx, document_id)
    tx.one(
        select(cases.c.id).where(cases.c.id == case["case_id"]).with_for_update(), "Processo não encontrado."
    )
    erased = tx.first(select(subject_key).where(subject_key.c.subject_id == case["subject_id"])) is None
    if erased or rendition_of(tx, document_id) is not None:
        return
    sealed_id, ciphertext = seal.seal_bytes(tx, case["subject_id"], pdf)
    stream = f"processo:{case['case_id']}"
    tx.add(
        rendition,
        document_id=document_id,
        case_id=case["case_id"],
        seq=audit.next_seq(tx, stream),
        pdf_digest=facts["pdf"],
        size=facts["size"],
        template_digest=facts["template"],
        typst=facts["typst"],
        address=facts["address"],
        sealed_id=sealed_id,
    )
    tx.write(delete(unprinted).where(unprinted.c.document_id == document_id))
    body = {"command": {"op": "none"}, "rendition": document_id, "sealed": ciphertext, **facts}
    audit.append(tx, stream, "render", body)


def _note(tx: Tx, document_id: str, **values: Any) -> None:
    tx.write(update(unprinted).where(unprinted.c.document_id == document_id).values(**values))
