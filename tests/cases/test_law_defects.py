"""Readings of the law that were once got wrong, each by the smallest case that shows the difference."""

from __future__ import annotations

from datetime import date

import pytest

from app.cases import acts, history
from app.registry import charges, values
from app.store.cases_tables import filing
from app.values import Money, Units
from app.web.forms.choices import choices_of
from app.web.sheets import facts, subject
from tests.cases.infringement import DEFENCE, REFUND, Infringement, ballot, to_decision_served, to_trial
from tests.cases.town import Town, local

RULING = {"valor_mantido": "2.00", "devolucao_percentual": 70, "fundamento_devolucao": "Art. 130 da lei."}


def lowered(town: Town, paid: str) -> Infringement:
    """A fine of 5 UFP (R$ 500.00), paid as told, of which the appeal leaves 2 UFP (R$ 200.00)."""
    case = to_decision_served(town).paid("2026-06-01 10:00", paid).appealed()
    if case.status == "AGUARDANDO_COMPROVANTE":
        town.let_pass("2026-06-05 09:00")
    case.admitted("2026-06-05 10:00").answered()
    case.ruled("parcial", **RULING)
    return case


@pytest.mark.parametrize(
    ("paid", "status", "task"),
    [
        ("199.99", "VENCIDO", []),
        ("200.00", "PROVIDO_EM_PARTE", []),
        ("200.01", "PROVIDO_EM_PARTE", ["devolver_condenacao"]),
    ],
)
def test_what_was_paid_is_compared_with_what_the_appeal_left(
    town: Town, paid: str, status: str, task: list[str]
) -> None:
    case = lowered(town, paid)
    assert (case.status, case.open, case.ended) == (status, task, not task)
    charge = town.read(charges.of_case, case.id)
    assert (charge.units, charge.amount) == (Units(200), Money(20_000))


@pytest.mark.parametrize(
    ("paid", "back"),
    [
        (
            "300.00",
            10_000,
        ),  # 70 % of the 3 UFP annulled are R$ 210.00, but only R$ 100.00 came in above the rest
        ("410.00", 21_000),
        ("500.00", 21_000),
    ],
)
def test_the_refund_is_a_share_of_what_fell_and_never_touches_what_is_still_owed(
    town: Town, paid: str, back: int
) -> None:
    case = lowered(town, paid)
    town.at("2026-06-16 09:00")
    case.do("financas", "devolver_condenacao", REFUND)
    charge = town.read(charges.of_case, case.id)
    assert (charge.refund_percent, charge.refund, case.status) == (70, Money(back), "PROVIDO_EM_PARTE")


@pytest.mark.parametrize("kept", ["5.00", "9.00"])
def test_who_keeps_the_whole_fine_has_not_upheld_the_appeal_in_part(town: Town, kept: str) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted().answered()
    item = case.item("decidir_ultima")
    told = {**RULING, "resultado": "parcial", "fundamentacao": "Examinadas as provas.", "valor_mantido": kept}
    refused = town.refusal("secretario", acts.complete, item["id"], told, item["version"])
    assert (refused.code, list(refused.fields)) == ("formulario.invalido", ["valor_mantido"])
    assert (case.open, "decisao_final" in case.papers) == (["decidir_ultima"], False)


@pytest.mark.parametrize("value", ["5.00", "5,01", "8"])
def test_a_vote_for_the_whole_fine_or_more_is_no_vote_in_part(town: Town, value: str) -> None:
    """The auto is of 5 UFP: less is "em parte", all of it is "procedente", more is nobody's to impose."""
    case = to_trial(town)
    item = case.item("votar", "presidente")
    told = {**ballot("parcial"), "valor_ufp": value}
    refused = town.refusal("presidente", acts.complete, item["id"], told, item["version"])
    assert refused.fields == {"valor_ufp": "Informe um valor menor que 5."}
    case.do("presidente", "votar", {**told, "valor_ufp": "4.99"}, seat="presidente")


@pytest.mark.parametrize("value", ["5.00", "8.00"])
def test_a_reduced_fine_is_proclaimed_below_that_of_the_auto(town: Town, value: str) -> None:
    case = to_trial(town).voted("parcial", "parcial", "procedente")
    item = case.item("fixar_valor_parcial")
    told = {"valor_parcial": value, "justificativa": "Meio serviço."}
    refused = town.refusal("presidente", acts.complete, item["id"], told, item["version"])
    assert (refused.code, list(refused.fields)) == ("formulario.invalido", ["valor_parcial"])


