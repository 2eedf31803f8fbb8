"""More tasks than are counted: pages say so in words, in both languages, and their lists go on."""

from __future__ import annotations

import pytest

from tests.web.conftest import Site
from tests.web.test_lists import city


def test_more_tasks_than_are_counted_are_told_as_more_and_pages_go_on(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("app.cases.finding.tasks.MOST", "app.web.shown.MOST"):
        monkeypatch.setattr(name, 2)
    monkeypatch.setattr("app.cases.inbox.PAGE", 1)
    for minute in range(3):
        city(site, f"06:3{minute}")
    browser = site.person("membro1")
    page = browser.get("/caixa?busca=transcidade")
    assert "Mais de 1.000 tarefas esperam por você, a mais urgente primeiro." in page.text
    assert "Mais de 1.000 tarefas com estes filtros" in page.text
    assert "Caixa de entrada mais de 1.000" in page.one("nav", id="menu").text
    assert [e.text for e in page.all("li")][-1] == "sem prazo correndo mais de 1.000"
    for number in (1, 2, 3):
        page = browser.get(f"/caixa?pagina={number}")
        assert f"Página {number}" in page.text
        assert "Página 1 de" not in page.text
        assert bool(page.all("a", rel="next")) == (number < 3)
    browser.post("/idioma", lang="en")
    page = browser.get("/caixa")
    assert "More than 1,000 tasks are waiting for you, the most urgent first." in page.text
    assert "more than 1,000" in page.one("nav", id="menu").text
