"""The counting profiles, and the terms that name one.

Each profile is a row that says where a count begins, what it counts and how it ends. A regime of Brazilian law
that counts differently is another row here, never an `if` in the counting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.law.arithmetic import MissingDay


class Unit(StrEnum):
    """What an amount of time is measured in."""

    BUSINESS_DAYS = "business_days"
    CALENDAR_DAYS = "calendar_days"
    HOURS = "hours"
    MONTHS = "months"
    YEARS = "years"
    BACKWARDS_DAYS = "backwards_days"
    FIXED_DATE = "fixed_date"


class Beginning(StrEnum):
    """Which day is the day of beginning, seen from the local day of the service."""

    SERVICE_DAY = "service_day"
    SERVICE_OR_NEXT_BUSINESS = "service_or_next_business"
    NEXT_BUSINESS = "next_business"
    FIFTEEN_DAYS_LATER = "fifteen_days_later"


class First(StrEnum):
    """Which day is counted first, seen from the day of beginning."""

    SAME_DAY = "same_day"
    ADJACENT = "adjacent"
    ADJACENT_BUSINESS = "adjacent_business"


class End(StrEnum):
    """What happens when the count ends on a day that bars an end."""

    STAYS = "stays"
    #: Moves on in the direction of the count, to the end of the first day that does not bar it.
    MOVES = "moves"
    SAME_CLOCK = "same_clock"


class Parties(StrEnum):
    """How several services relate."""

    ONE = "one"
    EACH = "each"
    LAST = "last"


FORWARD = frozenset({Unit.BUSINESS_DAYS, Unit.CALENDAR_DAYS, Unit.MONTHS, Unit.YEARS, Unit.FIXED_DATE})
_HOURS = frozenset({Unit.HOURS})
_BACK = frozenset({Unit.BACKWARDS_DAYS})
_DAYS = frozenset({Unit.CALENDAR_DAYS})
_HPE = frozenset("HPE")
_HPEL = frozenset("HPEL")
_HP = frozenset("HP")


@dataclass(frozen=True)
class Profile:
    """How one regime counts.

    Attributes:
        name: the name a deadline of the norm carries.
        description: the rule in Portuguese, for the trace that a lawyer reads.
        barring: kinds of closure on which the end may not fall (weekends always bar it, where the end moves).
        missing: reading of a month that lacks the day.
        units: the units that this profile can count.
        counts_business: a backwards count that counts business days only.
        extra: whole days that must lie between, on top of the amount.
    """

    name: str
    description: str
    beginning: Beginning = Beginning.SERVICE_DAY
    first: First = First.ADJACENT
    end: End = End.MOVES
    barring: frozenset[str] = _HPE
    missing: MissingDay = MissingDay.LAST_OF_MONTH
    units: frozenset[Unit] = FORWARD
    parties: Parties = Parties.ONE
    counts_business: bool = False
    extra: int = 0

    @property
    def step(self) -> int:
        """+1 for a count towards the future, -1 for a count back from a date."""
        return -1 if Unit.BACKWARDS_DAYS in self.units else 1


_TABLE = (
    Profile(
        "LPA_9784",
        "exclui-se o dia da ciência e inclui-se o do vencimento; se nele não houver expediente, ou se este "
        "encerrar mais cedo, o vencimento passa ao primeiro dia útil seguinte (Lei 9.784/1999, art. 66)",
    ),
    Profile(
        "START_BD",
        "o prazo só começa e só vence em dia útil (Lei 8.666/1993, art. 110, parágrafo único; "
        "Decreto 70.235/1972, art. 5º; Lei BA 12.209/2011, art. 42)",
        first=First.ADJACENT_BUSINESS,
    ),
    Profile(
        "DEEMED_NEXT_BD",
        "a ciência em dia sem expediente considera-se feita no primeiro dia útil seguinte "
        "(Lei 11.419/2006, art. 5º, § 2º, por analogia)",
        beginning=Beginning.SERVICE_OR_NEXT_BUSINESS,
    ),
    Profile(
        "LIC_14133_WEB",
        "o dia do começo é o primeiro dia útil seguinte ao da disponibilização na internet e não se conta "
        "(Lei 14.133/2021, art. 183, § 1º, I)",
        beginning=Beginning.NEXT_BUSINESS,
        first=First.ADJACENT_BUSINESS,
    ),
    Profile(
        "LIC_14133_AR",
        "o dia do começo é o da juntada do aviso de recebimento e não se conta "
        "(Lei 14.133/2021, art. 183, § 1º, II)",
        first=First.ADJACENT_BUSINESS,
    ),
    Profile(
        "DJE",
        "a publicação é o primeiro dia útil seguinte ao da disponibilização no diário eletrônico, e o prazo "
        "começa no dia útil seguinte (Lei 11.419/2006, art. 4º, §§ 3º e 4º)",
        beginning=Beginning.NEXT_BUSINESS,
        first=First.ADJACENT_BUSINESS,
        barring=_HPEL,
    ),
    Profile(
        "CPC_224",
        "exclui-se o dia do começo e o prazo corre do primeiro dia útil; o vencimento passa ao dia útil "
        "seguinte se o expediente encerrar mais cedo ou iniciar mais tarde (CPC, art. 224)",
        first=First.ADJACENT_BUSINESS,
        barring=_HPEL,
    ),
    Profile(
        "EDITAL_15",
        "a ciência por edital considera-se feita quinze dias após a publicação "
        "(Decreto 70.235/1972, art. 23, § 2º, IV)",
        beginning=Beginning.FIFTEEN_DAYS_LATER,
        first=First.ADJACENT_BUSINESS,
    ),
    Profile(
        "TACIT_INCL",
        "ciência tácita: o dia do envio é o primeiro dia e o décimo não se move "
        "(Lei 11.419/2006, art. 5º, § 3º; STJ, AgRg no AREsp 2.492.606/DF)",
        first=First.SAME_DAY,
        end=End.STAYS,
        units=_DAYS,
    ),
    Profile(
        "TACIT_EXCL",
        "ciência tácita: exclui-se o dia do envio e o último dia não se move (decreto local)",
        end=End.STAYS,
        units=_DAYS,
    ),
    Profile(
        "CC_132",
        "contagem civil: exclui-se o dia do começo; se o vencimento cair em feriado, passa ao dia útil "
        "seguinte; se o mês não tiver o dia, vence no dia imediato (Código Civil, art. 132; Lei 810/1949)",
        barring=_HP,
        missing=MissingDay.DAY_AFTER,
    ),
    Profile(
        "WAIT_CC",
        "prazo de espera, em contagem civil: termina no próprio dia, ainda que sem expediente "
        "(Código Civil, art. 132, § 3º; Lei 810/1949)",
        end=End.STAYS,
        missing=MissingDay.DAY_AFTER,
    ),
    Profile(
        "DURATION",
        "duração de um estado (validade, obrigação, suspensão): termina no próprio dia, ainda que sem "
        "expediente",
        end=End.STAYS,
    ),
    Profile(
        "HOURS_STRICT",
        "em horas, de minuto a minuto, sem interrupção em dia sem expediente (Código Civil, art. 132, § 4º)",
        end=End.STAYS,
        units=_HOURS,
    ),
    Profile(
        "HOURS_ROLL_EOD",
        "em horas, de minuto a minuto; se terminar em dia sem expediente, vence no fim do primeiro dia útil "
        "seguinte (Código Civil, art. 132, §§ 1º e 4º)",
        barring=_HP,
        units=_HOURS,
    ),
    Profile(
        "HOURS_ROLL_SAME_CLOCK",
        "em horas, de minuto a minuto; se terminar em dia sem expediente, vence à mesma hora do primeiro dia "
        "útil seguinte (Código Civil, art. 132, §§ 1º e 4º)",
        end=End.SAME_CLOCK,
        barring=_HP,
        units=_HOURS,
    ),
    Profile(
        "BACK_INCL",
        "conta-se para trás, excluída a data de referência; se o último dia não tiver expediente, antecipa-se "
        "para o dia útil anterior, para que a antecedência mínima se mantenha",
        barring=_HP,
        units=_BACK,
    ),
    Profile(
        "BACK_BUSINESS_INCL",
        "contam-se para trás só dias úteis, excluída a data de referência e incluído o último dia",
        end=End.STAYS,
        units=_BACK,
        counts_business=True,
    ),
    Profile(
        "BACK_BUSINESS_CLEAR",
        "contam-se para trás só dias úteis, que devem ficar livres por inteiro entre o último dia e a data de "
        "referência",
        end=End.STAYS,
        units=_BACK,
        counts_business=True,
        extra=1,
    ),
    Profile(
        "MULTI_INDIVIDUAL",
        "cada interessado tem o seu prazo, contado da sua ciência; exclui-se o dia da ciência e o vencimento "
        "em dia sem expediente passa ao dia útil seguinte (CPC, art. 231, § 2º, por analogia)",
        parties=Parties.EACH,
    ),
    Profile(
        "MULTI_LAST",
        "prazo comum, contado da última ciência; exclui-se o dia da ciência e o vencimento em dia sem "
        "expediente passa ao dia útil seguinte (CPC, art. 231, § 1º, por analogia)",
        parties=Parties.LAST,
    ),
)

#: Every profile, by the name that deadlines and example files use.
PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _TABLE})

#: The largest amounts a norm may set: a century. More is a typing error, and unbounded work.
LIMITS = {
    Unit.BUSINESS_DAYS: 36_525,
    Unit.CALENDAR_DAYS: 36_525,
    Unit.BACKWARDS_DAYS: 36_525,
    Unit.HOURS: 876_600,
    Unit.MONTHS: 1_200,
    Unit.YEARS: 100,
}


@dataclass(frozen=True)
class Term:
    """A deadline as the norm sets it.

    Attributes:
        amount: None for a fixed date, and for a term whose length the law leaves unset.
        day, month: the fixed date; without a month, that day of every month.
        starts, binds, effect: from what it runs, whom it binds and what its end brings, in Portuguese.
        code: the number of the deadline in the municipality's table ("DL-22").
    """

    key: str
    name: str
    amount: int | None
    unit: Unit
    profile: str
    article: str
    zone: ZoneInfo
    code: str = ""
    starts: str = ""
    binds: str = ""
    effect: str = ""
    day: int | None = None
    month: int | None = None

    def __post_init__(self) -> None:
        profile = PROFILES.get(self.profile)
        if profile is None:
            raise Invalid(f"O perfil de contagem {self.profile!r} não existe.", code="prazo.perfil")
        if self.unit not in profile.units:
            raise Invalid(
                f"O perfil {self.profile} não conta em {self.unit.value}; conta em "
                f"{', '.join(sorted(unit.value for unit in profile.units))}.",
                code="prazo.unidade",
            )
        if self.unit is Unit.FIXED_DATE:
            self._check_fixed_date()
        elif self.day is not None or self.month is not None:
            raise Invalid("Só a data fixa tem dia e mês.", code="prazo.data_fixa")
        elif self.amount is not None and not 1 <= self.amount <= LIMITS[self.unit]:
            raise Invalid(
                f"A quantidade do prazo deve ficar entre 1 e {LIMITS[self.unit]}; foi dada {self.amount}.",
                code="prazo.quantidade",
            )

    def _check_fixed_date(self) -> None:
        if self.amount is not None or self.day is None:
            raise Invalid("A data fixa tem dia (e mês), não quantidade.", code="prazo.data_fixa")
        longest = 31 if self.month is None else {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}.get(self.month, 31)
        if not 1 <= self.day <= longest or not (self.month is None or 1 <= self.month <= 12):
            raise Invalid(f"A data fixa {self.day}/{self.month} não existe.", code="prazo.data_fixa")
