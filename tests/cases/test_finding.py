"""Finding cases and tasks on both databases: bands of risk by the municipality's calendar, filters, whom it waits for.

May 2026, by hand: an auto received on Monday 11 may be defended and paid until Monday 18, appealed against until
Thursday 21. Neither week has a holiday.
"""

from __future__ import annotations

from typing import Any

import pytest

from app.cases import acts, inbox
from app.cases.finding import browsing, overview
from app.cases.finding.risk import Risk, horizon
from app.law.calendar import Closure
from app.registry import calendar
from tests.cases.infringement import Infringement
from tests.cases.town import Town, local

PLATE = "Prefixo 102, placa PJK-4B21"


def found(town: Town, **wanted: Any) -> list[str]:
    """Numbers of the cases that fit, in the order shown."""
    page = town.read(browsing.browse, town.norm, browsing.Wanted(**wanted))
    assert page.total == len(page.rows)
    return [row["number"] for row in page.rows]


def box(town: Town, login: str, **wanted: Any) -> inbox.Inbox:
    mine = (town.norm, town.world.people[login], inbox.Wanted(**wanted))
    looked: inbox.Inbox = town.read(inbox.inbox, *mine)
    return looked


def tasks(town: Town, login: str, **wanted: Any) -> list[str]:
    return [row["element"] for row in box(town, login, **wanted).rows]


def other(town: Town, when: str | None, **changes: Any) -> Infringement:
    """A case of Transcidade, which waits for its notice to be registered."""
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"], **changes}
    return Infringement.opened(town, when=when, **told)


def defended(town: Town) -> Infringement:
    """A case of Expresso Sol whose votes are awaited; its fine may still be paid until Monday 18."""
    case = Infringement.opened(town, veiculo=PLATE).registered().charged().served()
    return case.defended(when="2026-05-12 10:00")


@pytest.mark.parametrize(
    ("when", "band"),
    [
        ("2026-05-12 11:00", Risk.LATER),  # Tuesday: three business days are Wed 13, Thu 14, Fri 15
        ("2026-05-13 09:00", Risk.SOON),  # Wednesday: Thu 14, Fri 15, Mon 18
        ("2026-05-17 09:00", Risk.SOON),  # Sunday: tomorrow
        ("2026-05-18 00:00", Risk.TODAY),
        ("2026-05-18 23:59", Risk.TODAY),
        ("2026-05-19 00:00", Risk.NONE),  # nothing waits for the payment's end: once over it is no risk
    ],
)
def test_a_task_lies_in_the_band_of_its_cases_next_deadline(town: Town, when: str, band: Risk) -> None:
    defended(town)
    town.at(when)
    assert box(town, "presidente").by_risk == {band: 1}
    for asked in (Risk.OVERDUE, Risk.TODAY, Risk.SOON, Risk.LATER, Risk.NONE):
        assert tasks(town, "presidente", risk=asked.value) == (["votar"] if asked is band else []), asked


def test_an_overdue_term_stands_first_and_a_case_without_one_last(town: Town) -> None:
    case = defended(town).voted("procedente", "procedente", "procedente", when="2026-05-13 09:00")
    case.decided("2026-05-13 10:00").told("2026-05-14 10:30", "2026-05-14 10:00")
    case.appealed("2026-05-19 15:00").paid("2026-05-20 08:00").admitted("2026-05-20 09:00")
    # Counter-reasons within ten days of the appeal: until Friday 29. Whoever drew up the auto answers.
    calm = other(town, "2026-05-21 09:00").registered("2026-05-21 10:00")
    town.at("2026-05-29 10:00")
    assert box(town, "autuante").by_risk == {Risk.TODAY: 1}
    town.at("2026-05-30 00:00")  # nobody sweeps: the end of the term is not registered yet
    looked = box(town, "autuante")
    assert (looked.by_risk, looked.rows[0]["number"]) == ({Risk.OVERDUE: 1}, case.row["number"])
    assert found(town, risk="vencido") == [case.row["number"]]
    assert found(town, risk="sem-prazo") == ([] if calm.ended else [calm.row["number"]])


def test_a_closed_day_moves_the_end_of_the_three_business_days(town: Town) -> None:
    town.at("2026-05-13 09:00")
    assert town.read(horizon, town.norm).soon == local("2026-05-19 00:00")
    holiday = Closure(day=local("2026-05-15 00:00").date(), kind="H", name="Padroeira", act="Lei 1/2026")
    town.install(calendar.record, [holiday])
    assert town.read(horizon, town.norm).soon == local("2026-05-20 00:00")


