"""What a lawyer reads under a date, and what an auditor recomputes it from."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from app.law.calendar import Calendar, Closure
from app.law.counting import Interruption, Suspension, Term, Unit, count
from app.law.trace import Trace, recompute
from app.values import canonical

BAHIA = ZoneInfo("America/Bahia")
CARNIVAL = Calendar(
    [
        Closure(date(2026, 2, day), "P", "municipal", "Carnaval", act="Decreto 9/2026", office_closed=True)
        for day in (16, 17, 18)
    ]
)


def term(amount: int | None, unit: Unit, profile: str = "LPA_9784", **fixed: int) -> Term:
    return Term("defesa", "Defesa", amount, unit, profile, "Art. 126, § 1º", BAHIA, **fixed)


def bahia(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=BAHIA)


def test_business_days_over_carnival_read_as_a_lawyer_would_write_them():
    due = count(term(5, Unit.BUSINESS_DAYS), bahia(2026, 2, 12, 9), CARNIVAL)
    assert due.trace.lines() == (
        "Defesa: 5 dias úteis (Art. 126, § 1º).",
        "Ciência: quinta-feira, 12/02/2026, às 09:00.",
        "Fuso horário: America/Bahia.",
        "Dia do começo, que não se conta: quinta-feira, 12/02/2026.",
        "Primeiro dia contado: sexta-feira, 13/02/2026.",
        "Não se contam os dias 14/02/2026 (sábado) e 15/02/2026 (domingo).",
        "Não se contam os dias de 16/02/2026 a 18/02/2026: ponto facultativo com a repartição fechada: "
        "Carnaval (Decreto 9/2026).",
        "Não se contam os dias 21/02/2026 (sábado) e 22/02/2026 (domingo).",
        "Vence em terça-feira, 24/02/2026, às 23:59:59 (UTC-03:00).",
        "Regra de contagem LPA_9784: exclui-se o dia da ciência e inclui-se o do vencimento; se nele não houver "
        "expediente, ou se este encerrar mais cedo, o vencimento passa ao primeiro dia útil seguinte "
        "(Lei 9.784/1999, art. 66).",
        f"Calendário: versão {CARNIVAL.version[:12]}.",
    )


def test_a_moved_end_names_the_act_that_moved_it():
    early = Closure(date(2026, 12, 24), "E", name="véspera", closes_at=time(13), act="Decreto 40/2026")
    christmas = Closure(date(2026, 12, 25), "H", name="Natal", act="Lei 662/1949")
    due = count(term(30, Unit.CALENDAR_DAYS), bahia(2026, 11, 24, 10), Calendar([early, christmas]))
    assert due.trace.lines()[5:10] == (
        "A contagem termina em quinta-feira, 24/12/2026.",
        "O vencimento não pode ficar em quinta-feira, 24/12/2026: expediente encerrado mais cedo, às 13:00: "
        "véspera (Decreto 40/2026).",
        "O vencimento não pode ficar em sexta-feira, 25/12/2026: feriado: Natal (Lei 662/1949).",
        "O vencimento não pode ficar nos dias 26/12/2026 (sábado) e 27/12/2026 (domingo).",
        "Vence em segunda-feira, 28/12/2026, às 23:59:59 (UTC-03:00).",
    )


def test_hours_tell_the_minute_and_no_excluded_day():
    lines = count(term(1, Unit.HOURS, "HOURS_STRICT"), bahia(2026, 3, 9, 14, 20), Calendar()).trace.lines()
    assert lines[:5] == (
        "Defesa: 1 hora (Art. 126, § 1º).",
        "Ciência: segunda-feira, 09/03/2026, às 14:20.",
        "Fuso horário: America/Bahia.",
        "As horas contam-se a partir de segunda-feira, 09/03/2026, às 14:20.",
        "Vence em segunda-feira, 09/03/2026, às 15:20 (UTC-03:00).",
    )


def test_a_count_back_tells_its_reference_and_the_holiday_on_a_saturday():
    republic = Calendar([Closure(date(2025, 11, 15), "H", name="República", act="Lei 662/1949")])
    lines = count(term(60, Unit.BACKWARDS_DAYS, "BACK_INCL"), bahia(2026, 1, 15), republic).trace.lines()
    assert lines[0] == "Defesa: 60 dias antes (Art. 126, § 1º)."
    assert lines[1] == "Data de referência: quinta-feira, 15/01/2026, às 00:00."
    assert lines[5:9] == (
        "A contagem termina em domingo, 16/11/2025.",
        "O vencimento não pode ficar em 16/11/2025 (domingo).",
        "O vencimento não pode ficar em 15/11/2025: sábado e feriado: República (Lei 662/1949).",
        "Vence em sexta-feira, 14/11/2025, às 23:59:59 (UTC-03:00).",
    )


def test_a_service_deemed_made_later_says_why():
    lines = count(
        term(5, Unit.BUSINESS_DAYS, "DEEMED_NEXT_BD"), bahia(2026, 3, 14, 9), Calendar()
    ).trace.lines()
    assert "A ciência não se considera feita nos dias 14/03/2026 (sábado) e 15/03/2026 (domingo)." in lines
    assert "Dia do começo, que não se conta: segunda-feira, 16/03/2026." in lines


def test_a_notice_by_edital_says_its_fifteen_days():
    lines = count(term(5, Unit.BUSINESS_DAYS, "EDITAL_15"), bahia(2026, 3, 6), Calendar()).trace.lines()
    assert "A ciência por edital considera-se feita quinze dias após a publicação." in lines
    assert "Não se conta 22/03/2026 (domingo)." in lines


def test_a_day_of_sending_that_counts_is_not_called_excluded():
    lines = count(term(10, Unit.CALENDAR_DAYS, "TACIT_INCL"), bahia(2026, 3, 6), Calendar()).trace.lines()
    assert not any("não se conta:" in line for line in lines)
    assert "Primeiro dia contado: sexta-feira, 06/03/2026." in lines


def test_fixed_dates_are_told_as_dates():
    yearly = count(term(None, Unit.FIXED_DATE, day=30, month=3), bahia(2026, 1, 5), Calendar())
    monthly = count(term(None, Unit.FIXED_DATE, day=10), bahia(2026, 1, 5), Calendar())
    assert yearly.trace.lines()[0] == "Defesa: todo dia 30/03 (Art. 126, § 1º)."
    assert monthly.trace.lines()[0] == "Defesa: dia 10 de cada mês (Art. 126, § 1º)."


def test_common_terms_and_interruptions_are_told():
    due = count(
        term(5, Unit.BUSINESS_DAYS, "MULTI_LAST"),
        [bahia(2026, 3, 9, 10), bahia(2026, 3, 12, 10)],
        Calendar(),
        (Interruption(date(2026, 3, 17), bahia(2026, 3, 23, 9), "Portaria 7"),),
    )
    lines = due.trace.lines()
    assert lines[1:4] == (
        "Ciência: segunda-feira, 09/03/2026, às 10:00.",
        "Ciência: quinta-feira, 12/03/2026, às 10:00.",
        "O prazo é comum e corre da última ciência.",
    )
    assert (
        "Prazo interrompido em 17/03/2026 (Portaria 7): recomeça por inteiro da nova ciência, em "
        "segunda-feira, 23/03/2026."
    ) in lines


def test_a_term_without_article_in_its_name_leaves_no_empty_brackets():
    bare = Term("x", "Prazo", 5, Unit.CALENDAR_DAYS, "LPA_9784", "", BAHIA)
    assert count(bare, bahia(2026, 3, 9), Calendar()).trace.lines()[0] == "Prazo: 5 dias."


PAUSE = (Suspension(date(2026, 3, 11), date(2026, 3, 12), "Decreto 5"),)


@pytest.mark.parametrize(
    ("made", "pauses", "expected"),
    [
        (term(5, Unit.BUSINESS_DAYS), PAUSE, bahia(2026, 3, 18, 23, 59, 59)),  # 10, 13, 16, 17, 18
        (term(10, Unit.CALENDAR_DAYS), PAUSE, bahia(2026, 3, 23, 23, 59, 59)),  # Sat 21 moved to Mon 23
        (term(1, Unit.MONTHS), PAUSE, bahia(2026, 4, 13, 23, 59, 59)),  # 9 April plus 2: Sat 11, Mon 13
        (term(1, Unit.YEARS), (), bahia(2027, 3, 9, 23, 59, 59)),
        (term(72, Unit.HOURS, "HOURS_STRICT"), PAUSE, bahia(2026, 3, 14, 10)),
        (term(72, Unit.HOURS, "HOURS_ROLL_EOD"), PAUSE, bahia(2026, 3, 16, 23, 59, 59)),
        (term(72, Unit.HOURS, "HOURS_ROLL_SAME_CLOCK"), PAUSE, bahia(2026, 3, 16, 10)),
        (term(3, Unit.BACKWARDS_DAYS, "BACK_BUSINESS_CLEAR"), (), bahia(2026, 3, 3, 23, 59, 59)),
        (term(None, Unit.FIXED_DATE, day=15), (), bahia(2026, 3, 16, 23, 59, 59)),  # Sun 15
    ],
)
def test_the_date_is_counted_again_from_the_stored_trace_alone(made: Term, pauses: tuple, expected: datetime):
    due = count(made, bahia(2026, 3, 9, 10), Calendar(), pauses)
    stored = json.loads(canonical(due.trace.json()))
    assert recompute(stored)[0] == due.due_at == expected
    assert recompute(stored) == (due.due_at, due.expires_at) == due.trace.recompute()
    assert Trace.read(stored) == due.trace


def test_a_trace_tampered_with_no_longer_recomputes():
    stored = count(term(5, Unit.BUSINESS_DAYS), bahia(2026, 3, 9, 10), Calendar()).trace.json()
    # Without Saturday 14 among the days that do not count: 10, 11, 12, 13, 14.
    stored["skipped"] = stored["skipped"][1:]
    assert recompute(stored)[0] == bahia(2026, 3, 14, 23, 59, 59)


def test_the_trace_names_the_version_of_the_calendar():
    assert count(term(5, Unit.BUSINESS_DAYS), bahia(2026, 3, 9), CARNIVAL).trace.json()["calendar"] == (
        CARNIVAL.version
    )


def test_a_term_says_what_set_it_running_in_the_norms_own_words():
    """Counter-reasons run from the filing of the appeal: nobody was served anything."""
    told = Term(
        "contrarrazoes", "Contra-razões", 10, Unit.CALENDAR_DAYS, "LPA_9784", "Art. 129, § 1º", BAHIA,
        starts="Protocolo do recurso",
    )  # fmt: skip
    trace = count(told, bahia(2026, 3, 9, 14, 20), Calendar([])).trace
    assert trace.lines()[1] == "Protocolo do recurso: segunda-feira, 09/03/2026, às 14:20."
    assert Trace.read(trace.json()) == trace
    older = {key: value for key, value in trace.json().items() if key != "starts"}
    assert Trace.read(older).lines()[1] == "Ciência: segunda-feira, 09/03/2026, às 14:20."
