"""What every answer carries, and what no request may do: break a page, forge an act, bring script or style along."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from tests.web.browser import Page
from tests.web.conftest import Site

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
HOSTILE = ["%00", "1%00", "..%2f..%2fetc", "' OR 1=1 --", "0" * 3000, "%ff%fe", "\U0001f98a", "-1", "1e9"]


@pytest.fixture(scope="module")
def pages(shared: Site) -> list[Page]:
    """One of every page, with a case in it whose texts are hostile."""
    return list(every_page(shared))


def every_page(site: Site) -> Iterator[Page]:
    case = site.defended()
    fiscal, member = site.person("fiscal"), site.person("membro1")
    fiscal.post(f"{case}/anotar", texto="<script>alert(1)</script> \" ' & <b style='x'>")
    counter = site.person("protocolo")
    for path in ("/entrar", "/caixa", "/processos", "/processos/novo", "/situacao", "/norma", case, "/nada"):
        yield fiscal.get(path)
    yield fiscal.get("/norma/lei")
    yield fiscal.get(f"{case}/historico")
    yield fiscal.get(f"{case}/historico/4")
    yield fiscal.get("/processos/novo/infracao")
    yield fiscal.post("/processos/novo/infracao", fatos="<script>alert(1)</script>")
    yield fiscal.post(f"{case}/anotar", texto=" ")
    task = member.get("/caixa").link("Votar")
    yield member.get("/caixa")
    yield member.get(task)
    yield fiscal.get(task)
    yield member.post(task, _acao="concluir", versao="7", fundamentacao="</textarea><script>x</script>")
    yield counter.get(f"{case}/protocolar/pagamento")
    yield counter.post(f"{case}/protocolar/pagamento", _carimbo="nunca")
    carrier, keeper = f"/transportadores/{site.world.carriers['ES']}", site.person("gestor")
    for path in ("/transportadores", carrier, f"/pessoal-de-trafego/{site.world.staff['jose']}"):
        yield fiscal.get(path)
    yield keeper.get(carrier)
    yield keeper.post(f"{carrier}/pessoal/novo", nome="<script>alert(1)</script>")
    yield fiscal.post("/transportadores/novo", nome="<script>alert(1)</script>")
    documents = [link for link in fiscal.get(case).links() if link.startswith("/documentos/")]
    yield fiscal.get(documents[0])
    yield fiscal.get(f"{documents[0]}/pdf")
    yield fiscal.get("/conferir")
    yield fiscal.get("/conferir?codigo=<script>")
    code = next(link for link in fiscal.get(documents[0]).links() if link.startswith("/conferir/"))
    yield fiscal.get(code)
    yield fiscal.post(code, arquivo=(io.BytesIO(b"%PDF-"), "a.pdf"))
    yield fiscal.get("/conferir/0000-0000-0000-0000")
    yield member.get(next(link for link in fiscal.get(case).links() if link.startswith("/tarefas/")))


def test_every_page_carries_the_headers_that_guard_it(pages: list[Page]) -> None:
    for page in pages:
        assert page.headers["Content-Security-Policy"] == POLICY, page.path
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["Referrer-Policy"] == "same-origin"
        assert page.headers["Cache-Control"] == "no-store"


def test_no_page_brings_a_script_or_a_style_of_its_own(pages: list[Page]) -> None:
    for page in pages:
        for element in page.elements:
            loose = [a for a in element.attributes if a == "style" or a.startswith("on")]
            assert loose == [], (page.path, element)
            assert element.tag != "style", page.path
            if element.tag == "script":
                assert element.attributes["src"].startswith("/static/"), page.path


def test_every_page_is_one_document_with_one_heading_and_unique_ids(pages: list[Page]) -> None:
    for page in pages:
        assert len(page.all("main")) == 1, page.path
        assert len(page.all("h1")) == 1, page.path
        ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
        assert sorted(ids) == sorted(set(ids)), page.path
        named = [e.attributes["for"] for e in page.all("label") if "for" in e.attributes]
        described = [x for e in page.elements for x in e.attributes.get("aria-describedby", "").split()]
        assert set(named) | set(described) <= set(ids), page.path


def test_what_people_typed_is_text_wherever_it_is_shown(pages: list[Page]) -> None:
    shown = [page for page in pages if "alert(1)" in page.html]
    assert len(shown) >= 2
    assert all("<script>alert" not in page.html and "<b style" not in page.html for page in pages)


def test_static_files_and_form_styles_carry_the_headers_too(shared: Site) -> None:
    browser = shared.person("fiscal")
    linked = browser.get("/processos/novo/infracao").all("link", rel="stylesheet")
    (style,) = [e.attributes["href"] for e in linked if e.attributes["href"].startswith("/formularios/")]
    for path in ("/static/tramita.css", "/static/nada.css", style):
        assert browser.get(path).headers["Content-Security-Policy"] == POLICY, path
    assert browser.get(style).headers["Cache-Control"] == "private, max-age=31536000, immutable"


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(site: Site, real_site: Site) -> None:
    def cookie(where: Site) -> str:
        return str(where.app.test_client().get("/entrar").headers["Set-Cookie"])

    assert cookie(site).startswith("tramita_session=")
    assert "HttpOnly" in cookie(site)
    assert "SameSite=Lax" in cookie(site)
    assert "Secure" not in cookie(site)
    assert "Secure" in cookie(real_site)


def test_the_key_of_the_sessions_is_made_once_for_its_owner_only(site: Site) -> None:
    key = site.settings.data_dir / "session.key"
    assert len(key.read_bytes()) == 32
    assert key.stat().st_mode & 0o077 == 0


def test_a_form_without_its_token_is_refused_and_changes_nothing(site: Site) -> None:
    browser = site.person("fiscal")
    page = browser.post("/processos/novo/infracao", token=False, **site.notice())
    assert page.status == 400
    assert "nada foi gravado" in page.text
    assert "0 processos" in browser.get("/processos").text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_address_breaks_a_page(shared: Site, text: str) -> None:
    browser = shared.person("fiscal")
    for path in (
        "processos",
        "tarefas",
        "documentos",
        "anexos",
        "conferir",
        "processos/novo",
        "formularios/a",
    ):
        assert browser.get(f"/{path}/{text}").status == 404
    for query in ("pagina", "estado", "numero"):
        assert browser.get(f"/processos?{query}={text}").status == 200
    assert browser.get(f"/caixa?pagina={text}").status == 200


@pytest.mark.parametrize("path", ["/tarefas/" + "0" * 28, "/documentos/" + "0" * 28, "/anexos/" + "0" * 28])
def test_an_id_of_nothing_is_not_found(shared: Site, path: str) -> None:
    page = shared.person("fiscal").get(path)
    assert page.status == 404
    assert page.title == "Página não encontrada — Tramita"
    assert "/caixa" in page.links()


def test_a_wrong_method_is_told_apart_from_a_wrong_address(shared: Site) -> None:
    page = shared.person("fiscal").get("/sair")
    assert page.status == 405
    assert set(page.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}


def test_characters_that_nobody_sees_never_reach_the_case(site: Site) -> None:
    case = site.opened(local="Praça\x00 Ruy\u202e Barbosa", fatos="a\x07b\r\nc\U0001f98a")
    page = site.person("fiscal").get(case)
    assert "Praça Ruy Barbosa" in page.text
    assert "ab c\U0001f98a" in page.text


def test_what_breaks_is_a_page_with_a_reference_number(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr("app.cases.inbox.inbox", broken)
    page = site.person("fiscal").get("/caixa")
    assert page.status == 500
    assert page.one("strong", class_="reference").text.startswith("20260302-120000-")
    assert "disk" not in page.text
