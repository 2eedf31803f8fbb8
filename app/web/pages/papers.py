"""What lies in a folder to be read: official documents as pages, files as they were handed in."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from flask import Blueprint, Response, render_template, send_file
from sqlalchemy import select

from app import documents, people
from app.registry import norms
from app.store import blobs
from app.store.cases_tables import attachment, cases, document
from app.web.language import N_
from app.web.session import store

routes = Blueprint("papers", __name__)


@routes.get("/documentos/<id:document_id>")
def paper(document_id: str) -> Any:
    with store().read() as reader:
        row = reader.one(
            select(document, cases.c.number.label("case_number"), cases.c.norm_digest)
            .join(cases, cases.c.id == document.c.case_id)
            .where(document.c.id == document_id),
            N_("Documento não encontrado."),
        )
        norm = norms.by_digest(reader, row["norm_digest"])
        return render_template(
            "document.html",
            row=row,
            pinned=norm,
            kind=norm.documents.get(row["kind"]),
            content=documents.content_of(reader, document_id),
            by=people.name_of(reader, row["issued_by"]),
        )


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
