"""Pages on paper: what they say, from where and as of when; drawers open; nothing that only a screen can do."""

from __future__ import annotations

import pytest

from tests.browser.pages import STATES
from tests.browser.visit import Crowd

TODAY = "dados de 18/08/2026 11:00"
# A page that people print, and how its sheet names it.
SHEETS = {
    "case with everything": "Processo 00002/2026-4",
    "task with a form": "Decidir em última instância, 00003/2026-9",
    "document": "Processo 00002/2026-4 · Auto de infração",
    "replay": "Histórico do processo 00002/2026-4",
    "norm": "Norma",
    "text of the law": "Texto da lei",
    "situation": "Situação",
}
_CLOSED = """() => [...document.querySelectorAll("main details > :not(summary)")]
    .filter((e) => !e.closest("details:has(form), .term:not(.running) details, .quiet"))
    .filter((e) => !e.getClientRects().length).map((e) => e.outerHTML.slice(0, 120))"""

_CENTRES = """() => [...document.querySelectorAll("#desenho .djs-shape.active")].map((e) => {
    const {e: x, f: y} = e.transform.baseVal.consolidate().matrix, box = e.querySelector(".djs-visual").getBBox();
    return [x + box.x + box.width / 2, y + box.y + box.height / 2];
})"""
_BLUE = """() => [...document.querySelectorAll("main a")]
    .filter((e) => e.getClientRects().length && getComputedStyle(e).color === "rgb(19, 81, 180)")
    .map((e) => e.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_names_its_page_and_the_day_and_has_every_drawer_open(crowd: Crowd, name: str) -> None:
    state = STATES[name]
    visit = crowd.of(state.login)
    state.go(visit)
    assert not visit.page.locator(".on-paper").is_visible()
    visit.page.emulate_media(media="print")
    told = visit.text(".on-paper")
    assert told.startswith("Município de Jequié/BA, Secretaria Municipal de Serviços Públicos (SESEP) ")
    assert SHEETS[name] in told
    assert told.endswith(TODAY)
    assert visit.page.evaluate(_CLOSED) == []
    assert visit.page.evaluate(_BLUE) == [], "links are read, not pressed"


@pytest.mark.parametrize("name", ["case with everything", "replay"])
def test_a_drawing_that_was_moved_about_in_is_whole_on_paper(crowd: Crowd, name: str) -> None:
    state = STATES[name]
    visit = crowd.of(state.login)
    state.go(visit)
    page = visit.page
    visit.press("Ampliar")
    drawing, shapes = page.locator("#desenho .djs-container > svg"), page.locator("#desenho .viewport")
    moved = shapes.get_attribute("transform")
    assert moved
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert shapes.get_attribute("transform") is None
    left, top, width, height = map(float, str(drawing.get_attribute("viewBox")).split())
    centres = page.evaluate(_CENTRES)
    assert any(left < x < left + width and top < y < top + height for x, y in centres), (
        "where the case stands"
    )
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert drawing.get_attribute("viewBox") is None
    assert shapes.get_attribute("transform") == moved
