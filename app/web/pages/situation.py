"""How things stand, on one page: what is overdue and what ends when, cases by state, whom it waits for, what stalls.

Each number leads to the cases it counts.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, g, render_template

from app.cases.finding import browsing, overview
from app.cases.finding.risk import BANDS, Risk, horizon
from app.web import watch
from app.web.pages.lists import words
from app.web.session import store
from app.web.sheets import holders

routes = Blueprint("situation", __name__)
_TERM_BANDS = tuple(risk for risk in BANDS if risk is not Risk.NONE)


@routes.get("/situacao")
def show() -> Any:
    with store().read() as reader:
        bands = horizon(reader, g.norm)
        steps = overview.by_task(reader)
        return render_template(
            "situation.html",
            watched=watch.for_everybody(reader),
            health_words=watch.WORDS,
            bands=bands,
            term_bands=_TERM_BANDS,
            words=words,
            overdue=overview.ends(reader, Risk.OVERDUE, bands),
            soon=overview.ends(reader, Risk.WEEK, bands),
            by_term=overview.by_term(reader, g.norm, bands),
            by_status=overview.by_status(reader, g.norm),
            offices=overview.by_office(reader, g.norm),
            tasks=[(step, [holders.of_act(reader, g.norm, act) for act in step.acts]) for step in steps],
            stalled=overview.stalled(reader),
            stalled_days=browsing.STALLED.days,
        )
