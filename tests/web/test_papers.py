"""A document as page and as PDF, and its check by anybody who holds the paper."""

from __future__ import annotations

import io
from typing import Any

import pytest
from sqlalchemy import event, select

from app import documents
from app.audit import seal
from app.cases import acts
from app.documents import typesetter
from app.documents.press import Press
from app.documents.printing import Unprintable
from app.registry import norms
from app.store import CLOCK, Actor, Row
from app.store.cases_tables import cases, document
from app.values import digest
from tests.documents.paper import words
from tests.web.browser import Browser, Page
from tests.web.conftest import Site

UNKNOWN = "/conferir/0000-0000-0000-0000"


def row_of(site: Site, kind: str = "notificacao") -> Row:
    with site.store.read() as reader:
        return reader.one(select(document).where(document.c.kind == kind), "")


def printed(site: Site, **changes: Any) -> bytes | None:
    press = Press(site.store, norms.by_digest, "http://x", **{"setter": typesetter.typeset, **changes})
    while press.print_next():
        pass
    with site.store.read() as reader:
        return documents.pdf_of(reader, row_of(site)["id"])


def path_of(site: Site) -> str:
    return f"/documentos/{row_of(site)['id']}"


def check_of(site: Site, browser: Browser) -> str:
    return next(link for link in browser.get(path_of(site)).links() if link.startswith("/conferir/"))


def test_a_document_that_is_being_prepared_says_so_and_opens_when_it_is_ready(site: Site) -> None:
    site.opened()
    browser, path = site.person("fiscal"), path_of(site)
    page = browser.get(path)
    assert "O PDF está em preparo." in page.text
    assert f"{path}/pdf" in page.links()
    waiting = browser.get(f"{path}/pdf")
    assert (waiting.status, waiting.one("h1").text) == (202, "PDF em preparo")
    assert waiting.headers["Refresh"] == f"3; url={path}/pdf"
    printed(site)
    assert browser.get(f"{path}/pdf").headers["Content-Type"] == "application/pdf"
    assert "Abrir o PDF" in browser.get(path).text
    assert "em preparo" not in browser.get(path).text


def test_the_pdf_opens_in_the_browser_under_a_name_of_its_own(site: Site) -> None:
    site.opened()
    pdf = printed(site)
    answer = site.person("fiscal").client.get(f"{path_of(site)}/pdf")
    assert answer.data == pdf
    name = 'inline; filename="notificacao-de-infracao-00001-2026.pdf"'
    assert answer.headers["Content-Disposition"] == name
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; object-src 'self'")


def test_a_pdf_that_could_not_be_prepared_says_why_and_when_it_is_tried_again(site: Site) -> None:
    def fails(_order: Any) -> bytes:
        raise Unprintable("o modelo não compila: unknown variable: x")

    site.opened()
    printed(site, setter=fails)
    browser = site.person("fiscal")
    for path in (path_of(site), f"{path_of(site)}/pdf"):
        told = browser.get(path).text
        assert "Não foi possível preparar o PDF: o modelo não compila: unknown variable: x." in told
        assert "Nova tentativa: 02/03/2026 09:01" in told


def test_the_page_names_who_signs_and_the_code(site: Site) -> None:
    site.opened()
    told = site.person("fiscal").get(path_of(site)).text
    code = row_of(site)["code"]
    assert "Código verificador " + "-".join(code[at : at + 4] for at in (0, 4, 8, 12)) in told
    assert "Matrícula" in told


def test_the_page_shows_the_fields_that_the_pdf_shows_and_a_dash_where_nothing_is_known(site: Site) -> None:
    """The notice says no vehicle, which Art. 99 asks for, and no other line, which is told only when there is one."""
    site.opened()
    pdf = words(printed(site) or b"")
    page = site.person("fiscal").get(path_of(site)).text
    for told in (pdf, page):
        assert "Linha em que o veículo operava" not in told
    assert "Veículo — Art. 99" in pdf
    assert "Veículo Art. 99 —" in page


def test_a_timeline_names_the_paper_that_the_press_made(site: Site) -> None:
    case = site.opened()
    printed(site)
    told = site.person("fiscal").get(case).text
    assert "PDF preparado: Notificação de infração 00001/2026" in told
    assert "Prensa de documentos" in told


