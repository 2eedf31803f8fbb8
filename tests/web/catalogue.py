"""Every text that the pages may show in the reader's language, collected from where it is written."""

from __future__ import annotations

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from app.cases import forms, history
from app.registry.enrolment.typed import FAULTS
from app.settings import ROOT
from app.web.language import CATALOGUES
from tests.web import refusals

WEB = ROOT / "app" / "web"
_KEYWORDS = {"_": None, "N_": None, "_n": (1, 2), "ngettext": (1, 2), "gettext": None}
_METHODS = [("**.py", "python"), ("templates/**.html", "jinja2")]

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
    """Verbs of the timeline, messages of the form checks, and every sentence that a refusal may say."""
    fixed = {*history.ACTS.values(), *forms._MESSAGES.values(), *forms._FORMATS.values(), *FAULTS.values()}
    return {*fixed, *refusals.sentences()}


def english() -> Catalog:
    with (CATALOGUES / "en" / "LC_MESSAGES" / "messages.po").open("rb") as source:
        return read_po(source, "en")
