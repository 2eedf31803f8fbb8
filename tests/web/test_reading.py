"""What somebody who reads a case for the first time is told: why it was charged, what was decided, where it stands."""

from __future__ import annotations

import re

from tests.web.browser import Page
from tests.web.conftest import CHARGE, SERVED, Site, finish
from tests.web.test_whole_case import APPEAL, PAID

REASONS = {"resumo": "Auto procedente.", "fundamentacao": "O fato está provado nos autos."}


def card(page: Page, heading: str) -> str:
    return next(e.text for e in page.all("section", class_="card") if e.text.startswith(heading))


def voted(site: Site, one: str, two: str, three: str) -> str:
    case = site.defended()
    for login, vote in (("membro2", three), ("presidente", one), ("membro1", two)):
        site.do(login, "Votar", voto=vote, fundamentacao=f"Razões de {login}.")
    return case


def test_a_charge_says_which_earlier_notice_it_rests_on(site: Site) -> None:
    case = site.notified()
    answer = (
        "Infrator primário? Art. 106, § 1º Não: lavra-se o auto de infração "
        "Por causa de: 27/02/2026, I-03, Processo 00001/2026-0"
    )
    page = site.person("auditor").get(case)
    assert answer in card(page, "O que o registro respondeu")
    registered = next(e.text for e in page.all("li") if e.text.startswith("Tarefa concluída: Registrar"))
    assert answer in registered
    task = site.person("autuante").get("/caixa").link("Lavrar auto de infração")
    asked = card(site.person("autuante").get(task), "O que o registro respondeu")
    assert answer in asked
    assert "Reincidência, com multa em dobro? " in asked
    assert "Não: multa simples Nenhuma ocorrência anterior que conte para o dobro" in asked
    assert "se o infrator for primário" not in page.text


def test_a_first_offender_is_said_to_have_no_earlier_notice(site: Site) -> None:
    case = site.opened(hora="06:00")
    assert "O que o registro respondeu" not in site.person("auditor").get(case).text
    page = site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    told = card(page, "O que o registro respondeu")
    assert "Sim: a notificação é registrada e arquivada" in told
    assert "Nenhuma notificação anterior desde o início da outorga" in told


def test_whoever_writes_the_decision_reads_the_result_and_every_vote_by_name(site: Site) -> None:
    voted(site, "procedente", "improcedente", "procedente")
    page = site.person("presidente").get(site.person("presidente").get("/caixa").link("Redigir decisão"))
    told = page.one("section", id="votacao").text
    assert told == (
        "Resultado da votação Procedente, 2 votos a 1 Comissão de Julgamento "
        "Presidente (Chefe de Fiscalização) Paulo Prates: Procedente "
        "Primeiro membro Marta Andrade: Improcedente Segundo membro Mário Bastos: Procedente"
    )
    assert page.text.index("Resultado da votação") < page.text.index("Fundamentação")
    listed = [e for e in page.all("details") if e.text.startswith("Votar")]
    assert [("open" in e.attributes) for e in listed] == [True, True, True]


def test_a_unanimous_vote_is_said_to_be_one_and_shows_on_the_case(site: Site) -> None:
    case = voted(site, "procedente", "procedente", "procedente")
    page = site.person("auditor").get(case)
    assert "Procedente, 3 votos, por unanimidade" in page.one("section", id="votacao").text


def test_no_result_is_shown_while_a_vote_is_missing(site: Site) -> None:
    case = site.defended()
    site.do("presidente", "Votar", voto="procedente", fundamentacao="Provado.")
    assert site.person("auditor").get(case).all("section", id="votacao") == []


def test_the_facts_of_the_notice_come_into_the_charge(site: Site) -> None:
    site.notified()
    browser = site.person("autuante")
    task = browser.get("/caixa").link("Lavrar auto de infração")
    assert browser.get(task).value("fatos") == "Não atendeu à convocação nº 12/2026."
    page = finish(browser, task, **{**CHARGE, "fatos": ""})
    assert (page.status, page.value("fatos")) == (422, "")


def test_a_term_that_nobody_used_is_not_said_to_be_met(site: Site) -> None:
    page = site.person("auditor").get(site.defended())
    terms = [e.text for e in page.all("li", class_="term")]
    used = next(t for t in terms if t.startswith("Defesa"))
    unused = next(t for t in terms if t.startswith("Recurso em primeira instância"))
    assert "cumprido" in used
    assert "não usado: houve defesa" in unused
    assert "cumprido" not in unused


