"""What a diagram may ask and order, at its edges: what is missing is refused with a sentence, nothing is guessed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from app import documents
from app.cases import acts
from app.cases.acts.clock import expire_overdue
from app.cases.dossier import Dossier, as_number, open_dossier
from app.cases.engines import ENGINE
from app.cases.record import _arm, item_of, save
from app.cases.vocabulary import conta, exige, facts, maioria, menor, menos, orders
from app.cases.vocabulary.papers import content, length_of
from app.engine.runner import Armed
from app.engine.runner import Order as Ordered
from app.errors import Conflict, Invalid, NotFound
from app.registry import values
from app.store import CLOCK
from app.store.cases_tables import cases, document
from app.values import Money, Units
from tests.cases.infringement import OTHER, Infringement, to_decision_served, to_trial
from tests.cases.town import Town


def on(case: Infringement, what: Callable[[Dossier], Any]) -> Any:
    with case.town.store.act(CLOCK) as tx:
        return what(open_dossier(tx, case.id))


def on_act(case: Infringement, what: Callable[[Dossier], Any]) -> Any:
    with case.town.store.silent_act(CLOCK) as tx:
        return what(open_dossier(tx, case.id))


def refused(case: Infringement, what: Callable[[Dossier], Any]) -> str:
    with pytest.raises(Invalid) as error:
        on(case, what)
    assert error.value.message
    return error.value.code


@pytest.fixture(scope="module")
def fresh(shared_town: Town) -> Infringement:
    return Infringement.opened(shared_town)


def test_votes_are_counted_and_a_majority_is_more_than_half() -> None:
    votes = {"a": "sim", "b": "sim", "c": "não"}
    assert (conta(votes, "sim"), conta(votes, "talvez"), maioria(votes)) == (2, 0, "sim")
    assert maioria({"a": "sim", "b": "não"}) == maioria({"a": "1", "b": "2", "c": "3"}) == maioria({}) == ""
    assert (menor(3, 5), menor(5, 3)) == (3, 3)
    with pytest.raises(Invalid, match="Votos"):
        conta(["sim"], "sim")


def test_what_remains_of_an_amount_is_untold_where_its_part_is() -> None:
    assert (menos(500, 200), menos(200, 500), menos(500, None)) == (300, -300, None)


def test_a_diagram_may_refuse_an_answer_in_its_own_words() -> None:
    assert exige(True, "motivo", "Confere.") is True
    with pytest.raises(Invalid) as error:
        exige(False, "motivo", "Não confere.")
    assert (error.value.code, error.value.fields) == ("formulario.invalido", {"motivo": "Não confere."})


def test_payments_are_compared_with_an_amount_of_units(town: Town) -> None:
    """5 UFP at R$ 100.00 are owed; R$ 300.00 come in."""
    case = Infringement.opened(town).registered().charged().served().paid("2026-05-12 10:00", "300.00")
    told = {units: on(case, lambda d, u=units: facts.pago_ao_menos(d, u)) for units in (299, 300, 301)}
    assert told == {299: True, 300: True, 301: False}
    told = {units: on(case, lambda d, u=units: facts.pago_alem_de(d, u)) for units in (299, 300, 301)}
    assert told == {299: True, 300: False, 301: False}
    assert (on(case, facts.pago), on(case, facts.pago_algo)) == (False, True)
    back = on(case, lambda d: orders.devolver(d, {}, 100, 500, 200))
    assert back["cents"] == 10_000  # of what was paid above the 2 UFP still owed


def test_how_surely_a_code_was_read_is_told_as_the_table_has_it(fresh: Infringement) -> None:
    codes = ("I-14", "I-10", "I-16", "I-33")
    told = [on(fresh, lambda d, c=code: facts.certeza(d, "multas", c)) for code in codes]
    assert told == ["certo", "inferido", "ausente", "ilegivel"]


def test_a_term_that_was_only_shown_can_be_put_to_rest_by_a_later_decision(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.tampered = True  # the order is given without the diagram that would journal it
    on_act(case, lambda d: orders.encerrar(d, {}, "pagamento_auto"))
    on_act(case, lambda d: orders.encerrar(d, {}, "defesa"))
    assert (case.term("pagamento_auto")["status"], case.term("defesa")["status"]) == ("closed", "armed")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("I-14", 500),
        ("I-25", 2_000),
        ("II-17", 100),
        ("I-10", 1_000),
    ],  # I-10 is inferred: allowed in the demo
)
def test_the_fine_of_a_code_is_the_tables_times_the_factor(
    fresh: Infringement, code: str, expected: int
) -> None:
    assert on(fresh, lambda d: facts.valor_multa(d, "multas", code, 1)) == expected
    assert on(fresh, lambda d: facts.valor_multa(d, "multas", code, 2)) == 2 * expected


EIGHT = ("I-16", "I-42", "I-47", "II-02", "II-13", "II-14", "II-20", "II-21")


@pytest.mark.parametrize("code", [*EIGHT, "I-33"])
def test_what_nobody_can_read_has_no_fine(fresh: Infringement, code: str) -> None:
    assert refused(fresh, lambda d: facts.valor_multa(d, "multas", code, 1)) == "multa.valor_nao_confirmado"


def test_inferred_values_are_refused_where_the_municipality_has_not_accepted_them(town: Town) -> None:
    key = "multa.permitir_inferidas"
    town.install(values.record, town.norm, key, "nao", date(2026, 5, 1), "Decreto")
    case = Infringement.opened(town)
    for code in ("I-10", "I-19", "I-23", "II-08"):
        assert refused(case, lambda d, c=code: facts.valor_multa(d, "multas", c, 1)) == (  # type: ignore[misc]
            "multa.valor_nao_confirmado"
        )
    assert on(case, lambda d: facts.valor_multa(d, "multas", "I-14", 1)) == 500


def test_figures_reach_a_diagram_as_whole_numbers(fresh: Infringement) -> None:
    assert on(fresh, lambda d: facts.parametro(d, "recurso2.min_ufp")) == 500
    assert on(fresh, lambda d: facts.parametro(d, "reincidencia.dias")) == 60
    assert on(fresh, lambda d: facts.parametro(d, "ufp.valor")) == 10_000
    assert (as_number(Units(1)), as_number(Money(2)), as_number("x"), as_number(True)) == (1, 2, "x", True)


def test_a_figure_that_nobody_fixed_is_refused_with_who_can_help(town: Town) -> None:
    case = Infringement.opened(town)
    town.tamper("DELETE FROM norm_value WHERE key = 'ufp.valor'")
    with pytest.raises(Invalid, match="administrador") as error:
        on(case, lambda d: facts.parametro(d, "ufp.valor"))
    assert (error.value.code, error.value.context) == ("valor.nao_registrado", {"key": "ufp.valor"})


def test_seats_choices_and_papers_are_what_the_case_shows(fresh: Infringement) -> None:
    seats = on(fresh, lambda d: facts.assentos(d, "comissao_julgamento"))
    assert seats == {"presidente": "presidente", "membro_1": "membro_1", "membro_2": "membro_2"}
    assert on(fresh, lambda d: facts.escolha(d, "recurso1.inicio")) == "auto"
    assert on(fresh, lambda d: d.choice("chave.que.nao.ha", "padrao")) == "padrao"
    assert on(fresh, lambda d: facts.tem_documento(d, "notificacao")) is True
    assert on(fresh, lambda d: facts.tem_documento(d, "auto_de_infracao")) is False
    assert on(fresh, lambda d: facts.tempestividade(d, "contestacao", "defesa")) == "nenhuma"
    assert on(fresh, lambda d: facts.pago_ate(d, "defesa")) is False
    assert on(fresh, lambda d: facts.pago_algo(d)) is False


def test_a_choice_added_to_the_norm_later_has_its_default_in_old_cases(fresh: Infringement) -> None:
    def without(dossier: Dossier) -> str:
        dossier.row = {**dossier.row, "choices": {}}
        return dossier.choice("recurso1.inicio")

    assert on(fresh, without) == "auto"


@pytest.mark.parametrize(
    ("order", "args", "code"),
    [
        ("emitir", ("nada",), "documento.desconhecido"),
        ("contar", ("nada", "2026-05-11T11:00:00Z"), "prazo.desconhecido"),
        ("contar", ("defesa", "ontem"), "prazo.sem_inicio"),
        ("contar", ("defesa", "2026-05-11T11:00:00"), "prazo.sem_inicio"),
        ("ocorrencia", ("perdoada",), "ocorrencia.situacao"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(
    fresh: Infringement, order: str, args: tuple[str, ...], code: str
) -> None:
    given = (Ordered(order, args, "tarefa"),)
    assert refused(fresh, lambda d: orders.perform(d, given, {})) == code


def test_nobody_is_charged_where_no_carrier_is_known(town: Town) -> None:
    case = Infringement(town, town.act("protocolo", acts.open_case, "jequie", "peticao", OTHER))
    assert refused(case, lambda d: orders.cobrar(d, {}, 500)) == "cobranca.sem_devedor"


def test_nothing_goes_back_where_nothing_was_owed(fresh: Infringement) -> None:
    assert on(fresh, lambda d: orders.devolver(d, {}, 70, 500)) is None


def test_a_term_that_the_diagram_armed_without_counting_is_a_fault_of_the_diagram(town: Town) -> None:
    """The row would have no trace: nobody could tell which days were counted."""
    case = Infringement.opened(town).registered().charged().served()
    row = case.term("defesa")
    stray = Armed("t", "fim_prazo_defesa", "recurso2", row["base"], row["expires_at"])
    assert refused(case, lambda d: _arm(d, stray)) == "prazo.sem_contagem"


def test_a_step_on_a_case_that_moved_meanwhile_is_refused(town: Town) -> None:
    """Only a bug could do it: the case is locked before it is read."""
    case = Infringement.opened(town)

    def late(dossier: Dossier) -> None:
        dossier.row = {**dossier.row, "version": 0}
        step = ENGINE.snapshot(dossier.definition, dossier.row["state"])
        save(dossier, step, "complete", {"op": "none"}, {})

    with pytest.raises(Conflict) as error:
        on(case, late)
    assert error.value.code == "processo.mudou"
    assert case.row["version"] == 1


def test_a_task_of_another_case_is_no_task_of_this_one(town: Town) -> None:
    one, two = Infringement.opened(town), Infringement.opened(town, codigo="I-13")
    other = two.item("registrar_notificacao")["id"]
    with pytest.raises(NotFound, match="tarefa"):
        on(one, lambda d: item_of(d, other))
    assert on(one, lambda d: expire_overdue(d, d.tx.now)) == 0
    assert {r["id"] for r in town.rows(cases)} == {one.id, two.id}


def paper(case: Infringement, kind: str) -> dict[str, str]:
    rows = case.town.rows(document, case_id=case.id, kind=kind)
    told = case.town.read(documents.content_of, max(rows, key=lambda r: r["seq"])["id"])
    return {f["key"]: f["text"] for f in told["fields"]}


def test_the_auto_bears_the_ten_fields_of_article_124(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    told = paper(case, "auto_de_infracao")
    expected = {
        "fatos": "Deixou de realizar duas das viagens determinadas.",
        "linha": "L-110",
        "infrator": "Expresso Sol Ltda",
        "transportador": "Expresso Sol Ltda",
        "dispositivo": "Art. 45, IV, e Anexo I",
        "codigo": "I-14",
        "valor_ufp": "5 UFP",
        "valor": "R$ 500,00",
        "matricula": "1006",
        "autuante": "Antônio Dias",
        "cargo": "Servidor designado para autuar",
        "lavrado_em": "08/05/2026 10:00",
        "linha_observada": "",
    }
    assert {key: told[key] for key in expected} == expected
    assert "número de viagens" in told["infracao"]


def test_the_receipt_shows_the_computed_last_days(town: Town) -> None:
    told = paper(Infringement.opened(town).registered().charged().served(), "recibo_ciencia")
    assert told["instante"] == "11/05/2026 11:00"
    assert told["fim_defesa"] == told["fim_pagamento"] == "18/05/2026 23:59"
    assert told["fim_recurso"] == "21/05/2026 23:59"
    assert told["recebido_por"] == "Representante legal"


def test_the_decision_names_who_voted_what(town: Town) -> None:
    case = to_trial(town).voted("procedente", "procedente", "improcedente").decided()
    votes = paper(case, "decisao_comissao")["votos"]
    for words in ("Paulo Prates: procedente", "Marta Andrade: procedente", "Mário Bastos: improcedente"):
        assert words in votes


@pytest.mark.parametrize(
    ("votes", "kind", "words"),
    [
        (("procedente", "procedente", "improcedente"), "decisao_comissao", "procedente"),
        (("parcial", "parcial", "procedente"), "decisao_comissao", "procedente em parte"),
        (("improcedente", "improcedente", "procedente"), "decisao_absolutoria", "improcedente"),
    ],
)
def test_a_decision_says_how_the_auto_was_judged_as_the_vote_called_it(
    town: Town, votes: tuple[str, str, str], kind: str, words: str
) -> None:
    case = to_trial(town).voted(*votes)
    if words == "procedente em parte":
        reduced = {"valor_parcial": "3.00", "justificativa": "Os votos de Paulo e de Marta."}
        case.do("presidente", "fixar_valor_parcial", reduced)
    assert paper(case.decided(), kind)["resultado"] == words


def test_a_driver_is_named_on_his_paper_and_his_employer_pays(town: Town) -> None:
    jose = {"codigo": "II-05", "pessoa": town.world.staff["jose"], "outorga": None}
    told = paper(Infringement.opened(town, **jose), "notificacao")
    assert told["infrator"] == "José dos Santos"
    assert "Expresso Sol Ltda" in told.values()


def test_what_is_issued_by_the_clock_is_signed_by_nobody(town: Town) -> None:
    case = to_decision_served(town)
    kind = town.norm.documents["auto_de_infracao"]
    told = {f["key"]: f["text"] for f in on(case, lambda d: content(d, kind, {}))["fields"]}
    assert (told["autuante"], told["matricula"], told["cargo"]) == ("Relógio do sistema", "", "")
    assert told["codigo"] == told["infracao"] == ""


def test_a_term_that_has_not_begun_is_told_in_words(shared_town: Town) -> None:
    terms = shared_town.norm.deadlines
    assert length_of(terms["defesa"]) == (
        "5 dias úteis, a contar de: Recebimento do auto de infração, registrado no livro protocolo "
        "(Art. 126 e § 1º)"
    )
    assert length_of(terms["recurso1"]).startswith("10 dias, a contar de: ")


def test_papers_for_a_case_without_carrier_leave_its_fields_empty(town: Town) -> None:
    case_id = town.act("protocolo", acts.open_case, "jequie", "peticao", OTHER)
    case = Infringement(town, case_id)
    answers = {
        "despacho": "nao_conhecer",
        "motivo": "ja_decidido",
        "fundamentacao": "O processo terminou.",
    }
    case.do("secretario", "despachar_peticao", answers)
    assert case.papers == ["despacho"]
    assert paper(case, "despacho")
