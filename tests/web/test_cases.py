"""The case page and what is added to a case: filings, notes, files, a reasoned end."""

from __future__ import annotations

import io

import pytest

from tests.web.browser import Page
from tests.web.conftest import DEFENCE, Site

PDF = b"%PDF-1.4 made by a test"


def test_the_list_finds_cases_by_state_and_by_number(site: Site) -> None:
    first = site.opened(hora="06:00")
    site.at(3, 2, 9, 5)
    second = site.opened()
    site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    browser = site.person("auditor")
    assert "2 processos" in browser.get("/processos").text
    page = browser.get(f"/processos?numero={second.removeprefix('/processos/')}")
    assert "1 processo" in page.text
    assert second in page.links()
    assert first not in page.links()
    assert "1 processo" in browser.get("/processos?estado=ADVERTIDO_ARQUIVADO").text
    assert "0 processos" in browser.get("/processos?estado=REVEL").text
    assert "0 processos" in browser.get("/processos?numero=%25").text


def test_a_case_shows_state_article_parties_papers_and_who_acts(site: Site) -> None:
    page = site.person("auditor").get(site.opened())
    for words in (
        "Notificado",
        "Arts. 99 e 106",
        "A notificação foi expedida e é a advertência escrita.",
        "Expresso Sol Ltda",
        "CNPJ 11.222.333/0001-81",
        "Não atendimento a convocação por escrito, expedida pela SESEP",
        "Presidente da Comissão de Julgamento / Membro da Comissão de Julgamento",
    ):
        assert words in page.text, words
    assert len(page.all("div", id="desenho")) == 1
    assert len(page.all("svg")) == 1


def test_a_paper_shows_its_number_and_every_field_that_has_a_text(site: Site) -> None:
    browser = site.person("auditor")
    page = browser.get(browser.get(site.opened()).link("Notificação de infração 00001/2026"))
    assert page.one("h1").text == "Notificação de infração"
    assert "nº 00001/2026" in page.text
    for label, text in (
        ("Processo", "00001/2026-0"),
        ("Local", "Terminal da Praça Ruy Barbosa"),
        ("Linha", "L-110"),
    ):
        assert [e.text for e in page.all("dd")][
            [e.text.split(" Art")[0] for e in page.all("dt")].index(label)
        ] == text


def test_a_filing_is_received_stamped_and_told_to_be_in_time(site: Site) -> None:
    case = site.defended()
    page = site.person("auditor").get(case)
    assert "Defesa em julgamento" in page.text
    assert "P00001/2026" in page.text
    filing = next(e.text for e in page.all("li") if e.text.startswith("Defesa ou recurso"))
    assert "Carimbo: 05/03/2026 09:00 no prazo (Defesa)" in filing
    assert "registrada em 05/03/2026 10:00" in filing


def test_a_filing_after_the_defence_and_within_the_appeal_is_not_called_late(site: Site) -> None:
    case = site.charged()
    site.at(3, 12)
    browser = site.person("protocolo")
    page = browser.post(f"{case}/protocolar/contestacao", **{**DEFENCE, "_carimbo": "2026-03-12T09:00"})
    assert page.status == 200
    assert "depois do prazo: Defesa" in received(page)
    site.do("presidente", "Lavrar termo de revelia", livro_conferido="true")
    assert "no prazo (Recurso em primeira instância)" in received(browser.get(case))


def received(page: Page) -> str:
    """The filings of a case page, as it tells them."""
    return " ".join(e.text for e in page.all("li") if "P00001/2026" in e.text and "Carimbo" in e.text)


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("", "Informe data e hora válidas."),
        ("31/02/2026 10:00", "Informe data e hora válidas."),
        ("2026-03-09T10:00", "O instante do ato está no futuro."),
        ("2026-03-01T10:00", "O carimbo é anterior à abertura do processo."),
    ],
)
def test_an_impossible_stamp_is_refused_at_its_field_and_nothing_typed_is_lost(
    site: Site, stamp: str, words: str
) -> None:
    case = site.opened()
    page = site.person("protocolo").post(f"{case}/protocolar/contestacao", **{**DEFENCE, "_carimbo": stamp})
    assert page.status == 422
    assert words in page.one("div", role="alert").text
    assert "#_carimbo" in page.links()
    assert page.value("razoes") == DEFENCE["razoes"]


