"""A case from notice to each of its ends: states, terms, papers and money, counted by hand from the law."""

from __future__ import annotations

from datetime import date

import pytest

from app.registry import charges, values
from app.store.registry_tables import occurrence
from app.values import Money, Units
from tests.cases.infringement import REFUND, REVELIA, Infringement, ballot, to_decision_served, to_trial
from tests.cases.town import Town, local


def fate(case: Infringement) -> str:
    """What became of the occurrence: what D-09 and D-11 will look back on."""
    return str(case.town.row(occurrence, case_id=case.id)["status"])


def owed(case: Infringement) -> charges.Charge:
    found: charges.Charge = case.town.read(charges.of_case, case.id)
    return found


def test_a_first_offender_is_warned_and_the_case_is_filed_away(town: Town) -> None:
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    case = Infringement.opened(town, **told)
    assert (case.status, case.open, case.papers) == ("NOTIFICADO", ["registrar_notificacao"], ["notificacao"])
    case.registered()
    assert (case.status, case.ended, case.open) == ("ADVERTIDO_ARQUIVADO", True, [])
    assert (case.papers, fate(case)) == (["notificacao"], "advertida")
    assert town.read(charges.of_case, case.id) is None
    second = Infringement.opened(
        town, when="2026-06-10 09:00", ocorrida_em="2026-06-10", codigo="I-13", **told
    )
    second.registered("2026-06-11 09:00")
    assert second.open == ["lavrar_auto"]


def test_an_auto_fixes_the_fine_and_receipt_opens_three_terms(town: Town) -> None:
    case = Infringement.opened(town).registered()
    assert (case.status, case.open) == ("NOTIFICADO", ["lavrar_auto"])
    case.charged()
    assert (case.status, case.open, fate(case)) == ("AUTUADO", ["dar_ciencia_auto"], "autuada")
    assert (owed(case).units, owed(case).amount) == (Units(500), Money(50_000))
    case.served()
    ends = {key: case.term(key)["due_at"] for key in ("defesa", "pagamento_auto", "recurso1")}
    assert ends == {
        "defesa": local("2026-05-18 23:59:59"),
        "pagamento_auto": local("2026-05-18 23:59:59"),
        "recurso1": local("2026-05-21 23:59:59"),
    }
    states = {key: case.term(key)["status"] for key in ends}
    assert states == {"defesa": "armed", "pagamento_auto": "window", "recurso1": "armed"}
    assert case.open == []


