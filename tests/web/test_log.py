"""The log tells what the site does and nothing about anybody: no name, number, text, secret or address."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from app import logs
from app.errors import Invalid
from app.scheduler import sweep
from app.settings import log_form
from app.store import INSTALLER
from app.store.cases_tables import deadline
from tests.web.browser import Browser
from tests.web.conftest import CHARGE, Site

# What people of these stories are called, own, wrote and might have typed by mistake.
PLANTED = {
    "a name": "Zebedeu Quaresma",
    "a CPF": "529.982.247-25",
    "its figures": "52998224725",
    "a plate": "QZX7A19",
    "a text": "Ofereceu dinheiro ao fiscal",
    "a password": "S3nha!SoMinha",
    "a file": "atestado-de-zebedeu.pdf",
    "a search": "zebedeuquaresma",
}
EVERYTHING = " ".join(PLANTED.values())
NAMED = ("Fernanda Lima", "Priscila Elói", "Expresso Sol", "Rita Alves", "Dona Zefa")


@pytest.fixture(params=logs.FORMS)
def told(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    before = structlog.get_config(), list(logging.getLogger().handlers)
    lines = io.StringIO()
    logs.configure(request.param, lines)
    yield lines
    structlog.configure(**before[0])
    logging.getLogger().handlers[:] = before[1]


def play(site: Site) -> None:
    """A case with all that may be planted in it, and everything that may go wrong on its way."""
    fiscal, counter = site.person("fiscal"), site.person("protocolo")
    fiscal.post("/entrar", pessoa=PLANTED["a password"], senha=PLANTED["a password"])
    site.known.pop("fiscal")
    fiscal = site.person("fiscal")
    site.opened(hora="06:00", fatos=EVERYTHING)
    site.at(3, 2, 9, 5)
    case = site.opened(fatos=EVERYTHING, local=PLANTED["a name"])
    for _ in range(2):
        site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    site.do("autuante", "Lavrar auto de infração", **{**CHARGE, "fatos": EVERYTHING})
    site.at(3, 3)
    service = {"modo": "pessoal", "recebido_por": PLANTED["a name"], "instante": "2026-03-03T09:30"}
    site.do("protocolo", "Dar ciência do auto", **service, prova=PLANTED["a text"])
    site.at(3, 5)
    filing = {
        "_carimbo": "2026-03-05T09:00",
        "peticionario": PLANTED["a name"],
        "qualidade": "autuado",
        "razoes": EVERYTHING,
    }
    assert counter.post(f"{case}/protocolar/contestacao", **filing).status == 200
    fiscal.post(f"{case}/anotar", texto=EVERYTHING)
    counter.post(f"{case}/anexar", arquivo=(io.BytesIO(b"%PDF-1.7"), PLANTED["a file"], "application/pdf"))
    counter.post(f"{case}/anexar", arquivo=(io.BytesIO(b"MZ"), PLANTED["a file"], "application/pdf"))
    fiscal.get(f"/processos?busca={PLANTED['a search']}")
    fiscal.get(f"/{PLANTED['a name']}/{PLANTED['a CPF']}")
    fiscal.get(f"/conferir/{PLANTED['a name']}")
    fiscal.post(f"{case}/anotar", texto=EVERYTHING * 100)
    fiscal.post(f"{case}/anotar", token=False, texto=EVERYTHING)
    site.person("membro1").post(f"{case}/cancelar", texto=EVERYTHING)
    site.visitor().get(f"/caixa?quem={PLANTED['a name']}")


def provoke(site: Site, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Errors of every kind that quotes what it broke on. Gives the references that people were shown."""
    case = next(
        link for link in site.person("fiscal").get("/processos").links() if link.startswith("/processos/0")
    )

    def from_a_value(*_: Any) -> None:
        raise ValueError(f"cannot read {EVERYTHING}\n2026-01-01 [error] forged by {PLANTED['a name']}")

    def from_a_database(*_: Any) -> None:
        try:
            raise KeyError(EVERYTHING)
        except KeyError as error:
            detail = f"DETAIL: Key (document)=({PLANTED['a CPF']}) already exists."
            raise IntegrityError(f"INSERT {EVERYTHING}", {"nome": EVERYTHING}, Exception(detail)) from error

    shown = []
    for broken in (from_a_value, from_a_database):
        monkeypatch.setattr("app.cases.acts.annotate", broken)
        page = site.person("fiscal").post(f"{case}/anotar", texto=EVERYTHING)
        assert page.status == 500
        shown.append(page.one("strong", class_="reference").text)
        assert page.headers["X-Request-Id"] in shown[-1]
    logging.getLogger("waitress").warning("Task queue depth is %s", EVERYTHING)
    logging.getLogger("waitress").error(EVERYTHING)
    logging.getLogger("waitress").error(ValueError(EVERYTHING))
    monkeypatch.setattr("app.scheduler.sweeping.expire_deadline", from_a_value)
    with site.store.silent_act(INSTALLER) as tx:
        tx.write(update(deadline).values(status="armed", expires_at=tx.now))
    assert sweep(site.store).failed > 0
    return shown