def test_an_inbox_is_narrowed_by_task_state_claim_draft_and_text(town: Town) -> None:
    mine = defended(town)
    fresh = other(town, "2026-05-12 11:00")
    assert tasks(town, "membro1") == ["votar", "registrar_notificacao"]
    assert tasks(town, "membro1", task="votar") == ["votar"]
    assert tasks(town, "membro1", status=fresh.status) == ["registrar_notificacao"]
    assert tasks(town, "membro1", mine=True) == tasks(town, "membro1", begun=True) == []
    item = fresh.item("registrar_notificacao")
    town.act("membro1", acts.claim, item["id"], item["version"])
    town.draft("membro1", acts.save_draft, mine.item("votar", "membro_1")["id"], {"voto": "procedente"})
    assert tasks(town, "membro1", mine=True) == ["registrar_notificacao"]
    assert tasks(town, "membro1", begun=True) == ["votar"]
    assert tasks(town, "membro1", mine=True, begun=True) == []
    assert tasks(town, "presidente", begun=True) == tasks(town, "presidente", mine=True) == []
    for text, wanted in (("TRANSCID", "registrar_notificacao"), ("pjk4b21", "votar")):
        assert tasks(town, "membro1", text=text) == [wanted], text


def test_counts_by_risk_follow_the_other_filters_and_kinds_do_not(town: Town) -> None:
    defended(town)
    other(town, "2026-05-13 09:00")
    looked = box(town, "membro1", text="Transcidade", risk="hoje")
    assert (looked.by_risk, looked.total, list(looked.rows)) == ({Risk.NONE: 1}, 0, [])
    assert looked.tasks == {"registrar_notificacao": "Registrar notificação", "votar": "Votar"}
    assert looked.statuses == {"NOTIFICADO", "EM_DEFESA"}


def test_rows_say_whose_case_it_is_and_what_the_law_calls_the_infringement(town: Town) -> None:
    case = defended(town)
    looked = box(town, "presidente")
    assert looked.rows[0]["carrier_name"] == "Expresso Sol Ltda"
    matter = looked.matters[case.row["number"]]
    assert matter.code == "I-14"
    assert (
        matter.words
        == "Deixar de realizar o número de viagens determinadas nas Ordens de Serviços Operacionais"
    )


@pytest.mark.parametrize(
    "text", ["00001/2026", "expresso SOL", "  Expréssó  ", "PJK-4B21", "pjk 4b21", "prefixo 102", "4b21"]
)
def test_a_case_is_found_by_number_carrier_or_plate_however_it_is_typed(town: Town, text: str) -> None:
    case = defended(town)
    other(town, None)
    assert case.row["number"].startswith("00001/2026")
    assert found(town, text=text.strip()) == [case.row["number"]]


@pytest.mark.parametrize(
    "text",
    [
        "micro-ônibus 12 / XYZ-9Z99",
        "MICRO-ôNIBUS 12",
        "ônibus 12 / xyz",
        "12/XYZ",
        "ônibus",
        "xyz9z99",
        "a1%b2_c3",
    ],
)
def test_an_answer_is_found_as_it_was_written_with_its_slashes_and_accents(town: Town, text: str) -> None:
    case = Infringement.opened(town, veiculo="micro-ônibus 12 / XYZ-9Z99, a1%b2_c3")
    Infringement.opened(town, when=None, veiculo="ônlbus 12 | XYZ-1A11, a1xb2xc3", hora="06:00")
    assert found(town, text=text) == [case.row["number"]]


@pytest.mark.parametrize("text", ["\u0301", "\u0301\u0308", "ôé/", "a/b"])
def test_a_search_of_accents_or_of_too_few_letters_finds_nothing(town: Town, text: str) -> None:
    Infringement.opened(town, veiculo="ôé/a/b")
    assert found(town, text=text) == []


@pytest.mark.parametrize(
    "text", ["%", "_", "viagens determinadas", "duas viagens", "veiculo", '"', "Linha", "21"]
)
def test_nothing_else_that_was_written_is_searched(town: Town, text: str) -> None:
    """Facts are sealed; places and other answers are not opened to searching; two letters are no plate."""
    defended(town)
    assert found(town, text=text) == []


def test_filters_of_cases_narrow_each_other(town: Town) -> None:
    case, fresh = defended(town), other(town, "2026-05-12 11:00")
    old, new = case.row["number"], fresh.row["number"]
    sol, city = town.world.carriers["ES"], town.world.carriers["TC"]
    assert found(town) == [new, old]
    assert found(town, carrier=sol) == found(town, status="EM_DEFESA") == found(town, task="votar") == [old]
    assert found(town, process="infracao") == [new, old]
    assert found(town, process="peticao") == []
    assert found(town, carrier=city, status="NOTIFICADO", task="registrar_notificacao", text="cidade") == [
        new
    ]
    assert found(town, carrier=city, task="votar") == []
    assert found(town, deadline="pagamento_auto") == found(town, risk="depois") == [old]
    assert found(town, deadline="defesa") == []  # it was met
    assert found(town, deadline="pagamento_auto", risk="7-dias") == [old]
    assert found(town, deadline="pagamento_auto", risk="hoje") == []
    assert (
        found(town, risk="sem-prazo") == found(town, deadline="pagamento_auto", risk="sem-prazo")[:1] == [new]
    )


