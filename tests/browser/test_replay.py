"""The auditor plays a case again: with a slider where there is JavaScript, along links where there is none.

The case has thirteen acts; its nine papers were printed after them, in entries 14 to 22.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visit import Crowd, Visit


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def visit(request: pytest.FixtureRequest, crowd: Crowd) -> Visit:
    """The auditor, with and without JavaScript."""
    return crowd.of("auditor", script=request.param)


@pytest.fixture
def reader(crowd: Crowd) -> Visit:
    return crowd.of("auditor")


def begin(visit: Visit) -> str:
    visit.open(f"/processos/{visit.served.cases['long']}")
    visit.follow("Reproduzir o histórico")
    return visit.text("#passo h2")


def current(visit: Visit) -> list[str]:
    """The entry that the list marks as shown."""
    return [
        text.split(":")[0] for text in visit.page.locator("[data-list] [aria-current=step]").all_inner_texts()
    ]


def test_printing_is_one_quiet_line_and_every_entry_keeps_its_number(visit: Visit) -> None:
    visit.open(f"/processos/{visit.served.cases['long']}")
    quiet = visit.page.locator(".timeline > li").first
    assert quiet.get_attribute("value") == "22"
    summary = quiet.locator("summary")
    assert summary.inner_text().startswith("9 PDFs preparados")
    assert not quiet.get_by_role("link", name="registro 17", exact=True).is_visible()
    summary.click()
    papers = quiet.locator("li").all_inner_texts()
    assert [re.findall(r"registro (\d+)", text) for text in papers] == [[str(n)] for n in range(22, 13, -1)]
    acts = visit.page.locator(".timeline > li[id]")
    assert [li.get_attribute("value") for li in acts.all()] == [str(n) for n in range(13, 0, -1)]
    quiet.get_by_role("link", name="registro 17", exact=True).click()
    assert visit.text("#passo h2").startswith("Registro 17 de 22: PDF preparado")


def test_a_replay_opens_at_the_last_act_and_marks_the_prints_as_quiet(visit: Visit) -> None:
    assert begin(visit) == "Registro 13 de 22: Tarefa concluída: Decidir admissibilidade"
    entries = visit.page.locator("[data-list] li")
    assert entries.count() == 22
    assert [li.get_attribute("value") for li in visit.page.locator("[data-list] li.quiet").all()] == [
        str(n) for n in range(14, 23)
    ]


def test_the_auditor_walks_from_entry_to_entry(visit: Visit) -> None:
    begin(visit)
    visit.follow("Primeiro")
    expect(visit.page.locator("#passo h2").first).to_have_text("Registro 1 de 22: Processo aberto")
    for seq in range(2, 6):
        visit.page.get_by_role("link", name="Próximo").click()
        expect(visit.page.locator("#passo h2").first).to_contain_text(f"Registro {seq} de 22")
        assert len(current(visit)) == 1
    assert current(visit) == ["Petição protocolada"]
    assert visit.page.url.endswith("/historico/5")


def test_the_drawing_shows_which_way_the_case_came(visit: Visit) -> None:
    """Ways that were taken have a colour and are thicker; where there is no script, they say so as well."""
    begin(visit)
    visit.open(visit.page.url.split("/historico")[0] + "/historico/3")
    if visit.script:
        lines = "#desenho .djs-connection{} .djs-visual > path"
        expect(visit.page.locator(lines.format(".done")).first).to_have_css("stroke", "rgb(22, 136, 33)")
        other = visit.page.locator(lines.format(":not(.done)")).first
        expect(other).not_to_have_css("stroke", "rgb(22, 136, 33)")
    else:
        titles = visit.page.locator("#desenho g[data-mark=done] > title").all_text_contents()
        assert any(title.startswith("De ") and title.endswith(": percorrido") for title in titles)


def test_the_slider_moves_through_the_entries_by_keyboard(reader: Visit) -> None:
    begin(reader)
    slider = reader.page.get_by_role("slider", name="Passo")
    assert slider.get_attribute("max") == "22"
    slider.focus()
    reader.page.keyboard.press("Home")
    expect(reader.page.locator("#passo h2").first).to_have_text("Registro 1 de 22: Processo aberto")
    passed = reader.page.locator("#desenho .djs-connection.done")
    few = passed.count()
    reader.page.keyboard.press("ArrowRight")
    reader.page.keyboard.press("ArrowRight")
    reader.page.keyboard.press("ArrowRight")
    title = "Registro 4 de 22: Ciência registrada: Dar ciência do auto"
    expect(reader.page.locator("#passo h2").first).to_have_text(title)
    expect(reader.page.locator("[data-slider] output")).to_have_text(title)
    assert passed.count() > few
    assert current(reader) == ["Ciência registrada"]
    assert reader.page.url.endswith("/historico/4"), "what is seen can be sent to somebody"
