"""The examples counted by hand: the forty of the field, and our own for what those leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.law.counting import PROFILES
from app.law.examples import COLUMNS, check_examples

HERE = Path(__file__).parent
GIVEN = (HERE / "deadline-examples.csv").read_text(encoding="utf-8")
OWN = (HERE / "own-examples.csv").read_text(encoding="utf-8")
HEADER = ",".join(COLUMNS)


def one(**cells: str) -> str:
    """A file with one good row (Monday 9 March 2026, five business days), some of its cells replaced."""
    row = {
        "id": "T01",
        "rule": "LPA_9784",
        "unit": "business_days",
        "amount": "5",
        "service_instant": "2026-03-09T10:15:00-03:00",
        "holidays_assumed": "",
        "expected_first_counted_day": "2026-03-10",
        "expected_due_instant": "2026-03-16T23:59:59-03:00",
        "legal_basis": "art. 126",
        "note": "",
        "timezone": "America/Bahia",
        "suspensions": "",
        "certainty": "consensus",
    } | cells
    return HEADER + "\n" + ",".join(row[name] for name in COLUMNS) + "\n"


def test_every_given_example_is_confirmed():
    report = check_examples(GIVEN)
    assert report.lines() == ("40 of 40",)
    assert report.ok


def test_every_example_of_our_own_is_confirmed():
    report = check_examples(OWN)
    assert report.lines() == ("57 of 57",)


def test_every_profile_has_at_least_two_examples():
    used = [line.split(",")[1] for text in (GIVEN, OWN) for line in text.splitlines()[1:]]
    assert {name for name in PROFILES if used.count(name) < 2} == set()


def test_a_wrong_expectation_is_told_with_its_counting():
    report = check_examples(one(expected_due_instant="2026-03-17T23:59:59-03:00"))
    assert not report.ok
    assert report.lines()[0] == (
        "T01 (linha 2): vencimento: esperado 2026-03-17T23:59:59-03:00, contado 2026-03-16T23:59:59-03:00"
    )
    assert "    Primeiro dia contado: terça-feira, 10/03/2026." in report.lines()
    assert report.lines()[-1] == "0 of 1"


def test_a_wrong_first_day_is_told_even_when_the_end_is_right():
    report = check_examples(one(expected_first_counted_day="2026-03-09"))
    assert report.mismatches[0].reasons == ("primeiro dia contado: esperado 09/03/2026, contado 10/03/2026",)


def test_an_expectation_in_another_offset_is_the_same_instant():
    assert check_examples(one(expected_due_instant="2026-03-17T02:59:59+00:00")).ok


def test_two_expectations_for_one_term_do_not_match():
    report = check_examples(one(expected_first_counted_day="2026-03-10|2026-03-10"))
    assert report.mismatches[0].reasons == ("há 1 prazo(s), 2 primeiro(s) dia(s) e 1 vencimento(s)",)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"rule": "LPA_9999"}, "O perfil de contagem 'LPA_9999' não existe."),
        ({"unit": "weeks"}, "a unidade 'weeks' não existe"),
        ({"unit": "hours"}, "O perfil LPA_9784 não conta em hours"),
        ({"amount": "cinco"}, "a quantidade 'cinco' não é um número inteiro positivo"),
        ({"amount": "-5"}, "a quantidade '-5' não é um número inteiro positivo"),
        ({"amount": "5/3"}, "a quantidade '5/3' não serve para a unidade business_days"),
        ({"amount": "0"}, "A quantidade do prazo deve ficar entre 1 e 36525; foi dada 0."),
        ({"amount": "40000"}, "A quantidade do prazo deve ficar entre 1 e 36525; foi dada 40000."),
        ({"unit": "fixed_date", "amount": "31/04"}, "A data fixa 31/4 não existe."),
        (
            {"service_instant": "2026-02-30T10:00:00-03:00"},
            "coluna service_instant: '2026-02-30T10:00:00-03:00'",
        ),
        ({"service_instant": "2026-03-09T10:15:00"}, "coluna service_instant: '2026-03-09T10:15:00'"),
        ({"service_instant": "9999-03-09T10:15:00-03:00"}, "A data da ciência está fora do alcance"),
        ({"expected_due_instant": "amanhã"}, "coluna expected_due_instant: 'amanhã'"),
        ({"expected_first_counted_day": "10/03/2026"}, "coluna expected_first_counted_day: '10/03/2026'"),
        ({"timezone": "America/Jequie"}, "o fuso 'America/Jequie' não existe"),
        ({"timezone": "../etc"}, "o fuso '../etc' não existe"),
        ({"timezone": ""}, "o fuso '' não existe"),
        ({"holidays_assumed": "2026-03-10=X"}, "o dia '2026-03-10=X' não tem tipo H, P, E ou L"),
        ({"holidays_assumed": "2026-03-40=H"}, "coluna holidays_assumed: '2026-03-40'"),
        ({"suspensions": "2026-03-10=pause"}, "a suspensão '2026-03-10=pause' não pode ser lida"),
        ({"suspensions": "2026-03-10=interrupt"}, "falta o reinício (restart) do prazo interrompido"),
        ({"suspensions": "2026-03-10T10:00:00-03:00=restart"}, "não pode ser lida"),
        ({"suspensions": "2026-03-12..2026-03-10=suspend"}, "A suspensão termina antes de começar."),
        (
            {"service_instant": "2026-03-09T10:00:00-03:00|2026-03-10T10:00:00-03:00"},
            "conta uma ciência por prazo",
        ),
    ],
)
def test_a_row_that_cannot_be_counted_is_a_readable_fault(cells: dict[str, str], told: str):
    report = check_examples(one(**cells))
    assert told in report.mismatches[0].reasons[0]
    assert (report.matched, report.total, report.ok) == (0, 1, False)


def test_a_suspension_of_one_day_may_be_written_without_a_range():
    # Wed 11 is not counted: 10, 12, 13, 16, 17.
    text = one(suspensions="2026-03-11=suspend", expected_due_instant="2026-03-17T23:59:59-03:00")
    assert check_examples(text).ok


def test_a_bad_row_does_not_hide_the_others():
    good = one().splitlines()[1]
    report = check_examples("\n".join([HEADER, good, good.replace("LPA_9784", "NADA"), good]) + "\n")
    assert report.summary == "2 of 3"
    assert report.mismatches[0].line == 3


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "falta a coluna id"),
        (one().replace("timezone", "fuso"), "a coluna fuso não é conhecida"),
        (one().replace("timezone", "fuso"), "falta a coluna timezone"),
        (one().replace("certainty", "id"), "a coluna id aparece mais de uma vez"),
        (HEADER + "\n", "o arquivo não tem nenhum exemplo"),
        (HEADER + '\n"a"b,c\n', "o CSV não pode ser lido"),
    ],
)
def test_a_file_that_is_no_table_of_examples_is_refused_with_its_faults(text: str, fault: str):
    report = check_examples(text)
    assert any(fault in told for told in report.faults)
    assert not report.ok
    assert report.lines()[-1] == "0 of 0"


def test_a_row_with_too_few_or_too_many_cells_is_told():
    short, long = "T01,LPA_9784", one().splitlines()[1] + ",demais"
    report = check_examples("\n".join([HEADER, short, long]) + "\n")
    assert [mismatch.reasons for mismatch in report.mismatches] == [
        ("a linha não tem uma célula por coluna",)
    ] * 2


def test_a_spreadsheet_with_a_byte_order_mark_is_read():
    assert check_examples("\ufeff" + one()).ok
