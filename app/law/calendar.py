"""Which days an office is closed, by which act, and what was known of it on a given date.

A calendar is a value: it never changes, it only has other versions. Rows come from the norm's content and from
the calendar acts recorded in the store; this file neither reads nor writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, time
from functools import cached_property

from app.errors import Invalid
from app.law.arithmetic import WEEKDAYS
from app.values import canonical, digest

#: H holiday, P ponto facultativo, E office closes early, L office opens late.
KINDS = frozenset("HPEL")
#: Codes that take a whole day away. Early closing (E) and late opening (L) leave a business day.
WHOLE_DAY = frozenset("HP")


@dataclass(frozen=True)
class Closure:
    """One day on which the office does not keep its usual hours, and the act that says so.

    Attributes:
        kind: one of `KINDS`.
        office_closed: for P only: the row says that this office has no hours that day. A ponto facultativo
            is not a holiday, and alone it closes nothing (Lei 9.784/1999 art. 66 § 1 asks for "não houver
            expediente").
        published_on: when the act became known; `Calendar.as_of` leaves the row out before that.
        in_force_from: first day the act governs; a closure on an earlier day has no effect.
        revoked_by, revoked_on: act that took the closure back, and since when that is known. Without the
            date the row never has effect: nobody can say on which day it still had.
    """

    day: date
    kind: str
    scope: str = ""
    name: str = ""
    opens_at: time | None = None
    closes_at: time | None = None
    act: str = ""
    published_on: date | None = None
    in_force_from: date | None = None
    office_closed: bool = False
    revoked_by: str | None = None
    revoked_on: date | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Invalid(
                f"O tipo de dia {self.kind!r} não existe: use H, P, E ou L.", code="calendario.tipo"
            )
        if self.revoked_on is not None and not self.revoked_by:
            raise Invalid("A revogação de um dia precisa do ato que a fez.", code="calendario.revogacao")

    @property
    def closes(self) -> bool:
        """Whether the row takes the whole day away."""
        return self.kind == "H" or (self.kind == "P" and self.office_closed)

    @property
    def effective(self) -> bool:
        """Whether the act already governed the day it names."""
        return self.in_force_from is None or self.in_force_from <= self.day

    def known_on(self, day: date | None) -> bool:
        """Whether the row was published, and not yet taken back, on `day`; None is the newest knowledge."""
        published = day is None or self.published_on is None or self.published_on <= day
        standing = not self.revoked_by or (
            day is not None and self.revoked_on is not None and day < self.revoked_on
        )
        return published and standing

    @property
    def reason(self) -> str:
        """Why the day is irregular, in Portuguese, with the act: `feriado: Natal (Lei 662/1949)`."""
        name = f": {self.name}" if self.name else ""
        act = f" ({self.act})" if self.act else ""
        return self._what() + name + act

    def _what(self) -> str:
        if self.kind == "H":
            return "feriado"
        if self.kind == "P":
            closed = "repartição fechada" if self.office_closed else "repartição aberta"
            return f"ponto facultativo com a {closed}"
        if self.kind == "E":
            at = f", às {self.closes_at:%H:%M}" if self.closes_at else ""
            return f"expediente encerrado mais cedo{at}"
        at = f", às {self.opens_at:%H:%M}" if self.opens_at else ""
        return f"expediente iniciado mais tarde{at}"

    def row(self) -> dict[str, str | bool | None]:
        """Plain values, for digests and records."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {k: v.isoformat() if isinstance(v, date | time) else v for k, v in plain.items()}


@dataclass(frozen=True)
class Calendar:
    """The closures that one office keeps. Saturdays and Sundays are never business days and need no row.

    Attributes:
        closures: every row ever known, those taken back included; the newest knowledge decides.
        scope: whose calendar this is, for the reader ("Jequié/BA").
    """

    closures: tuple[Closure, ...] = ()
    scope: str = ""
    known: date | None = field(default=None)

    def __init__(self, closures: Iterable[Closure] = (), scope: str = "", known: date | None = None) -> None:
        ordered = sorted(set(closures), key=lambda row: (row.day, repr(row)))
        object.__setattr__(self, "closures", tuple(ordered))
        object.__setattr__(self, "scope", scope)
        object.__setattr__(self, "known", known)

    def as_of(self, day: date) -> Calendar:
        """The calendar as somebody knew it on `day`: later acts and later revocations do not exist yet."""
        return Calendar(self.closures, self.scope, day)

    def with_closures(self, more: Iterable[Closure]) -> Calendar:
        """A version with more rows; this one stays as it is."""
        return Calendar((*self.closures, *more), self.scope, self.known)

    @cached_property
    def _by_day(self) -> dict[date, tuple[Closure, ...]]:
        found: dict[date, tuple[Closure, ...]] = {}
        for row in self.closures:
            if row.known_on(self.known) and row.effective:
                found[row.day] = (*found.get(row.day, ()), row)
        return found

    @cached_property
    def version(self) -> str:
        """SHA-256 over the rows in effect: two calendars that count alike have the same version."""
        return digest(canonical([row.row() for rows in self._by_day.values() for row in rows]))

    @property
    def days(self) -> tuple[date, ...]:
        """The days with a row in effect, in order."""
        return tuple(self._by_day)

    def on(self, day: date) -> tuple[Closure, ...]:
        """The rows in effect for a day."""
        return self._by_day.get(day, ())

    def is_business(self, day: date) -> bool:
        """A weekday on which this office keeps hours, however short."""
        return self.why_closed(day) is None

    def why_closed(self, day: date, codes: frozenset[str] = WHOLE_DAY) -> str | None:
        """What bars `day` when only the kinds in `codes` (and weekends) bar a day; None when nothing does."""
        reasons = [WEEKDAYS[day.weekday()]] if day.weekday() >= 5 else []
        for row in self.on(day):
            if row.kind in codes and (row.closes or row.kind not in WHOLE_DAY):
                reasons.append(row.reason)
        return " e ".join(reasons) or None

    def unconfirmed(self, first: date, last: date) -> tuple[int, ...]:
        """Years between two dates that have no row at all, so that nobody has confirmed their calendar."""
        known = {day.year for day in self._by_day}
        return tuple(year for year in range(first.year, last.year + 1) if year not in known)
