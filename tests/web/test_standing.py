"""What a case page says beside the state: filings that went no further, erased data, surplus, the fate of a charge."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import text, update

from app.audit import seal
from app.store import INSTALLER
from app.store.cases_tables import cases
from tests.web.conftest import CHARGE, DEFENCE, Site

PAYMENT = {"_carimbo": "2026-03-03T10:00", "valor": "500,00"}


def number_of(case: str) -> str:
    return case.removeprefix("/processos/")


def damaged(site: Site, case: str) -> None:
    with site.store.database.writing() as connection:
        connection.execute(update(cases).where(cases.c.number == number_of(case)).values(state=b"{"))


def erased(site: Site, case: str) -> None:
    with site.store.silent_act(INSTALLER) as tx:
        row = tx.one(cases.select().where(cases.c.number == number_of(case)), "")
        seal.destroy_key(tx, row["subject_id"])


def test_a_filing_for_a_damaged_case_is_stamped_and_flagged_on_its_page(site: Site) -> None:
    case = site.charged()
    damaged(site, case)
    page = site.person("protocolo").post(f"{case}/protocolar/contestacao", **{**DEFENCE, **AT_TEN})
    assert page.status == 200
    assert "Petição protocolada: Defesa ou recurso em 1ª instância, P00001/2026" in page.text
    for words in (
        "Petição P00001/2026 recebida, mas não encaminhada:",
        "o estado guardado do processo está danificado",
        "Avise o administrador",
        "Recebida e guardada, mas não encaminhada:",
    ):
        assert words in page.text
    assert "não encaminhada" in site.person("fiscal").get(case).text


AT_TEN = {"_carimbo": "2026-03-03T10:00"}


def test_a_payment_above_what_is_owed_is_confirmed_on_the_page_and_its_surplus_is_seen(site: Site) -> None:
    case = site.charged()
    desk, counter = f"{case}/protocolar/pagamento", site.person("protocolo")
    owed = int(re.findall(r"UFP ?, R\$ ([0-9.]+),00", counter.get(case).text)[0].replace(".", ""))
    told = {**PAYMENT, "valor": f"{owed + 12},34"}
    assert counter.get(desk).all("input", name="confirma_excedente") == []
    page = counter.post(desk, **told)
    assert page.status == 422
    assert page.value("valor") == f"{owed + 12},34"
    assert page.one("input", name="confirma_excedente").attributes["type"] == "checkbox"
    page = counter.post(desk, **told, confirma_excedente="true")
    assert page.status == 200
    assert "Recolhido a mais R$ 12,34" in page.text
    assert "Recolhido a mais: R$ 12,34" in page.text


def test_the_hour_of_the_stamp_is_asked_for_and_no_midnight_is_presumed(site: Site) -> None:
    case = site.charged()
    desk, counter = f"{case}/protocolar/contestacao", site.person("protocolo")
    for day in ("2026-03-03", "03/03/2026"):
        page = counter.post(desk, **{**DEFENCE, "_carimbo": day})
        assert page.status == 422
        assert "Informe também a hora em que a petição foi entregue." in page.text
    assert "Informe data e hora válidas." in counter.post(desk, **{**DEFENCE, "_carimbo": "nunca"}).text
    assert (
        "o instante do ato está no futuro"
        in counter.post(desk, **{**DEFENCE, "_carimbo": "2026-03-03T23:00"}).text.lower()
    )


def test_a_service_on_a_bare_day_is_asked_for_its_hour_too(site: Site) -> None:
    site.notified()
    site.do("autuante", "Lavrar auto de infração", **CHARGE)
    counter = site.person("protocolo")
    task = counter.get("/caixa").link("Dar ciência do auto")
    version = counter.get(task).value("versao")
    told: dict[str, Any] = {"modo": "pessoal", "recebido_por": "Rita Alves", "prova": "Livro 4"}
    page = counter.post(task, versao=version, _acao="concluir", instante="2026-03-02", **told)
    assert page.status == 422
    assert "Informe data e hora válidas." in page.text


@pytest.mark.parametrize(
    ("fate", "said"), [("cancelada", "A cobrança foi cancelada:"), ("permanece", "A cobrança permanece:")]
)
def test_a_cancelled_case_says_what_became_of_its_charge(site: Site, fate: str, said: str) -> None:
    case, secretary = site.charged(), site.person("secretario")
    assert len(secretary.get(case).all("input", name="cobranca")) == 2
    page = secretary.post(f"{case}/cancelar", texto="Erro na placa.")
    assert page.status == 422
    assert "diga se ela cai ou permanece" in page.text
    assert len(page.all("input", name="cobranca")) == 2
    page = secretary.post(f"{case}/cancelar", texto="Erro na placa.", cobranca=fate)
    assert page.status == 200
    assert said in page.text
    assert ("nada a recolher" in page.text) is (fate == "cancelada")


def test_a_case_that_charges_nothing_asks_nothing_about_a_charge(site: Site) -> None:
    case, secretary = site.opened(), site.person("secretario")
    assert secretary.get(case).all("input", name="cobranca") == []
    page = secretary.post(f"{case}/cancelar", texto="Erro na placa.")
    assert page.status == 200
    assert "A cobrança" not in page.text


def test_erased_data_is_said_to_be_erased_and_a_task_is_refused_plainly(site: Site) -> None:
    case = site.notified()
    browser = site.person("autuante")
    task = browser.get("/caixa").link("Lavrar auto de infração")
    browser.post(task, _acao="rascunho", **CHARGE)
    erased(site, case)
    page = browser.get(task)
    assert page.status == 200
    assert "Dados pessoais eliminados" in page.text
    assert page.value("fatos") == ""
    page = browser.get(case)
    assert "Dados pessoais eliminados:" in page.text
    assert "Dados pessoais eliminados" in page.text.split("O que foi respondido", 1)[1]
    for action in ("rascunho", "concluir"):
        page = browser.post(task, versao=browser.get(task).value("versao"), _acao=action, **CHARGE)
        assert page.status == 409
        assert "foram eliminados" in page.text
        assert page.value("fatos") == CHARGE["fatos"]


def test_the_database_of_a_damaged_case_holds_no_half_filing(site: Site) -> None:
    case = site.charged()
    damaged(site, case)
    site.person("protocolo").post(f"{case}/protocolar/contestacao", **{**DEFENCE, **AT_TEN})
    with site.store.read() as reader:
        counts = {
            name: reader.scalar(text(f"SELECT count(*) FROM {name}"))
            for name in ("filing", "document WHERE kind = 'termo_revelia'")
        }
    assert counts == {"filing": 1, "document WHERE kind = 'termo_revelia'": 0}
