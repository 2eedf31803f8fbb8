"""Each role does its part at its own desk. What no script has a hand in is done without JavaScript; the rest both ways.

Tuesday 18 August 2026, 11:00. Business days that follow: 19, 20, 21, 24, 25.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import select

from app.documents import typesetter
from app.documents.codes import grouped
from app.store.cases_tables import document
from tests.browser.conftest import visiting
from tests.browser.stage import LATE, printed
from tests.browser.test_pages import faults
from tests.browser.visit import Crowd, Served, Visit


@pytest.fixture
def plain(chromium: Browser, served: Served) -> Iterator[Visit]:
    """Somebody without JavaScript in front of a site of their own."""
    yield from visiting(chromium, served, script=False)


def entry(visit: Visit, seq: int) -> str:
    """A line of the timeline."""
    return visit.text(f"#registro-{seq}")


def test_the_president_corrects_the_date_on_which_a_decision_was_received(plain: Visit) -> None:
    """Received on Monday 17 August it was to be paid and appealed until Monday 24; on Friday 14, until Friday 21."""
    number = plain.served.case("AGUARDANDO_COMPROVANTE")
    plain.enter("presidente")
    plain.open(f"/processos/{number}")
    assert "segunda-feira, 24/08/2026, até 23:59" in plain.text(".side-column")
    plain.page.locator("#registro-10").get_by_role("link", name="Corrigir").click()
    plain.fill(instante="2026-08-14T09:30")
    plain.press("Conferir o efeito")
    assert "Move o processo" in plain.text("#efeito")
    assert "sexta-feira, 21/08/2026, até 23:59" in plain.text("#previa")
    plain.fill(motivo="O livro protocolo diz sexta-feira, folha 70.")
    plain.press("Corrigir")
    assert "Registro corrigido" in plain.text("#recibo")
    assert "sexta-feira, 21/08/2026, até 23:59" in plain.text(".side-column")
    assert "O livro protocolo diz sexta-feira, folha 70." in plain.text(".timeline")
    assert "sem efeito" in entry(plain, 10)


def test_the_secretary_annuls_and_the_page_shows_what_fell_struck_through_and_in_words(plain: Visit) -> None:
    number = plain.served.case("EM_CONTRARRAZOES")
    plain.enter("secretario")
    plain.open(f"/processos/{number}")
    plain.page.locator("#registro-13").get_by_role("link", name="Anular a partir daqui").click()
    assert "Decidir admissibilidade" in plain.text("#previa")
    plain.fill(motivo="O recurso ainda não tinha o comprovante.")
    plain.press("Anular")
    assert "Ficaram sem efeito os registros: 13." in plain.text("#recibo")
    assert "sem efeito" in entry(plain, 13)
    struck = plain.page.locator("#registro-13 strong").first
    expect(struck).to_have_css("text-decoration-line", "line-through")
    expect(plain.page.locator("#registro-12 strong").first).to_have_css("text-decoration-line", "none")
    assert "O recurso ainda não tinha o comprovante." in entry(plain, 14)
    assert "Decisão de admissibilidade do recurso anulado" in plain.text(".side-column")


def test_a_filing_stamped_in_time_and_typed_late_sets_the_expiry_aside(plain: Visit) -> None:
    """Received on Monday 3 August: defence until Monday 10. Stamped on Friday 7, typed on the 18th."""
    number = plain.served.case("REVEL")
    plain.enter("protocolo")
    plain.open(f"/processos/{number}/protocolar/contestacao")
    plain.fill(_carimbo="2026-08-07T10:00", **LATE)
    plain.send()
    assert "Petição em tempo, digitada depois do decurso: Defesa" in plain.text()
    assert plain.page.get_by_role("link", name="Afastar o decurso").count() == 0, "it is not for the counter"
    plain.enter("presidente")
    plain.open(f"/processos/{number}")
    plain.follow("Afastar o decurso")
    assert "segunda-feira, 10/08/2026, até 23:59" in plain.text()
    plain.fill(motivo="Livro protocolo, folha 62.")
    plain.press("Afastar o decurso")
    assert "Defesa em julgamento" in plain.text(".standing")
    assert "sem efeito" in entry(plain, 5)


def test_whoever_holds_a_paper_learns_that_it_is_authentic(plain: Visit) -> None:
    served = plain.served
    row = served.first(
        select(document).order_by(document.c.issued_at, document.c.id)
    )  # the press begins there
    path = f"/documentos/{row['id']}"
    plain.enter("auditor")
    assert plain.page.request.get(f"{path}/pdf").status == 202, "the press has not come to it"
    printed(served, only=1, setter=typesetter.typeset)
    plain.open(path)
    plain.page.get_by_role("link", name="Abrir o PDF").wait_for()
    pdf = plain.page.request.get(f"{path}/pdf").body()
    assert pdf.startswith(b"%PDF-")
    plain.press("Sair")
    plain.open("/conferir")
    plain.fill(codigo=row["code"].lower())
    plain.press("Conferir")
    assert "Documento em vigor. Foi emitido por este órgão e não foi anulado." in plain.text()
    assert grouped(row["code"]) in plain.page.url
    for file, verdict in ((pdf, "É o mesmo arquivo, byte por byte."), (pdf + b" ", "Não é o mesmo arquivo.")):
        sent = {"name": "recebido.pdf", "mimeType": "application/pdf", "buffer": file}
        plain.page.locator("input[type=file]").set_input_files([sent])  # type: ignore[list-item]
        plain.press("Comparar")
        assert verdict in plain.text()


def test_the_manager_sees_what_waits_and_goes_on_to_the_cases(plain: Visit) -> None:
    plain.enter("gestor")
    plain.follow("Situação")
    assert "Vencem em 7 dias" in plain.text()
    row = plain.page.locator("main tr").filter(has_text="Advertido e arquivado").first
    row.get_by_role("link").first.click()
    assert plain.text("[role=status]") == "1 processo"
    assert plain.served.case("ADVERTIDO_ARQUIVADO") in plain.text()


def test_somebody_lets_time_pass_and_a_term_runs_out(visit: Visit) -> None:
    """The auto was received on Tuesday 11 August: defence until Tuesday 18 (12, 13, 14, 17, 18)."""
    number = visit.served.case("AUTUADO")
    visit.enter("fiscal")
    visit.follow("Deixar o tempo passar")
    visit.press("Próximo fim de prazo")
    assert "19/08/2026 00:00" in visit.text(".standing")
    way = visit.page.locator("#caminho li").filter(has_text=number).filter(has_text="Defesa")
    assert "terça-feira, 18/08/2026, até 23:59" in way.first.inner_text()
    for language in ("pt-BR", "en"):
        if visit.script:
            assert faults(visit) == [], language
            visit.english() if language == "pt-BR" else visit.press("Português")
    visit.open(f"/processos/{number}")
    assert "Prazo decorrido: Defesa" in visit.text(".timeline")
    assert "Relógio da demonstração: 19/08/2026 00:00" in visit.text("header")


def test_the_auditor_finds_no_form_that_changes_anything(crowd: Crowd) -> None:
    visit, served = crowd.of("auditor"), crowd.served
    case = f"/processos/{served.cases['long']}"
    paths = ["/caixa", "/processos", "/situacao", "/norma", "/transportadores", case, f"{case}/historico"]
    paths += [served.task("decidir_ultima"), f"/documentos/{served.paper('auto_de_infracao')['id']}"]
    for path in paths:
        visit.open(path)
        assert visit.page.locator("main form:not([method=get])").count() == 0, path
        assert visit.page.get_by_role("link", name="Anular a partir daqui").count() == 0, path
        assert visit.page.get_by_role("link", name="Corrigir").count() == 0, path
    for path in ("/processos/novo/infracao", f"{case}/protocolar/contestacao", f"{case}/registros/13/anular"):
        visit.open(path)
        assert visit.text("h1") == "Este ato não cabe a você", path
