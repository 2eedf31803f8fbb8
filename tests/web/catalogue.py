"""Every text that the pages may show in the reader's language, collected from where it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from app.cases import forms, history
from app.registry.enrolment.typed import FAULTS
from app.settings import ROOT
from app.web.language import CATALOGUES

WEB = ROOT / "app" / "web"
_KEYWORDS = {"_": None, "N_": None, "_n": (1, 2), "ngettext": (1, 2), "gettext": None}
_METHODS = [("**.py", "python"), ("templates/**.html", "jinja2")]
_REFUSALS = {"Refused", "NotFound", "Forbidden", "Conflict", "Invalid", "TooLate", "Busy"}

Text = str | tuple[str, str]


def of_the_pages() -> set[Text]:
    found = extract_from_dir(
        str(WEB),
        method_map=_METHODS,
        keywords=_KEYWORDS,
        options_map={"**.html": {"trimmed": "true", "silent": "false"}},
    )
    return {message if isinstance(message, str) else (message[0], message[1]) for _, _, message, *_ in found}


def of_the_heart() -> set[Text]:
    """Verbs of the timeline, messages of the form checks, and refusals that are one fixed sentence."""
    fixed = {
        s for folder in ("cases", "registry", "people", "demo") for s in _refusals(ROOT / "app" / folder)
    }
    return {*history.ACTS.values(), *forms._MESSAGES.values(), *forms._FORMATS.values(), *_typed(), *fixed}


def _typed() -> set[str]:
    """Messages of the registers that are one fixed sentence."""
    return set(FAULTS.values())


def english() -> Catalog:
    with (CATALOGUES / "en" / "LC_MESSAGES" / "messages.po").open("rb") as source:
        return read_po(source, "en")


def _refusals(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            first = node.args[0]
            if node.func.id in _REFUSALS and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value
