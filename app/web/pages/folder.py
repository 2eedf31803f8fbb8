"""What lies in a case's folder: documents, files, notes; adding to it, and ending the case by a reasoned act."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from flask import Blueprint, Response, g, redirect, render_template, request, send_file, url_for
from sqlalchemy import select

from app import documents, people
from app.cases import acts
from app.errors import Invalid, Refused
from app.registry import norms
from app.store import Tx, blobs
from app.store.cases_tables import attachment, cases, document
from app.web.forms.reading import clean
from app.web.forms.repeated import refuse_second_note
from app.web.language import N_
from app.web.pages.cases import opened
from app.web.session import store
from app.web.sheets import receipt

routes = Blueprint("folder", __name__)


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


@routes.post("/processos/<number:number>/anotar")
def annotate(number: str) -> Any:
    words = clean(request.form.get("texto", ""))

    def act(tx: Tx, case_id: str) -> None:
        acts.annotate(tx, case_id, words)
        refuse_second_note(tx, case_id)

    return _add(number, act, "annotate", N_("Anotar"), words)


@routes.post("/processos/<number:number>/anexar")
def attach(number: str) -> Any:
    upload = request.files.get("arquivo")

    def act(tx: Tx, case_id: str) -> None:
        if upload is None or not upload.filename:
            raise Invalid(N_("Escolha um arquivo PDF, PNG ou JPEG."), code="arquivo.ausente")
        acts.attach(tx, case_id, upload.filename, upload.mimetype, upload.read())

    return _add(number, act, "attach", N_("Juntar arquivo"), "")


@routes.post("/processos/<number:number>/cancelar")
def cancel(number: str) -> Any:
    reason = clean(request.form.get("texto", ""))
    return _add(
        number,
        lambda tx, case_id: acts.cancel(tx, case_id, reason),
        "cancel",
        N_("Cancelar processo"),
        reason,
    )


def _add(number: str, act: Callable[[Tx, str], None], endpoint: str, title: str, typed: str) -> Any:
    """Does one act on the folder; refused, it comes back on a page of its own with what was typed."""
    with store().read() as reader:
        case, _folder, _norm = opened(reader, number)
    try:
        with store().act(g.actor) as tx:
            act(tx, case["id"])
            seq = receipt.last_seq(tx, case["id"])
    except Refused as refused:
        page = render_template(
            "again.html", case=case, endpoint=endpoint, title=title, typed=typed, refused=refused
        )
        return page, refused.status
    return redirect(url_for("cases.show", number=number, registro=seq), 303)