def test_an_appeal_after_the_term_of_the_defence_meets_its_own_term(site: Site) -> None:
    case = site.charged()
    site.at(3, 11)
    site.do("presidente", "Lavrar termo de revelia", livro_conferido="true")
    late = {"_carimbo": "2026-03-11T09:00", "peticionario": "Rita", "qualidade": "transportador"}
    site.person("protocolo").post(f"{case}/protocolar/contestacao", **late, razoes="Não recebi.")
    page = site.person("auditor").get(case)
    term = next(e.text for e in page.all("li", class_="term") if e.text.startswith("Recurso em primeira"))
    assert "cumprido" in term


def test_a_closed_case_marks_the_end_it_reached_and_draws_what_is_around_it(site: Site) -> None:
    case = site.opened()
    page = site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    assert "terminou aqui" in page.one("p", class_="legend").text
    drawn = page.one("div", id="desenho")
    assert '"fim_advertido": "active"' in drawn.attributes["data-marks"]
    assert 'data-element="fim_advertido" data-mark="ended"' in page.html
    assert page.one("svg").attributes["viewbox"].endswith(" 900 420")
    whole = site.person("auditor").client.get(f"{case}/diagrama.svg")
    assert whole.mimetype == "image/svg+xml"
    assert not re.search(r'viewBox="[^"]* 900 420"', whole.text)


def test_an_open_case_is_drawn_around_its_task(site: Site) -> None:
    page = site.person("auditor").get(site.opened())
    assert "está aqui" in page.one("p", class_="legend").text
    assert page.one("svg").attributes["viewbox"].endswith(" 900 420")


def test_the_number_of_a_case_does_not_break(site: Site) -> None:
    case = site.opened()
    for path in (case, "/processos"):
        page = site.person("fiscal").get(path)
        assert "00001/2026-0" in [e.text for e in page.all("span", class_="unbroken")], path


def test_cases_are_listed_by_number_whenever_they_were_opened(site: Site) -> None:
    first, second = site.opened(hora="06:00"), site.opened(hora="06:01")  # on the same minute
    rows = [e.text for e in site.person("fiscal").get("/processos").all("th", scope="row")]
    assert rows == [second.removeprefix("/processos/"), first.removeprefix("/processos/")]


def test_open_votes_are_listed_in_the_order_of_the_seats(site: Site) -> None:
    page = site.person("auditor").get(site.defended())
    cards = [e.text for e in page.all("li", class_="card")]
    assert ["Presidente" in cards[0], "Primeiro" in cards[1], "Segundo" in cards[2]] == [True] * 3


def test_no_article_is_named_twice_for_one_act(site: Site) -> None:
    page = site.person("auditor").get(site.notified())
    told = [e.text for e in page.all("li", class_="card")]
    assert ["(Arts. 106, § 2º, e 125)" in text for text in told] == [True]
    assert "(Art. 125;" not in told[0]


def test_an_hour_is_told_with_its_format_and_taken_with_one_digit(site: Site) -> None:
    page = site.person("fiscal").post("/processos/novo/infracao", **site.notice(hora="8h40"))
    assert "Hora da ocorrência: Escreva no formato HH:MM, como 08:40." in page.one("div", role="alert").text
    page = site.person("fiscal").post("/processos/novo/infracao", **site.notice(hora="8:40"))
    assert page.status == 200


def test_faults_are_listed_in_the_order_of_the_form(site: Site) -> None:
    page = site.person("fiscal").post(
        "/processos/novo/infracao", **site.notice(codigo="", fatos="x", hora="9", local="")
    )
    listed = [e.attributes["href"] for e in page.all("a") if e.attributes["href"].startswith("#")]
    known = [link for link in listed if link in ("#codigo", "#hora", "#local", "#fatos")]
    assert known == ["#codigo", "#hora", "#local", "#fatos"]


def test_decisions_that_nobody_serves_say_so_where_they_are_made(site: Site) -> None:
    voted(site, "procedente", "procedente", "procedente")
    site.do("presidente", "Redigir decisão", **REASONS)
    site.at(3, 16)
    site.do("protocolo", "Dar ciência da decisão", **{**SERVED, "instante": "2026-03-16T09:00"})
    site.at(3, 18, 11)
    case = "/processos/00002/2026-4"
    counter = site.person("protocolo")
    counter.post(f"{case}/protocolar/pagamento", **PAID)
    counter.post(f"{case}/protocolar/recurso2", **APPEAL)
    browser = site.person("secretario")
    page = browser.get(browser.get("/caixa").link("Decidir admissibilidade"))
    assert "a lei não traz ato de ciência dela" in page.text
