"""The inbox: what waits for the person who looks, the most urgent first."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for

from app.cases import inbox
from app.web.session import store

routes = Blueprint("inbox", __name__)


@routes.get("/")
def home() -> Any:
    return redirect(url_for("inbox.show"), 303)


@routes.get("/caixa")
def show() -> Any:
    page = page_asked()
    with store().read() as reader:
        rows = inbox.inbox(reader, g.norm, g.person["id"], page=page)
        mine = inbox.drafts_of(reader, [row["id"] for row in rows], g.person["id"])
    return render_template(
        "inbox.html", rows=rows, drafts=mine, page=page, pages=page_count(g.waiting, inbox.PAGE)
    )


def page_asked() -> int:
    """The page number of the address; the first one when it is none."""
    text = request.args.get("pagina", "1")
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) <= 6 else 1


def page_count(rows: int, size: int) -> int:
    return max(1, -(-rows // size))
