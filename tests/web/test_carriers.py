"""Carriers and their staff: found, read and entered on pages; the record shows what the articles look back on."""

from __future__ import annotations

from datetime import date

import pytest

from app.audit import seal
from app.registry import carriers, charges, occurrences
from app.store import INSTALLER
from app.values import Money, Units
from app.web.sheets.carrier import words
from tests.web.browser import Page
from tests.web.conftest import Site

NEW = {"nome": "Auto Viação Cajueiro Ltda", "cnpj": "12.345.678/0001-95"}


def listed(page: Page) -> list[str]:
    return [e.text for e in page.all("th", scope="row")]


def pairs(page: Page) -> dict[str, str]:
    return dict(zip([e.text for e in page.all("dt")], [e.text for e in page.all("dd")], strict=False))


def es(site: Site) -> str:
    return f"/transportadores/{site.world.carriers['ES']}"


def jose(site: Site) -> str:
    return f"/pessoal-de-trafego/{site.world.staff['jose']}"


def caught(site: Site, day: date, code: str = "I-14", status: str = "confirmada", who: str = "") -> None:
    carrier = site.world.carriers["ES"]
    told = (who or f"transportador:{carrier}", carrier, site.world.grants["L-110"], code, day)
    with site.store.act(INSTALLER) as tx:
        occurrences.record(tx, *told, case_id=None, status=status, source="Livro 1, fl. 7")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("busca=viacao", ["Viação Rio das Contas Ltda"]),  # as people type it
        ("busca=  RIO   das ", ["Viação Rio das Contas Ltda"]),
        ("busca=11.222.333/0001-81", ["Expresso Sol Ltda"]),
        ("busca=11222333", ["Expresso Sol Ltda"]),
        ("busca=0001-81", ["Expresso Sol Ltda", "Transcidade Ltda", "Viação Rio das Contas Ltda"]),
        ("linha=l-102", ["Transcidade Ltda"]),
        ("busca=expresso&linha=L-102", []),
        ("busca=%25", []),
        ("busca=.", []),
        ("busca=%CC%81", []),  # an accent without its letter
        ("linha=%CC%81", []),
        ("", ["Expresso Sol Ltda", "Transcidade Ltda", "Viação Rio das Contas Ltda"]),
    ],
)
def test_the_list_finds_by_name_by_number_and_by_line(shared: Site, query: str, found: list[str]) -> None:
    page = shared.person("auditor").get(f"/transportadores?{query}")
    assert listed(page) == found
    assert (f"{len(found)} transportador" + ("" if len(found) == 1 else "es")) in page.text


def test_the_list_counts_open_cases_and_what_is_still_to_be_paid(site: Site) -> None:
    site.defended()  # 5 UFP at R$ 100,00; and the notice before it, archived as a warning
    page = site.person("auditor").get("/transportadores?busca=expresso")
    row = next(e.text for e in page.all("tr") if e.text.startswith("Expresso"))
    assert row == "Expresso Sol Ltda 11.222.333/0001-81 L-110 1 R$ 500,00"


def test_the_list_goes_on_over_pages_and_keeps_what_was_searched(site: Site) -> None:
    with site.store.act(INSTALLER) as tx:
        for number in range(51):
            carriers.register_carrier(tx, f"Van {number:02d}", f"van-{number}", date(2026, 3, 2))
    browser = site.person("auditor")
    page = browser.get("/transportadores?busca=van")
    assert (len(listed(page)), listed(page)[0]) == (50, "Van 00")
    page = browser.get(page.link("Próxima"))
    assert listed(page) == ["Van 50"]
    assert "sem outorga em vigor" in page.text
    assert page.value("busca") == "van"
    page = browser.get("/transportadores?busca=van&pagina=999999")
    assert (listed(page), "Página 2 de 2" in page.text) == (["Van 50"], True)
    assert "Ainda não há transportadores" not in browser.get("/transportadores?pagina=999999").text


def test_a_carrier_shows_grants_staff_cases_charges_and_history(site: Site) -> None:
    case = site.defended()
    page = site.person("auditor").get(es(site))
    assert page.one("h1").text == "Expresso Sol Ltda"
    assert "os dígitos finais não conferem" not in page.text
    assert "desde 02/06/2025 em vigor 2 ocorrências desde o início: não é mais primário" in page.text
    assert "José dos Santos (ES-014) motorista" in page.text
    rows = [e.text for e in page.all("tr")]
    assert any(r.startswith(f"{case.removeprefix('/processos/')} Defesa em julgamento") for r in rows)
    assert any("Advertido" in r and "encerrado em 02/03/2026" in r and "nenhum" in r for r in rows)
    assert pairs(page) == {"A recolher": "R$ 500,00", "Recolhido": "R$ 0,00"}
    assert "5 UFP, R$ 500,00 Recolhido: R$ 0,00 · falta recolher R$ 500,00" in page.text
    told = [e.text for e in page.all("li") if e.attributes.get("id", "").startswith("registro-")]
    assert told[-1].startswith("Transportador cadastrado Nome: Expresso Sol Ltda · CNPJ: 11.222.333/0001-81")
    assert told[-1].endswith("Instalação")
    assert any(
        t.startswith("Cobrança fixada Multa: 5 UFP · Valor: R$ 500,00 · Processo: 00002") for t in told
    )
    assert any("De: notificada · Para: autuada" in t and t.endswith("Antônio Dias") for t in told)