def test_papers_that_were_printed_one_after_the_other_are_one_line_of_the_timeline(site: Site) -> None:
    case = site.charged()
    printed(site)
    page = site.person("auditor").get(case)
    with site.store.read() as reader:
        row = reader.one(select(cases).where(cases.c.number == case.removeprefix("/processos/")), "")
        papers = len(reader.all(select(document.c.id).where(document.c.case_id == row["id"])))
    last = 4 + papers
    lines = [e for e in page.all("li") if "value" in e.attributes]
    assert [e.attributes["value"] for e in lines] == [str(last), "4", "3", "2", "1"]
    assert lines[0].text.startswith(f"{papers} PDFs preparados Prensa de documentos")
    anchors = [
        e.attributes["id"] for e in page.all("li") if e.attributes.get("id", "").startswith("registro-")
    ]
    assert anchors == [f"registro-{seq}" for seq in range(last, 0, -1)]


def test_a_replay_opens_at_the_last_act_and_lists_the_prints_after_it_as_quiet(site: Site) -> None:
    case = site.charged()
    printed(site)
    page = site.person("auditor").get(f"{case}/historico")
    assert "Registro 4 de" in page.one("h2", id="registro-mostrado").text
    listed = [
        (e.attributes["value"], e.attributes.get("class", ""))
        for e in page.all("li")
        if "value" in e.attributes
    ]
    assert listed[:4] == [(str(seq), "") for seq in (1, 2, 3, 4)]
    assert listed[4:] == [(str(seq), "quiet") for seq in range(5, len(listed) + 1)]
    assert len(listed) > 5


def test_an_erased_document_has_neither_text_nor_pdf(site: Site) -> None:
    site.opened()
    printed(site)
    with site.store.silent_act(CLOCK) as tx:
        seal.destroy_key(tx, tx.one(select(cases.c.subject_id), "")["subject_id"])
    browser = site.person("fiscal")
    page = browser.get(path_of(site))
    assert "Os dados deste documento foram eliminados" in page.text
    assert "Abrir o PDF" not in page.text
    assert browser.get(f"{path_of(site)}/pdf").status == 404


def annulled(site: Site) -> None:
    """The auto of 2 March falls on Friday 6 March."""
    site.charged()
    printed(site)
    site.at(3, 6)
    with site.store.read() as reader:
        seq = reader.one(select(document.c.seq).where(document.c.kind == "auto_de_infracao"), "")["seq"]
        row = reader.one(select(cases).where(cases.c.id == row_of(site, "auto_de_infracao")["case_id"]), "")
    with site.store.act(Actor(site.world.people["secretario"])) as tx:
        acts.annul(tx, row["id"], seq, "Erro na placa.", row["version"])


def test_an_annulled_document_keeps_its_pdf_and_both_pages_say_since_when(site: Site) -> None:
    annulled(site)
    auto, browser = row_of(site, "auto_de_infracao"), site.person("fiscal")
    page = browser.get(f"/documentos/{auto['id']}")
    (fallen,) = page.all("p", **{"class": "fallen-paper"})
    assert fallen.text == "Sem efeito (anulado em 06/03/2026 10:00)"
    assert browser.client.get(f"/documentos/{auto['id']}/pdf").data.startswith(b"%PDF-")
    told = site.visitor().get(f"/conferir/{auto['code']}").text
    assert "Documento sem efeito (anulado em 06/03/2026 10:00" in told
    assert "Documento em vigor" not in told


def test_anybody_sees_what_a_paper_is_and_nothing_about_anybody(site: Site) -> None:
    case = site.opened(fatos="Rita Alves viu tudo.")
    pdf = printed(site)
    assert pdf is not None
    path = check_of(site, site.person("fiscal"))
    page = site.visitor().get(path)
    assert (page.status, page.one("h1").text) == (200, "Notificação de infração 00001/2026")
    for said in ("Documento em vigor.", "Jequié/BA", "02/03/2026 09:00", digest(pdf)):
        assert said in page.text
    number = case.removeprefix("/processos/")
    for hidden in ("Rita Alves", "Expresso Sol", number, "Caixa de entrada"):
        assert hidden not in page.html
    assert site.visitor().get(path.replace("-", "").lower()).one("h1").text == page.one("h1").text


def test_the_code_is_typed_on_a_page_that_is_found_without_signing_in(site: Site) -> None:
    site.opened()
    visitor, code = site.visitor(), row_of(site)["code"]
    assert "/conferir" in visitor.get("/entrar").links()
    page = visitor.get(f"/conferir?codigo={code[:8].lower()}+{code[8:]}")
    assert page.one("h1").text == "Notificação de infração 00001/2026"


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/conferir", 200, None),
        ("/conferir?codigo=", 200, None),
        ("/conferir?codigo=123", 422, "O código tem 16 letras e números"),
        (UNKNOWN, 404, "Nenhum documento tem este código."),
        ("/conferir/x", 404, "O código tem 16 letras e números"),
    ],
)
def test_a_code_that_is_none_is_told_in_a_sentence(
    shared: Site, path: str, status: int, said: str | None
) -> None:
    page = shared.visitor().get(path)
    assert (page.status, page.one("h1").text) == (status, "Conferir documento")
    assert page.title.startswith("Erro:") == (said is not None)
    assert [e.text[: len(said or "")] for e in page.all("div", role="alert")] == ([said] if said else [])


