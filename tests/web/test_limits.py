"""How much a request may bring, and what it is told when it brings more or comes while the house is busy."""

from __future__ import annotations

import io
from typing import Any

import psycopg
import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from app.cases import acts
from app.store import Busy
from app.web.limits import LARGEST_FORM, MOST_PARTS
from tests.web.browser import Browser
from tests.web.conftest import Site


def sent(site: Site, path: str, **request: Any) -> tuple[int, str]:
    response = site.person("fiscal").client.post(path, **request)
    return response.status_code, response.text


def parts(site: Site, path: str, **fields: Any) -> tuple[int, str]:
    """Sends a form that may carry files, encoded in memory."""
    token = site.person("fiscal").token()
    boundary, body = encode_multipart({"csrf_token": token, "_chave": "a-chave-deste-formulario", **fields})
    media = f"multipart/form-data; boundary={boundary}"
    return sent(site, path, data=body, content_type=media, follow_redirects=True)


def pdf(size: int, name: str = "grande.pdf") -> FileStorage:
    return FileStorage(io.BytesIO(b"%PDF-" + b"0" * size), name, "arquivo", "application/pdf")


def test_a_file_beyond_the_limit_is_refused_with_the_limit(site: Site) -> None:
    case = site.opened()
    status, text = parts(site, f"{case}/anexar", arquivo=pdf(22 * 1024 * 1024))
    assert status == 413
    assert "20 MB por arquivo" in text


def test_a_file_within_the_limit_is_larger_than_any_form_and_named_as_its_kind(site: Site) -> None:
    case = site.opened()
    status, text = parts(site, f"{case}/anexar", arquivo=pdf(2 * LARGEST_FORM, "laudo.exe"))
    assert status == 200
    assert "laudo.pdf" in text
    assert "laudo.exe" not in text


@pytest.mark.parametrize(
    "media", ["application/x-www-form-urlencoded", "application/json", "text/plain", "application/pdf", ""]
)
def test_a_body_without_a_file_is_small(site: Site, media: str) -> None:
    case = site.opened()
    body = b"texto=" + b"a" * LARGEST_FORM
    status, text = sent(site, f"{case}/anotar", data=body, content_type=media)
    assert status == 413
    assert "1 MB" in text
    assert sent(site, f"{case}/anotar", data=body[: LARGEST_FORM // 2], content_type=media)[0] == 400


def test_a_body_of_untold_length_is_never_read_in_part(site: Site) -> None:
    case = site.opened()
    status, _text = sent(
        site,
        f"{case}/anotar",
        input_stream=io.BytesIO(b"texto=" + b"a" * (LARGEST_FORM + 10)),
        content_type="application/x-www-form-urlencoded",
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert status == 411


def test_too_many_parts_and_too_long_texts_beside_a_file_are_told_as_such(site: Site) -> None:
    case = site.opened()
    many = {f"campo{n}": "x" for n in range(MOST_PARTS + 1)}
    for fields in (many, {"texto": "a" * (LARGEST_FORM + 1)}):
        status, text = parts(site, f"{case}/anexar", **fields)
        assert status == 413
        assert "campos demais, ou textos que passam de 1 MB" in text
        assert "20 MB" not in text


def busy(*_: object, **__: object) -> None:
    raise Busy("O sistema está ocupado com outro ato. Nada foi gravado; tente de novo.")


def test_whoever_comes_while_the_house_is_busy_is_told_when_to_come_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = site.notified()
    browser: Browser = site.person("autuante")
    task = browser.get("/caixa").link("Lavrar auto de infração")
    version = browser.page.value("versao") if browser.get(task) and browser.page else ""
    monkeypatch.setattr(acts, "claim", busy)
    monkeypatch.setattr(acts, "complete", busy)
    monkeypatch.setattr(acts, "annotate", busy)
    monkeypatch.setattr("app.cases.inbox.inbox", busy)
    pages = [
        browser.post(task, versao=version, _acao="concluir"),
        browser.post(f"{task}/assumir", versao=version),
        site.person("fiscal").post(f"{case}/anotar", texto="Visto."),
        browser.get("/caixa"),
    ]
    assert [(p.status, p.headers["Retry-After"]) for p in pages] == [(503, "5")] * 4


def test_whoever_comes_while_the_database_is_away_is_told_so_and_the_log_why(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = site.opened()
    browser = site.person("fiscal")
    browser.get(case)

    def away() -> Any:
        raise OperationalError("SELECT 1", {}, psycopg.OperationalError("connection refused"))

    monkeypatch.setattr(site.store.database.engine, "connect", away)
    with capture_logs() as logs:
        pages = [
            browser.get("/caixa"),
            browser.post(f"{case}/anotar", texto="Visto."),
            site.visitor().get("/"),
        ]
    for page in pages:
        assert (page.status, page.headers["Retry-After"]) == (503, "5")
        assert "O banco de dados não responde agora. Nada foi gravado" in page.text
    assert [told["event"] for told in logs if told["log_level"] == "error"] == ["database_unreached"] * 3


def test_nothing_else_asks_to_come_again(site: Site) -> None:
    for path in ("/caixa", "/nada"):
        assert "Retry-After" not in site.person("fiscal").get(path).headers
