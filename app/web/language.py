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
_HOLE = re.compile(r"\{(\w+)\}")
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
_LONGEST = 1000  # characters; no sentence of the code comes near it


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
    """What a lower room answered, in the reader's language: sentence by sentence, around the values in it.

    A sentence of the code with values (`Esta tarefa cabe a {name}.`) is in the catalogue with its holes; what fills
    them is translated when the catalogue has it. What no entry fits stays as it is, marked as Portuguese.
    """
    if chosen() == "pt_BR" or not sentence.strip():  # of nothing, a catalogue gives its own heading
        return escape(sentence)
    found = _translated(sentence) if len(sentence) <= _LONGEST else None
    return portuguese(sentence) if found is None else found


def _translated(text: str) -> Markup | None:
    """One entry of the catalogue that fits the whole text, or several that fit its sentences in turn; None if none."""
    found = _entry(text)
    if found is not None:
        return found
    for cut in _SENTENCE_END.finditer(text):
        first = _entry(text[: cut.start()])
        if first is not None:
            rest = _translated(text[cut.end() :])
            return None if rest is None else first + " " + rest
    return None


def _entry(text: str) -> Markup | None:
    whole = _(text)
    if whole != text:
        return escape(whole)
    for pattern, translation in _patterns(chosen()):
        if match := pattern.fullmatch(text):
            filled = {hole: _value(told) for hole, told in match.groupdict().items()}
            return escape(translation).format(**filled)
    return None


def _value(told: str) -> Markup:
    """What fills a hole: a word that the catalogue has, figures, or a name as it is."""
    translated = _(told) if told.strip() else told
    if translated != told or not any(c.isalpha() for c in told):
        return escape(translated)
    return portuguese(told)


@cache
def _patterns(locale: str) -> list[tuple[re.Pattern[str], str]]:
    """The entries with holes. The one with the most words of its own goes first: it says most of the sentence."""
    path = _path(locale)
    if not path.exists():
        return []
    with path.open("rb") as source:
        told = {m.id: str(m.string) for m in read_po(source, locale) if isinstance(m.id, str)}
    holed = sorted(filter(_HOLE.search, told), key=lambda text: len(_HOLE.sub("", text)), reverse=True)
    return [(_pattern(text), told[text]) for text in holed]


def _pattern(msgid: str) -> re.Pattern[str]:
    parts = _HOLE.split(msgid)  # text, name of a hole, text, ...
    return re.compile("".join(f"(?P<{p}>.*?)" if n % 2 else re.escape(p) for n, p in enumerate(parts)))


class _Catalogues(Domain):  # type: ignore[misc]
    def get_translations(self) -> NullTranslations:
        return catalogue(str(get_locale()))


@cache
def catalogue(locale: str) -> NullTranslations:
    """The translations into a locale, straight from its .po file; none for Portuguese, which needs none."""
    path = _path(locale)
    if not path.exists():
        return NullTranslations()
    compiled = BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale))
    compiled.seek(0)
    return Translations(compiled)


def _path(locale: str) -> Path:
    return CATALOGUES / locale / "LC_MESSAGES" / "messages.po"
