"""How a date was reached, in words for a lawyer and in data for an auditor.

A trace repeats no rule of the calendar: it keeps the days that were passed over and why, so that the date can
be counted again by hand, or by `recompute`, when the calendar of today says something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from app.law.arithmetic import (
    ONE_DAY,
    MissingDay,
    add_months,
    day_after_end,
    day_end,
    in_full,
    local_day,
    next_occurrence,
    same_clock,
    short,
    whole_minute,
)
from app.law.profiles import PROFILES, Beginning, End, First, Unit
from app.values import Json, iso, parse_instant

_UNIT_NAMES = {
    Unit.BUSINESS_DAYS: ("dia útil", "dias úteis"),
    Unit.CALENDAR_DAYS: ("dia", "dias"),
    Unit.HOURS: ("hora", "horas"),
    Unit.MONTHS: ("mês", "meses"),
    Unit.YEARS: ("ano", "anos"),
    Unit.BACKWARDS_DAYS: ("dia antes", "dias antes"),
}
_WEEKEND = frozenset({"sábado", "domingo"})
_NOT_COUNTED = ("Não se conta", "Não se contam os dias")
_NOT_SERVED = ("A ciência não se considera feita em", "A ciência não se considera feita nos dias")
_NOT_DUE = ("O vencimento não pode ficar em", "O vencimento não pode ficar nos dias")


@dataclass(frozen=True)
class Passed:
    """A day that was passed over, and the act or fact that took it away."""

    day: date
    reason: str


@dataclass(frozen=True)
class Trace:
    """Everything that decided one date.

    Attributes:
        served: every service instant given; `counted_from` is the one that the count finally started from.
        beginning: the day of beginning, which is not counted (unless it is `first_day`).
        before: days passed over to reach the day of beginning.
        skipped_first: days passed over between the day of beginning and the first counted day.
        skipped: days inside the term that were not counted.
        reckoned: the day on which the count itself ended, before any move.
        moved: days on which the end was not allowed to stay.
        stopped_seconds: for terms in hours, time during which the clock stood still.
        notes: interruptions and what became of them.
        starts: what sets the term running, in the norm's words; service of a notice where the norm does not say.
    """

    term: str
    article: str
    profile: str
    unit: Unit
    amount: int | None
    fixed: tuple[int, int | None] | None
    zone: str
    served: tuple[datetime, ...]
    counted_from: datetime
    beginning: date
    before: tuple[Passed, ...]
    first_day: date
    skipped_first: tuple[Passed, ...]
    skipped: tuple[Passed, ...]
    reckoned: date
    moved: tuple[Passed, ...]
    stopped_seconds: int
    notes: tuple[str, ...]
    calendar_version: str
    due_at: datetime
    expires_at: datetime
    starts: str = ""

    def json(self) -> Json:
        """The trace as plain values; `recompute` needs nothing else."""
        profile = PROFILES[self.profile]
        return {
            "term": self.term,
            "article": self.article,
            "profile": self.profile,
            "rule": {
                "first": profile.first.value,
                "step": profile.step,
                "extra": profile.extra,
                "missing": profile.missing.value,
                "end": profile.end.value,
            },
            "unit": self.unit.value,
            "amount": self.amount,
            "fixed": list(self.fixed) if self.fixed else None,
            "zone": self.zone,
            "served": [iso(instant) for instant in self.served],
            "counted_from": iso(self.counted_from),
            "beginning": self.beginning.isoformat(),
            "before": _passed_json(self.before),
            "first_day": self.first_day.isoformat(),
            "skipped_first": _passed_json(self.skipped_first),
            "skipped": _passed_json(self.skipped),
            "reckoned": self.reckoned.isoformat(),
            "moved": _passed_json(self.moved),
            "stopped_seconds": self.stopped_seconds,
            "notes": list(self.notes),
            "calendar": self.calendar_version,
            "due_at": iso(self.due_at),
            "expires_at": iso(self.expires_at),
            "starts": self.starts,
        }

    @classmethod
    def read(cls, data: Mapping[str, Json]) -> Trace:
        """The trace that `json` wrote."""
        return cls(
            term=data["term"],
            article=data["article"],
            profile=data["profile"],
            unit=Unit(data["unit"]),
            amount=data["amount"],
            fixed=(data["fixed"][0], data["fixed"][1]) if data["fixed"] else None,
            zone=data["zone"],
            served=tuple(parse_instant(text) for text in data["served"]),
            counted_from=parse_instant(data["counted_from"]),
            beginning=date.fromisoformat(data["beginning"]),
            before=_passed_read(data["before"]),
            first_day=date.fromisoformat(data["first_day"]),
            skipped_first=_passed_read(data["skipped_first"]),
            skipped=_passed_read(data["skipped"]),
            reckoned=date.fromisoformat(data["reckoned"]),
            moved=_passed_read(data["moved"]),
            stopped_seconds=data["stopped_seconds"],
            notes=tuple(data["notes"]),
            calendar_version=data["calendar"],
            due_at=parse_instant(data["due_at"]),
            expires_at=parse_instant(data["expires_at"]),
            starts=data.get("starts", ""),
        )

    def recompute(self) -> tuple[datetime, datetime]:
        """`due_at` and `expires_at` counted again from the trace alone."""
        return recompute(self.json())

    def lines(self) -> tuple[str, ...]:
        """The counting in Portuguese, one step a line."""
        return (
            *self._opening(),
            *self.notes,
            *self._beginning(),
            *_spoken(*_NOT_COUNTED, self.skipped_first),
            *self._first(),
            *_spoken(*_NOT_COUNTED, self.skipped),
            *self._ending(),
            f"Regra de contagem {self.profile}: {PROFILES[self.profile].description}.",
            f"Calendário: versão {self.calendar_version[:12]}.",
        )

    def _opening(self) -> list[str]:
        article = f" ({self.article})" if self.article else ""
        what = self.starts or ("Data de referência" if self.unit is Unit.BACKWARDS_DAYS else "Ciência")
        lines = [f"{self.term}: {self._amount()}{article}."]
        lines += [f"{what}: {self._moment(instant)}." for instant in self.served]
        if len(self.served) > 1:
            lines.append("O prazo é comum e corre da última ciência.")
        lines.append(f"Fuso horário: {self.zone}.")
        return lines

    def _amount(self) -> str:
        if self.fixed:
            day, month = self.fixed
            return f"todo dia {day:02d}/{month:02d}" if month else f"dia {day} de cada mês"
        one, many = _UNIT_NAMES[self.unit]
        return f"{self.amount} {one if self.amount == 1 else many}"

    def _moment(self, instant: datetime) -> str:
        local = instant.astimezone(ZoneInfo(self.zone))
        return f"{in_full(local.date())}, às {local:%H:%M}"

    def _beginning(self) -> list[str]:
        if self.unit is Unit.HOURS or self.beginning == self.first_day:
            return []
        lines = _spoken(*_NOT_SERVED, self.before)
        if PROFILES[self.profile].beginning is Beginning.FIFTEEN_DAYS_LATER:
            lines.append("A ciência por edital considera-se feita quinze dias após a publicação.")
        return [*lines, f"Dia do começo, que não se conta: {in_full(self.beginning)}."]

    def _first(self) -> list[str]:
        if self.unit is Unit.HOURS:
            return [f"As horas contam-se a partir de {self._moment(self.counted_from)}."]
        return [f"Primeiro dia contado: {in_full(self.first_day)}."]

    def _ending(self) -> list[str]:
        lines = []
        if self.moved:
            lines.append(f"A contagem termina em {in_full(self.reckoned)}.")
            lines += _spoken(*_NOT_DUE, self.moved)
        local = self.due_at.astimezone(ZoneInfo(self.zone))
        clock = (
            f"{local:%H:%M}" if self.expires_at - self.due_at > timedelta(seconds=1) else f"{local:%H:%M:%S}"
        )
        offset = local.strftime("%z")
        return [*lines, f"Vence em {in_full(local.date())}, às {clock} (UTC{offset[:3]}:{offset[3:5]})."]


def recompute(data: Mapping[str, Json]) -> tuple[datetime, datetime]:
    """`due_at` and `expires_at` of a trace written by `Trace.json`, counted again without any calendar.

    The days passed over are taken from the trace as facts; the count itself is done again, so that a trace
    whose parts do not fit each other gives another date.
    """
    zone, step = ZoneInfo(data["zone"]), ONE_DAY * int(data["rule"]["step"])
    if data["unit"] != Unit.HOURS:
        last = _past(_reckon(data, step), _days(data["moved"]), step)
        return day_end(last, zone), day_after_end(last, zone)
    elapsed = timedelta(hours=data["amount"], seconds=data["stopped_seconds"])
    reached = whole_minute(parse_instant(data["counted_from"]) + elapsed)
    reckoned = local_day(reached, zone)
    last = _past(reckoned, _days(data["moved"]), step)
    if last != reckoned and data["rule"]["end"] != End.SAME_CLOCK:
        return day_end(last, zone), day_after_end(last, zone)
    if last != reckoned:
        reached = same_clock(last, reached, zone)
    return reached, reached + timedelta(minutes=1)


def _days(passed: Iterable[Mapping[str, str]]) -> frozenset[date]:
    return frozenset(date.fromisoformat(row["day"]) for row in passed)


def _past(day: date, passed: frozenset[date], step: timedelta) -> date:
    """The first day, from `day` on, that was not passed over."""
    while day in passed:
        day += step
    return day


def _reckon(data: Mapping[str, Json], step: timedelta) -> date:
    beginning, missing = date.fromisoformat(data["beginning"]), MissingDay(data["rule"]["missing"])
    if data["unit"] in (Unit.MONTHS, Unit.YEARS):
        months = data["amount"] * (12 if data["unit"] == Unit.YEARS else 1)
        return add_months(beginning, months, missing) + timedelta(days=len(data["skipped"]))
    if data["unit"] == Unit.FIXED_DATE:
        return next_occurrence(beginning, data["fixed"][0], data["fixed"][1], missing)
    day = beginning if data["rule"]["first"] == First.SAME_DAY else beginning + step
    day, skipped = _past(day, _days(data["skipped_first"]), step), _days(data["skipped"])
    for _ in range(data["amount"] + data["rule"]["extra"] - 1):
        day = _past(day + step, skipped, step)
    return day


def _passed_json(days: Iterable[Passed]) -> Json:
    return [{"day": passed.day.isoformat(), "reason": passed.reason} for passed in days]


def _passed_read(rows: Iterable[Mapping[str, str]]) -> tuple[Passed, ...]:
    return tuple(Passed(date.fromisoformat(row["day"]), row["reason"]) for row in rows)


def _spoken(one: str, many: str, days: Iterable[Passed]) -> list[str]:
    """One line per reason; a run of days with one reason is told as a period, weekends as one line."""
    lines = []
    for weekend, run in groupby(days, key=lambda passed: passed.reason in _WEEKEND):
        if weekend:
            names = [f"{short(passed.day)} ({passed.reason})" for passed in run]
            lines.append(f"{one if len(names) == 1 else many} {_listed(names)}.")
            continue
        for reason, same in groupby(run, key=lambda passed: passed.reason):
            span = sorted(passed.day for passed in same)
            period = f"{many} de {short(span[0])} a {short(span[-1])}"
            # The weekday is already in the reason when the holiday falls on a weekend.
            day = short(span[0]) if reason.startswith(tuple(_WEEKEND)) else in_full(span[0])
            lines.append(f"{period if len(span) > 1 else f'{one} {day}'}: {reason}.")
    return lines


def _listed(names: list[str]) -> str:
    return " e ".join(filter(None, (", ".join(names[:-1]), names[-1])))
