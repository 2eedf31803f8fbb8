"""What lies in a folder to be read: official documents as pages and as PDF, files as they were handed in."""

from __future__ import annotations

import re
import unicodedata
from io import BytesIO
from typing import Any

from flask import Blueprint, Response, render_template, send_file, url_for
from sqlalchemy import select

from app import documents, people
from app.cases.history.falling import fell_at
from app.documents.codes import grouped
from app.documents.paper import standing
from app.errors import NotFound
from app.registry import norms
from app.store import Reader, Row, blobs
from app.store.cases_tables import attachment, cases, document
from app.web.language import N_
from app.web.session import store

routes = Blueprint("papers", __name__)

AGAIN_SECONDS = 3  # until a page that waits for the press looks again
# The browser's own reader of PDFs draws inside the answer and needs an object and a style there; nothing else may run.
_PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"


@routes.get("/documentos/<id:document_id>")
def paper(document_id: str) -> Any:
    with store().read() as reader:
        row = _row(reader, document_id)
        norm = norms.by_digest(reader, row["norm_digest"])
        content = documents.content_of(reader, document_id)
        return render_template(
            "document.html",
            row=row,
            number=documents.number_of(row),
            pinned=norm,
            kind=norm.documents.get(row["kind"]),
            content=content,
            fields=standing(content) if content else [],
            by=people.name_of(reader, row["issued_by"]),
            code=grouped(row["code"]),
            fell=fell_at(reader, row["case_id"], row["fallen"], row["seq"]),
            ready=documents.rendition_of(reader, document_id) is not None,
            unprinted=documents.waiting(reader, document_id),
        )


@routes.get("/documentos/<id:document_id>/pdf")
def pdf(document_id: str) -> Any:
    """The PDF; while the press has not made it, a page that looks again by itself."""
    with store().read() as reader:
        row = _row(reader, document_id)
        waiting = documents.waiting(reader, document_id)
        data = documents.pdf_of(reader, document_id)
        erased = documents.content_of(reader, document_id) is None
    if erased:
        raise NotFound(N_("Os dados deste documento foram eliminados; o PDF também."))
    if data is None:
        page = render_template(
            "preparing.html",
            row=row,
            number=documents.number_of(row),
            unprinted=waiting,
            seconds=AGAIN_SECONDS,
        )
        # A header, so that the page has no script: whoever does not want to be moved on stays on the document's page.
        again = f"{AGAIN_SECONDS}; url={url_for('papers.pdf', document_id=document_id)}"
        return page, 202, {"Refresh": again}
    answer = Response(data, mimetype="application/pdf")
    answer.headers["Content-Disposition"] = f'inline; filename="{file_name(row)}"'
    answer.headers["Content-Security-Policy"] = _PDF_POLICY
    return answer


@routes.get("/anexos/<id:attachment_id>")
def download(attachment_id: str) -> Any:
    """The file as it was handed in. Never shown inside our pages: it is somebody else's bytes."""
    with store().read() as reader:
        row = reader.one(
            select(attachment).where(attachment.c.id == attachment_id), N_("Arquivo não encontrado.")
        )
        data = blobs.fetch(reader, row["blob_digest"])
    response: Response = send_file(
        BytesIO(data), mimetype=row["media_type"], as_attachment=True, download_name=row["name"], etag=False
    )
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox; frame-ancestors 'none'"
    response.headers["Cache-Control"] = "no-store"
    return response


def file_name(row: Row) -> str:
    """`auto-de-infracao-00012-2026.pdf`, as it lands in a folder of downloads."""
    plain = unicodedata.normalize("NFKD", f"{row['title']} {documents.number_of(row)}")
    letters = plain.encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", letters))[:100] + ".pdf"


def _row(reader: Reader, document_id: str) -> Row:
    return reader.one(
        select(document, cases.c.number.label("case_number"), cases.c.norm_digest, cases.c.fallen)
        .join(cases, cases.c.id == document.c.case_id)
        .where(document.c.id == document_id),
        N_("Documento não encontrado."),
    )
