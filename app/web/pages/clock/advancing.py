"""The page of the demo's clock: where it stands, what ends next, which days are closed, and how to let time pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for

from app.demo import destinations, letting_pass
from app.demo.letting_pass import FARTHEST
from app.errors import Conflict, Invalid, Refused
from app.law.calendar import Calendar, Closure
from app.law.norm import Norm
from app.registry import calendar
from app.store import Reader
from app.web.forms.reading import clean, day_in, instant_in
from app.web.language import N_
from app.web.pages.clock.shown import ends_ahead, passed
from app.web.session import store

routes = Blueprint("clock", __name__)
_HORIZON = timedelta(days=120)
_MOST = 10


@dataclass(frozen=True)
class Way:
    """A button: where it leads, in words and as an instant."""

    key: str
    words: str
    target: datetime


@routes.get("/relogio")
def show() -> Any:
    with store().read() as reader:
        return _page(reader)


@routes.post("/relogio")
def advance() -> Any:
    """Sends the clock forward and comes back when it has arrived."""
    typed = clean(request.form.get("data", "").strip())[:40]
    try:
        if request.form.get("para") == "continuar":
            letting_pass.go_on(store())
        else:
            with store().read() as reader:
                target = _target(reader, g.norm, request.form.get("para", ""), typed)
            letting_pass.let_pass(store(), g.actor, target, _moves())
    except Refused as refused:
        if refused.code.startswith("relogio.") and isinstance(refused, Invalid):
            refused.fields.setdefault("data", refused.message)
        with store().read() as reader:
            return _page(reader, refused, typed), refused.status
    return redirect(url_for("clock.show", _anchor="caminho"), 303)


def _target(reader: Reader, norm: Norm, where: str, typed: str) -> datetime:
    ways = {way.key: way.target for way in _ways(reader, norm, calendar.current(reader))}
    if where in ways:
        return ways[where]
    if where != "data":
        raise Conflict(
            N_("Não há mais para onde avançar por este botão. Confira a página."), code="relogio.destino"
        )
    day = day_in(typed)
    target = destinations.at_opening(day, norm.zone) if day else instant_in(typed, norm.zone)
    if target is None:
        raise Invalid(N_("Informe uma data, por exemplo 15/03/2027."), code="relogio.data")
    return target


def _moves() -> int:
    text = request.form.get("andou", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Conflict(N_("A página estava incompleta. Confira e envie de novo."), code="relogio.andou")
    return int(text)


def _ways(reader: Reader, norm: Norm, known: Calendar) -> list[Way]:
    now, zone = reader.now, norm.zone
    ends = ends_ahead(reader, 1)
    morning = destinations.next_day_at_work(now, zone, known)
    found = [
        ("prazo", N_("Próximo fim de prazo"), ends[0]["expires_at"] if ends else None),
        ("dia_util", N_("Próximo dia útil, 9 horas"), morning),
        ("um_dia", N_("Um dia"), destinations.same_hour_tomorrow(now, zone)),
        (
            "sexta",
            N_("Sexta-feira antes do Carnaval, 9 horas"),
            destinations.next_friday_before_carnival(now, zone),
        ),
        ("cinzas", N_("Quarta-feira de cinzas, 9 horas"), destinations.next_ash_wednesday(now, zone)),
    ]
    return [Way(key, words, at) for key, words, at in found if at is not None and at - now <= FARTHEST]


def _page(reader: Reader, refused: Refused | None = None, typed: str = "") -> str:
    norm: Norm = g.norm
    known, stands = calendar.current(reader), letting_pass.standing(reader)
    today = reader.now.astimezone(norm.zone).date()
    return render_template(
        "clock.html",
        at=reader.now,
        days=round(stands.offset / timedelta(days=1)),
        stands=stands,
        ways=_ways(reader, norm, known),
        ends=ends_ahead(reader, _MOST),
        closed=_closed(known, today),
        carnival=_carnival(known, reader.now, norm),
        passed=passed(reader, stands.last) if stands.last else None,
        refused=refused,
        typed=typed,
    )


def _closed(known: Calendar, today: date) -> list[tuple[date, Closure, bool]]:
    """Days to come that are not as usual, each with its act; whether the office is closed all day."""
    days = [day for day in known.days if today <= day <= today + _HORIZON]
    return [(day, row, row.closes) for day in days for row in known.on(day)]


def _carnival(known: Calendar, now: datetime, norm: Norm) -> Mapping[str, Any] | None:
    """Monday and Tuesday of the next Carnival when it is near and no act closes them: then they are days at work."""
    ashes = destinations.next_ash_wednesday(now, norm.zone).date()
    days = [ashes - timedelta(days=n) for n in (2, 1)]
    if ashes - now.astimezone(norm.zone).date() > _HORIZON or not all(known.is_business(d) for d in days):
        return None
    return {"monday": days[0], "tuesday": days[1]}
