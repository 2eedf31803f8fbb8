"""A form has one effect however often it is sent: a double click, a reload, a network that answers too late.

Every form that makes something carries a key that no other page has. The act's own transaction keeps the key, what
was sent with it and where it led: sent again, the same leads there again, and something else is refused. An act
that is refused or breaks leaves no trace of its key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar

from flask import Flask, Response, current_app, g, redirect, request
from markupsafe import Markup
from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from app.clock import monotonic
from app.errors import Broken, Invalid, Refused
from app.store import INSTALLER, Busy, Reader, Store, Tx
from app.store.tables import answered
from app.values import digest
from app.web import requests
from app.web.language import N_
from app.web.session import store

FIELD, HEADER = "_chave", "Idempotency-Key"
_SWEPT = "tramita-answered-swept"  # when this process last looked
KEPT = timedelta(hours=24)
_LOOK_SECONDS = 3600  # between two looks for rows that have had their day
_BATCH = 500  # rows swept away at once
_LONGEST = 200

_KNOWN = select(answered).where(answered.c.key == bindparam("mine"))
_LEADS = update(answered).where(answered.c.key == bindparam("mine")).values(led_to=bindparam("address"))

View = TypeVar("View", bound=Callable[..., Any])


class Again(HTTPException):
    """The same was sent before: the answer is the one it had."""

    code = 303

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address

    def get_response(self, *_: Any, **__: Any) -> Any:
        return redirect(self.address, 303)


def install(app: Flask) -> None:
    app.jinja_env.globals["form_key"] = form_key
    app.extensions[_SWEPT] = -float(_LOOK_SECONDS)
    app.after_request(_look_behind)


def form_key() -> Markup:
    """The hidden field of one form on one page."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, store().new_key())


def keyed(view: View) -> View:
    """Marks a page that takes a form with a key; `tests/web/test_twice.py` sends each of them twice."""
    view.keyed = True  # type: ignore[attr-defined]
    return view


@contextmanager
def act() -> Iterator[Tx]:
    """The transaction of the one act that the form asks for. The block ends with `lead`.

    The key is taken before anything else, the case's row included: who sends the same waits here for the first, and
    whoever holds a case never waits for a key. Raises Again for what was sent before.
    """
    key, sent = _key(), _sent()
    with _told(), store().act(g.actor) as tx:
        if not tx.ensure(answered, key=key, digest=sent, at=store().wall.now()):
            _answer_again(tx, key, sent)
        tx.scratch[FIELD] = key
        yield tx
        if FIELD in tx.scratch:
            raise Broken("a form was acted upon and leads nowhere")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Refused as refused:
        requests.refused(refused)
        raise


def lead(tx: Tx, address: str) -> Any:
    """Keeps where the form led, with the act, and gives the answer that goes there."""
    tx.write(_LEADS, mine=tx.scratch.pop(FIELD), address=address)
    return redirect(address, 303)


def known(reader: Reader) -> None:
    """Raises Again for what was sent before; for a page that judges before it acts."""
    _answer_again(reader, _key(), _sent())


def _look_behind(response: Response) -> Response:
    """Now and then, when a form has been answered and nobody waits any more: rows older than a day go."""
    kept, site_store = current_app.extensions, store()
    if request.method == "POST" and monotonic() - kept[_SWEPT] >= _LOOK_SECONDS:
        kept[_SWEPT] = monotonic()
        response.call_on_close(lambda: _sweep(kept, site_store))
    return response


def _sweep(kept: dict[str, Any], site_store: Store) -> None:
    some = select(answered.c.key).where(answered.c.at < site_store.wall.now() - KEPT).limit(_BATCH)
    with suppress(Refused, SQLAlchemyError), site_store.silent_act(INSTALLER) as tx:  # the next hour will do
        if tx.write(delete(answered).where(answered.c.key.in_(some))) == _BATCH:
            kept[_SWEPT] -= _LOOK_SECONDS  # there are more: the next form goes on


def _answer_again(reader: Reader, key: str, sent: str) -> None:
    row = reader.first(_KNOWN, mine=key)
    if row is None:
        if isinstance(reader, Tx):  # it was there a moment ago, and its day is over
            raise Busy(N_("O sistema está ocupado com outro ato. Nada foi gravado; tente de novo."))
        return
    if row["digest"] == sent and row["led_to"]:
        raise Again(row["led_to"])
    raise Invalid(
        N_(
            "Este formulário já tinha sido enviado, com outro conteúdo, e aquele envio foi registrado. "
            "Confira o que foi gravado; se quiser registrar também isto, envie de novo."
        ),
        code="envio.outro_conteudo",
    )


def _key() -> str:
    """Whose key it is goes into it: nobody learns what another person sent."""
    told = request.headers.get(HEADER, "").strip().strip('"') or request.form.get(FIELD, "")
    if not 16 <= len(told) <= _LONGEST:
        raise Refused(
            N_("A página estava incompleta. Confira e envie de novo; nada foi gravado."),
            code="envio.sem_chave",
        )
    return digest(f"{g.actor}\n{told}".encode("utf-8", "backslashreplace"))


def _sent() -> str:
    """A digest of where the form was sent and of everything in it but what every page has anew."""
    told = [(name, request.form.getlist(name)) for name in sorted(request.form)]
    files = [
        (name, [(f.filename, f.mimetype, _digest_of(f.stream)) for f in request.files.getlist(name)])
        for name in sorted(request.files)
    ]
    apart = [(name, values) for name, values in told if name not in (FIELD, "csrf_token")]
    return digest(repr((request.path, apart, files)).encode("utf-8", "backslashreplace"))


def _digest_of(stream: Any) -> str:
    total = hashlib.sha256()
    while piece := stream.read(65536):
        total.update(piece)
    stream.seek(0)
    return total.hexdigest()
