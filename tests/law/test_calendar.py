"""Which days are closed, by which act, and what was known of it when."""

from __future__ import annotations

from datetime import date, time

import pytest

from app.errors import Invalid
from app.law.calendar import Calendar, Closure

MONDAY, SATURDAY, SUNDAY = date(2026, 3, 9), date(2026, 3, 14), date(2026, 3, 15)
SAO_JOAO = Closure(date(2026, 6, 24), "H", "municipal", "São João", act="Lei municipal 1/1950")
CARNIVAL = date(2026, 2, 16)


def test_saturdays_and_sundays_are_never_business_days():
    calendar = Calendar()
    assert calendar.is_business(MONDAY)
    assert calendar.why_closed(SATURDAY) == "sábado"
    assert calendar.why_closed(SUNDAY) == "domingo"


def test_a_holiday_closes_the_day_and_says_by_which_act():
    calendar = Calendar([SAO_JOAO])
    assert calendar.why_closed(SAO_JOAO.day) == "feriado: São João (Lei municipal 1/1950)"
    assert calendar.on(SAO_JOAO.day) == (SAO_JOAO,)
    assert calendar.days == (SAO_JOAO.day,)


def test_a_holiday_on_a_weekend_tells_both():
    calendar = Calendar([Closure(SATURDAY, "H", name="Festa")])
    assert calendar.why_closed(SATURDAY) == "sábado e feriado: Festa"


def test_a_ponto_facultativo_closes_only_when_its_row_says_so():
    opened = Closure(CARNIVAL, "P", name="Carnaval", act="Decreto 9/2026")
    closed = Closure(CARNIVAL, "P", name="Carnaval", act="Decreto 9/2026", office_closed=True)
    assert Calendar([opened]).is_business(CARNIVAL)
    assert opened.reason == "ponto facultativo com a repartição aberta: Carnaval (Decreto 9/2026)"
    assert Calendar([closed]).why_closed(CARNIVAL) == (
        "ponto facultativo com a repartição fechada: Carnaval (Decreto 9/2026)"
    )


def test_a_short_day_is_a_business_day_and_bars_only_where_asked():
    early = Closure(MONDAY, "E", name="jogo", closes_at=time(13), act="Portaria 3")
    late = Closure(MONDAY, "L", opens_at=time(14))
    calendar = Calendar([early, late])
    assert calendar.is_business(MONDAY)
    assert calendar.why_closed(MONDAY, frozenset("HPE")) == (
        "expediente encerrado mais cedo, às 13:00: jogo (Portaria 3)"
    )
    assert calendar.why_closed(MONDAY, frozenset("L")) == "expediente iniciado mais tarde, às 14:00"
    assert Closure(MONDAY, "E").reason == "expediente encerrado mais cedo"
    assert Closure(MONDAY, "L").reason == "expediente iniciado mais tarde"


def test_a_holiday_cancelled_and_restored_is_known_as_it_was_each_day():
    # What Baixo Guandu did in March 2024 with its 10 April.
    day = date(2024, 4, 10)
    first = Closure(
        day,
        "H",
        "municipal",
        "Emancipação",
        act="Lei",
        revoked_by="Decreto A",
        revoked_on=date(2024, 3, 25),
    )
    again = Closure(day, "H", "municipal", "Emancipação", act="Decreto B", published_on=date(2024, 3, 26))
    calendar = Calendar([first, again])
    assert calendar.as_of(date(2024, 3, 24)).on(day) == (first,)
    assert calendar.as_of(date(2024, 3, 25)).is_business(day)
    assert calendar.as_of(date(2024, 3, 26)).on(day) == (again,)
    assert calendar.on(day) == (again,)


def test_an_act_does_not_close_a_day_before_it_is_in_force():
    law = {"name": "Dia do Evangélico", "act": "Lei 2.053/2018", "in_force_from": date(2018, 6, 6)}
    calendar = Calendar(
        [Closure(day, "H", **law) for day in (date(2010, 8, 20), date(2018, 6, 6), date(2019, 8, 20))]
    )
    assert calendar.is_business(date(2010, 8, 20))
    assert not calendar.is_business(date(2018, 6, 6))
    assert not calendar.is_business(date(2019, 8, 20))


def test_the_version_depends_on_the_rows_in_effect_and_not_on_their_order():
    other = Closure(CARNIVAL, "H", published_on=date(2026, 1, 10))
    calendar = Calendar([SAO_JOAO, other], "Jequié/BA")
    assert calendar.version == Calendar([other, SAO_JOAO, SAO_JOAO]).version
    assert calendar.as_of(date(2026, 1, 9)).version == Calendar([SAO_JOAO]).version != calendar.version
    assert calendar.as_of(date(2026, 1, 9)).scope == "Jequié/BA"


def test_a_calendar_with_more_rows_is_another_calendar():
    calendar = Calendar([SAO_JOAO], "Jequié/BA")
    more = calendar.with_closures([Closure(CARNIVAL, "H")])
    assert calendar.is_business(CARNIVAL)
    assert not more.is_business(CARNIVAL)
    assert more.scope == "Jequié/BA"


def test_years_that_nobody_confirmed_are_named():
    assert Calendar([SAO_JOAO]).unconfirmed(date(2025, 12, 20), date(2027, 1, 5)) == (2025, 2027)


def test_an_unknown_kind_of_day_is_refused():
    with pytest.raises(Invalid, match="use H, P, E ou L"):
        Closure(MONDAY, "X")


def test_a_revocation_needs_its_act():
    with pytest.raises(Invalid, match="precisa do ato"):
        Closure(MONDAY, "H", revoked_on=MONDAY)


def test_a_revocation_without_a_date_takes_the_row_out_of_every_version():
    calendar = Calendar([Closure(MONDAY, "H", revoked_by="Decreto 2")])
    assert calendar.is_business(MONDAY)
    assert calendar.as_of(date(2020, 1, 1)).is_business(MONDAY)
