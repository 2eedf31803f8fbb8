"""Requests that no browser makes by itself: each gets an answer for people or a short refusal, never a broken page."""

from __future__ import annotations

import pytest

from tests.web.conftest import CHARGE, Site


def test_a_referer_that_is_no_address_breaks_no_page(shared: Site) -> None:
    client = shared.person("fiscal").client
    assert client.get("/nada", headers={"Referer": "http://["}).status_code == 404


@pytest.mark.parametrize("host", ["..", ".", "a" * 64, "a" * 5000])
def test_a_host_that_is_no_name_is_refused(shared: Site, host: str) -> None:
    assert shared.visitor().client.get("/caixa", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("target", ["/\t/[x", "/\t/a℀b", "//[", "/\\["])
def test_a_way_back_that_is_no_path_leads_home(shared: Site, target: str) -> None:
    page = shared.person("fiscal").post("/idioma", follow=False, lang="pt_BR", next=target)
    assert page.status == 303


@pytest.mark.parametrize("instant", ["9999-12-31T23:59", "31/12/9999 23:59", "0001-01-01T00:00+05:00"])
def test_a_draft_with_an_impossible_date_does_not_lock_its_task(site: Site, instant: str) -> None:
    site.notified()
    site.do("autuante", "Lavrar auto de infração", **CHARGE)
    counter = site.person("protocolo")
    task = counter.get("/caixa").link("Dar ciência do auto")
    assert counter.post(task, _acao="rascunho", instante=instant).status == 200
    assert counter.get(task).status == 200
