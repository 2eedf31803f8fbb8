"""Annulling and setting an expiry aside, by people at pages (correcting: `test_correcting.py`).

Days of March 2026: the auto is received on Tuesday 3; defence by Tuesday 10 (4, 5, 6, 9, 10), appeal by Friday 13.
The case's records: 1 opened, 2 notice registered, 3 auto drawn up, 4 auto served, 5 defence filed.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.browser import Browser, Page
from tests.web.conftest import DEFENCE, Site

WHY = "O auto foi lavrado sobre outro veículo."


def sheet(case: str, seq: int, verb: str) -> str:
    return f"{case}/registros/{seq}/{verb}"


def send(browser: Browser, path: str, **fields: Any) -> Page:
    """Sends the page as it stands, with what is filled in."""
    page = browser.get(path)
    assert page.status == 200, page.text
    return browser.post(path, versao=page.value("versao"), visto=page.value("visto"), **fields)


def texts(page: Page, tag: str, **attributes: str) -> list[str]:
    return [e.text for e in page.all(tag, **attributes)]


def record(page: Page, seq: int) -> str:
    """A line of the timeline."""
    return page.one("li", id=f"registro-{seq}").text


def overtaken(site: Site) -> str:
    """A case whose defence, stamped on the last day, was typed on the day after the expiry was recorded."""
    case = site.charged()
    site.at(3, 11, 8)
    site.at(3, 11, 10)
    late = {**DEFENCE, "_carimbo": "2026-03-10T16:40"}
    assert site.person("protocolo").post(f"{case}/protocolar/contestacao", **late).status == 200
    return case


@pytest.mark.parametrize(("verb", "who"), [("anular", "secretario"), ("corrigir", "presidente")])
def test_only_the_competent_see_the_way_back_and_others_read_whom_to_call(
    site: Site, verb: str, who: str
) -> None:
    case = site.charged()
    way = sheet(case, 3, verb)
    assert way in site.person(who).get(case).links()
    for login in ("fiscal", "protocolo", "auditor"):
        browser = site.person(login)
        assert way not in browser.get(case).links(), login
        for page in (browser.get(way), browser.post(way, motivo=WHY, versao="1")):
            assert page.status == 403
            assert "Este ato cabe a:" in page.text
            assert "Fale com" in page.text


def test_the_opening_is_never_offered_for_annulment(site: Site) -> None:
    case = site.charged()
    secretary = site.person("secretario")
    assert sheet(case, 1, "anular") not in secretary.get(case).links()
    assert send_raw(secretary, sheet(case, 1, "anular")).status == 422


def send_raw(browser: Browser, path: str) -> Page:
    return browser.post(path, versao="4", motivo=WHY)


def test_the_preview_tells_what_falls_and_what_comes_back_and_changes_nothing(site: Site) -> None:
    case = site.charged()
    secretary = site.person("secretario")
    before = secretary.get(case).text
    page = secretary.get(sheet(case, 3, "anular"))
    shown = page.one("section", id="previa").text
    for words in (
        "registro 3: Tarefa concluída: Lavrar auto de infração",
        "registro 4: Ciência registrada: Dar ciência do auto",
        "Auto de infração 00001/2026",
        "Tarefas que se abrem Lavrar auto de infração",
        "Defesa terça-feira, 10/03/2026, até 23:59",
        "Recurso em primeira instância sexta-feira, 13/03/2026, até 23:59",
        "Cobrança: de 5 UFP, R$ 500,00 para nada",
        "Situação: de",
    ):
        assert words in shown, words
    assert secretary.get(case).text == before


def test_annulling_asks_for_a_reason_and_then_shows_a_receipt(site: Site) -> None:
    case = site.charged()
    secretary, way = site.person("secretario"), sheet(case, 3, "anular")
    page = send(secretary, way, motivo=" ")
    assert page.status == 422
    assert page.title.startswith("Erro: ")
    assert "#motivo" in page.links()
    assert page.one("textarea", id="motivo").attributes["aria-invalid"] == "true"

    page = send(secretary, way, motivo=WHY)
    assert page.status == 200
    receipt = page.one("section", id="recibo").text
    assert "Atos anulados" in receipt
    assert "Ficaram sem efeito os registros: 3, 4." in receipt
    assert "Próxima tarefa: Lavrar auto de infração" in receipt
    for seq in (3, 4):
        assert "sem efeito" in record(page, seq)
    assert "sem efeito" not in record(page, 2)
    assert WHY in record(page, 5)
    assert "Volta a antes do registro 3" in record(page, 5)
    papers = texts(page, "li")
    assert any("Auto de infração" in text and "anulado" in text for text in papers)
    assert not any("Notificação de infração" in text and "anulado" in text for text in papers)
    assert "Lavrar auto de infração" in site.person("autuante").get("/caixa").text


def test_sending_twice_is_refused_clearly_and_keeps_the_text(site: Site) -> None:
    case = site.charged()
    secretary, way = site.person("secretario"), sheet(case, 3, "anular")
    page = secretary.get(way)
    told = {"versao": page.value("versao"), "visto": page.value("visto"), "motivo": WHY}
    assert secretary.post(way, **told).status == 200
    again = secretary.post(way, **told)
    assert again.status == 409
    assert "Este registro já está sem efeito." in again.one("div", role="alert").text
    assert WHY in texts(again, "dd", class_="typed")
    assert again.all("textarea") == []
    assert "Atos anulados" in again.one("section", id="andou").text
    assert secretary.get(case).html.count("Atos anulados") == 1


def test_a_case_that_moved_meanwhile_keeps_the_text_and_says_what_moved(site: Site) -> None:
    case = site.charged()
    secretary, way = site.person("secretario"), sheet(case, 3, "anular")
    page = secretary.get(way)
    told = {"versao": page.value("versao"), "visto": page.value("visto"), "motivo": WHY}
    site.at(3, 5)
    site.person("protocolo").post(f"{case}/protocolar/contestacao", **DEFENCE)
    page = secretary.post(way, **told)
    assert page.status == 409
    assert page.value("motivo") == WHY
    assert "Defesa ou recurso em 1ª instância, P00001/2026" in page.one("section", id="andou").text
    assert "P00001/2026" in page.one("section", id="previa").text
    assert page.value("versao") != told["versao"]
    assert send(secretary, way, motivo=WHY).status == 200


def test_a_filing_is_put_before_the_case_again_unless_it_is_annulled_too(site: Site) -> None:
    case = site.defended()
    secretary, way = site.person("secretario"), sheet(case, 5, "anular")
    page = secretary.get(way)
    assert "Será reapresentada ao processo" in page.one("section", id="previa").text
    assert "checked" not in page.one("input", name="peticao").attributes
    page = send(secretary, way, motivo="Registro com o número errado.")
    assert page.status == 200
    assert "Petição reapresentada: Defesa ou recurso em 1ª instância, P00001/2026" in record(page, 7)
    assert "Defesa em julgamento" in page.one("div", class_="standing").text


def test_a_filing_that_was_an_error_falls_and_its_term_runs_again(site: Site) -> None:
    case = site.defended()
    secretary, way = site.person("secretario"), sheet(case, 5, "anular")
    filing = secretary.get(way).one("input", name="peticao").attributes["value"]
    page = send(secretary, way, motivo=" ", peticao=filing)
    assert page.status == 422
    assert "checked" in page.one("input", name="peticao").attributes
    assert "Será anulada também." in page.one("section", id="previa").text
    assert "Defesa: terça-feira, 10/03/2026, até 23:59" in page.one("section", id="previa").text
    page = send(secretary, way, motivo="Era de outro processo.", peticao=filing)
    assert "anulada" in next(t for t in texts(page, "li") if t.startswith("Defesa ou recurso"))
    assert any(t.startswith("Defesa Art. 126") and "vence" in t for t in texts(page, "li"))


def test_a_filing_of_another_case_cannot_be_ticked(site: Site) -> None:
    case = site.defended()
    page = send(site.person("secretario"), sheet(case, 5, "anular"), motivo=WHY, peticao="0" * 32)
    assert page.status == 422
    assert "Uma das petições não está no trecho a anular." in page.text


def test_a_filing_typed_after_the_expiry_is_noticed_and_explained(site: Site) -> None:
    case = overtaken(site)
    expiry = 5
    counter = site.person("protocolo").get(case)
    assert counter.text.count("Petição em tempo, digitada depois do decurso:") == 1
    assert "Petição em tempo, digitada depois do decurso: Defesa" in counter.text
    assert sheet(case, expiry, "afastar") not in counter.links()
    assert "Presidente da Comissão de Julgamento" in next(
        t for t in texts(counter, "div", class_="notice") if "Petição em tempo" in t
    )
    president = site.person("presidente")
    assert president.get(case).link("Afastar o decurso") == sheet(case, expiry, "afastar")
    page = president.get(sheet(case, expiry, "afastar"))
    facts = page.one("dl", class_="pairs").text
    assert "Terminava terça-feira, 10/03/2026, até 23:59" in facts
    assert "Decurso registrado em 11/03/2026 08:00" in facts
    assert "carimbo de 10/03/2026 16:40, digitada em 11/03/2026 10:00" in facts
    assert "passa a Defesa em julgamento" in page.one("section", id="previa").text


def test_an_expiry_that_follows_another_is_not_noticed_beside_it(site: Site) -> None:
    """Typed after both ends: setting the first aside takes the second along."""
    case = site.charged()
    site.at(3, 11, 8)
    site.at(3, 16, 8)
    late = {**DEFENCE, "_carimbo": "2026-03-10T16:40"}
    page = site.person("protocolo").post(f"{case}/protocolar/contestacao", **late)
    assert page.text.count("Petição em tempo, digitada depois do decurso:") == 1
    page = send(site.person("presidente"), sheet(case, 5, "afastar"), motivo="Livro protocolo 4, fl. 13.")
    assert "Ficaram sem efeito os registros: 5, 6." in page.one("section", id="recibo").text
    assert "Corre:" not in page.one("section", id="recibo").text


def test_setting_aside_moves_the_case_and_a_second_time_is_refused(site: Site) -> None:
    case = overtaken(site)
    president, way = site.person("presidente"), sheet(case, 5, "afastar")
    page = president.get(way)
    told = {"versao": page.value("versao"), "visto": page.value("visto")}
    assert president.post(way, **told, motivo="").status == 422
    page = president.post(way, **told, motivo="Livro protocolo 4, fl. 13.")
    assert page.status == 200
    assert "Decurso afastado" in page.one("section", id="recibo").text
    assert "Defesa em julgamento" in page.one("div", class_="standing").text
    assert "sem efeito" in record(page, 5)
    assert "Petição em tempo" not in page.text
    again = president.post(way, **told, motivo="Livro protocolo 4, fl. 13.")
    assert again.status == 409
    assert "Livro protocolo 4, fl. 13." in texts(again, "dd", class_="typed")
    assert president.get(way).status == 404
    assert site.person("fiscal").get(way).status == 403


def test_the_pages_of_going_back_speak_english(site: Site) -> None:
    case = overtaken(site)
    for login, seq, verb, title in (
        ("secretario", 3, "anular", "Annul from record 3 on"),
        ("presidente", 5, "afastar", "Set the expiry aside"),
        ("presidente", 1, "corrigir", "Correct record 1"),
    ):
        browser = site.person(login)
        browser.post("/idioma", lang="en")
        assert browser.get(sheet(case, seq, verb)).one("h1").text == title


@pytest.mark.parametrize("verb", ["anular", "afastar", "corrigir"])
def test_a_record_that_is_not_there_is_not_found(site: Site, verb: str) -> None:
    case = site.charged()
    for seq in ("0", "99", "x", "9" * 3000, "1%00"):
        assert site.person("secretario").get(f"{case}/registros/{seq}/{verb}").status == 404, seq