def test_only_the_counter_receives_filings(site: Site) -> None:
    case = site.opened()
    browser = site.person("fiscal")
    assert f"{case}/protocolar/outro" not in browser.get(case).links()
    page = browser.get(f"{case}/protocolar/outro")
    assert page.status == 403
    assert "Fale com Priscila Elói." in page.text
    page = browser.post(f"{case}/protocolar/outro", **{**DEFENCE, "_carimbo": "2026-03-02T09:00"})
    assert page.status == 403


def test_the_norm_has_no_other_kinds_of_filing_or_procedure(site: Site) -> None:
    case = site.opened()
    assert site.person("protocolo").get(f"{case}/protocolar/inventado").status == 404
    assert site.person("fiscal").get("/processos/novo/inventado").status == 404
    assert site.person("fiscal").get("/processos/novo/peticao").status == 404


def test_a_procedure_is_offered_to_those_who_may_open_it(site: Site) -> None:
    assert "/processos/novo/infracao" in site.person("fiscal").get("/processos/novo").links()
    page = site.person("financas").get("/processos/novo")
    assert "/processos/novo/infracao" not in page.links()
    assert (
        "Quem pode abrir: Preposto fiscal / Chefe de Fiscalização: Fernanda Lima, Paulo Prates" in page.text
    )
    assert site.person("financas").get("/processos/novo/infracao").status == 403


def test_a_note_stays_in_the_folder_as_text(site: Site) -> None:
    case = site.opened()
    browser = site.person("fiscal")
    page = browser.post(f"{case}/anotar", texto="<b>Liguei</b>\r\n\r\npara a empresa.")
    assert page.status == 200
    assert [e.text for e in page.all("p") if "Liguei" in e.text] == ["<b>Liguei</b>"]


@pytest.mark.parametrize(("words", "fault"), [("  ", "escreva um texto"), ("x" * 4001, "no máximo 4000")])
def test_a_note_that_cannot_be_kept_comes_back(site: Site, words: str, fault: str) -> None:
    page = site.person("fiscal").post(f"{site.opened()}/anotar", texto=words)
    assert page.status == 422
    assert fault in page.text
    assert page.value("texto").strip() == words.strip()


def test_a_stamp_from_before_what_is_answered_was_received_is_confirmed_and_seen(site: Site) -> None:
    """The auto was received on 3 March at half past nine; the petition says an hour earlier."""
    case = site.charged()
    desk, counter = f"{case}/protocolar/contestacao", site.person("protocolo")
    told = {**DEFENCE, "_carimbo": "2026-03-03T08:30"}
    assert counter.get(desk).all("input", name="confirma_carimbo") == []
    page = counter.post(desk, **told)
    assert page.status == 422
    assert {"#_carimbo", "#confirma_carimbo"} <= set(page.links())
    assert page.one("input", id="_carimbo").attributes["aria-invalid"] == "true"
    assert page.value("razoes") == DEFENCE["razoes"]
    # Ticked, it stays ticked through another fault.
    page = counter.post(desk, **{**told, "razoes": ""}, confirma_carimbo="true")
    assert "checked" in page.one("input", name="confirma_carimbo").attributes
    page = counter.post(desk, **told, confirma_carimbo="true")
    assert page.status == 200
    words = "Carimbo de antes do início do prazo, confirmado no protocolo: Defesa"
    assert words in page.text
    assert words in site.person("presidente").get(case).text


def test_the_stamp_that_the_counter_suggests_is_good_in_the_minute_of_the_opening(site: Site) -> None:
    site.clock.set(site.clock.now().replace(second=41, microsecond=5))
    case = site.opened()
    counter = site.person("protocolo")
    other = {"peticionario": "Rita", "assunto": "Vista", "texto": "Peço vista."}
    stamp = counter.get(f"{case}/protocolar/outro").value("_carimbo")
    assert stamp == "2026-03-02T09:00"
    assert counter.post(f"{case}/protocolar/outro", _carimbo=stamp, **other).status == 200


def test_a_reader_may_neither_annotate_nor_attach(site: Site) -> None:
    case = site.opened()
    browser = site.person("auditor")
    page = browser.get(case)
    assert page.all("textarea") == []
    assert page.all("input", type="file") == []
    page = browser.post(f"{case}/anotar", texto="Não posso")
    assert page.status == 403