def test_a_whole_case_and_every_error_leave_nobody_in_the_log(
    site: Site, told: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(site)
    shown = provoke(site, monkeypatch)
    text = told.getvalue()
    found = [what for what, planted in PLANTED.items() if planted.lower() in text.lower()]
    found += [part for part in EVERYTHING.split() if len(part) > 4 and part.lower() in text.lower()]
    assert found == []
    assert [name for name in NAMED if name in text] == []
    assert [login for login in ("fiscal", "protocolo") if re.search(rf"\b{login}\b", text)] == []
    assert "127.0.0.1" not in text
    assert [reference for reference in shown if reference not in text] == []
    assert "sqlalchemy.exc.IntegrityError" in text
    assert "builtins.ValueError" in text
    assert text.count("deadline_failed") >= 1


def test_each_request_has_one_line_with_the_name_its_answer_carries(site: Site, told: io.StringIO) -> None:
    browser = site.visitor()
    page = browser.get("/entrar?x=segredo")
    line = told.getvalue().splitlines()[-1]
    assert page.headers["X-Request-Id"] in line
    assert "entering.enter" in line
    assert "200" in line
    assert "segredo" not in line
    site.watched()
    for path in ("/saude", "/pronto", "/prazos-em-dia"):
        assert browser.client.get(path).status_code == 200
    browser.client.get("/static/tramita.css").close()
    assert told.getvalue().splitlines()[-1] == line, "what is asked for all day long fills no log"
    again = browser.get("/entrar")
    assert again.headers["X-Request-Id"] != page.headers["X-Request-Id"]


def test_a_refused_act_is_told_by_its_code(site: Site, told: io.StringIO) -> None:
    case = site.opened()
    site.person("fiscal").post(f"{case}/anotar", texto=" ")
    refused = [line for line in told.getvalue().splitlines() if "act_refused" in line]
    assert len(refused) == 1
    assert "folder.annotate" in refused[0]
    assert "texto." in refused[0]


def test_an_address_is_told_where_the_installation_wants_it(site: Site, told: io.StringIO) -> None:
    from dataclasses import replace

    from app import create_app

    open_site = create_app(replace(site.settings, log_addresses=True), site.store)
    Browser(open_site.test_client()).get("/entrar")
    assert "127.0.0.1" in told.getvalue().splitlines()[-1]


def test_nobody_can_write_a_line_of_their_own_into_the_log(told: io.StringIO) -> None:
    forged = 'x\n2026-03-02T12:00:00Z info request\r\u2028\u202e\x1b[2J\x00{"a": 1}'
    structlog.get_logger().info(forged, value=forged)
    structlog.get_logger().error("broke", exc_info=Invalid(forged))
    lines = told.getvalue().splitlines()
    assert len([line for line in lines if not line.startswith("    | ")]) == 2
    assert told.getvalue().isascii()
    assert all(character.isprintable() or character == "\n" for character in told.getvalue())


def test_json_lines_are_json(site: Site, told: io.StringIO) -> None:
    site.visitor().get("/entrar")
    structlog.get_logger().error("broke", exc_info=KeyError("x"), n=3)
    lines = told.getvalue().splitlines()
    if not lines[0].startswith("{"):  # the form in words
        assert re.fullmatch(
            r"\S+Z info    request method=GET ms=\S+ page=entering.enter request=\S+ status=200", lines[0]
        )
        return
    events = [json.loads(line) for line in lines]
    assert [list(event)[:3] for event in events] == [["timestamp", "level", "event"]] * len(events)
    assert events[-1]["trace"].endswith("builtins.KeyError")
    assert events[-1]["n"] == 3


def test_what_caused_an_error_is_told_before_it(told: io.StringIO) -> None:
    def first() -> None:
        raise OSError(28, "No space left on device", "/dados/de/zebedeu")

    def second() -> None:
        try:
            first()
        except OSError as error:
            raise RuntimeError("zebedeu") from error

    with pytest.raises(RuntimeError) as caught:
        second()
    trace = logs.trace_of(caught.value)
    assert (
        trace.index("builtins.OSError (errno=28)")
        < trace.index("and then")
        < trace.index("builtins.RuntimeError")
    )
    assert re.search(r"test_log\.py:\d+ first", trace)
    assert "zebedeu" not in trace


def test_a_library_is_told_by_its_name_its_place_and_its_template(told: io.StringIO) -> None:
    library = logging.getLogger("waitress.queue")
    library.warning("Task queue depth is %d", 12)
    library.warning(f"cannot read {EVERYTHING}, 100%")
    first, second = told.getvalue().splitlines()
    for line in (first, second):
        assert "waitress.queue" in line
        assert re.search(r"test_log:\d+", line)
        assert "warning" in line
    assert "Task queue depth is %d" in first
    assert "12" not in first.split("Task queue depth")[1]
    assert "message" not in second


def test_what_nobody_caught_is_told_by_its_type_and_place(
    told: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks() -> None:
        raise ValueError(EVERYTHING)

    thread = threading.Thread(target=breaks)
    thread.start()
    thread.join()
    with pytest.raises(ValueError, match="Zebedeu") as caught:
        breaks()
    sys.excepthook(caught.type, caught.value, caught.tb)
    seen = told.getvalue() + capsys.readouterr().err
    assert len(re.findall(r"test_log\.py:\d+ breaks", seen)) == 2
    assert seen.count("builtins.ValueError") == 2
    assert seen.count("uncaught") == 2
    assert [planted for planted in PLANTED.values() if planted in seen] == []


def test_a_form_of_the_log_that_does_not_exist_leaves_it_in_words() -> None:
    assert log_form({"TRAMITA_LOG": "xml"}) == "texto"
    assert log_form({"TRAMITA_LOG": "json"}) == "json"
    assert log_form({}) == "texto"


class Broken(io.StringIO):
    """A pipe that nobody reads any more, or a full disk."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise OSError(28, "No space left on device")


def test_a_log_that_nobody_takes_costs_no_act_its_answer(site: Site, told: io.StringIO) -> None:
    logs.configure(logs.FORMS[0], Broken())
    assert site.opened().startswith("/processos/")
    assert site.visitor().get("/caixa").status == 200
    assert told.getvalue() == ""
