"""How values are read on a page: instants in the municipality's time, dates, what is left of a term.

Filters for the templates. They format; what the values mean was decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal
from flask import Flask, current_app, g, request, url_for
from markupsafe import Markup, escape

from app.cases.finding.tasks import MOST
from app.clock import Clock, DemoClock
from app.law.norm import Norm
from app.values import iso
from app.web.language import LANGUAGES, _, _n, chosen, portuguese, said, tag
from app.web.session import site

_VIEWER = Path(__file__).parent / "static" / "build" / "viewer.js"
_DAY = {"pt_BR": "dd/MM/y", "en": "d MMM y"}
_INSTANT = {"pt_BR": "dd/MM/y HH:mm", "en": "d MMM y, HH:mm"}
_DUE = {"pt_BR": "EEEE, dd/MM/y, 'até' HH:mm", "en": "EEEE, d MMM y, 'until' HH:mm"}


def install(app: Flask) -> None:
    app.jinja_env.filters.update(
        instant=instant,
        day=day,
        due=due,
        until=until,
        left=left,
        pt=portuguese,
        said=said,
        lines=lines,
        size=size,
        counted=counted,
    )
    app.jinja_env.tests["too_many"] = is_too_many
    app.context_processor(_everywhere)


def _everywhere() -> dict[str, Any]:
    """What every page may show, also when the request broke before anything was known."""
    return {
        "norm": g.get("norm"),
        "person": g.get("person"),
        "roles": g.get("roles", ()),
        "waiting": g.get("waiting", 0),
        "now": g.get("now"),
        "demo": site().settings.demo,
        "clock_moves": "clock" in current_app.blueprints,
        "clock_ahead": _is_ahead(site().store.clock),
        "lang": tag(),
        "languages": [(key, *names) for key, names in LANGUAGES.items() if key != chosen()],
        "here": request.full_path.rstrip("?") if request.method == "GET" else url_for("inbox.show"),
        "has_viewer": _VIEWER.exists(),
    }


def _is_ahead(clock: Clock) -> bool:
    return isinstance(clock, DemoClock) and bool(clock.offset)


def instant(moment: datetime) -> Markup:
    """Day and hour in the municipality's zone."""
    return _time(moment, _INSTANT)


def due(moment: datetime) -> Markup:
    """The end of a term: weekday, day, last minute."""
    return _time(moment, _DUE)


def until(expires_at: datetime) -> Markup:
    """The end of a term of which only the first late instant is known."""
    return due(expires_at - timedelta(seconds=1))


def _time(moment: datetime, patterns: Mapping[str, str]) -> Markup:
    norm: Norm = g.norm
    text = format_datetime(moment, patterns[chosen()], tzinfo=norm.zone, locale=chosen())
    return Markup('<time datetime="{}">{}</time>').format(iso(moment), text)


def day(value: date) -> Markup:
    text = format_date(value, _DAY[chosen()], locale=chosen())
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), text)


def left(expires_at: datetime) -> str:
    """What is left of a term, in local days: people plan by the day, not by the hour."""
    norm: Norm = g.norm
    if expires_at <= g.now:
        return _("venceu")
    last = expires_at - timedelta(seconds=1)  # the last instant in time, not the first one late
    days = (last.astimezone(norm.zone).date() - g.now.astimezone(norm.zone).date()).days
    if days == 0:
        return _("vence hoje")
    return _("vence amanhã") if days == 1 else _n("vence em %(num)d dia", "vence em %(num)d dias", days)


def lines(text: str) -> Markup:
    """Paragraphs of what somebody typed."""
    parts = [p for p in str(text).replace("\r\n", "\n").split("\n\n") if p.strip()]
    return Markup("").join(
        Markup("<p>{}</p>").format(Markup("<br>").join(escape(line) for line in part.split("\n")))
        for part in parts
    )


def is_too_many(count: int) -> bool:
    """Whether it stands for more than is counted."""
    return count > MOST


def counted(count: int) -> str:
    """A number of tasks, as far as they are counted."""
    return _("mais de 1.000") if is_too_many(count) else str(count)


def size(count: int) -> str:
    """Bytes as people read them."""
    if count < 1024:
        return f"{count} B"
    if count < 1024 * 1024:
        return f"{count // 1024} kB"
    return f"{format_decimal(count / 1024 / 1024, '0.0', locale=chosen())} MB"
