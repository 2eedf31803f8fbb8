"""One line of the log for each request, under a name of its own that the answer carries too (`X-Request-Id`).

It tells method, page, status and time. What was asked for, who asked and what they typed stand nowhere.
"""

from __future__ import annotations

from typing import Any

import structlog
from flask import Flask, Response, current_app, g, has_request_context, request

from app.clock import monotonic
from app.errors import Refused

HEADER = "X-Request-Id"
# Asked for all day long: told only when they fail.
_QUIET = {"static", "health.alive", "health.ready", "health.on_time"}

log = structlog.get_logger()


def install(app: Flask) -> None:
    """Goes before everything else that looks at a request."""
    app.before_request(_named)
    app.after_request(_told)


def request_id() -> str:
    """The name of the request in hand."""
    return str(g.get("request_id", "-")) if has_request_context() else "-"


def refused(error: Refused) -> None:
    """An act that was refused, by its code: what its sentence says may name somebody."""
    log.info("act_refused", code=error.code, status=error.status, page=request.endpoint, request=request_id())


def _named() -> None:
    g.begun = monotonic()
    g.request_id = current_app.extensions["tramita"].store.new_key()[:16]


def _told(response: Response) -> Response:
    response.headers[HEADER] = request_id()
    if request.endpoint in _QUIET and response.status_code < 500:
        return response
    told: dict[str, Any] = {
        "method": request.method if request.method in ("GET", "HEAD", "POST", "OPTIONS") else "other",
        "page": request.endpoint or "-",
        "status": response.status_code,
        "ms": round((monotonic() - g.get("begun", monotonic())) * 1000, 1),
        "request": request_id(),
    }
    if current_app.extensions["tramita"].settings.log_addresses:
        told["address"] = request.remote_addr or "-"
    log.info("request", **told)
    return response
