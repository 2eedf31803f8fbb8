"""The protocol stamp: what it may say, what has to be looked at again, what is kept of it."""

from __future__ import annotations

from typing import Any

import pytest

from app.cases import acts
from app.store.cases_tables import filing
from tests.cases.infringement import APPEAL, DEFENCE, OTHER, Infringement, to_decision_served, to_trial
from tests.cases.town import Town, local

BOX = "confirma_carimbo"


def running(town: Town) -> Infringement:
    """Charged on the 8th; received on Monday 11 May at eleven; it is the 13th."""
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-13 09:00")
    return case


def last(case: Infringement) -> Any:
    return case.town.entries(f"processo:{case.id}")[-1].body


@pytest.mark.parametrize("stamp", ["2026-05-05 08:10", "2026-05-08 09:00", "2026-05-11 10:59"])
def test_a_defence_stamped_before_what_it_answers_was_received_is_confirmed_first(
    town: Town, stamp: str
) -> None:
    case = running(town)
    told = (case.id, "contestacao", DEFENCE, local(stamp))
    refused = town.refusal("protocolo", acts.file, *told)
    assert (refused.code, list(refused.fields)) == ("instante.antes_do_prazo", [BOX])
    assert "11/05/2026, 11:00" in refused.message
    town.act("protocolo", acts.file, *told, stamp_confirmed=True)
    assert case.status == "EM_DEFESA"
    assert last(case)["before_term"] == {"term": "defesa", "start": "2026-05-11T14:00:00Z"}


def test_a_defence_stamped_at_the_very_instant_of_receipt_asks_nothing(town: Town) -> None:
    case = running(town)
    case.file("contestacao", DEFENCE, stamp="2026-05-11 11:00")
    assert case.status == "EM_DEFESA"
    assert "before_term" not in last(case)


def test_what_answers_nothing_yet_is_received_once_its_stamp_is_confirmed(town: Town) -> None:
    """No auto, no term: a wrong kind or a wrong hour, or somebody in haste. In haste it is kept."""
    case = Infringement.opened(town).registered()
    refused = town.refusal("protocolo", acts.file, case.id, "contestacao", DEFENCE)
    assert (refused.code, list(refused.fields)) == ("instante.antes_do_prazo", [BOX])
    town.act("protocolo", acts.file, case.id, "contestacao", DEFENCE, stamp_confirmed=True)
    assert town.row(filing, case_id=case.id)["delivered"] is False
    assert last(case)["before_term"] == {"term": "defesa", "start": None}


def test_an_appeal_is_measured_by_the_term_of_its_own_decision(town: Town) -> None:
    case = to_decision_served(town)
    town.at("2026-06-02 15:00")
    told = (case.id, "recurso2", APPEAL, local("2026-05-28 09:59"))
    assert town.refusal("protocolo", acts.file, *told).code == "instante.antes_do_prazo"
    case.appealed()
    assert "before_term" not in last(case)


def test_what_has_no_term_or_comes_after_the_end_is_stamped_as_ever(town: Town) -> None:
    case = to_trial(town)
    case.file("outro", OTHER, stamp="2026-05-05 08:10")
    town.act("secretario", acts.cancel, case.id, "Erro na placa.", "cancelada")
    case.file("recurso2", APPEAL, when="2026-05-20 09:00")
    assert "before_term" not in last(case)


@pytest.mark.parametrize(("stamp", "taken"), [("08:10:00", True), ("08:10:29", True), ("08:09:59", False)])
def test_a_stamp_of_the_minute_of_the_opening_is_that_of_the_opening(
    town: Town, stamp: str, taken: bool
) -> None:
    case = Infringement.opened(town, when="2026-05-05 08:10:30")
    told = (case.id, "outro", OTHER, local(f"2026-05-05 {stamp}"))
    if not taken:
        assert town.refusal("protocolo", acts.file, *told).code == "instante.anterior"
        return
    town.act("protocolo", acts.file, *told)
    assert case.filed("outro")["stamped_at"] == local("2026-05-05 08:10:30")
