"""Entering carriers, grants, staff and papers: by whom, what is refused, and that nothing typed is lost."""

from __future__ import annotations

import pytest

from tests.web.conftest import Site
from tests.web.test_carriers import NEW, es, jose, listed

GRANT = {"linha": "L-300", "regime": "permissao", "desde": "05/01/2026"}
MEMBER = {"nome": "Ana Cruz", "categoria": "cobrador", "matricula": "ES-099"}
PAPER = {"codigo": "I-14", "ocorrida_em": "2026-02-10", "situacao": "advertida", "fonte": "Livro 2, fl. 31"}


def forms(site: Site) -> list[tuple[str, str, dict[str, str]]]:
    return [
        ("gestor", "/transportadores/novo", NEW),
        ("gestor", f"{es(site)}/outorgas/nova", GRANT),
        ("gestor", f"{es(site)}/pessoal/novo", MEMBER),
        ("presidente", f"{es(site)}/antecedentes/novo", PAPER),
        ("membro1", f"{jose(site)}/antecedentes/novo", {**PAPER, "codigo": "II-05"}),
    ]


def test_each_record_is_entered_once_and_shown_with_its_receipt(site: Site) -> None:
    for login, path, answers in forms(site):
        browser = site.person(login)
        page = browser.post(path, **answers)
        assert page.status == 200, page.text
        assert page.path.split("?")[1].startswith("registro=")
        receipt = page.one("section", id="recibo").text
        assert site.world.people[login]
        assert "02/03/2026 09:00" in receipt
        again = browser.post(path, **answers)
        assert again.status in (409, 422)
        assert "Nada foi gravado" in again.text
    browser = site.person("auditor")
    assert listed(browser.get("/transportadores?busca=12345678000195")) == [NEW["nome"]]
    page = browser.get(es(site))
    assert "L-300 · permissão desde 05/01/2026 em vigor nenhuma ocorrência" not in page.text
    assert "L-300 · permissão desde 05/01/2026 em vigor 1 ocorrência desde o início" in page.text
    assert "Ana Cruz (ES-099) cobrador" in page.text
    assert "Livro 2, fl. 31" in page.text
    assert "reincide quem repetir até 11/04/2026" in browser.get(jose(site)).text


def test_what_cannot_stand_is_told_by_field_and_nothing_typed_is_lost(site: Site) -> None:
    wrong = {"nome": "Nova Ltda", "cnpj": "11.222.333/0001-82"}
    page = site.person("gestor").post("/transportadores/novo", **wrong)
    assert page.status == 422
    assert page.title.startswith("Erro:")
    summary = page.one("div", id="problemas")
    assert summary.attributes["role"] == "alert"
    assert "#cnpj" in page.links()
    assert {name: page.value(name) for name in wrong} == wrong
    assert page.one("input", id="cnpj").attributes["aria-invalid"] == "true"
    page = site.person("presidente").post(f"{es(site)}/antecedentes/novo", **{**PAPER, "ocorrida_em": "9"})
    assert page.status == 422
    assert (page.value("codigo"), page.value("fonte"), page.value("situacao")) == (
        "I-14",
        "Livro 2, fl. 31",
        "advertida",
    )


def test_whose_office_it_is_not_is_told_whom_to_ask_and_may_copy_what_was_typed(site: Site) -> None:
    browser = site.person("fiscal")
    assert browser.get("/transportadores/novo").status == 403
    page = browser.post("/transportadores/novo", **NEW)
    assert page.status == 403
    assert "Gestor da SESEP (Arts. 3, 7 e 29, I). Fale com Gustavo Horta." in page.text
    assert NEW["nome"] in page.text
    assert page.all("input", name="nome") == []


def test_links_to_the_forms_are_for_those_who_may_use_them(site: Site) -> None:
    assert f"{es(site)}/outorgas/nova" in site.person("gestor").get(es(site)).links()
    assert f"{es(site)}/antecedentes/novo" in site.person("presidente").get(es(site)).links()
    assert not [
        link for link in site.person("auditor").get(es(site)).links() if "/nov" in link and "proc" not in link
    ]


def test_a_form_offers_only_the_codes_and_grants_of_whom_it_is_about(site: Site) -> None:
    browser = site.person("presidente")
    codes = {o.attributes["value"][:3] for o in browser.get(f"{es(site)}/antecedentes/novo").all("option")}
    assert "I-1" in codes
    assert "II-" not in codes
    page = browser.get(f"{jose(site)}/antecedentes/novo")
    assert {"", "II-"} <= {o.attributes["value"][:3] for o in page.all("option")}
    assert [o.text for o in page.all("option") if o.text == "L-101"] == []


def test_the_forms_speak_english(site: Site) -> None:
    browser = site.person("gestor")
    browser.post("/idioma", lang="en")
    page = browser.post("/transportadores/novo", nome="", cnpj="1")
    assert page.title.startswith("Error: Register a carrier")
    assert "Name or company name: Fill in this field." in page.text
    assert "There is no such CNPJ: check the numbers and the two last digits." in page.text
    page = browser.get(f"{es(site)}/outorgas/nova")
    assert {"concession", "permission", "authorisation"} <= {e.text for e in page.all("span")}


@pytest.mark.parametrize("path", ["/transportadores/" + "0" * 32, "/pessoal-de-trafego/" + "0" * 32])
def test_a_record_of_nobody_is_not_found(shared: Site, path: str) -> None:
    browser = shared.person("gestor")
    assert browser.get(path).status == 404
    assert browser.get(f"{path}/antecedentes/novo").status in (403, 404)