def test_judging_again_the_ceiling_is_what_was_imposed_the_first_time(town: Town) -> None:
    """Reduced from 5 to 3 UFP and taken back to the Comissão: a second vote in part is for less than 3."""
    town.install(values.record, town.norm, "recurso1.inicio", "decisao", date(2026, 5, 1), "Decreto 1")
    case = to_trial(town).voted("parcial", "parcial", "procedente")
    case.do("presidente", "fixar_valor_parcial", {"valor_parcial": "3.00", "justificativa": "Meio serviço."})
    case.decided().told()
    case.file("reconsideracao", DEFENCE, when="2026-06-02 15:00")
    item = case.item("votar", "presidente")
    told = {**ballot("parcial"), "valor_ufp": "3.00"}
    refused = town.refusal("presidente", acts.complete, item["id"], told, item["version"])
    assert refused.fields == {"valor_ufp": "Informe um valor menor que 3."}


@pytest.mark.parametrize(("paid_at", "taken"), [("09:00", True), ("09:01", False)])
def test_a_payment_is_not_younger_than_the_stamp_of_its_receipt(
    town: Town, paid_at: str, taken: bool
) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-12 18:00")
    told = {"valor": "500.00", "pago_em": f"2026-05-12T{paid_at}:00-03:00"}
    stamped = (case.id, "pagamento", told, local("2026-05-12 09:00"))
    if taken:
        town.act("protocolo", acts.file, *stamped)
        return
    refused = town.refusal("protocolo", acts.file, *stamped)
    assert (refused.code, list(refused.fields)) == ("pagamento.posterior", ["pago_em"])


def test_a_receipt_older_than_the_case_pays_nothing(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    told = {"valor": "500.00", "pago_em": "2001-01-01T10:00:00-03:00"}
    refused = town.refusal("protocolo", acts.file, case.id, "pagamento", told)
    assert (refused.code, list(refused.fields)) == ("pagamento.anterior", ["pago_em"])
    assert town.read(charges.paid, case.id) == Money(0)


def test_a_payment_before_anything_is_owed_is_refused_with_where_the_paper_goes(town: Town) -> None:
    case = Infringement.opened(town).registered()
    refused = town.refusal("protocolo", acts.file, case.id, "pagamento", {"valor": "500.00"})
    assert refused.code == "pagamento.nada_devido"
    assert "outra petição" in refused.message
    assert town.rows(filing, case_id=case.id) == []


def test_an_accuser_who_may_judge_is_warned_and_the_case_says_so(town: Town) -> None:
    town.install(values.record, town.norm, "autuante.julga", "avisar", date(2026, 5, 1), "Portaria 9")
    case = Infringement.opened(town).registered().charged(by="presidente").served().defended()
    case.do("presidente", "votar", ballot("procedente"), seat="presidente")
    case.do("membro1", "votar", ballot("procedente"), seat="membro_1")
    warned = [
        (line.who, line.entry.body["warnings"])
        for line in town.read(history.timeline, case.id)
        if "warnings" in line.entry.body
    ]
    assert warned == [
        (
            "Paulo Prates",
            [
                "Quem autuou ou notificou também julga: o município o permite (Arts. 105, III, 106, § 2º, e 125)."
            ],
        )
    ]


def test_a_value_that_was_not_read_with_certainty_is_never_shown_as_if_it_had_been(shared_town: Town) -> None:
    norm = shared_town.norm
    options = {o.value: o.text for o in shared_town.read(choices_of, norm, {"x-tabela": "multas"})}
    assert options["I-14"].endswith("(5 UFP)")
    assert "deduzido" in options["I-10"]
    assert "valor ausente" in options["I-16"]
    assert "descrição ilegível" in options["I-33"]
    case = {"id": "nenhum", "process": "infracao", "opened_at": local("2026-05-05 08:10")}
    inferred = shared_town.read(subject.table_row, norm, {**case, "flow": {"codigo": "I-10"}})
    labels = [label for label, _ in inferred]
    assert labels[-2:] == ["Atenção ao valor", "Nota sobre a leitura"]
    assert len(shared_town.read(subject.table_row, norm, {**case, "flow": {"codigo": "I-14"}})) == 2


def test_a_task_shows_the_checks_that_its_diagram_names_and_only_yes_or_no() -> None:
    shows = "valor: Valor mínimo | prazo: No prazo | nome: Quem"
    assert facts.checked(shows, {"valor": True, "prazo": False, "nome": "Ana"}) == [
        ("Valor mínimo", True),
        ("No prazo", False),
    ]
    assert facts.checked("", {"valor": True}) == []
