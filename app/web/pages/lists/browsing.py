"""The list of cases: filters that narrow each other, in one address that can be kept and passed on."""

from __future__ import annotations

from typing import Any

from flask import g, render_template

from app.cases.finding import tasks
from app.cases.finding.browsing import STALLED, Wanted, browse
from app.cases.finding.risk import BANDS, Risk
from app.registry import carriers
from app.store import Reader
from app.web.pages.inbox import page_asked
from app.web.pages.lists import known, words
from app.web.pages.lists.asked import Asked
from app.web.session import store

# The week lies across the other bands: it stands before the last two.
RISKS = (*BANDS[:3], Risk.WEEK, *BANDS[3:])


def cases_asked_for() -> Any:
    asked = Asked()
    with store().read() as reader:
        choices = _choices(reader, asked)
        wanted = _wanted(asked, choices)
        found = browse(reader, g.norm, wanted, page_asked())
    return render_template(
        "cases.html",
        found=found,
        asked=asked,
        wanted=wanted,
        whom=asked.kept.get("com", ""),
        words=words,
        choices=choices,
        stalled_days=STALLED.days,
    )


def _choices(reader: Reader, asked: Asked) -> dict[str, dict[str, str]]:
    """What each filter may be set to, in order, with its words."""
    there = tasks.statuses(reader, of_open=False)
    return {
        "estado": known.called(g.norm, [*g.norm.statuses, *there]),
        "procedimento": {key: process.name for key, process in g.norm.processes.items()},
        "tarefa": dict(known.by_name(tasks.all_names(reader), known.step(reader, asked.typed("tarefa")))),
        "cargos": known.offices(g.norm),
        "pessoas": known.colleagues(reader, g.norm),
        "qual": known.terms(reader, g.norm, asked.typed("qual")),
        "prazo": {risk.value: words.RISKS[risk] for risk in RISKS},
        "transportador": {row["id"]: row["name"] for row in carriers.all_carriers(reader)},
    }


def _wanted(asked: Asked, choices: dict[str, dict[str, str]]) -> Wanted:
    # `numero` was the search of the first pages; addresses that people kept still find what they found.
    text = asked.text("busca", words.SEARCH) or asked.text("numero", words.SEARCH)

    def chosen(name: str, label: str, known: dict[str, str]) -> str:
        return asked.choice(name, label, known, known)

    kind, _, who = chosen("com", words.WHOM, choices["cargos"] | choices["pessoas"]).partition(":")
    return Wanted(
        text=text,
        status=chosen("estado", words.STATUS, choices["estado"]),
        process=chosen("procedimento", words.PROCESS, choices["procedimento"]),
        task=chosen("tarefa", words.TASK, choices["tarefa"]),
        office=who if kind == "cargo" else "",
        person=who if kind == "pessoa" else "",
        deadline=chosen("qual", words.TERM, choices["qual"]),
        risk=chosen("prazo", words.DUE, choices["prazo"]),
        carrier=chosen("transportador", words.CARRIER, choices["transportador"]),
        stalled=asked.ticked("parado", words.STALLED),
    )
