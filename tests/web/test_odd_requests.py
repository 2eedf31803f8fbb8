"""Requests that no browser makes by itself: each gets an answer for people or a short refusal, never a broken page."""

from __future__ import annotations

import pytest

from tests.web.conftest import Site


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
