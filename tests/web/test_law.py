"""The law's text on the site: read whole, reached from every citation, laid beside the task that applies it."""

from __future__ import annotations

from datetime import date

import pytest
from flask import g

from app.cases.vocabulary import LANGUAGE
from app.registry import norms
from app.settings import ROOT
from app.store import Actor
from app.web.citing import law
from tests.web.browser import Page
from tests.web.conftest import CHARGE, Site

LAW = "/norma/lei"


def sections(page: Page, heading: str) -> str:
    """The card that begins with a heading."""
    return next(e.text for e in page.all("section", class_="card") if e.text.startswith(heading))


@pytest.fixture(scope="module")
def read(shared: Site) -> Page:
    return shared.person("fiscal").get(LAW)


def test_the_page_has_every_article_under_its_own_anchor(read: Page) -> None:
    assert read.status == 200
    anchors = [e.attributes["id"] for e in read.all("div", class_="law-article")]
    assert anchors == [f"art-{number}" for number in range(1, 141)]
    assert read.one("div", id="art-131").text == (
        "Art. 131 - Julgado improcedente o recurso, o processo fiscal-administrativo é automaticamente encerrado."
    )


def test_the_page_says_what_brackets_mean_and_which_text_prevails(read: Page) -> None:
    told = next(e.text for e in read.all("p", class_="lead"))
    assert "Entre colchetes vai o que foi suprido; [?] marca leitura incerta ou trecho que falta." in told
    assert told.endswith("prevalece o texto oficial.")


def test_the_contents_lead_to_headings_that_are_there(read: Page) -> None:
    ids = {e.attributes["id"] for e in read.elements if "id" in e.attributes}
    inside = [link[1:] for link in read.links() if link.startswith("#")]
    assert {"capitulo-xiii", "capitulo-xiii-secao-vii", "anexo-i-grupo-ii"} <= set(inside)
    assert set(inside) <= ids
    assert read.link("CAPÍTULO XIII: DAS INFRAÇÕES E PENALIDADES") == "#capitulo-xiii"


def test_articles_lead_to_the_articles_of_this_law_that_they_name(read: Page) -> None:
    assert f"{LAW}#art-128" in read.links()  # Art. 129: "à excessão da hipótese prevista no Art. 128"
    assert not any("art-158" in link for link in read.links())  # Art. 19: of another law


def test_the_text_stays_portuguese_on_an_english_page(site: Site) -> None:
    browser = site.person("fiscal")
    browser.post("/idioma", lang="en")
    page = browser.get(LAW)
    assert page.one("h1").text == "Text of the law"
    assert {e.language for e in page.all("div", class_="law-article")} == {"pt-BR"}
    case = browser.get(site.charged())
    assert {e.language for e in case.all("a", class_="cite")} == {"pt-BR"}


def test_citations_lead_into_the_text_from_the_pages_of_a_case(site: Site) -> None:
    case = site.charged()
    auditor = site.person("auditor")
    for path in (case, f"{case}/historico"):
        links = [e for e in auditor.get(path).all("a", class_="cite") if e.text == "Art. 126 e § 1º"]
        assert {e.attributes["href"] for e in links} == {f"{LAW}#art-126"}, path
    norm = auditor.get("/norma")
    assert norm.link("Texto da lei") == LAW
    assert norm.link("Art. 129, § 1º") == f"{LAW}#art-129"
    assert norm.link("Anexo I, Grupo II") == f"{LAW}#anexo-i-grupo-ii"


def test_a_link_of_a_bare_number_has_a_name_of_its_own(shared: Site) -> None:
    page = shared.person("fiscal").get("/norma")
    bare = [e for e in page.all("a", class_="cite") if e.text == "126, § 1º"]
    assert {e.attributes["aria-label"] for e in bare} == {"Art. 126, § 1º"}
    whole = [e for e in page.all("a", class_="cite") if e.text == "Art. 126 e § 1º"]
    assert all("aria-label" not in e.attributes for e in whole)


def test_a_case_leads_to_the_text_that_it_is_pinned_to(site: Site) -> None:
    case = site.charged()
    files = norms.read_content(ROOT, "jequie")
    files["bpmn/jequie/lei.txt"] += b"\nACRESCENTADO DEPOIS\n"
    with site.store.act(Actor(None, "instalacao")) as tx:
        pinned = norms.in_force(tx, "jequie", tx.now).digest
        norms.publish(tx, files, date(2026, 3, 1), "Decreto 1", language=LANGUAGE)
    auditor = site.person("auditor")
    address = f"{LAW}?versao={pinned}"
    assert f"{address}#art-126" in auditor.get(case).links()
    older, newer = auditor.get(address), auditor.get(LAW)
    assert "versão anterior da norma" in older.text
    assert ("ACRESCENTADO DEPOIS" in older.text, "ACRESCENTADO DEPOIS" in newer.text) == (False, True)


@pytest.mark.parametrize("version", ["", "x", "0" * 64, "é" * 64, "../" * 22])
def test_a_version_that_is_none_is_not_found(shared: Site, version: str) -> None:
    assert shared.person("fiscal").get(f"{LAW}?versao={version}").status == 404


