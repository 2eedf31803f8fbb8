"""The inbox: what waits for the person who looks, the most urgent first, narrowed by what the address asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for

from app.cases import inbox
from app.cases.finding.risk import BANDS
from app.store import Reader
from app.web import watch
from app.web.pages.lists import known, words
from app.web.pages.lists.asked import Asked
from app.web.session import store

routes = Blueprint("inbox", __name__)


@routes.get("/")
def home() -> Any:
    return redirect(url_for("inbox.show"), 303)


@routes.get("/caixa")
def show() -> Any:
    asked = Asked()
    with store().read() as reader:
        step = known.step(reader, asked.typed("tarefa"))
        wanted = _wanted(reader, asked, step)
        found = inbox.inbox(reader, g.norm, g.person["id"], wanted, page=page_asked())
        watched = watch.for_who_cares(reader)
        drafts = inbox.drafts_of(reader, [row["id"] for row in found.rows], g.person["id"])
    return render_template(
        "inbox.html",
        found=found,
        watched=watched,
        health_words=watch.WORDS,
        asked=asked,
        wanted=wanted,
        drafts=drafts,
        words=words,
        bands=BANDS,
        steps=known.by_name(found.tasks, step),
        states=known.called(g.norm, [*found.statuses, wanted.status]),
    )


def _wanted(reader: Reader, asked: Asked, step: Mapping[str, str]) -> inbox.Wanted:
    states = known.states(reader, g.norm, asked.typed("estado"))
    return inbox.Wanted(
        risk=asked.choice("prazo", words.RISK, BANDS, {risk.value: words.RISKS[risk] for risk in BANDS}),
        task=asked.choice("tarefa", words.TASK, step, step),
        status=asked.choice("estado", words.STATUS, states, known.called(g.norm, g.norm.statuses)),
        text=asked.text("busca", words.SEARCH),
        mine=asked.ticked("comigo", words.MINE),
        begun=asked.ticked("rascunho", words.BEGUN),
    )


def page_asked() -> int:
    """The page number of the address; the first one when it is none."""
    text = request.args.get("pagina", "1")
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) <= 6 else 1


def page_count(rows: int, size: int) -> int:
    return max(1, -(-rows // size))