@pytest.mark.parametrize(
    ("path", "lands", "status"),
    [
        ("/conferir/", "/conferir", 200),
        ("/conferir/?codigo=123", "/conferir?codigo=123", 422),
        (f"{UNKNOWN}/", UNKNOWN, 404),
        ("/conferir/a/b", "/conferir/a/b", 404),
        ("/conferir/a/b/", "/conferir/a/b/", 404),
    ],
)
def test_an_address_of_the_check_that_is_slightly_wrong_never_asks_to_sign_in(
    shared: Site, path: str, lands: str, status: int
) -> None:
    for browser in (shared.visitor(), shared.person("fiscal")):
        page = browser.get(path)
        assert (page.path.rstrip("?"), page.status, page.one("h1").text) == (
            lands,
            status,
            "Conferir documento",
        )


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/conferir"),
        ("PUT", UNKNOWN),
        ("DELETE", UNKNOWN),
        ("PUT", "/conferir"),
        ("POST", "/conferir/a/b"),
    ],
)
def test_the_check_refuses_what_it_does_not_take_and_asks_nobody_to_sign_in(
    shared: Site, method: str, path: str
) -> None:
    for browser in (shared.visitor(), shared.person("fiscal")):
        answer = browser.client.open(path, method=method)
        assert (answer.status_code, "GET" in answer.headers["Allow"]) == (405, True)


def test_an_unknown_code_asks_the_database_as_much_as_a_known_one(site: Site) -> None:
    site.opened()
    asked: list[str] = []
    visitor, code = site.visitor(), row_of(site)["code"]

    @event.listens_for(site.store.database.engine, "before_cursor_execute")
    def note(*told: Any) -> None:
        asked.append(told[2])

    def questions(path: str) -> list[str]:
        asked.clear()
        visitor.get(path)
        return list(asked)

    questions(UNKNOWN)
    assert questions(UNKNOWN) == questions(f"/conferir/{code}")


def compared(site: Site, data: bytes, name: str = "auto.pdf") -> Page:
    visitor = site.visitor()
    path = check_of(site, site.person("fiscal"))
    visitor.get(path)
    return visitor.post(path, arquivo=(io.BytesIO(data), name))


def test_a_file_is_compared_byte_by_byte_and_kept_nowhere(site: Site) -> None:
    site.opened()
    pdf = printed(site)
    assert pdf is not None
    before = [p for p in site.settings.data_dir.rglob("*") if p.suffix not in (".db-wal", ".db-shm")]
    assert "É o mesmo arquivo, byte por byte." in compared(site, pdf).text
    altered = compared(site, pdf + b"\n")
    assert altered.status == 200
    assert "Não é o mesmo arquivo." in altered.text
    assert [p for p in site.settings.data_dir.rglob("*") if p.suffix not in (".db-wal", ".db-shm")] == before


def test_nothing_to_compare_and_too_much_are_told(site: Site) -> None:
    site.opened()
    printed(site)
    assert "Escolha o arquivo PDF que você recebeu." in compared(site, b"", "").text
    page = compared(site, bytes(20 * 1024 * 1024 + 1))
    assert page.status == 422
    assert "O arquivo passa de 20 MB" in page.text


def test_before_the_pdf_is_made_there_is_nothing_to_compare_with(site: Site) -> None:
    site.opened()
    page = site.visitor().get(check_of(site, site.person("fiscal")))
    assert "o PDF ainda está em preparo" in page.text
    assert page.all("input", type="file") == []


def test_a_file_sent_before_the_pdf_is_printed_is_not_called_another(site: Site) -> None:
    site.opened()
    page = compared(site, b"%PDF-1.7")
    assert page.status == 422
    assert "ainda não está pronto: não há com que comparar o arquivo" in page.text
    assert "Não é o mesmo arquivo" not in page.text


def test_who_is_signed_in_may_check_a_paper_too(site: Site) -> None:
    site.opened()
    assert site.person("auditor").get(check_of(site, site.person("fiscal"))).status == 200
