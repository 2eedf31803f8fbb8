"""Counts a term: (term, service instants, calendar, suspensions) becomes a due date with its trace.

One walk serves every profile; what differs between regimes is data in `profiles.py`. Nothing here knows cases,
people or the present instant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property

from app.errors import Invalid
from app.law.arithmetic import (
    ONE_DAY,
    add_months,
    day_after_end,
    day_end,
    day_start,
    in_full,
    local_day,
    next_occurrence,
    same_clock,
    short,
    whole_minute,
)
from app.law.calendar import WHOLE_DAY, Calendar
from app.law.profiles import PROFILES, Beginning, End, First, Parties, Profile, Term, Unit
from app.law.trace import Passed, Trace
from app.values import utc

__all__ = [
    "PROFILES",
    "Due",
    "Interruption",
    "Profile",
    "Suspension",
    "Term",
    "Trace",
    "Unit",
    "count",
    "count_each",
]

FIRST_YEAR, LAST_YEAR = 1900, 2300
_EDITAL_DAYS = timedelta(days=15)


@dataclass(frozen=True)
class Suspension:
    """Days that are not counted and on which the term may not end; what was left goes on afterwards."""

    first: date
    last: date
    act: str = ""

    def __post_init__(self) -> None:
        if not FIRST_YEAR <= self.first.year <= self.last.year <= LAST_YEAR or self.last < self.first:
            raise Invalid("A suspensão termina antes de começar.", code="prazo.suspensao")

    @property
    def reason(self) -> str:
        return f"prazo suspenso ({self.act})" if self.act else "prazo suspenso"


@dataclass(frozen=True)
class Interruption:
    """The count is lost on a day and begins again, whole, from a new service."""

    day: date
    restart: datetime
    act: str = ""


@dataclass(frozen=True)
class Due:
    """When a term ends. A filing is in time when its instant is before `expires_at`.

    Attributes:
        due_at: what is printed: last second of the last local day or, for hours, the minute (UTC).
        expires_at: first instant that is late (UTC).
        first_day: first counted day.
    """

    due_at: datetime
    expires_at: datetime
    first_day: date
    trace: Trace


def count(
    term: Term,
    served: datetime | Sequence[datetime],
    calendar: Calendar,
    suspensions: Iterable[Suspension | Interruption] = (),
) -> Due:
    """The due date of a term. Several services are accepted where the profile makes the term common.

    Raises:
        ValueError: an instant without offset.
        Invalid: a term without length in the law, dates out of range, or services the profile cannot join.
    """
    instants = _instants(served)
    if len(instants) > 1 and PROFILES[term.profile].parties is not Parties.LAST:
        raise Invalid(
            f"O perfil {term.profile} conta uma ciência por prazo; foram dadas {len(instants)}.",
            code="prazo.varias_ciencias",
        )
    return _counted(term, instants, calendar, tuple(suspensions))


def count_each(
    term: Term,
    served: Sequence[datetime],
    calendar: Calendar,
    suspensions: Iterable[Suspension | Interruption] = (),
) -> tuple[Due, ...]:
    """One due date per service, in the order given, where each party has its own term."""
    if PROFILES[term.profile].parties is not Parties.EACH:
        return (count(term, served, calendar, suspensions),)
    pauses = tuple(suspensions)
    return tuple(_counted(term, (instant,), calendar, pauses) for instant in _instants(served))


def _instants(served: datetime | Sequence[datetime]) -> tuple[datetime, ...]:
    instants = tuple(utc(one) for one in ([served] if isinstance(served, datetime) else served))
    if not instants:
        raise Invalid("Falta a data da ciência.", code="prazo.sem_ciencia")
    if any(not FIRST_YEAR < one.year < LAST_YEAR for one in instants):
        raise Invalid("A data da ciência está fora do alcance do calendário.", code="prazo.ciencia")
    return instants


def _counted(
    term: Term,
    served: tuple[datetime, ...],
    calendar: Calendar,
    pauses: tuple[Suspension | Interruption, ...],
) -> Due:
    if term.amount is None and term.unit is not Unit.FIXED_DATE:
        raise Invalid(
            f"A lei não fixa a duração do prazo «{term.name}» ({term.article}): registre o valor e o ato que o "
            "fixa antes de contar.",
            code="prazo.sem_quantidade",
        )
    if pauses and term.unit is Unit.BACKWARDS_DAYS:
        raise Invalid("O prazo contado para trás não se suspende nem se interrompe.", code="prazo.suspensao")
    stops = tuple(pause for pause in pauses if isinstance(pause, Suspension))
    due = _Count(term, calendar, stops, served, max(served)).due()
    restarts = sorted((p for p in pauses if isinstance(p, Interruption)), key=lambda p: p.day)
    for interruption in restarts:
        due = _interrupted(term, calendar, stops, due, interruption)
    return due


def _interrupted(
    term: Term, calendar: Calendar, stops: tuple[Suspension, ...], due: Due, interruption: Interruption
) -> Due:
    restart, running = utc(interruption.restart), due.trace
    act = f" ({interruption.act})" if interruption.act else ""
    day = interruption.day
    if day < local_day(running.counted_from, term.zone) or day > local_day(restart, term.zone):
        raise Invalid("A interrupção deve ficar entre a ciência e a nova ciência.", code="prazo.interrupcao")
    if day > local_day(due.due_at, term.zone):
        note = f"A interrupção de {short(day)}{act} não teve efeito: o prazo já havia vencido."
        return replace(due, trace=replace(running, notes=(*running.notes, note)))
    again = in_full(local_day(restart, term.zone))
    note = f"Prazo interrompido em {short(day)}{act}: recomeça por inteiro da nova ciência, em {again}."
    return _Count(term, calendar, stops, running.served, restart, (*running.notes, note)).due()


@dataclass(frozen=True)
class _Count:
    """One count under way: what it walks over, and from where."""

    term: Term
    calendar: Calendar
    stops: tuple[Suspension, ...]
    served: tuple[datetime, ...]
    start: datetime
    notes: tuple[str, ...] = ()

    @cached_property
    def profile(self) -> Profile:
        return PROFILES[self.term.profile]

    @cached_property
    def step(self) -> timedelta:
        return ONE_DAY * self.profile.step

    @property
    def amount(self) -> int:
        return (self.term.amount or 0) + self.profile.extra

    def due(self) -> Due:
        return self._in_hours() if self.term.unit is Unit.HOURS else self._in_days()

    def _in_days(self) -> Due:
        beginning, before = self._beginning()
        first, skipped_first = self._first(beginning)
        reckoned, skipped = self._reach(beginning, first)
        last, moved = self._settle(reckoned)
        due_at, expires_at = day_end(last, self.term.zone), day_after_end(last, self.term.zone)
        trace = self._trace(
            beginning=beginning,
            before=before,
            first_day=first,
            skipped_first=skipped_first,
            skipped=skipped,
            reckoned=reckoned,
            moved=moved,
            due_at=due_at,
            expires_at=expires_at,
        )
        return Due(due_at, expires_at, first, trace)

    def _in_hours(self) -> Due:
        zone = self.term.zone
        stopped = self._stopped_time()
        due_at = whole_minute(self.start + timedelta(hours=self.amount) + stopped)
        reckoned = local_day(due_at, zone)
        last, moved = self._settle(reckoned)
        if moved and self.profile.end is not End.SAME_CLOCK:
            due_at, expires_at = day_end(last, zone), day_after_end(last, zone)
        else:
            due_at = same_clock(last, due_at, zone) if moved else due_at
            expires_at = due_at + timedelta(minutes=1)
        day = local_day(self.start, zone)
        first, skipped = self._walk(day, ONE_DAY, self._suspended)
        return Due(
            due_at,
            expires_at,
            first,
            self._trace(
                beginning=day,
                first_day=first,
                skipped_first=skipped,
                reckoned=reckoned,
                moved=moved,
                stopped_seconds=int(stopped.total_seconds()),
                due_at=due_at,
                expires_at=expires_at,
            ),
        )

    def _stopped_time(self) -> timedelta:
        """How long suspended days hold the clock of a term in hours."""
        # Whole minutes: a service at 14:20:37 is printed, and counted, as 14:20.
        start, stopped = whole_minute(self.start), timedelta(0)
        for first, last in _joined(self.stops):
            begins, ends = day_start(first, self.term.zone), day_after_end(last, self.term.zone)
            if start + timedelta(hours=self.amount) + stopped < begins:
                break
            stopped += max(ends - max(begins, start), timedelta(0))
        return stopped

    def _beginning(self) -> tuple[date, tuple[Passed, ...]]:
        day = local_day(self.start, self.term.zone)
        kind = self.profile.beginning
        if kind is Beginning.SERVICE_OR_NEXT_BUSINESS:
            return self._walk(day, ONE_DAY, self.calendar.why_closed)
        if kind is Beginning.NEXT_BUSINESS:
            return self._walk(day + ONE_DAY, ONE_DAY, self.calendar.why_closed)
        return (day + _EDITAL_DAYS if kind is Beginning.FIFTEEN_DAYS_LATER else day), ()

    def _first(self, beginning: date) -> tuple[date, tuple[Passed, ...]]:
        if self.profile.first is First.SAME_DAY:
            return self._walk(beginning, self.step, self._suspended)
        business = self.profile.first is First.ADJACENT_BUSINESS
        bar = self._suspended_or_closed if business else self._uncounted
        return self._walk(beginning + self.step, self.step, bar)

    def _reach(self, beginning: date, first: date) -> tuple[date, tuple[Passed, ...]]:
        """The day on which the count itself comes out, and the days inside it that were not counted."""
        if self.term.unit in (Unit.MONTHS, Unit.YEARS):
            return self._reach_by_month(beginning)
        if self.term.unit is Unit.FIXED_DATE:
            number = self.term.day or 0
            return next_occurrence(beginning, number, self.term.month, self.profile.missing), ()
        day, skipped = first, list[Passed]()
        for _ in range(self.amount - 1):
            day, over = self._walk(day + self.step, self.step, self._uncounted)
            skipped += over
        return day, tuple(skipped)

    def _reach_by_month(self, beginning: date) -> tuple[date, tuple[Passed, ...]]:
        # Date to date leaves no days to skip, so each suspended day inside the term is given back at its end.
        months = self.amount * (12 if self.term.unit is Unit.YEARS else 1)
        end, day, skipped = add_months(beginning, months, self.profile.missing), beginning, list[Passed]()
        while day < end:
            day += ONE_DAY
            if reason := self._suspended(day):
                skipped.append(Passed(day, reason))
                end += ONE_DAY
        return end, tuple(skipped)

    def _settle(self, reckoned: date) -> tuple[date, tuple[Passed, ...]]:
        """The day on which the term may end, and the days it could not end on."""
        if self.profile.end is End.STAYS:
            return reckoned, ()
        return self._walk(reckoned, self.step, self._barred)

    def _walk(
        self, day: date, step: timedelta, bar: Callable[[date], str | None]
    ) -> tuple[date, tuple[Passed, ...]]:
        """From `day` on, the first day that nothing bars, and the barred ones on the way."""
        passed = []
        while reason := bar(day):
            passed.append(Passed(day, reason))
            day += step
        return day, tuple(passed)

    def _suspended(self, day: date) -> str | None:
        return next((stop.reason for stop in self.stops if stop.first <= day <= stop.last), None)

    def _suspended_or_closed(self, day: date) -> str | None:
        return self._suspended(day) or self.calendar.why_closed(day, WHOLE_DAY)

    def _uncounted(self, day: date) -> str | None:
        business = self.term.unit is Unit.BUSINESS_DAYS or self.profile.counts_business
        return self._suspended_or_closed(day) if business else self._suspended(day)

    def _barred(self, day: date) -> str | None:
        return self._suspended(day) or self.calendar.why_closed(day, self.profile.barring)

    def _trace(
        self,
        *,
        beginning: date,
        first_day: date,
        reckoned: date,
        due_at: datetime,
        expires_at: datetime,
        before: tuple[Passed, ...] = (),
        skipped_first: tuple[Passed, ...] = (),
        skipped: tuple[Passed, ...] = (),
        moved: tuple[Passed, ...] = (),
        stopped_seconds: int = 0,
    ) -> Trace:
        term = self.term
        return Trace(
            term=term.name,
            article=term.article,
            profile=term.profile,
            unit=term.unit,
            amount=term.amount,
            fixed=(term.day, term.month) if term.day is not None else None,
            zone=term.zone.key,
            served=self.served,
            counted_from=self.start,
            beginning=beginning,
            before=before,
            first_day=first_day,
            skipped_first=skipped_first,
            skipped=skipped,
            reckoned=reckoned,
            moved=moved,
            stopped_seconds=stopped_seconds,
            notes=self.notes,
            calendar_version=self.calendar.version,
            due_at=due_at,
            expires_at=expires_at,
            starts=term.starts,
        )


def _joined(stops: Iterable[Suspension]) -> list[tuple[date, date]]:
    """Suspensions as periods that do not overlap, in order."""
    joined: list[tuple[date, date]] = []
    for stop in sorted(stops, key=lambda stop: stop.first):
        if joined and stop.first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop.last))
        else:
            joined.append((stop.first, stop.last))
    return joined