def test_paying_within_five_business_days_without_contest_ends_the_case(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served().paid("2026-05-14 10:00")
    assert case.status == "AUTUADO"
    town.let_pass("2026-05-19 00:00")
    assert (case.status, case.ended, fate(case)) == ("PAGO_SEM_CONTESTACAO", True, "confirmada")
    assert "termo_revelia" not in case.papers
    assert (case.term("pagamento_auto")["status"], case.term("recurso1")["status"]) == ("met", "cancelled")


def test_silence_is_revelia_and_the_comissao_judges_all_the_same(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-18 23:59:59")
    assert case.open == []
    town.let_pass("2026-05-19 00:00")
    assert (case.status, case.open) == ("REVEL", ["lavrar_revelia"])
    expired = case.term("defesa")
    assert (expired["status"], expired["noticed_at"]) == ("expired", local("2026-05-19 00:00"))
    case.do("membro1", "lavrar_revelia", REVELIA)
    assert (case.status, case.open, case.papers[-1]) == ("REVEL", [], "termo_revelia")
    town.let_pass("2026-05-22 00:00")
    assert case.status == "PARA_JULGAMENTO"
    assert case.open == ["votar:membro_1", "votar:membro_2", "votar:presidente"]
    assert "contestacao" not in case.papers


def test_a_petition_of_the_ninth_day_is_judged_and_the_revelia_stays(town: Town) -> None:
    """Arts. 108 and 126 together, SC-13 A: late for the defence, in time for the appeal."""
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 10:00")
    case.do("membro1", "lavrar_revelia", REVELIA)
    case.defended("2026-05-20 10:00")
    assert (case.status, case.row["flow"]["classe"]) == ("EM_RECURSO_1", "recurso1")
    assert case.papers[-2:] == ["termo_revelia", "contestacao"]


def test_a_petition_after_both_terms_is_kept_and_not_judged(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 10:00")
    case.do("membro1", "lavrar_revelia", REVELIA)
    case.defended("2026-05-22 09:00")
    assert (case.status, case.filed("contestacao")["delivered"]) == ("PARA_JULGAMENTO", False)
    assert case.row["flow"]["classe"] in ("nenhuma", "intempestiva")
    assert "contestacao" not in case.papers


def test_where_art_108_is_switched_off_only_the_defence_runs(town: Town) -> None:
    town.install(values.record, town.norm, "recurso1.inicio", "desligado", date(2026, 5, 1), "Decreto 1")
    case = Infringement.opened(town).registered().charged().served()
    assert "recibo_ciencia_defesa" in case.papers
    town.let_pass("2026-05-19 10:00")
    case.do("membro1", "lavrar_revelia", REVELIA)
    assert case.status == "PARA_JULGAMENTO"


def test_two_of_three_votes_decide_and_three_different_ones_vote_again(town: Town) -> None:
    case = to_trial(town).voted("procedente", "improcedente", "parcial")
    assert case.open == ["votar:membro_1", "votar:membro_2", "votar:presidente"]
    case.voted("procedente", "improcedente", "procedente", when="2026-05-28 09:00").decided(
        "2026-05-28 10:00"
    )
    assert (case.status, fate(case)) == ("PROCEDENTE", "confirmada")


@pytest.mark.parametrize(("value", "units"), [("3.00", 300), ("4.99", 499), ("3,5", 350)])
def test_a_partial_judgment_lowers_the_fine(town: Town, value: str, units: int) -> None:
    case = to_trial(town).voted("parcial", "parcial", "procedente")
    assert case.open == ["fixar_valor_parcial:presidente"]
    case.do("presidente", "fixar_valor_parcial", {"valor_parcial": value, "justificativa": "Meio serviço."})
    case.decided()
    assert (case.status, owed(case).units) == ("PARCIAL", Units(units))


def test_an_auto_that_falls_leaves_nothing_owed_and_no_past(town: Town) -> None:
    case = to_trial(town).voted("improcedente", "improcedente", "procedente").decided()
    assert (case.status, case.ended, fate(case)) == ("IMPROCEDENTE", True, "anulada")
    assert (owed(case).units, owed(case).amount, owed(case).refund) == (Units(0), Money(0), None)
    assert case.papers[-1] == "decisao_absolutoria"


def test_a_decision_neither_paid_nor_appealed_is_overdue(town: Town) -> None:
    case = to_decision_served(town)
    town.let_pass("2026-06-04 23:59:59")
    assert case.status == "PROCEDENTE"
    town.let_pass("2026-06-05 00:00")
    assert (case.status, case.ended) == ("VENCIDO", True)


def test_a_decision_paid_and_not_appealed_is_paid(town: Town) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00")
    town.let_pass("2026-06-05 00:00")
    assert (case.status, case.ended) == ("PAGO", True)


def test_an_appeal_without_receipt_waits_for_it_and_then_for_a_person(town: Town) -> None:
    """SC-15: nothing is refused by a clock; the Secretário decides with the precedent in front of him."""
    case = to_decision_served(town).appealed()
    assert (case.status, case.open) == ("AGUARDANDO_COMPROVANTE", [])
    town.let_pass("2026-06-05 00:00")
    assert (case.status, case.open) == ("EM_ADMISSIBILIDADE", ["decidir_admissibilidade"])
    refused = {"decisao": "nao_admitir", "motivo": "sem_recolhimento", "fundamentacao": "Art. 127 da lei."}
    case.do("secretario", "decidir_admissibilidade", refused)
    assert (case.status, case.ended) == ("VENCIDO", True)
    assert "decisao_admissibilidade" in case.papers


def test_a_receipt_handed_in_within_the_term_completes_the_appeal(town: Town) -> None:
    case = to_decision_served(town).appealed().paid("2026-06-03 10:00", "200.00")
    assert case.status == "AGUARDANDO_COMPROVANTE"
    case.paid("2026-06-04 23:59", "300.00")
    assert case.status == "EM_ADMISSIBILIDADE"


def test_where_payment_is_dispensed_with_the_appeal_goes_on_at_once(town: Town) -> None:
    key = "recurso.exige_pagamento_previo"
    town.install(values.record, town.norm, key, "dispensar", date(2026, 5, 1), "Decreto 2")
    assert to_decision_served(town).appealed().status == "EM_ADMISSIBILIDADE"


def test_a_fine_below_five_units_may_be_declared_inadmissible_although_paid(town: Town) -> None:
    """SC-14: II-05, 2 UFP, paid and appealed in time."""
    jose = {"codigo": "II-05", "pessoa": town.world.staff["jose"]}
    Infringement.opened(
        town, when="2026-03-03 09:00", ocorrida_em="2026-03-03", **{**jose, "codigo": "II-18"}
    )
    case = to_decision_served(town, **jose).paid("2026-06-01 10:00", "200.00").appealed()
    refused = {"decisao": "nao_admitir", "motivo": "inferior_5_ufp", "fundamentacao": "Art. 128 da lei."}
    case.do("secretario", "decidir_admissibilidade", refused)
    assert (owed(case).units, case.status, case.ended) == (Units(200), "PAGO", True)


def test_the_decision_does_not_wait_for_counter_reasons_that_never_come(town: Town) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted()
    assert (case.status, case.open) == ("EM_CONTRARRAZOES", ["apresentar_contrarrazoes"])
    assert case.term("contrarrazoes")["due_at"] == local("2026-06-12 23:59:59")
    town.let_pass("2026-06-13 00:00")
    assert (case.status, case.open) == ("PARA_DECISAO_FINAL", ["decidir_ultima"])
    assert case.item("apresentar_contrarrazoes")["status"] == "cancelled"
    case.ruled("desprovido")
    assert (case.status, case.ended, fate(case)) == ("DESPROVIDO", True, "confirmada")


def test_from_notice_to_seventy_per_cent_back(town: Town) -> None:
    case = to_decision_served(town)
    assert (case.status, case.term("recurso2")["expires_at"]) == ("PROCEDENTE", local("2026-06-05 00:00"))
    case.paid("2026-06-01 10:00").appealed().admitted().answered()
    assert case.status == "PARA_DECISAO_FINAL"
    case.ruled("provido", devolucao_percentual=70, fundamento_devolucao="Art. 130 da lei.")
    town.at("2026-06-16 09:00")
    case.do("financas", "devolver_condenacao", REFUND)
    assert (case.status, case.ended, case.open, fate(case)) == ("PROVIDO", True, [], "anulada")
    assert (owed(case).refund_percent, owed(case).refund) == (70, Money(35_000))
    assert case.papers[-2:] == ["decisao_final", "ordem_devolucao"]


def test_an_appeal_upheld_in_part_gives_back_the_share_of_what_fell(town: Town) -> None:
    """5 UFP paid, 2 fall: 70 % of R$ 200.00."""
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted().answered()
    part = {"valor_mantido": "3.00"}
    case.ruled("parcial", devolucao_percentual=70, fundamento_devolucao="Art. 130 da lei.", **part)
    town.at("2026-06-16 09:00")
    case.do("financas", "devolver_condenacao", REFUND)
    assert (case.status, owed(case).refund) == ("PROVIDO_EM_PARTE", Money(14_000))


def test_an_unpaid_fine_lowered_on_appeal_is_owed_as_lowered(town: Town) -> None:
    case = to_decision_served(town).appealed()
    town.let_pass("2026-06-05 09:00")
    case.admitted("2026-06-05 10:00").answered()
    part = {"valor_mantido": "3.00"}
    case.ruled("parcial", devolucao_percentual=70, fundamento_devolucao="Art. 130 da lei.", **part)
    assert (case.status, owed(case).units) == ("VENCIDO", Units(300))


def test_the_second_equal_fault_within_sixty_days_is_fined_double(town: Town) -> None:
    Infringement.opened(town).registered().charged()
    told = {"when": "2026-07-04 09:00", "ocorrida_em": "2026-07-04"}  # day 60 after 5 May
    case = Infringement.opened(town, **told).registered("2026-07-06 09:00").charged("2026-07-07 09:00")
    assert (owed(case).units, owed(case).amount) == (Units(1000), Money(100_000))


def test_a_value_read_from_its_place_on_the_page_is_used_only_after_the_presidente_confirms_it(
    town: Town,
) -> None:
    """D-10: I-10 is inferred; the demo's municipality accepts such values, one by one."""
    case = Infringement.opened(town, codigo="I-10").registered()
    assert case.open == ["confirmar_valor"]
    case.do("presidente", "confirmar_valor", {"confirmo": True, "fundamento": "Conferido no original."})
    assert case.open == ["lavrar_auto"]
    case.charged()
    assert owed(case).units == Units(1000)


def test_each_vote_is_kept_with_its_seat_and_its_person(town: Town) -> None:
    case = to_trial(town).voted("procedente", "procedente", "improcedente").decided()
    votes = case.row["flow"]["votos"]
    assert votes == {"presidente": "procedente", "membro_1": "procedente", "membro_2": "improcedente"}
    by = {case.item("votar", seat)["closed_by"] for seat in votes}
    assert by == {f"pessoa:{town.world.people[p]}" for p in ("presidente", "membro1", "membro2")}
    assert ballot("parcial")["valor_ufp"] == "3.00"
