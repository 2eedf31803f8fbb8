"""What people read in the law's content and on pages: no key of the configuration, no table that breaks a page."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.house.source import ROOT, name, text

MUNICIPALITIES = sorted(path.name for path in (ROOT / "bpmn").iterdir() if (path / "norma.toml").exists())
# Values that are keys themselves, for the machine; everything else of a norm is shown somewhere.
FOR_MACHINES = {"de", "padrao", "opcoes", "chave", "papel", "formulario", "mensagem", "prazo", "cumpre"}
SHOWN_BY_FORMS = {"title", "description", "ui:help", "ui:placeholder", "submitText", "x-formato"}


def norm_of(slug: str) -> dict[str, Any]:
    return tomllib.loads(text(ROOT / "bpmn" / slug / "norma.toml"))


def said(value: Any, shown: Callable[[str, str], bool], key: str = "") -> Iterator[str]:
    """Every text within a value, however deep, that is `shown` under its key."""
    if isinstance(value, dict):
        for name_, part in value.items():
            yield from said(part, shown, name_)
    elif isinstance(value, list):
        for part in value:
            yield from said(part, shown, key)
    elif isinstance(value, str) and shown(key, value):
        yield value


def said_by_norm(value: Any) -> Iterator[str]:
    return said(value, lambda key, told: key not in FOR_MACHINES or told.startswith(("texto:", "se.")))


def said_by_form(value: Any) -> Iterator[str]:
    return said(value, lambda key, _: key in SHOWN_BY_FORMS)


def said_by_diagram(path: Path) -> Iterator[str]:
    """Names, what a task shows, and the messages of refusals."""
    for element in etree.fromstring(path.read_bytes()).iter():
        if isinstance(element.tag, str):
            yield element.get("name", "") if etree.QName(element).localname != "property" else ""
            yield element.get("value", "") if element.get("name") == "mostra" else ""
            if etree.QName(element).localname == "script":
                yield from re.findall(r"exige\(.*, '[a-z_]+', '(.*)'\)", element.text or "")


@pytest.mark.parametrize("slug", MUNICIPALITIES)
def test_nothing_that_people_read_names_a_key_of_a_choice_or_a_parameter(slug: str) -> None:
    norm = norm_of(slug)
    keys = [*norm["escolhas"], *norm["parametros"]]
    said = [("norma.toml", words) for words in said_by_norm(norm)]
    for path in sorted((ROOT / "forms" / slug).glob("*.json")):
        said += [(path.name, words) for words in said_by_form(json.loads(text(path)))]
    for path in sorted((ROOT / "bpmn" / slug).glob("*.bpmn")):
        said += [(path.name, words) for words in said_by_diagram(path)]
    named = [f"{file}: {words}" for file, words in said for key in keys if key in words]
    assert len(said) > 500
    assert named == []


def test_no_page_shows_the_key_of_a_choice() -> None:
    loose = r">[^<]*\{\{ *(c|choice)\.(key|default) *\}\}"
    pages = sorted((ROOT / "app" / "web" / "templates").glob("*.html"))
    assert [name(path) for path in pages if re.search(loose, text(path))] == []


def test_every_table_of_a_page_scrolls_by_itself_on_a_narrow_screen() -> None:
    for path in sorted((ROOT / "app" / "web" / "templates").glob("*.html")):
        before = re.findall(r"([^\n]*)\n?<table", text(path))
        assert all('class="scroll"' in line for line in before), name(path)
