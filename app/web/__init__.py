"""HTML for people. Turns pages into acts and rows into pages; no rule of the law or of competence lives here.

    GET  opens `store.read()`, shows
    POST opens `store.act(actor)`, calls exactly one act, leaves by 303

Every page works without JavaScript, and none needs more of the content policy than `'self'`.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from flask import Flask, Response, request
from flask_wtf import CSRFProtect  # type: ignore[import-untyped]

from app.clock import DemoClock
from app.settings import Settings
from app.store import INSTALLER, Store
from app.web import addresses, citing, errors, language, limits, once, requests, session, shown
from app.web.pages import (
    cases,
    counter,
    entering,
    folder,
    health,
    inbox,
    norm,
    opening,
    replay,
    situation,
    tasks,
)
from app.web.pages.backwards import annulling, correcting, setting_aside
from app.web.pages.carriers import browsing, registering
from app.web.pages.clock import advancing
from app.web.pages.papers import checking, reading

RETRY_SECONDS = 5  # as long as an act waits for a lock: whoever held it is done by then
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def build(settings: Settings, store: Store) -> Flask:
    """Configures Flask and hangs the pages."""
    app = Flask(__name__)
    app.config.update(
        SECRET_KEY=settings.secret_key or _own_key(settings.data_dir, store),
        SESSION_COOKIE_NAME="tramita_session",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=not (settings.demo or settings.host in _LOOPBACK),
        PERMANENT_SESSION_LIFETIME=timedelta(hours=12),
        WTF_CSRF_TIME_LIMIT=None,  # a form may stay open as long as its session: what was typed is not lost
        SEND_FILE_MAX_AGE_DEFAULT=timedelta(hours=1),
    )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["tramita"] = session.Site(settings, store)
    requests.install(app)
    addresses.install(app)
    language.install(app)
    shown.install(app)
    citing.install(app)
    once.install(app)
    limits.install(app)
    session.install(app)  # before the CSRF check, so that a refusal knows whose page it is
    CSRFProtect(app)
    errors.install(app)
    pages = (health, entering, inbox, tasks, cases, opening, counter, folder, norm, situation, replay)
    for page in (*pages, reading, checking, browsing, registering, annulling, setting_aside, correcting):
        app.register_blueprint(page.routes)
    if settings.demo and isinstance(store.clock, DemoClock):
        app.register_blueprint(advancing.routes)
    app.after_request(_guarded)
    return app


def _guarded(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint not in ("static", "norm.form_style"):
        response.headers.setdefault("Cache-Control", "no-store")
    if response.status_code == 503:
        response.headers.setdefault("Retry-After", str(RETRY_SECONDS))
    return response


def _own_key(data_dir: Path, store: Store) -> bytes:
    """The key that signs sessions, made at the first start and kept beside the data for its owner only."""
    path = data_dir / "session.key"
    data_dir.mkdir(parents=True, exist_ok=True)
    if not path.exists() or not path.read_bytes():
        with store.silent_act(INSTALLER) as tx:
            key = tx.random_bytes(32)
        # Written aside and put in place whole: a start that is killed here leaves no empty key behind.
        aside = path.with_name(f"{path.name}.{key[:4].hex()}")
        aside.touch(mode=0o600)
        aside.write_bytes(key)
        aside.replace(path)
    return path.read_bytes()
