"""Two languages: nothing untranslated, nothing left over, and what stays Portuguese says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import session

from app.web.language import said
from tests.web import catalogue, refusals
from tests.web.browser import Browser, Page
from tests.web.conftest import Site
from tests.web.test_guards import every_page

SPOKEN = ("aria-label", "title", "placeholder", "alt")
TELLTALE = re.compile(
    r"\b(não|você|processos?|tarefas?|prazos?|está|para|foi|até|uma|dos|das|pela|petição|nenhum|escolha|erro)\b",
    re.I,
)


def test_every_text_of_the_pages_has_an_english_translation_and_no_translation_is_left_over() -> None:
    wanted = catalogue.of_the_pages() | catalogue.of_the_heart()
    translated = {m.id: m.string for m in catalogue.english() if m.id}
    assert {m for m in wanted if not translated.get(m)} == set()
    assert set(translated) - wanted == set()


def test_translations_keep_their_holes() -> None:
    hole = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
    for message in catalogue.english():
        pairs = zip(_texts(message.id), _texts(message.string), strict=True)
        assert all(sorted(hole.findall(a)) == sorted(hole.findall(b)) for a, b in pairs), message.id


def _texts(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


@pytest.fixture(scope="module")
def pages(shared: Site) -> list[Page]:
    person = shared.person

    def english(login: str) -> Browser:
        browser = person(login)
        browser.post("/idioma", lang="en")
        return browser

    shared.person = english  # type: ignore[method-assign]
    return list(every_page(shared))[1:]


def test_an_english_page_says_nothing_in_portuguese_without_saying_so(pages: list[Page]) -> None:
    for page in pages:
        spoken = [(e.language, e.attributes[a]) for e in page.elements for a in SPOKEN if a in e.attributes]
        for language, text in [*page.texts, *spoken]:
            if language == "en" and TELLTALE.search(text):
                pytest.fail(f"{page.path}: {text!r}")


def test_an_english_page_is_marked_as_english(pages: list[Page]) -> None:
    assert {page.one("html").attributes["lang"] for page in pages} == {"en"}


def test_the_language_is_changed_from_any_page_and_survives_signing_out(site: Site) -> None:
    browser = site.person("fiscal")
    page = browser.post("/idioma", lang="en", next="/processos")
    assert page.path == "/processos?"
    assert page.one("h1").text == "Cases"
    assert browser.post("/sair").one("h1").text == "Sign in to Tramita"
    assert browser.post("/idioma", lang="xx").one("html").attributes["lang"] == "en"
    assert browser.post("/idioma", lang="pt_BR").one("h1").text == "Entrar no Tramita"


def test_refusals_with_numbers_are_translated_around_the_numbers(site: Site) -> None:
    with site.app.test_request_context():
        session["lang"] = "en"
        assert said("Escreva ao menos 12 caracteres.") == "Write at least 12 characters."
        assert said("O menor valor é 1.234,50.") == "The smallest value is 1.234,50."
        assert said("Diga <Rita>.") == '<span lang="pt-BR">Diga &lt;Rita&gt;.</span>'


def test_refusals_with_names_are_translated_around_the_names(site: Site) -> None:
    def marked(name: str) -> str:
        return f'<span lang="pt-BR">{name}</span>'

    with site.app.test_request_context():
        session["lang"] = "en"
        done = "A tarefa “Votar” já foi concluída por Dr. J. <Reis>. O que você escreveu não foi gravado."
        assert said(done) == (
            f"The task “{marked('Votar')}” has already been completed by {marked('Dr. J. &lt;Reis&gt;')}. "
            "What you wrote was not saved."
        )
        assert said("Este ato cabe a: Fiscal (Art. 99). Fale com Rita.") == (
            f"This act is for: {marked('Fiscal')} ({marked('Art. 99')}). Talk to {marked('Rita')}."
        )
        assert said("Ana assumiu a tarefa depois que você a abriu. Confira e envie de novo.") == (
            f"{marked('Ana')} took the task after you opened it. Check it and send it again."
        )
        assert said("Quem autuou ou notificou não julga (Art. 125). Chame o suplente: Rita, Ana.") == (
            f"Whoever drew up the charge or the notice does not judge ({marked('Art. 125')}). "
            f"Call the alternate: {marked('Rita, Ana')}."
        )


def test_every_refusal_can_be_followed_to_its_words() -> None:
    """Else nobody would notice that it has no English."""
    by_the_diagram = "app/cases/vocabulary/__init__.py: message"  # Portuguese, and marked so
    with_the_pages = {"app/web/pages/replay/__init__.py: _UNKNOWN", "app/web/session.py: _NO_OFFICE"}
    assert refusals.unread() == {by_the_diagram, *with_the_pages}


def test_a_new_refusal_is_found_with_its_values_however_it_is_put_together(tmp_path: Path) -> None:
    for folder in refusals.FOLDERS:
        (tmp_path / "app" / folder).mkdir(parents=True)
    (tmp_path / "app" / "cases" / "new.py").write_text(
        """
def act(item, who):
    known = f" desde {who.day:%d/%m}" if who else ""
    raise Conflict(f"A guia {item['name']} foi de {who} a {who}{known}." + call(who), fields={"a": f"Veja {who}."})

def call(who):
    return f" Chame {', '.join(who)}."

def other(sentence):
    raise Invalid(sentence)
""",
        "utf-8",
    )
    assert refusals.sentences(tmp_path) == {
        "A guia {name} foi de {who} a {who2} desde {day}.",
        "A guia {name} foi de {who} a {who2}.",
        "Chame {value}.",
        "Veja {who}.",
    }
    assert refusals.unread(tmp_path) == {"app/cases/new.py: sentence"}


def test_nothing_said_stays_nothing_in_every_language(site: Site) -> None:
    """A catalogue gives its own heading for the empty text."""
    with site.app.test_request_context():
        session["lang"] = "en"
        assert said("") == ""
        assert said(" ") == " "
