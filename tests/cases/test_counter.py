"""The counter: what parties hand in is received, stamped, numbered and put in front of somebody; never lost."""

from __future__ import annotations

from typing import Any

import pytest

from app.audit import seal
from app.cases import acts
from app.registry import charges
from app.store.cases_tables import cases, filing, submission, work_item
from app.store.registry_tables import payment
from app.store.tables import journal
from app.values import Money
from tests.cases.infringement import APPEAL, DEFENCE, OTHER, Infringement, to_trial
from tests.cases.town import Town, local

DISMISSED = {"despacho": "nao_conhecer", "motivo": "ja_decidido", "fundamentacao": "O processo terminou."}
HEARD = {
    "despacho": "conhecer",
    "motivo": "providencia",
    "fundamentacao": "Pede cópia, que se dá.",
    "encaminhamento": "Dê-se a cópia.",
}


def running(town: Town) -> Infringement:
    return Infringement.opened(town).registered().charged().served()


def test_what_the_diagram_waits_for_moves_the_case_and_the_rest_stays_in_the_folder(town: Town) -> None:
    case = running(town)
    version = case.row["version"]
    case.file("outro", OTHER, when="2026-05-12 09:00")
    early = (case.id, "recurso2", APPEAL)  # no decision to appeal from: its stamp has to be confirmed
    town.act("protocolo", acts.file, *early, stamp_confirmed=True)
    assert (case.row["version"], case.status) == (version, "AUTUADO")
    assert {r["kind"]: r["delivered"] for r in town.rows(filing)} == {"outro": False, "recurso2": False}
    case.defended("2026-05-13 09:00")
    assert case.filed("contestacao")["delivered"] is True
    assert case.status == "EM_DEFESA"
    assert sorted(r["number"] for r in town.rows(filing)) == ["P00001/2026", "P00002/2026", "P00003/2026"]


def test_a_second_defence_is_kept_and_the_first_stamp_counts(town: Town) -> None:
    case = to_trial(town)
    case.file("contestacao", {**DEFENCE, "razoes": "Outra versão."}, when="2026-05-25 09:00")
    assert case.status == "EM_DEFESA"
    assert len(town.rows(filing, case_id=case.id, kind="contestacao")) == 2


def test_what_a_party_wrote_is_sealed_and_the_journal_shows_none_of_it(town: Town) -> None:
    case = to_trial(town)
    row = town.row(submission, id=case.filed("contestacao")["submission_id"])
    assert row["answers"] == {"qualidade": "autuado"}
    assert town.read(seal.unseal, row["sealed_id"]) == {
        "peticionario": "Expresso Sol Ltda",
        "razoes": "As viagens foram feitas.",
    }
    bodies = b"".join(bytes(r["body"]) for r in town.rows(journal, stream=f"processo:{case.id}"))
    for words in ("As viagens foram feitas", "Representante legal", "duas das viagens"):
        assert words.encode() not in bodies


@pytest.mark.parametrize(("answers", "status"), [(DISMISSED, "NAO_CONHECIDA"), (HEARD, "CONHECIDA")])
def test_a_filing_for_an_ended_case_opens_a_petition_that_somebody_decides(
    town: Town, answers: dict[str, Any], status: str
) -> None:
    case = to_trial(town).voted("improcedente", "improcedente", "improcedente").decided()
    number = case.file("outro", OTHER, when="2026-06-10 09:00")
    opened = town.row(cases, origin_case_id=case.id)
    petition = Infringement(town, opened["id"])
    assert (petition.status, petition.open, opened["carrier_id"]) == (
        "EM_DESPACHO",
        ["despachar_peticao"],
        town.world.carriers["ES"],
    )
    last = town.entries(f"processo:{case.id}")[-1]
    assert (last.act, last.body["petition"], last.body["number"]) == ("file", petition.id, number)
    assert (case.status, case.acts[-1]) == ("IMPROCEDENTE", "file")
    petition.do("secretario", "despachar_peticao", answers)
    assert (petition.status, petition.ended) == (f"PETICAO_{status}", True)


def test_each_filing_for_an_ended_case_is_a_petition_of_its_own(town: Town) -> None:
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    case = Infringement.opened(town, **told).registered()
    case.file("contestacao", DEFENCE)
    case.file("outro", OTHER)
    assert len(town.rows(cases, origin_case_id=case.id)) == 2
    assert len(town.rows(work_item, element="despachar_peticao", status="open")) == 2


def test_a_receipt_where_nothing_is_owed_is_no_payment_and_finds_another_way_in(town: Town) -> None:
    case = Infringement.opened(town)
    refused = town.refusal("protocolo", acts.file, case.id, "pagamento", {"valor": "10.00"})
    assert refused.code == "pagamento.nada_devido"
    assert "protocole-o como outra petição" in refused.message
    case.file("outro", {**OTHER, "assunto": "Comprovante de recolhimento"})


