"""How much one request may bring: a form of text is small, only what carries a file may be large."""

from __future__ import annotations

from typing import Any

from flask import Flask, request
from werkzeug.exceptions import LengthRequired, RequestEntityTooLarge

from app.cases.acts.folder import LARGEST_FILE
from app.web.language import N_

LARGEST_FORM = 1024 * 1024  # bytes of a body without a file, and of all texts beside one
LARGEST_REQUEST = LARGEST_FILE + LARGEST_FORM
MOST_PARTS = 200  # fields of one form; the longest has some twenty
_MULTIPART = "multipart/form-data"


def install(app: Flask) -> None:
    """Goes before everything that reads a body."""
    app.config.update(
        MAX_CONTENT_LENGTH=LARGEST_REQUEST, MAX_FORM_MEMORY_SIZE=LARGEST_FORM, MAX_FORM_PARTS=MOST_PARTS
    )
    app.before_request(_look_at_the_size)


def sentence() -> str:
    """Which limit the refused request went beyond."""
    if request.mimetype != _MULTIPART:
        return N_("O limite por formulário é de 1 MB. Nada foi gravado.")
    if (request.content_length or 0) > LARGEST_REQUEST:
        return N_("O limite é de 20 MB por arquivo. Nada foi gravado.")
    return N_("O formulário tem campos demais, ou textos que passam de 1 MB. Nada foi gravado.")


def unread() -> str:
    """What is said of a form of which nothing could be read; empty when there was none."""
    if request.mimetype != _MULTIPART or request.form or request.files:
        return ""
    return N_(
        "O formulário não pôde ser lido: chegou incompleto ou danificado. "
        "Volte, recarregue a página e envie de novo; nada foi gravado."
    )


def _look_at_the_size() -> Any:
    if request.content_length is None and "Transfer-Encoding" in request.headers:
        # No browser sends one; read up to a limit, what came would be half a form that looks like a whole one.
        raise LengthRequired
    if request.mimetype != _MULTIPART:
        request.max_content_length = LARGEST_FORM
    if (request.content_length or 0) > (request.max_content_length or 0):
        raise RequestEntityTooLarge
    return None
