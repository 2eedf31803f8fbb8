"""A form sent twice has one effect and one answer; two forms that say the same are two."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from app.settings import ROOT
from app.store import Unreached
from app.store.tables import answered, journal
from app.web import once
from tests.web.browser import Browser, Page
from tests.web.conftest import CHARGE, DEFENCE, Site
from tests.web.test_registering import forms

KEY = "uma-chave-que-nenhuma-outra-pagina-tem"
# Routes that take a POST without a key, and why nothing is made twice by them.
WITHOUT_KEY = {
    "entering.sign_in": "a session: entering twice is being in",
    "entering.sign_out": "a session",
    "entering.speak": "the language of a session",
    "tasks.discard": "a draft that is gone stays gone",
    "checking.compare": "compares and keeps nothing",
    "clock.advance": "counts the journeys itself: a form that saw another count is refused",
}


@dataclass
class Sending:
    """A form filled in and ready to be sent, by one person."""

    login: str
    path: str
    answers: dict[str, Any]


def _opening(site: Site) -> Sending:
    return Sending("fiscal", "/processos/novo/infracao", site.notice())


def _filing(site: Site) -> Sending:
    case = site.charged()
    site.at(3, 5)
    return Sending("protocolo", f"{case}/protocolar/contestacao", DEFENCE)


def _note(site: Site) -> Sending:
    return Sending("fiscal", f"{site.opened()}/anotar", {"texto": "Liguei para a empresa."})


def _file(site: Site) -> Sending:
    return Sending("fiscal", f"{site.opened()}/anexar", {})


def _cancelling(site: Site) -> Sending:
    return Sending("secretario", f"{site.opened()}/cancelar", {"texto": "Aberto por engano, em duplicidade."})


def _task(site: Site, **answers: Any) -> Sending:
    site.notified()
    path = site.person("autuante").get("/caixa").link("Lavrar auto de infração")
    version = site.person("autuante").get(path).value("versao")
    return Sending("autuante", path, {"versao": version, **answers})


def _completing(site: Site) -> Sending:
    return _task(site, _acao="concluir", **CHARGE)


def _claiming(site: Site) -> Sending:
    task = _task(site)
    return Sending(task.login, f"{task.path}/assumir", task.answers)


def _releasing(site: Site) -> Sending:
    task = _claiming(site)
    page = site.person(task.login).post(task.path, **task.answers)
    answers = {"versao": page.value("versao")}
    return Sending(task.login, task.path.replace("assumir", "devolver"), answers)


def _back(login: str, what: str, **answers: Any) -> Callable[[Site], Sending]:
    def sending(site: Site) -> Sending:
        case = site.charged()
        path = f"{case}/registros/4/{what}"
        page = site.person(login).get(path)
        told = {
            "versao": page.value("versao"),
            "visto": page.value("visto"),
            "motivo": "Saiu errado, ver fl. 12.",
        }
        return Sending(login, path, {**told, **answers})

    return sending


def _correcting(site: Site) -> Sending:
    told = _back("presidente", "corrigir", _acao="corrigir", efeito="so_corrige")(site)
    page = site.person("presidente").page
    assert page is not None
    typed = {name: page.value(name) for name in ("modo", "recebido_por", "instante")}
    return Sending(told.login, told.path, {**told.answers, **typed, "prova": "Livro 4, fl. 13"})


def _setting_aside(site: Site) -> Sending:
    case = site.charged()
    site.at(3, 12)
    site.person("protocolo").post(f"{case}/protocolar/contestacao", **DEFENCE)
    links = site.person("presidente").get(case).links()
    path = next(link for link in links if link.endswith("/afastar"))
    page = site.person("presidente").get(path)
    told = {"versao": page.value("versao"), "visto": page.value("visto")}
    return Sending("presidente", path, {**told, "motivo": "Livro de protocolo, folha 12."})


def _registering(number: int) -> Callable[[Site], Sending]:
    return lambda site: Sending(*forms(site)[number])


SENDINGS: dict[str, Callable[[Site], Sending]] = {
    "opening.open_case": _opening,
    "counter.file": _filing,
    "folder.annotate": _note,
    "folder.attach": _file,
    "folder.cancel": _cancelling,
    "tasks.complete": _completing,
    "tasks.claim": _claiming,
    "tasks.release": _releasing,
    "annulling.annul": _back("secretario", "anular"),
    "correcting.correct": _correcting,
    "setting_aside.set_aside": _setting_aside,
    **{
        f"registering.{name}": _registering(number)
        for number, name in enumerate(("carrier", "grant", "staff", "antecedent", "antecedent_of_staff"))
    },
}


def send(site: Site, sending: Sending, who: Browser | None = None, **changes: Any) -> Page:
    answers = dict(sending.answers)
    if sending.path.endswith("/anexar"):
        answers["arquivo"] = (io.BytesIO(b"%PDF-1.7\nlaudo"), "laudo.pdf", "application/pdf")
    browser = who or site.person(sending.login)
    return browser.post(sending.path, follow=False, **{"_chave": KEY, **answers, **changes})


def entries(site: Site) -> int:
    with site.store.read() as reader:
        return int(reader.scalar(select(func.count()).select_from(journal)))


def test_every_form_that_makes_something_has_a_key(site: Site) -> None:
    posting = {r.endpoint for r in site.app.url_map.iter_rules() if "POST" in (r.methods or ())}
    keyed = {name for name in posting if getattr(site.app.view_functions[name], "keyed", False)}
    assert posting - keyed - set(WITHOUT_KEY) == set(), "give the form a key or say why it needs none"
    assert keyed == set(SENDINGS), "send it twice here"


@pytest.mark.parametrize("endpoint", SENDINGS)
def test_the_same_sent_again_has_one_effect_and_the_same_answer(site: Site, endpoint: str) -> None:
    sending = SENDINGS[endpoint](site)
    before = entries(site)
    first = send(site, sending)
    assert first.status == 303, first.text
    made = entries(site)
    assert made > before
    again = send(site, sending)
    assert (again.status, again.headers["Location"]) == (303, first.headers["Location"])
    assert entries(site) == made


@pytest.mark.parametrize("endpoint", SENDINGS)
def test_a_form_without_its_key_changes_nothing(site: Site, endpoint: str) -> None:
    sending = SENDINGS[endpoint](site)
    before = entries(site)
    page = send(site, sending, _chave="")
    assert page.status == 400
    assert "nada foi gravado" in page.text
    assert entries(site) == before


def test_each_form_of_a_page_has_a_key_of_its_own_that_no_other_page_had(site: Site) -> None:
    case = site.opened()
    seen: list[str] = []
    for _ in range(2):
        page = site.person("presidente").get(case)
        seen += [e.attributes["value"] for e in page.all("input", name="_chave")]
    assert len(seen) == len(set(seen)) >= 4


def test_no_template_has_a_form_that_forgot_its_key() -> None:
    """Where a page sends its token it sends a key, but for the forms that need none."""
    without = []
    for path in sorted((ROOT / "app" / "web" / "templates").glob("*.html")):
        lines = path.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if "csrf_token()" in line and "form_key()" not in lines[number + 1]:
                without.append(path.name)
    assert sorted(set(without)) == ["base.html", "checked.html", "clock.html", "enter.html", "task.html"]
    assert without.count("task.html") == 1  # a draft that is thrown away


def test_the_same_key_with_other_words_is_refused_and_the_words_are_kept(site: Site) -> None:
    sending = _note(site)
    send(site, sending)
    before = entries(site)
    page = send(site, sending, texto="Liguei de novo.")
    assert page.status == 422
    assert "já tinha sido enviado, com outro conteúdo" in page.text
    assert page.value("texto").strip() == "Liguei de novo."
    assert entries(site) == before
    fresh = page.one("input", name="_chave").attributes["value"]
    assert send(site, sending, texto="Liguei de novo.", _chave=fresh).status == 303


def test_another_file_under_the_same_name_is_other_content(site: Site) -> None:
    sending = _file(site)
    assert send(site, sending).status == 303
    other = (io.BytesIO(b"%PDF-1.7\noutro"), "laudo.pdf", "application/pdf")
    assert site.person("fiscal").post(sending.path, _chave=KEY, arquivo=other).status == 422


def test_the_same_key_on_another_address_is_other_content(site: Site) -> None:
    one, two = _note(site), _note(site)
    assert one.path != two.path
    assert send(site, one).status == 303
    assert send(site, two).status == 422


def test_two_notes_that_say_the_same_are_two_notes(site: Site) -> None:
    sending = _note(site)
    assert send(site, sending).status == 303
    assert send(site, sending, _chave="outra-pagina-outra-chave").status == 303
    page = site.person("fiscal").get(sending.path.removesuffix("/anotar"))
    assert len([e for e in page.all("p") if e.text == "Liguei para a empresa."]) == 2


def test_a_key_is_its_owners_and_tells_nobody_else_anything(site: Site) -> None:
    sending = _note(site)
    assert send(site, sending).status == 303
    other = send(site, sending, site.person("presidente"), texto="Coisa minha.")
    assert other.status == 303
    assert other.headers["Location"] != send(site, sending).headers["Location"]


def test_a_refused_form_leaves_its_key_free(site: Site) -> None:
    sending = _note(site)
    assert send(site, sending, texto=" ").status == 422
    assert send(site, sending).status == 303


def test_a_form_that_broke_leaves_its_key_free(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    sending = _note(site)

    def broken(*_: object) -> None:
        raise RuntimeError("killed after everything was written")

    with monkeypatch.context() as patched:
        patched.setattr("app.web.pages.folder.lead", broken)
        assert send(site, sending).status == 500
    before = entries(site)
    assert send(site, sending).status == 303
    assert entries(site) == before + 1


def test_a_program_may_say_its_key_in_a_header(site: Site) -> None:
    sending = _note(site)
    browser = site.person("fiscal")
    told = {"csrf_token": browser.token(), **sending.answers}

    def posted(**changes: str) -> int:
        return browser.client.post(
            sending.path, data={**told, **changes}, headers={"Idempotency-Key": f'"{KEY}"'}
        ).status_code

    assert [posted(), posted(), posted(texto="Outra coisa.")] == [303, 303, 422]
    assert send(site, sending).status == 303  # the same key in the field: the same sending


def test_a_database_that_goes_away_after_the_act_takes_nothing_back_from_the_answer(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> None:
        raise Unreached("O banco de dados não responde agora.")

    sending = _note(site)
    monkeypatch.setattr(site.store, "silent_act", away)
    site.app.extensions[once._SWEPT] = -1e9
    assert send(site, sending).status == 303


def test_a_day_later_the_rows_are_swept_away(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def rows() -> int:
        with site.store.read() as reader:
            return int(reader.scalar(select(func.count()).select_from(answered)))

    sending = _note(site)
    send(site, sending)
    kept = rows()
    site.clock.set(site.clock.now() + timedelta(hours=23))
    site.app.extensions[once._SWEPT] = -1e9
    send(site, sending, _chave="mais-uma-chave-nova")
    assert rows() == kept + 1
    site.clock.set(site.clock.now() + timedelta(hours=2))
    site.app.extensions[once._SWEPT] = -1e9
    send(site, sending, _chave="ainda-outra-chave-nova")
    assert rows() == 2