def test_charges_tell_what_was_paid_too_much_and_what_goes_back(site: Site) -> None:
    number = site.charged().removeprefix("/processos/")
    with site.store.act(INSTALLER) as tx:
        case_id = occurrences.of_infringer(tx, f"transportador:{site.world.carriers['ES']}")[-1]["case_id"]
        charges.pay(tx, case_id, Money(55000), tx.now, None)
    page = site.person("auditor").get(es(site))
    assert pairs(page)["A recolher"] == "R$ 0,00"
    assert pairs(page)["Recolhido a mais"] == "R$ 50,00"
    with site.store.act(INSTALLER) as tx:
        charges.refund(tx, case_id, 100, Money(55000))
    page = site.person("auditor").get(es(site))
    assert pairs(page) == {"A recolher": "R$ 0,00", "Recolhido": "R$ 550,00", "A devolver": "R$ 550,00"}
    with site.store.act(INSTALLER) as tx:
        charges.refund(tx, case_id, None, None)
        charges.withdraw(tx, case_id)
    page = site.person("auditor").get(es(site))
    assert f"{number} cobrança sem efeito" in page.text
    assert "Devolução retirada" in page.text
    assert "Cobrança retirada" in page.text
    assert Units(500).at(Money(10000)) == Money(50000)  # what the case made owe, by hand


@pytest.mark.parametrize(
    ("day", "code", "status", "told"),
    [
        (date(2026, 1, 1), "I-14", "confirmada", "reincide quem repetir até 02/03/2026"),  # today is day 60
        (date(2025, 12, 31), "I-14", "confirmada", "o prazo passou em 01/03/2026"),
        (date(2026, 2, 27), "I-14", "advertida", "reincide quem repetir até 28/04/2026"),
        (date(2026, 2, 27), "I-14", "anulada", "anulada sem efeito não conta"),
    ],
)
def test_the_record_says_until_when_a_repetition_is_a_recurrence(
    site: Site, day: date, code: str, status: str, told: str
) -> None:
    caught(site, day, code, status)
    page = site.person("auditor").get(es(site))
    (row,) = [e.text for e in page.all("tr") if code in e.text and "Livro 1, fl. 7" in e.text]
    assert told in row
    assert len(page.all("tr", class_="counts")) == ("reincide" in told)
    assert "Reincidência: nova ocorrência de 1 a 60 dias depois. Art. 111, § 3º" in page.text
    first = "nenhuma ocorrência desde o início: é primário"
    assert (first in page.text) is (status == "anulada")


def test_what_a_driver_did_stands_in_his_own_record(site: Site) -> None:
    caught(site, date(2026, 2, 20), "II-05", "autuada", f"pessoal:{site.world.staff['jose']}")
    browser = site.person("auditor")
    page = browser.get(es(site))
    assert "conta no registro da pessoa" in page.text
    assert "nenhuma ocorrência desde o início: é primário" in page.text
    page = browser.get(page.link("José dos Santos"))
    assert page.one("h1").text == "José dos Santos"
    assert "motorista · matrícula ES-014 · cadastro em 01/07/2025" in page.text
    assert "reincide quem repetir até 21/04/2026" in page.text
    assert "não é mais primário" in page.text
    assert es(site) in page.links()
    assert "Pessoa cadastrada Matrícula: ES-014 · Categoria: motorista" in page.text


def test_an_erased_name_is_told_and_nothing_breaks(site: Site) -> None:
    with site.store.act(INSTALLER) as tx:
        row = carriers.staff_by_id(tx, site.world.staff["jose"])
        seal.destroy_key(tx, row["subject_id"])
        carriers.register_carrier(tx, "Outra", "van-1", date(2026, 3, 2))
    browser = site.person("auditor")
    assert browser.get(es(site)).link("dados eliminados") == jose(site)
    page = browser.get(jose(site))
    assert page.one("h1").text == "dados eliminados"
    assert "o nome não se lê mais" in page.text
    assert "José" not in page.html


def test_long_sections_are_cut_and_shown_whole_when_asked(site: Site) -> None:
    for number in range(27):
        caught(site, date(2025, 7, 1 + number))
    browser = site.person("auditor")
    page = browser.get(es(site))
    assert len([e for e in page.all("tr") if "Livro 1" in e.text]) == 25
    page = browser.get(es(site) + page.link("Mostrar tudo: há mais 2 linhas"))
    assert len([e for e in page.all("tr") if "Livro 1" in e.text]) == 27


def test_a_number_that_does_not_fit_is_marked(site: Site) -> None:
    with site.store.act(INSTALLER) as tx:
        made = carriers.register_carrier(tx, "Antiga", "12.345.678/0001-00", date(2026, 3, 2))
    page = site.person("auditor").get(f"/transportadores/{made}")
    assert "os dígitos finais não conferem" in page.text


def test_case_task_and_list_lead_to_carrier_and_person(site: Site) -> None:
    case = site.opened(codigo="II-05", pessoa=site.world.staff["jose"])
    browser = site.person("presidente")
    assert browser.get("/processos").link("Expresso Sol Ltda") == es(site)
    for path in (case, browser.get("/caixa").link("Registrar notificação")):
        page = browser.get(path)
        assert page.link("Expresso Sol Ltda") == es(site)
        assert page.link("José dos Santos (ES-014)") == jose(site)
    assert browser.get(jose(site)).link(case.removeprefix("/processos/")) == case
    assert browser.get("/caixa").link("Transportadores") == "/transportadores"


def test_every_key_of_the_registers_has_its_word() -> None:
    assert set(words.REGIMES) == set(carriers.REGIMES)
    assert set(words.CATEGORIES) == set(carriers.CATEGORIES)
    assert set(words.STATUSES) == set(occurrences.STATUSES)


def test_nobody_without_an_office_sees_a_carrier(site: Site) -> None:
    assert "Entrar" in site.visitor().get(es(site)).title