def test_without_the_text_citations_are_words_and_the_page_is_missing(site: Site) -> None:
    files = norms.read_content(ROOT, "jequie")
    toml = files["bpmn/jequie/norma.toml"]
    files["bpmn/jequie/norma.toml"] = toml.replace(b'texto = "lei.txt"\n', b"")
    del files["bpmn/jequie/lei.txt"]
    with site.store.act(Actor(None, "instalacao")) as tx:
        norms.publish(tx, files, date(2026, 3, 1), "Decreto 1", language=LANGUAGE)
    case = site.opened()
    page = site.person("fiscal").get(site.person("membro1").get("/caixa").link("Registrar notificação"))
    assert page.all("a", class_="cite") == []
    assert page.all("details", class_="law-beside") == []
    assert "(Art. 106, § 1º)" in page.text
    assert site.person("fiscal").get(LAW).status == 404
    assert LAW not in site.person("fiscal").get("/norma").links()
    assert site.person("fiscal").get(case).status == 200


def test_what_a_citation_says_is_text_and_what_the_law_does_not_have_is_no_link(site: Site) -> None:
    with site.app.test_request_context(), site.store.read() as reader:
        g.norm = norms.in_force(reader, "jequie", reader.now)
        shown = str(law({"norm": g.norm}, "Arts. 1 e 999 <b>; Anexo I, Grupo IX"))
    assert shown == (
        f'Arts. <a class="cite" href="{LAW}#art-1" aria-label="Art. 1">1</a> e 999 &lt;b&gt;; '
        f'<a class="cite" href="{LAW}#anexo-i">Anexo I, Grupo IX</a>'
    )


# ----------------------------------------------------------------------------------------- beside a task


def test_a_task_has_the_articles_of_its_act_and_of_its_form_beside_it(site: Site) -> None:
    site.defended()
    browser = site.person("membro1")
    page = browser.get(browser.get("/caixa").link("Votar"))
    beside = page.one("details", class_="law-beside").text
    # Competence and board: Art. 105; form: Art. 126; what a majority causes: Arts. 127 and 129.
    assert beside.startswith("O que a lei diz 4 artigos: 105, 126, 127, 129")
    assert "concluindo pela procedência ou improcedência total ou parcial" in beside
    assert f"{LAW}#art-126" in page.links()


def test_each_option_says_what_choosing_it_causes(site: Site) -> None:
    site.defended()
    browser = site.person("membro1")
    page = browser.get(browser.get("/caixa").link("Votar"))
    causes = {}
    for choice in page.all("input", type="radio", name="voto"):
        told = page.one("span", id=choice.attributes["aria-describedby"])
        causes[choice.attributes["value"]] = told.text
    assert set(causes) == {"procedente", "parcial", "improcedente"}
    assert causes["improcedente"].startswith("Se a maioria votar assim, o auto cai: nada se cobra")
    assert all("(Art" in told for told in causes.values())


def test_a_task_shows_the_record_in_figures_and_leads_to_it(site: Site) -> None:
    site.notified()  # the carrier's second notice: both of Friday 27 February, so neither recurs of the other
    browser = site.person("autuante")
    page = browser.get(browser.get("/caixa").link("Lavrar auto de infração"))
    card = sections(page, "Antecedentes")
    assert "que tiram a primariedade, desde 02/06/2025 1 " in card
    assert "nos 60 dias antes 0 " in card
    assert "Outras multas do transportador em aberto 0" in card
    carrier = f"/transportadores/{site.world.carriers['ES']}#ocorrencias"
    assert page.link("Ver o registro do transportador") == carrier


def test_a_repetition_within_sixty_days_is_counted_as_recurrence(site: Site) -> None:
    site.opened(ocorrida_em="2026-02-20")
    site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    site.opened(ocorrida_em="2026-02-27")  # the same code, seven days later
    browser = site.person("presidente")
    page = browser.get(browser.get("/caixa").link("Registrar notificação"))
    assert "nos 60 dias antes 1 " in sections(page, "Antecedentes")


def test_other_open_fines_are_those_of_other_cases(site: Site) -> None:
    site.notified()
    site.do("autuante", "Lavrar auto de infração", **CHARGE)
    third = site.opened(codigo="I-05", hora="09:00")
    site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    browser = site.person("autuante")
    page = browser.get(browser.get("/caixa").link("Lavrar auto de infração"))
    assert third in page.links()
    # I-03 is worth 5 UFP; the demo's UFP is R$ 100,00.
    assert "Outras multas do transportador em aberto 1, R$ 500,00" in sections(page, "Antecedentes")


def test_a_persons_record_is_led_to_and_not_shown(site: Site) -> None:
    site.opened(codigo="II-05", pessoa=site.world.staff["jose"])
    page = site.person("membro1").get(site.person("membro1").get("/caixa").link("Registrar notificação"))
    card = sections(page, "Antecedentes")
    assert "José" not in card
    assert page.link("Ver o registro da pessoa") == (
        f"/pessoal-de-trafego/{site.world.staff['jose']}#ocorrencias"
    )
    assert "Ver o registro do transportador" in card