def test_a_file_comes_back_as_it_was_and_is_never_shown_inside_a_page(site: Site) -> None:
    case = site.opened()
    browser = site.person("fiscal")
    page = browser.post(
        f"{case}/anexar", arquivo=(io.BytesIO(PDF), "..\\foto\u202e nº 1.pdf", "application/pdf")
    )
    assert page.status == 200
    path = page.link("foto nº 1.pdf")
    response = browser.client.get(path)
    assert response.data == PDF
    assert response.headers["Content-Disposition"].startswith("attachment;")
    assert (
        response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    )
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    response.close()


@pytest.mark.parametrize(
    ("name", "kind", "data"),
    [
        ("a.pdf", "application/pdf", b"<html>"),
        ("a.html", "text/html", b"<html>"),
        ("a.pdf", "application/pdf", b""),
    ],
)
def test_a_file_of_another_kind_is_refused(site: Site, name: str, kind: str, data: bytes) -> None:
    case = site.opened()
    page = site.person("fiscal").post(f"{case}/anexar", arquivo=(io.BytesIO(data), name, kind))
    assert page.status == 422
    assert page.title.startswith("Erro: Juntar arquivo")
    assert site.person("fiscal").post(f"{case}/anexar").status == 422


def test_a_case_is_ended_by_a_reasoned_act_of_who_may(site: Site) -> None:
    case = site.opened()
    assert site.person("fiscal").post(f"{case}/cancelar", texto="Erro").status == 403
    browser = site.person("secretario")
    assert browser.post(f"{case}/cancelar", texto="").status == 422
    page = browser.post(f"{case}/cancelar", texto="Placa errada na notificação.")
    assert page.status == 200
    assert "Cancelado" in page.text
    assert "Motivo: Placa errada na notificação." in page.text
    assert browser.post(f"{case}/cancelar", texto="De novo").status == 409


def test_what_arrives_after_the_end_opens_a_case_linked_to_the_first(site: Site) -> None:
    case = site.opened()
    site.person("secretario").post(f"{case}/cancelar", texto="Placa errada.")
    browser = site.person("protocolo")
    assert "abrirá um processo próprio" in browser.get(f"{case}/protocolar/outro").text
    other = {
        "_carimbo": "2026-03-02T09:00",
        "peticionario": "Rita",
        "assunto": "Vista",
        "texto": "Peço vista.",
    }
    page = browser.post(f"{case}/protocolar/outro", **other)
    petition = page.link("00002/2026-4")
    page = browser.get(petition)
    assert "Em despacho" in page.text
    assert case in page.links()


def test_the_diagram_is_the_one_the_case_is_pinned_to(site: Site) -> None:
    case = site.opened()
    browser = site.person("auditor")
    drawn = browser.get(case).one("div", id="desenho").attributes
    assert '"registrar_notificacao": "active"' in drawn["data-marks"]
    response = browser.client.get(drawn["data-url"])
    assert response.mimetype == "application/xml"
    assert b"registrar_notificacao" in response.data


def test_the_situation_counts_states_terms_and_who_is_waited_for(site: Site) -> None:
    site.defended()
    page = site.person("gestor").get("/situacao")
    assert "Vencem em 7 dias ( 1 processo )" in page.text
    rows = [e.text for e in page.all("tr")]
    assert any(r.startswith("Defesa em julgamento 1") for r in rows)
    assert any(r.startswith("Votar") and " 1 " in r for r in rows)  # three seats of one case
    assert "/processos?estado=EM_DEFESA" in page.links()


def test_the_norm_says_its_terms_choices_values_and_what_cannot_be_read(site: Site) -> None:
    page = site.person("auditor").get("/norma")
    rows = [e.text for e in page.all("tr")]
    assert any(r.startswith("Defesa Art. 126 e § 1º · DL-22 5 dias úteis") for r in rows)
    assert any(r.startswith("Valor da UFP") and "R$ 100,00" in r and "demonstração" in r for r in rows)
    assert "Súmula Vinculante 21" in page.text
    assert "não está no texto: bloqueado" in page.text or "ilegível: bloqueado" in page.text