def test_a_payment_above_what_is_owed_is_confirmed_first(town: Town) -> None:
    """500 reais are owed; 300 were paid. Another 200.01 is one centavo too many until somebody confirms it."""
    case = running(town).paid("2026-05-12 10:00", "300.00")
    told = ("pagamento", {"valor": "200.01"})
    refused = town.refusal("protocolo", acts.file, case.id, *told)
    assert (refused.code, list(refused.fields)) == ("pagamento.excedente", ["confirma_excedente"])
    assert "R$ 200,00" in refused.message
    town.act("protocolo", acts.file, case.id, *told, surplus_confirmed=True)
    assert town.read(charges.paid, case.id) == Money(50_001)
    assert town.entries(f"processo:{case.id}")[-1].body["surplus"] == 1
    assert case.term("pagamento_auto")["status"] == "met"


def test_a_payment_of_what_is_owed_to_the_centavo_asks_nothing_and_once_paid_everything_is_surplus(
    town: Town,
) -> None:
    case = running(town).paid("2026-05-12 10:00", "500.00")
    assert "surplus" not in town.entries(f"processo:{case.id}")[-1].body
    refused = town.refusal("protocolo", acts.file, case.id, "pagamento", {"valor": "0.01"})
    assert (refused.code, "R$ 0,00" in refused.message) == ("pagamento.excedente", True)


def test_a_payment_is_not_older_than_its_case(town: Town) -> None:
    case = running(town)
    told = {"valor": "500.00", "pago_em": "2026-05-05T08:09:59-03:00"}
    refused = town.refusal("protocolo", acts.file, case.id, "pagamento", told)
    assert (refused.code, list(refused.fields)) == ("pagamento.anterior", ["pago_em"])


def test_a_petition_in_a_petition_that_ended_finds_its_way_too(town: Town) -> None:
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    case = Infringement.opened(town, **told).registered()
    case.file("outro", OTHER)
    petition = Infringement(town, town.row(cases, origin_case_id=case.id)["id"])
    petition.do("secretario", "despachar_peticao", DISMISSED)
    petition.file("outro", OTHER)
    assert len(town.rows(cases, origin_case_id=petition.id)) == 1


def test_a_petition_without_a_carrier_is_opened_without_one(town: Town) -> None:
    first = Infringement(town, town.act("protocolo", acts.open_case, "jequie", "peticao", OTHER))
    first.do("secretario", "despachar_peticao", DISMISSED)
    first.file("outro", OTHER)
    assert town.row(cases, origin_case_id=first.id)["carrier_id"] is None


def test_a_payment_counts_by_the_instant_it_was_made(town: Town) -> None:
    """Paid at the bank on the 18th, handed in on the 19th: before the first sweep, the term was met."""
    case = running(town)
    case.paid("2026-05-18 23:00", "200.00")
    case.paid("2026-05-18 23:30", "300,00", pago_em="2026-05-15T10:00:00-03:00")
    assert sorted(r["cents"] for r in town.rows(payment)) == [20_000, 30_000]
    assert {r["paid_at"] for r in town.rows(payment)} == {
        local("2026-05-18 23:00"),
        local("2026-05-15 10:00"),
    }
    assert case.term("pagamento_auto")["status"] == "met"
    town.let_pass("2026-05-19 00:00")
    assert case.status == "PAGO_SEM_CONTESTACAO"
    assert town.read(charges.paid, case.id) == Money(50_000)


def test_a_payment_that_came_late_does_not_undo_the_revelia(town: Town) -> None:
    case = running(town)
    town.let_pass("2026-05-19 08:00")
    case.paid("2026-05-19 09:00")
    assert (case.status, case.term("pagamento_auto")["status"]) == ("REVEL", "window")
    assert town.read(charges.settled, case.id) is True


def test_a_payment_in_part_is_no_payment(town: Town) -> None:
    case = running(town).paid("2026-05-14 10:00", "499.99")
    town.let_pass("2026-05-19 00:00")
    assert case.status == "REVEL"


def test_the_same_stamp_twice_is_two_filings(town: Town) -> None:
    case = running(town)
    numbers = [case.file("outro", OTHER, when=None, stamp="2026-05-11 11:15") for _ in range(2)]
    assert numbers == ["P00001/2026", "P00002/2026"]
    assert len({r["id"] for r in town.rows(filing)}) == 2


def test_a_filing_may_bear_the_very_instant_of_the_opening(town: Town) -> None:
    case = Infringement.opened(town)
    assert case.file("outro", OTHER, stamp="2026-05-05 08:10") == "P00001/2026"
