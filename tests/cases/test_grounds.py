"""Why a case was charged: the journal names the earlier occurrences on which the registry's answers rest."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from app.cases import acts
from app.registry import values
from app.store.registry_tables import occurrence
from tests.cases.infringement import Infringement, receipt, to_decision_served, to_trial
from tests.cases.test_vocabulary import paper
from tests.cases.town import Town


def grounds(case: Infringement, fact: str) -> dict[str, Any]:
    """What the journal keeps of the newest answer to a fact."""
    entries = case.town.entries(f"processo:{case.id}")
    return [g for e in entries for g in e.body.get("grounds", []) if g["fact"] == fact][-1]


def fresh(town: Town, **changes: Any) -> Infringement:
    """A notice to the carrier that nothing is known of."""
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    return Infringement.opened(town, **told, **changes)


def test_a_first_offender_has_no_earlier_notice(town: Town) -> None:
    case = fresh(town).registered()
    assert grounds(case, "primario") == {"fact": "primario", "occurrences": [], "reason": ""}


def test_a_second_notice_within_sixty_days_is_held_against_the_infringer_twice(town: Town) -> None:
    first = fresh(town).registered()
    earlier = str(town.row(occurrence, case_id=first.id)["id"])
    second = fresh(town, when="2026-06-10 09:00", ocorrida_em="2026-06-10").registered("2026-06-11 09:00")
    assert grounds(second, "primario")["occurrences"] == [earlier]
    assert grounds(second, "fator_reincidencia")["occurrences"] == [earlier]  # 36 days after, same code
    assert second.row["flow"]["fator"] == 2  # known before the auto is drawn up


def test_without_a_grant_in_force_the_reason_is_kept_instead(town: Town) -> None:
    case = fresh(town, ocorrida_em="2001-05-05").registered()
    assert grounds(case, "primario") == {"fact": "primario", "occurrences": [], "reason": "sem_outorga"}


@pytest.mark.parametrize(
    ("option", "begins"),
    [("auto", "Recebimento do auto de infração"), ("decisao", "Recebimento da decisão da Comissão")],
)
def test_an_auto_tells_the_start_of_a_term_only_as_the_case_reads_it(
    town: Town, option: str, begins: str
) -> None:
    town.install(values.record, town.norm, "recurso1.inicio", option, date(2026, 1, 1), "Decreto 1")
    told = paper(Infringement.opened(town).registered().charged(), "auto_de_infracao")["prazo_recurso"]
    assert told == f"10 dias, a contar de: {begins}, registrado no livro protocolo (Art. 108)"


def test_an_auto_is_silent_on_a_term_that_the_municipality_does_not_have(town: Town) -> None:
    town.install(values.record, town.norm, "recurso1.inicio", "desligado", date(2026, 1, 1), "Decreto 1")
    told = paper(Infringement.opened(town).registered().charged(), "auto_de_infracao")
    assert told["prazo_recurso"] == ""
    assert told["prazo_defesa"].startswith("5 dias úteis, a contar de: Recebimento do auto")


def test_a_decision_says_the_least_fine_to_appeal_and_that_this_one_reaches_it(town: Town) -> None:
    told = paper(to_decision_served(town), "decisao_comissao")  # I-14: 5 UFP
    assert told["minimo_recurso"] == "5 UFP"
    assert told["alcanca_minimo"] == "O mínimo não impede o recurso desta multa."


def test_a_decision_says_that_its_fine_is_too_small_to_appeal(town: Town) -> None:
    less = to_trial(town).voted("parcial", "parcial", "procedente")
    less.do("presidente", "fixar_valor_parcial", {"valor_parcial": "3.00", "justificativa": "Meio serviço."})
    told = paper(less.decided(), "decisao_comissao")
    assert told["alcanca_minimo"] == "Esta multa é inferior ao mínimo: dela a lei não admite recurso."
    # The president's vote, not the amount that the president fixed after it.
    partly = "Paulo Prates: procedente em parte; Marta Andrade: procedente em parte; Mário Bastos: procedente"
    assert told["votos"] == partly


def test_votes_are_told_in_the_order_of_the_seats(town: Town) -> None:
    case = to_trial(town)
    town.at("2026-05-27 09:00")
    for login, seat, vote in (
        ("membro2", "membro_2", "procedente"),
        ("presidente", "presidente", "parcial"),
        ("membro1", "membro_1", "procedente"),
    ):
        value = {"valor_ufp": "3.00"} if vote == "parcial" else {}
        case.do(login, "votar", {"voto": vote, "fundamentacao": "Razões.", **value}, seat=seat)
    told = paper(case.decided(), "decisao_comissao")["votos"]
    names = "Paulo Prates: procedente em parte; Marta Andrade: procedente; Mário Bastos: procedente"
    assert told == names


def test_decisions_of_the_secretary_say_that_they_hold_from_the_signature(town: Town) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted().answered()
    case.ruled("desprovido")
    for kind in ("decisao_admissibilidade", "decisao_final"):
        assert "A lei não traz ato de ciência desta decisão." in paper(case, kind)["definitiva"]


@pytest.mark.parametrize(("instant", "taken"), [("2026-05-08 09:54", False), ("2026-05-08 09:56", True)])
def test_nobody_receives_an_auto_before_the_hour_it_was_issued(town: Town, instant: str, taken: bool) -> None:
    """Issued at 10:00; five minutes are left for watches that differ."""
    case = Infringement.opened(town).registered().charged("2026-05-08 10:00")
    town.at("2026-05-08 11:00")
    if taken:
        case.do("protocolo", "dar_ciencia_auto", receipt(instant))
        assert case.open == []
        return
    item = case.item("dar_ciencia_auto")
    refused = town.refusal("protocolo", acts.complete, item["id"], receipt(instant), item["version"])
    assert refused.code == "ciencia.anterior_ao_documento"
    assert refused.fields == {"instante": "O documento foi emitido em 08/05/2026 10:00."}
