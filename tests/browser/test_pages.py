"""Every page in both languages: no fault that axe-core finds (WCAG 2.2 AA), nothing wider than a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.visit import Served, Visit

WCAG = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
}
# Page, who looks, and where it is.
PAGES: dict[str, tuple[str, Callable[[Served], str]]] = {
    "inbox": ("presidente", lambda s: "/caixa"),
    "empty inbox": ("auditor", lambda s: "/caixa"),
    "cases": ("auditor", lambda s: "/processos"),
    "case that runs": ("protocolo", lambda s: f"/processos/{s.case('EM_DEFESA')}"),
    "case that ended": ("secretario", lambda s: f"/processos/{s.case('ADVERTIDO_ARQUIVADO')}"),
    "new case": ("fiscal", lambda s: "/processos/novo/infracao"),
    "task with a form": ("autuante", lambda s: s.task("lavrar_auto")),
    "task of a vote": ("membro1", lambda s: s.task("votar")),
    "task of somebody else": ("auditor", lambda s: s.task("votar")),
    "filing": ("protocolo", lambda s: f"/processos/{s.case('EM_DEFESA')}/protocolar/contestacao"),
    "document": ("auditor", lambda s: s.paper("auto_de_infracao")),
    "situation": ("gestor", lambda s: "/situacao"),
    "norm": ("auditor", lambda s: "/norma"),
    "nothing there": ("auditor", lambda s: "/processos/99999-2026-9"),
}


def faults(visit: Visit) -> list[str]:
    found = Axe().run(visit.page, options=WCAG).response["violations"]
    return [f"{v['id']}: {n['html'][:160]} ({n['failureSummary'][:200]})" for v in found for n in v["nodes"]]


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_fault(reader: Visit, name: str, language: str) -> None:
    login, where = PAGES[name]
    reader.enter(login)
    if language == "en":
        reader.english()
    reader.page.goto(where(reader.served))
    reader.page.wait_for_load_state("networkidle")
    assert reader.page.locator("html").get_attribute("lang") == ("en" if language == "en" else "pt-BR")
    assert faults(reader) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone(reader: Visit, name: str) -> None:
    login, where = PAGES[name]
    reader.enter(login)
    reader.page.set_viewport_size({"width": 360, "height": 740})
    reader.page.goto(where(reader.served))
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_way_in_has_no_fault(reader: Visit) -> None:
    reader.page.goto("/entrar")
    assert faults(reader) == []


def test_a_form_with_errors_has_no_fault_and_leads_to_the_first(reader: Visit) -> None:
    reader.enter("fiscal")
    reader.page.goto("/processos/novo/infracao")
    reader.page.locator("main form button").first.click()
    summary = reader.page.locator("[role=alert]")
    assert summary.is_visible()
    assert reader.page.title().startswith("Erro:")
    assert faults(reader) == []
    summary.locator("a").first.focus()
    reader.page.keyboard.press("Enter")
    named = reader.page.evaluate("document.activeElement.name")
    assert named == "codigo"


def test_keyboard_reaches_the_content_first(reader: Visit) -> None:
    reader.enter("fiscal")
    reader.page.goto("/caixa")
    reader.page.keyboard.press("Tab")
    assert "conteúdo" in reader.page.evaluate("document.activeElement.textContent")
    reader.page.keyboard.press("Enter")
    assert reader.page.evaluate("document.activeElement.tagName") == "MAIN"
