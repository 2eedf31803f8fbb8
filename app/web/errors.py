"""What a person sees when something is refused or breaks: what happened, what to do, a way back.

A refusal is a page with its own status. Anything else is a bug: a page with a reference number, and the log.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import structlog
from flask import Flask, render_template, request, url_for
from flask_wtf.csrf import CSRFError  # type: ignore[import-untyped]
from werkzeug.exceptions import HTTPException

from app.errors import Refused
from app.store import Unreached
from app.web import limits
from app.web.addresses import local_path
from app.web.language import N_, _
from app.web.requests import request_id
from app.web.session import store

log = structlog.get_logger()

_TITLES = {
    400: N_("O pedido não pôde ser entendido"),
    403: N_("Este ato não cabe a você"),
    404: N_("Página não encontrada"),
    405: N_("O pedido não pôde ser entendido"),
    409: N_("Alguém foi mais rápido"),
    413: N_("O envio é grande demais"),
    422: N_("Não foi possível registrar"),
    503: N_("O sistema está ocupado"),
}
_SENTENCES = {
    400: N_("Faltou algo no que o navegador enviou. Volte, recarregue a página e tente de novo."),
    403: N_("Esta página ou este ato não está disponível para a sua conta."),
    404: N_(
        "Não há nada neste endereço, ou você não pode vê-lo. Confira o número ou comece pela caixa de entrada."
    ),
    405: N_("Esta página não aceita este tipo de pedido. Volte e use os botões da página."),
}
_EXPIRED = N_(
    "Por segurança, este envio não foi aceito: a página ficou aberta de uma sessão para outra. "
    "Volte, recarregue a página e envie de novo; nada foi gravado."
)


def install(app: Flask) -> None:
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(CSRFError, _forged)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _broken)


def _refused(error: Refused) -> Any:
    if isinstance(error, Unreached):  # why, people cannot mend and who runs the server must know
        log.error("database_unreached", page=request.endpoint, request=request_id(), exc_info=error)
    return _page(error.status, error.message), error.status


def _forged(_error: CSRFError) -> Any:
    return _page(400, limits.unread() or _EXPIRED), 400


def _http(error: HTTPException) -> Any:
    if error.code is not None and error.code < 400:
        return error
    status = error.code or 500
    sentence = limits.sentence() if status == 413 else _SENTENCES.get(status, _SENTENCES[400])
    return _page(status, sentence), status, _kept(error)


def _kept(error: HTTPException) -> list[tuple[str, str]]:
    """`Allow` and its like, which belong to the status."""
    return [(k, v) for k, v in error.get_headers() if k.lower() not in ("content-type", "content-length")]


def _broken(error: Exception) -> Any:
    instant = store().clock.now()
    reference = f"{instant:%Y%m%d-%H%M%S}-{request_id()}"
    log.error(
        "request_failed", reference=reference, page=request.endpoint, request=request_id(), exc_info=error
    )
    return render_template("broken.html", reference=reference), 500


def _page(status: int, sentence: str) -> str:
    title = _TITLES.get(status) or (_TITLES[422] if status != 500 else N_("Erro"))
    return render_template("refused.html", title=_(title), sentence=sentence, status=status, back=_back())


def _back() -> str:
    """The page the person came from, when it is ours."""
    try:
        came = urlsplit(request.referrer or "")
    except ValueError:  # whatever a browser or a joker sent there
        return url_for("inbox.show")
    if came.netloc and came.netloc == request.host and came.path != request.path:
        return local_path(came.path, url_for("inbox.show"))
    return url_for("inbox.show")
