"""Every page in every state and both languages: no fault that axe-core finds (WCAG 2.2 AA), nothing wider than a phone,
nothing on paper that one would press.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from werkzeug.exceptions import MethodNotAllowed, NotFound

from tests.browser.pages import NO_PAGES, STATES
from tests.browser.visit import Crowd, Served, Visit

WCAG = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "resultTypes": ["violations"],  # nobody reads the passes, and there are thousands
}
PHONE = {"width": 360, "height": 740}
# What is shown and could be pressed, typed into or leads elsewhere on the site as a bar of links.
_PRESSABLE = """() =>
    [...document.querySelectorAll("button, input, select, textarea, form, nav:not(.pager), header.top, .bottom")]
    .filter((e) => e.getClientRects().length).map((e) => e.outerHTML.slice(0, 120))"""


_RUN = "([where, how]) => axe.run(where, how).then((told) => told.violations)"
# A drawing has thousands of parts and is the same on every page: these three show all there is to find in it.
DRAWINGS = {"case that runs", "replay", "replay without the viewer"}


def faults(visit: Visit, without: Sequence[str] = ()) -> list[str]:
    if visit.page.evaluate("typeof axe === 'undefined'"):
        visit.page.evaluate(AXE_SCRIPT)
    found = visit.page.evaluate(_RUN, [{"exclude": without}, WCAG])
    return [f"{v['id']}: {n['html'][:160]} ({n['failureSummary'][:200]})" for v in found for n in v["nodes"]]


@pytest.mark.parametrize("language", ["pt-BR", "en"])
@pytest.mark.parametrize("name", STATES)
def test_a_page_has_no_fault_fits_a_phone_and_is_clean_on_paper(
    crowd: Crowd, name: str, language: str, request: pytest.FixtureRequest
) -> None:
    """Both languages are one page with other words: axe looks at the second one in the long run only."""
    state = STATES[name]
    visit = crowd.of(state.login, language)
    state.go(visit)
    page = visit.page
    assert endpoint(visit) == state.page
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("main h1").count() == 1
    assert "Project-Id-Version" not in page.content()
    if language == "pt-BR" or request.config.getoption("--long"):
        assert faults(visit, [] if name in DRAWINGS else ["#desenho svg"]) == []
    page.emulate_media(media="print")
    assert page.evaluate(_PRESSABLE) == []
    page.emulate_media(media="screen")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert visit.complaints() == [] or name == "replay without the viewer"


def endpoint(visit: Visit) -> str:
    """The page that the address shown belongs to; empty where the site has none."""
    adapter = visit.served.app.url_map.bind("")
    path = urlsplit(visit.page.url).path
    try:
        return str(adapter.match(path, method="GET")[0])
    except MethodNotAllowed:
        return str(adapter.match(path, method="POST")[0])
    except NotFound:
        return ""


def test_every_page_of_the_site_is_among_them(whole: Served) -> None:
    shown = {rule.endpoint for rule in whole.app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    looked_at = {state.page for state in STATES.values()}
    assert shown - looked_at - set(NO_PAGES) == set(), "add a state of this page to tests/browser/pages.py"
    assert set(NO_PAGES) <= shown
    assert set(NO_PAGES) & looked_at == set()


def test_a_form_with_errors_leads_to_the_first(reader: Visit) -> None:
    reader.enter("fiscal")
    reader.page.goto("/processos/novo/infracao")
    reader.page.locator("main form button").first.click()
    summary = reader.page.locator("[role=alert]")
    assert summary.is_visible()
    assert reader.page.title().startswith("Erro:")
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
