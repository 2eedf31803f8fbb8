"""Citations of the law as links into its text: one filter, `law`, for every page.

    {{ term.article|law }}

The text is that of the norm that a case is pinned to (`pinned` on its pages), else of the norm in force. Where a norm
comes without its text, and where the text has no such place, the words stay words.
"""

from __future__ import annotations

from typing import Any

from flask import Flask, g, url_for
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from app.law.norm import Norm
from app.law.text import LawText, Mention, mentions
from app.web.language import portuguese


def install(app: Flask) -> None:
    app.jinja_env.filters["law"] = law


@pass_context
def law(context: Context, citation: object) -> Markup:
    """The citation, Portuguese as it is, with each article that it names as a link."""
    norm: Norm | None = context.get("pinned") or context.get("norm")
    if norm is None or norm.text is None:
        return portuguese(citation)
    text, at, linked = str(citation), 0, Markup()
    for mention in mentions(text):
        anchor = _anchor(norm.text, mention)
        if anchor:
            linked += escape(text[at : mention.start]) + _link(norm, mention, anchor)
            at = mention.end
    return portuguese(linked + escape(text[at:]))


def address(norm: Norm, anchor: str | None = None) -> str:
    """Where the text of a norm is read. The one in force has the plain address."""
    older: dict[str, Any] = {} if norm.digest == g.norm.digest else {"versao": norm.digest}
    return url_for("norm.law", _anchor=anchor, **older)


def _anchor(text: LawText, mention: Mention) -> str:
    """The place itself or, of an annex, what it is a part of; empty where the text has neither."""
    whole = mention.anchor.partition("-grupo-")[0]
    return next((anchor for anchor in (mention.anchor, whole) if anchor in text.anchors), "")


def _link(norm: Norm, mention: Mention, anchor: str) -> Markup:
    # "108" alone says nothing in a list of links read aloud: the name of such a link is "Art. 108".
    named = Markup(' aria-label="Art. {}"').format(mention.words) if mention.words[:1].isdigit() else Markup()
    return Markup('<a class="cite" href="{}"{}>{}</a>').format(address(norm, anchor), named, mention.words)
