"""What a municipality may choose: each option has its own story or test, and none is a mere word on the norm's page."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from app.cases import acts
from app.cases.dossier import Dossier, open_dossier
from app.cases.vocabulary import facts
from app.cases.vocabulary.terms import count_term, term_of
from app.law.counting import Unit
from app.registry import values
from app.settings import ROOT
from app.store import CLOCK
from tests.cases.infringement import SERVED, Infringement, to_decision_served
from tests.cases.town import Town, local
from tests.scenarios.reached import all_stories

DEMO = ROOT / "bpmn" / "jequie" / "demonstracao.toml"


def on(case: Infringement, what: Callable[[Dossier], Any]) -> Any:
    with case.town.store.act(CLOCK) as tx:
        return what(open_dossier(tx, case.id))


def chosen(town: Town, key: str, option: str) -> None:
    town.install(values.record, town.norm, key, option, date(2026, 3, 1), "Portaria 9")


def test_every_option_that_is_not_the_default_has_a_story(shared_town: Town) -> None:
    told = [line for story in all_stories() for line in story.given.get("valores", ())]
    told += tomllib.loads(DEMO.read_text("utf-8"))["valores"]
    played = {(line["chave"], line["valor"]) for line in told}
    every = {(key, o) for key, c in shared_town.norm.choices.items() for o in c.options if o != c.default}
    assert every - played == set()


def test_every_choice_has_two_options_a_reason_and_an_article(shared_town: Town) -> None:
    for key, choice in shared_town.norm.choices.items():
        assert len(set(choice.options)) >= 2, key
        assert choice.reason, key
        assert choice.article, key
        assert all(choice.labels[option] for option in choice.options), key


def test_a_choice_of_unit_names_a_deadline_and_units_that_can_be_counted(shared_town: Town) -> None:
    norm = shared_town.norm
    told = [key for key in norm.choices if key.startswith("prazo.") and key.endswith(".unidade")]
    assert told == ["prazo.recurso1.unidade"]
    assert "recurso1" in norm.deadlines
    assert set(norm.choices["prazo.recurso1.unidade"].options) == {"dias", "dias_uteis"}


@pytest.mark.parametrize(
    ("option", "unit", "end"),
    [
        # Received on Monday 11 May 2026. Ten days in a row end on Thursday 21.
        ("dias", Unit.CALENDAR_DAYS, date(2026, 5, 21)),
        # 12, 13, 14, 15, 18, 19, 20, 21, 22 and 25.
        ("dias_uteis", Unit.BUSINESS_DAYS, date(2026, 5, 25)),
    ],
)
def test_plain_days_are_read_as_the_municipality_chose(
    town: Town, option: str, unit: Unit, end: date
) -> None:
    chosen(town, "prazo.recurso1.unidade", option)
    case = Infringement.opened(town)
    base = local("2026-05-11 11:00").isoformat()
    assert on(case, lambda d: term_of(d, "recurso1")).unit is unit
    due = on(case, lambda d: count_term(d, "recurso1", base))
    assert due.due_at.astimezone(town.norm.zone).date() == end
    assert on(case, lambda d: term_of(d, "contrarrazoes")).unit is Unit.CALENDAR_DAYS


def test_only_codes_of_the_table_are_taken_for_faults_of_the_vehicle(shared_town: Town) -> None:
    table = shared_town.norm.tables["multas"]
    codes = table.settings["codigos_de_veiculo"]
    assert len(codes) == len(set(codes)) > 0
    assert {code for code in codes if code not in table.codes or not code.startswith("I-")} == set()


def factor_after_a_decision(town: Town, option: str, status: str = "") -> int:
    """The factor of a second I-14 two weeks after one of 5 May that the Comissão has confirmed."""
    chosen(town, "reincidencia.conta_advertencia", option)
    first = to_decision_served(town)
    if status:
        town.let_pass("2026-06-05 08:00")  # nobody appealed by 4 June
        assert (first.status, first.ended) == (status, True)
    second = Infringement.opened(town, when=None, ocorrida_em="2026-05-19")
    return int(on(second, lambda d: facts.fator_reincidencia(d, d.row["infringer"], "I-14", "2026-05-19")))


@pytest.mark.parametrize(("option", "factor"), [("sim", 2), ("nao", 2), ("so_definitivas", 1)])
def test_a_fine_that_may_still_be_appealed_is_not_final(town: Town, option: str, factor: int) -> None:
    assert factor_after_a_decision(town, option) == factor


def test_a_fine_is_final_when_its_case_has_ended(town: Town) -> None:
    assert factor_after_a_decision(town, "so_definitivas", "VENCIDO") == 2


def test_a_figure_may_be_asked_for_a_number_of_times(town: Town) -> None:
    """5 UFP twice: the least fine that admits an appeal, measured without the doubling."""
    case = Infringement.opened(town)
    assert on(case, lambda d: facts.parametro(d, "recurso2.min_ufp", 2)) == 1_000
    assert on(case, lambda d: facts.parametro(d, "recurso2.min_ufp", 1)) == 500


def test_a_case_pinned_before_a_choice_existed_keeps_the_reading_of_its_day(town: Town) -> None:
    """An older norm has no such choices; its cases go on as it read the law."""
    case = Infringement.opened(town)

    def older(dossier: Dossier) -> tuple[bool, int]:
        dossier.norm = _Without(dossier.norm)  # type: ignore[assignment]
        dossier.row = {**dossier.row, "choices": {"reincidencia.conta_advertencia": "sim"}}
        who = dossier.row["infringer"]
        return (
            facts.primario(dossier, who, None, "2026-05-05"),
            facts.fator_reincidencia(dossier, who, "I-14", "2026-05-05"),
        )

    assert on(case, older) == (False, 1)  # warned on 11 February for I-15: another code, 83 days before


class _Without:
    """A norm without choices."""

    def __init__(self, norm: Any) -> None:
        self._norm, self.choices = norm, {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._norm, name)


@pytest.mark.parametrize(
    ("option", "mode", "accepted"),
    [
        ("representante", "representante", True),
        ("representante", "pessoal", False),
        ("representante", "postal_ar", True),
        ("pessoa", "representante", False),
        ("pessoa", "pessoal", True),
        ("pessoa", "postal_ar", True),
    ],
)
def test_who_may_receive_an_auto_against_a_driver(town: Town, option: str, mode: str, accepted: bool) -> None:
    chosen(town, "ciencia.pessoal", option)
    jose = {"codigo": "II-01", "pessoa": town.world.staff["jose"]}
    Infringement.opened(town, **jose, ocorrida_em="2026-05-04").registered()
    case = Infringement.opened(town, **jose, when="2026-05-07 08:10", ocorrida_em="2026-05-07")
    case.registered("2026-05-07 09:00").charged()
    town.at("2026-05-11 11:30")
    item = case.item("dar_ciencia_auto")
    told = {**SERVED, "modo": mode, "instante": local("2026-05-11 11:00").isoformat()}
    if accepted:
        case.do("protocolo", "dar_ciencia_auto", told)
        assert case.term("defesa")["status"] == "armed"
        return
    refused = town.refusal("protocolo", acts.complete, item["id"], told, item["version"])
    assert (refused.code, list(refused.fields)) == ("formulario.invalido", ["modo"])
