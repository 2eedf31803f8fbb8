"""Instants, bounds, pauses and refusals of the counting; the dates themselves are in the example files."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.errors import Invalid
from app.law.arithmetic import same_clock
from app.law.calendar import Calendar
from app.law.counting import Interruption, Suspension, Term, Unit, count, count_each

BAHIA, SAO_PAULO = ZoneInfo("America/Bahia"), ZoneInfo("America/Sao_Paulo")
NONE = Calendar()


def term(
    amount: int | None = 5,
    unit: Unit = Unit.BUSINESS_DAYS,
    profile: str = "LPA_9784",
    zone: ZoneInfo = BAHIA,
    day: int | None = None,
    month: int | None = None,
) -> Term:
    return Term("defesa", "Defesa", amount, unit, profile, "Art. 126, § 1º", zone, day=day, month=month)


def bahia(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=BAHIA)


def test_a_filing_at_ten_at_night_on_the_last_day_is_in_time():
    # Monday 9 March, five business days: the last one is Monday 16.
    due = count(term(), bahia(2026, 3, 9, 10, 15), NONE)
    assert bahia(2026, 3, 16, 22) < due.expires_at
    assert bahia(2026, 3, 16, 23, 59, 59) < due.expires_at
    assert not bahia(2026, 3, 17) < due.expires_at
    # In UTC that filing is already of the 17th.
    assert datetime(2026, 3, 17, 1, tzinfo=UTC) < due.expires_at


def test_days_end_with_the_last_second_and_expire_at_the_next_local_midnight():
    due = count(term(), bahia(2026, 3, 9, 10, 15), NONE)
    assert due.due_at == bahia(2026, 3, 16, 23, 59, 59)
    assert due.expires_at == bahia(2026, 3, 17)
    assert due.due_at.tzinfo is UTC
    assert due.expires_at.tzinfo is UTC
    assert due.first_day == date(2026, 3, 10)


def test_hours_are_in_time_through_the_printed_minute():
    due = count(term(72, Unit.HOURS, "HOURS_STRICT"), bahia(2026, 3, 9, 14, 20, 37), NONE)
    assert due.due_at == bahia(2026, 3, 12, 14, 20)
    assert due.expires_at == bahia(2026, 3, 12, 14, 21)
    assert bahia(2026, 3, 12, 14, 20, 59) < due.expires_at


def test_hours_moved_to_the_end_of_a_day_expire_at_midnight():
    due = count(term(72, Unit.HOURS, "HOURS_ROLL_EOD"), bahia(2026, 3, 12, 14, 20), NONE)
    assert (due.due_at, due.expires_at) == (bahia(2026, 3, 16, 23, 59, 59), bahia(2026, 3, 17))


def test_hours_moved_to_the_same_clock_expire_a_minute_later():
    due = count(term(72, Unit.HOURS, "HOURS_ROLL_SAME_CLOCK"), bahia(2026, 3, 12, 14, 20), NONE)
    assert (due.due_at, due.expires_at) == (bahia(2026, 3, 16, 14, 20), bahia(2026, 3, 16, 14, 21))


def test_a_day_before_one_without_midnight_expires_when_that_one_begins():
    # On 4 November 2018 the clocks of São Paulo went from 23:59:59 (-03:00) to 01:00:00 (-02:00).
    due = count(
        term(2, Unit.CALENDAR_DAYS, "DURATION", SAO_PAULO),
        datetime(2018, 11, 1, 10, tzinfo=SAO_PAULO),
        NONE,
    )
    assert due.expires_at == datetime(2018, 11, 4, 3, tzinfo=UTC)
    assert due.expires_at.astimezone(SAO_PAULO).hour == 1


def test_a_clock_time_that_does_not_exist_leaves_the_party_more_time():
    # Asunción went from 00:00 to 01:00 on 6 October 2019: half past midnight is read as half past one.
    asuncion = ZoneInfo("America/Asuncion")
    half_past_midnight = datetime(2019, 10, 4, 0, 30, tzinfo=asuncion)
    found = same_clock(date(2019, 10, 6), half_past_midnight, asuncion)
    assert found.astimezone(asuncion).strftime("%H:%M") == "01:30"


def test_a_fixed_date_is_the_next_one_after_the_day_of_beginning():
    balance = term(None, Unit.FIXED_DATE, day=30, month=3)
    assert count(balance, bahia(2026, 1, 5), NONE).due_at == bahia(2026, 3, 30, 23, 59, 59)
    assert count(balance, bahia(2025, 12, 31), NONE).due_at == bahia(2026, 3, 30, 23, 59, 59)
    # 30 March 2024 is a Saturday: Monday 1 April.
    assert count(balance, bahia(2023, 6, 1), NONE).due_at == bahia(2024, 4, 1, 23, 59, 59)


def test_a_day_of_every_month_goes_over_the_end_of_the_year():
    tenth = term(None, Unit.FIXED_DATE, day=10)
    # 10 January 2027 is a Sunday: Monday 11.
    assert count(tenth, bahia(2026, 12, 10), NONE).due_at == bahia(2027, 1, 11, 23, 59, 59)


def test_a_missing_fixed_day_in_the_civil_count_is_the_day_after():
    last = term(None, Unit.FIXED_DATE, "CC_132", day=29, month=2)
    # No 29 February 2027: Monday 1 March.
    assert count(last, bahia(2026, 6, 1), NONE).due_at == bahia(2027, 3, 1, 23, 59, 59)


def test_overlapping_suspensions_are_counted_once():
    pauses = (
        Suspension(date(2026, 3, 11), date(2026, 3, 13), "Decreto 1"),
        Suspension(date(2026, 3, 12), date(2026, 3, 16), "Decreto 2"),
        Suspension(date(2026, 3, 20), date(2026, 3, 20)),
    )
    # Tue 10 is day 1; 11 to 16 suspended; 17, 18, 19; 20 suspended; Mon 23 is day 5.
    assert count(term(), bahia(2026, 3, 9, 10), NONE, pauses).due_at == bahia(2026, 3, 23, 23, 59, 59)


def test_hours_stand_still_once_in_overlapping_suspensions_and_ignore_later_and_earlier_ones():
    hours = term(72, Unit.HOURS, "HOURS_STRICT")
    pauses = (
        Suspension(date(2026, 3, 1), date(2026, 3, 3)),
        Suspension(date(2026, 3, 11), date(2026, 3, 12)),
        Suspension(date(2026, 3, 11), date(2026, 3, 11)),
        Suspension(date(2026, 4, 1), date(2026, 4, 2)),
    )
    # 14 hours on Tue 10, none on 11 and 12, 58 hours from Fri 13: Sun 15 at 10:00.
    due = count(hours, bahia(2026, 3, 10, 10), NONE, pauses)
    assert due.due_at == bahia(2026, 3, 15, 10)


def test_hours_that_would_end_as_a_suspension_begins_end_after_it():
    # 24 hours from Tue 10 00:00 come to 00:00 of Wed 11, a suspended day: the clock stops, 00:00 of Thu 12.
    pause = Suspension(date(2026, 3, 11), date(2026, 3, 11))
    due = count(term(24, Unit.HOURS, "HOURS_STRICT"), bahia(2026, 3, 10), NONE, (pause,))
    assert due.due_at == bahia(2026, 3, 12)


def test_an_interruption_starts_the_term_again_whole():
    stop = Interruption(date(2026, 3, 12), bahia(2026, 3, 20, 9), "Portaria 7")
    # From Fri 20: Mon 23 to Fri 27.
    due = count(term(), bahia(2026, 3, 9, 10), NONE, (stop,))
    assert due.due_at == bahia(2026, 3, 27, 23, 59, 59)
    assert due.first_day == date(2026, 3, 23)
    assert due.trace.notes == (
        "Prazo interrompido em 12/03/2026 (Portaria 7): recomeça por inteiro da nova ciência, em "
        "sexta-feira, 20/03/2026.",
    )


def test_an_interruption_on_the_last_day_still_counts_and_one_after_it_does_not():
    last = Interruption(date(2026, 3, 16), bahia(2026, 3, 18, 9))
    late = Interruption(date(2026, 3, 17), bahia(2026, 3, 18, 9))
    served = bahia(2026, 3, 9, 10)
    # From Wed 18: 19, 20, 23, 24, 25.
    assert count(term(), served, NONE, (last,)).due_at == bahia(2026, 3, 25, 23, 59, 59)
    due = count(term(), served, NONE, (late,))
    assert due.due_at == bahia(2026, 3, 16, 23, 59, 59)
    assert due.trace.notes == ("A interrupção de 17/03/2026 não teve efeito: o prazo já havia vencido.",)


@pytest.mark.parametrize(
    ("day", "restart"),
    [(date(2026, 3, 6), bahia(2026, 3, 18)), (date(2026, 3, 12), bahia(2026, 3, 11))],
)
def test_an_interruption_lies_between_the_service_and_the_new_service(day: date, restart: datetime):
    with pytest.raises(Invalid, match="entre a ciência e a nova ciência"):
        count(term(), bahia(2026, 3, 9, 10), NONE, (Interruption(day, restart),))


def test_a_count_back_from_a_date_is_not_suspended():
    back = term(60, Unit.BACKWARDS_DAYS, "BACK_INCL")
    with pytest.raises(Invalid, match="não se suspende"):
        count(back, bahia(2026, 7, 31), NONE, (Suspension(date(2026, 6, 1), date(2026, 6, 2)),))


def test_each_party_has_its_own_term_or_all_have_the_last():
    served = [bahia(2026, 3, 9, 10), bahia(2026, 3, 12, 10)]
    each = count_each(term(profile="MULTI_INDIVIDUAL"), served, NONE)
    assert [due.due_at for due in each] == [bahia(2026, 3, 16, 23, 59, 59), bahia(2026, 3, 19, 23, 59, 59)]
    together = count(term(profile="MULTI_LAST"), served, NONE)
    assert together.due_at == each[1].due_at
    assert count_each(term(profile="MULTI_LAST"), served, NONE) == (together,)
    assert count(term(profile="MULTI_INDIVIDUAL"), served[0], NONE).due_at == each[0].due_at


@pytest.mark.parametrize("profile", ["LPA_9784", "MULTI_INDIVIDUAL"])
def test_several_services_are_not_joined_by_a_profile_that_does_not_say_how(profile: str):
    with pytest.raises(Invalid, match="conta uma ciência por prazo; foram dadas 2") as refusal:
        count(term(profile=profile), [bahia(2026, 3, 9), bahia(2026, 3, 12)], NONE)
    assert refusal.value.code == "prazo.varias_ciencias"


def test_a_term_needs_a_service():
    with pytest.raises(Invalid, match="Falta a data da ciência"):
        count(term(), [], NONE)


def test_a_naive_instant_is_a_programming_error():
    with pytest.raises(ValueError, match="aware"):
        count(term(), datetime(2026, 3, 9, 10), NONE)  # noqa: DTZ001
    with pytest.raises(ValueError, match="aware"):
        count(
            term(),
            bahia(2026, 3, 9),
            NONE,
            (Interruption(date(2026, 3, 10), datetime(2026, 3, 11)),),  # noqa: DTZ001
        )


@pytest.mark.parametrize("year", [1899, 2300])
def test_a_service_beyond_any_calendar_is_refused(year: int):
    with pytest.raises(Invalid, match="fora do alcance"):
        count(term(), bahia(year, 6, 1), NONE)


@pytest.mark.parametrize(
    ("unit", "profile", "amount"),
    [
        (Unit.BUSINESS_DAYS, "LPA_9784", 0),
        (Unit.CALENDAR_DAYS, "LPA_9784", -10),
        (Unit.CALENDAR_DAYS, "LPA_9784", 36_526),
        (Unit.BACKWARDS_DAYS, "BACK_INCL", 10**9),
        (Unit.HOURS, "HOURS_STRICT", 876_601),
        (Unit.MONTHS, "LPA_9784", 1_201),
        (Unit.YEARS, "WAIT_CC", 101),
    ],
)
def test_an_amount_out_of_reason_is_refused(unit: Unit, profile: str, amount: int):
    with pytest.raises(Invalid, match=f"foi dada {amount}") as refusal:
        term(amount, unit, profile)
    assert refusal.value.code == "prazo.quantidade"


def test_the_largest_amounts_are_counted():
    far = timedelta(days=36_524)
    assert (
        count(term(36_525, Unit.CALENDAR_DAYS, "DURATION"), bahia(2026, 1, 1), NONE).due_at
        == bahia(2026, 1, 2, 23, 59, 59) + far
    )


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"profile": "SEI"}, "prazo.perfil"),
        ({"unit": Unit.HOURS}, "prazo.unidade"),
        ({"profile": "HOURS_STRICT"}, "prazo.unidade"),
        ({"profile": "BACK_INCL"}, "prazo.unidade"),
        ({"profile": "TACIT_INCL", "unit": Unit.MONTHS}, "prazo.unidade"),
        ({"day": 10}, "prazo.data_fixa"),
        ({"month": 3}, "prazo.data_fixa"),
        ({"unit": Unit.FIXED_DATE, "day": 10}, "prazo.data_fixa"),
        ({"unit": Unit.FIXED_DATE, "amount": None}, "prazo.data_fixa"),
        ({"unit": Unit.FIXED_DATE, "amount": None, "day": 31, "month": 4}, "prazo.data_fixa"),
        ({"unit": Unit.FIXED_DATE, "amount": None, "day": 30, "month": 2}, "prazo.data_fixa"),
        ({"unit": Unit.FIXED_DATE, "amount": None, "day": 0, "month": 2}, "prazo.data_fixa"),
        ({"unit": Unit.FIXED_DATE, "amount": None, "day": 1, "month": 13}, "prazo.data_fixa"),
        ({"unit": Unit.FIXED_DATE, "amount": None, "day": 32}, "prazo.data_fixa"),
    ],
)
def test_a_term_that_makes_no_sense_is_refused_when_it_is_made(values: dict, code: str):
    with pytest.raises(Invalid) as refusal:
        term(**values)
    assert refusal.value.code == code


def test_a_term_whose_length_the_law_leaves_unset_is_never_guessed():
    with pytest.raises(Invalid, match="A lei não fixa a duração do prazo «Defesa»") as refusal:
        count(term(None), bahia(2026, 3, 9), NONE)
    assert refusal.value.code == "prazo.sem_quantidade"


def test_a_suspension_ends_on_or_after_its_first_day():
    for first, last in [(date(2026, 3, 2), date(2026, 3, 1)), (date(1, 1, 1), date(2026, 1, 1))]:
        with pytest.raises(Invalid, match="termina antes de começar"):
            Suspension(first, last)
