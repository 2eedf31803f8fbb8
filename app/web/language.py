"""In which language the pages speak. Portuguese is what the code says; other languages are catalogues beside it.

What comes from the norm, and what the rooms below answer, is Portuguese and is marked so on pages in other languages.
"""

from __future__ import annotations

import re
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from flask import Flask, session
from flask_babel import Babel, Domain, get_locale, gettext, ngettext  # type: ignore[import-untyped]
from markupsafe import Markup, escape

if TYPE_CHECKING:

    def _(message: str, **values: object) -> str: ...
    def _n(one: str, many: str, num: int, **values: object) -> str: ...

else:
    _, _n = gettext, ngettext

LANGUAGES = {"pt_BR": ("pt-BR", "Português"), "en": ("en", "English")}
CATALOGUES = Path(__file__).parent / "translations"
_NUMBER = re.compile(r"\d[\d.,/]*\d|\d")


def N_(message: str) -> str:
    """Marks a text for the catalogue where it is written; it is translated where it is shown."""
    return message


def install(app: Flask) -> None:
    """Sets up the catalogues: read from their source at the first use, so that nothing has to be compiled."""
    babel = Babel(app, default_locale="pt_BR", locale_selector=chosen)
    babel.domain_instance = _Catalogues()


def chosen() -> str:
    """The language of the visitor's session."""
    name = session.get("lang")
    return name if name in LANGUAGES else "pt_BR"


def tag() -> str:
    """The language as HTML names it."""
    return LANGUAGES[chosen()][0]


def portuguese(text: object) -> Markup:
    """Text that exists in Portuguese only, marked as such on a page in another language."""
    if chosen() == "pt_BR" or not str(text).strip():
        return escape(text)
    return Markup('<span lang="pt-BR">{}</span>').format(text)


def said(sentence: str) -> Markup:
    """What a lower room answered: translated when the catalogue has it, numbers apart; else as it is, marked."""
    if chosen() == "pt_BR" or not sentence.strip():  # of nothing, a catalogue gives its own heading
        return escape(sentence)
    whole = _(sentence)
    if whole != sentence:
        return escape(whole)
    pattern = _NUMBER.sub("{value}", sentence)
    parts = _(pattern).split("{value}")
    numbers = _NUMBER.findall(sentence)
    if _(pattern) == pattern or len(parts) != len(numbers) + 1:
        return portuguese(sentence)
    return escape("".join(part + number for part, number in zip(parts, [*numbers, ""], strict=True)))


class _Catalogues(Domain):  # type: ignore[misc]
    def get_translations(self) -> NullTranslations:
        return catalogue(str(get_locale()))


@cache
def catalogue(locale: str) -> NullTranslations:
    """The translations into a locale, straight from its .po file; none for Portuguese, which needs none."""
    path = CATALOGUES / locale / "LC_MESSAGES" / "messages.po"
    if not path.exists():
        return NullTranslations()
    compiled = BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale))
    compiled.seek(0)
    return Translations(compiled)
