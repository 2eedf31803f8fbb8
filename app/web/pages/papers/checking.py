"""The public's check of a printed document, by the code on it. No sign-in, no personal data, nothing kept.

Says which document has the code, whether it is in force, and whether a file is exactly that document.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from sqlalchemy import select
from werkzeug.datastructures import FileStorage

from app import documents
from app.cases.acts.folder import LARGEST_FILE
from app.cases.history.falling import fell_at
from app.documents.codes import grouped, read_code
from app.store import Reader
from app.store.cases_tables import cases, document, rendition
from app.web.language import N_
from app.web.session import store

routes = Blueprint("checking", __name__)

_UNKNOWN = N_("Nenhum documento tem este código. Confira se ele foi digitado como está impresso.")
_NO_CODE = N_("O código tem 16 letras e números, em quatro grupos, como está impresso no documento.")
_NO_FILE = N_("Escolha o arquivo PDF que você recebeu.")
_NOT_READY = N_(
    "O PDF deste documento ainda não está pronto: não há com que comparar o arquivo. Tente mais tarde."
)
_TOO_LARGE = N_("O arquivo passa de 20 MB: não é um documento emitido aqui.")


@dataclass(frozen=True)
class Found:
    """What anybody may know of a document."""

    title: str
    number: str
    code: str
    issued_at: datetime
    fell: datetime | None
    pdf_digest: str | None


@routes.get("/conferir")
def ask() -> Any:
    typed = request.args.get("codigo", "")
    code = read_code(typed)
    if code is not None:
        return redirect(url_for("checking.show", typed=grouped(code)), 303)
    problem = _NO_CODE if typed.strip() else None
    return render_template("check.html", typed=typed[:40], problem=problem), 422 if problem else 200


@routes.get("/conferir/<typed>")
def show(typed: str) -> Any:
    return _told(typed)


@routes.get("/conferir/")
@routes.get("/conferir/<path:typed>")
def astray(typed: str = "") -> Any:
    """An address with a slash too many. Whoever copied it from paper has no account to sign in with."""
    code = typed.rstrip("/")
    if "/" in code:
        return render_template("check.html", typed=code[:40], problem=_NO_CODE), 404
    if code:
        return redirect(url_for("checking.show", typed=code), 303)
    return redirect(url_for("checking.ask", codigo=request.args.get("codigo")), 303)


@routes.post("/conferir/<typed>")
def compare(typed: str) -> Any:
    return _told(typed, request.files.get("arquivo"))


def _told(typed: str, sent: FileStorage | None = None) -> Any:
    code = read_code(typed)
    with store().read() as reader:
        found = _find(reader, code) if code else None
    if found is None:
        told = {"typed": typed[:40], "problem": _UNKNOWN if code else _NO_CODE}
        return render_template("check.html", **told), 404
    verdict, problem = None, None
    if request.method == "POST":
        sum_of, problem = _digest(sent) if found.pdf_digest else ("", _NOT_READY)
        verdict = None if problem else sum_of == found.pdf_digest
    page = render_template("checked.html", found=found, verdict=verdict, problem=problem)
    return page, 422 if problem else 200


def _find(reader: Reader, code: str) -> Found | None:
    """One query by an index, whether there is such a document or not."""
    row = reader.first(
        select(document, cases.c.fallen, rendition.c.pdf_digest)
        .join(cases, cases.c.id == document.c.case_id)
        .outerjoin(rendition, rendition.c.document_id == document.c.id)
        .where(document.c.code == code)
    )
    if row is None:
        return None
    fell = fell_at(reader, row["case_id"], row["fallen"], row["seq"])
    number = documents.number_of(row)
    return Found(row["title"], number, grouped(code), row["issued_at"], fell, row["pdf_digest"])


def _digest(sent: FileStorage | None) -> tuple[str, str | None]:
    """SHA-256 of what was sent, read in pieces and kept nowhere, or what is wrong with it."""
    if sent is None or not sent.filename:
        return "", _NO_FILE
    total, size = hashlib.sha256(), 0
    while piece := sent.stream.read(65536):
        total.update(piece)
        size += len(piece)
    return total.hexdigest(), _TOO_LARGE if size > LARGEST_FILE else None
