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


def test_a_way_back_that_is_longer_than_any_address_is_no_way_back(shared: Site) -> None:
    longest = "/processos?numero=" + "1" * (2_000 - len("/processos?numero="))
    for target, lands in ((longest, longest), (longest + "1", "/caixa")):
        page = shared.person("fiscal").post("/idioma", follow=False, lang="pt_BR", next=target)
        assert page.headers["Location"] == lands
    visitor = shared.visitor()
    assert visitor.get(f"/entrar?next={longest}1").all("input", name="next", value=f"{longest}1") == []
    assert visitor.get(f"/entrar?next={longest}").value("next") == longest
    assert visitor.get(f"{longest}11").path == "/entrar?"


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("/processos//novo?a=1//2", "/processos/novo?a=1//2"),
        ("//processos//novo", "/processos/novo"),
    ],
)
def test_a_slash_too_many_leads_within_the_site_whatever_host_was_named(
    shared: Site, path: str, leads: str
) -> None:
    url, _, query = path.partition("?")
    kept = shared.person("fiscal").client.get_cookie("tramita_session")
    assert kept is not None
    named = {"PATH_INFO": url, "HTTP_HOST": "mal.example", "HTTP_COOKIE": f"tramita_session={kept.value}"}
    response = shared.app.test_client(use_cookies=False).open(environ_overrides=named, query_string=query)
    assert (response.status_code, response.headers["Location"]) == (308, leads)


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("multipart/form-data", b"texto=Visto."),
        ("multipart/form-data; boundary=x", b"--y\r\n\r\nVisto."),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\nabc',
        ),
    ],
)
def test_a_form_that_cannot_be_read_is_told_as_such(site: Site, media: str, body: bytes) -> None:
    case = site.opened()
    response = site.person("fiscal").client.post(f"{case}/anotar", data=body, content_type=media)
    assert response.status_code == 400
    assert "O formulário não pôde ser lido" in response.text
    assert "de uma sessão para outra" not in response.text


def test_a_stamp_by_the_week_is_no_date(site: Site) -> None:
    case = site.opened()
    for stamp in ("2026-W10-1T08:00", "2026-W10-1T08:00-03:00"):
        page = site.person("protocolo").post(f"{case}/protocolar/outro", _carimbo=stamp)
        assert page.status == 422
        assert "Informe data e hora válidas." in page.text


@pytest.mark.parametrize("instant", ["9999-12-31T23:59", "31/12/9999 23:59", "0001-01-01T00:00+05:00"])
def test_a_draft_with_an_impossible_date_does_not_lock_its_task(site: Site, instant: str) -> None:
    site.notified()
    site.do("autuante", "Lavrar auto de infração", **CHARGE)
    counter = site.person("protocolo")
    task = counter.get("/caixa").link("Dar ciência do auto")
    assert counter.post(task, _acao="rascunho", instante=instant).status == 200
    assert counter.get(task).status == 200