def test_a_case_with_two_terms_is_listed_once_and_the_nearest_end_comes_first(town: Town) -> None:
    late = Infringement.opened(town).registered().charged().served("2026-05-13 12:00", "2026-05-13 11:30")
    told = {"hora": "06:00", "ocorrida_em": "2026-05-06"}
    early = Infringement.opened(town, when=None, **told).registered("2026-05-13 12:30")
    early.charged("2026-05-13 12:40").served("2026-05-13 13:00", "2026-05-13 12:50")
    early.defended("2026-05-13 14:00")
    assert found(town, risk="7-dias") == [early.row["number"], late.row["number"]]
    assert found(town, carrier=town.world.carriers["ES"], deadline="defesa") == [late.row["number"]]


def test_a_vote_waits_for_the_office_of_its_seat_and_a_task_of_two_offices_for_both(town: Town) -> None:
    case, fresh = defended(town), other(town, "2026-05-12 11:00")
    old, new = case.row["number"], fresh.row["number"]
    queues = {q.role: q for q in town.read(overview.by_office, town.norm)}
    assert set(queues) == {"presidente_comissao", "membro_comissao"}
    assert [queues[role].cases for role in ("presidente_comissao", "membro_comissao")] == [2, 2]
    assert [o.name for o in queues["membro_comissao"].held] == ["Marta Andrade", "Mário Bastos"]
    assert queues["presidente_comissao"].oldest == local("2026-05-12 10:00")
    assert (
        found(town, office="membro_comissao")
        == found(town, person=town.world.people["membro2"])
        == [new, old]
    )
    assert found(town, office="suplente_comissao") == found(town, person=town.world.people["suplente"]) == []


def test_a_task_of_one_person_waits_for_that_persons_office_alone(town: Town) -> None:
    case = defended(town).voted("procedente", "procedente", "procedente", when="2026-05-13 09:00")
    case.decided("2026-05-13 10:00").told("2026-05-14 10:30", "2026-05-14 10:00")
    case.appealed("2026-05-19 15:00").paid("2026-05-20 08:00").admitted("2026-05-20 09:00")
    assert [q.role for q in town.read(overview.by_office, town.norm)] == ["servidor_designado"]
    assert found(town, office="servidor_designado") == [case.row["number"]]
    assert found(town, office="presidente_comissao") == []


def test_numbers_of_the_situation_are_those_of_the_lists_they_lead_to(town: Town) -> None:
    case = defended(town)
    other(town, "2026-05-12 11:00")
    with town.store.read() as reader:
        bands = horizon(reader, town.norm)
        week, overdue = (overview.ends(reader, risk, bands) for risk in (Risk.WEEK, Risk.OVERDUE))
        by_term = overview.by_term(reader, town.norm, bands)
        steps = overview.by_task(reader)
    assert [(r["number"], r["key"], r["carrier_name"]) for r in week.rows] == [
        (case.row["number"], "pagamento_auto", "Expresso Sol Ltda")
    ]
    assert (week.cases, week.more, overdue.cases, overdue.more) == (1, False, 0, False)
    assert by_term == [("pagamento_auto", {Risk.LATER: 1})]
    assert [(step.element, step.acts, step.cases) for step in steps] == [
        ("registrar_notificacao", ("registrar_notificacao",), 1),
        ("votar", ("votar",), 1),
    ]


def test_a_case_is_stalled_when_nothing_was_written_for_more_than_thirty_days(town: Town) -> None:
    case = Infringement.opened(town)  # Tuesday 5 May, 08:10
    town.at("2026-06-04 08:10")
    assert (town.read(overview.stalled), found(town, stalled=True)) == (0, [])
    town.at("2026-06-04 08:11")
    assert (town.read(overview.stalled), found(town, stalled=True)) == (1, [case.row["number"]])
    town.act("membro1", acts.annotate, case.id, "Aguarda a ordem de serviço.")
    assert (town.read(overview.stalled), found(town, stalled=True)) == (0, [])
    town.at("2026-08-04 08:11")
    town.act("secretario", acts.cancel, case.id, "Lavrado por engano.")
    town.at("2026-12-04 08:11")
    assert found(town, stalled=True) == []  # a closed case may rest
