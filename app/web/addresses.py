"""What may stand in an address: numbers of cases, ids of the house, keys of the norm. Anything else is not found.

And where a link may lead: only to pages of this site.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from flask import Flask, redirect, request
from werkzeug.routing import BaseConverter, RequestRedirect

LONGEST = 2_000  # letters of a way back; no page of this site has so long an address


class _Number(BaseConverter):
    """A case number in an address: `00001/2026-5`."""

    regex = r"\d{5,9}/\d{4}-\d"
    part_isolating = False


class _Id(BaseConverter):
    """An id of the house. Anything else is not found before a database sees it."""

    regex = r"[0-9a-f][0-9a-f-]{7,63}"


class _Key(BaseConverter):
    """A key of the norm."""

    regex = r"[A-Za-z][A-Za-z0-9_.]{0,79}"


class _Seq(BaseConverter):
    """The number of an entry in the journal of a case."""

    regex = r"[1-9][0-9]{0,7}"

    def to_python(self, value: str) -> int:
        return int(value)


def install(app: Flask) -> None:
    app.url_map.converters.update(number=_Number, id=_Id, key=_Key, seq=_Seq)
    app.before_request(_where_it_was_meant)


def _where_it_was_meant() -> Any:
    """From an address with a slash too many to the right one, by its path alone: a request may name any host."""
    found = request.routing_exception
    if not isinstance(found, RequestRedirect):
        return None
    return redirect("/" + found.new_url.partition("://")[2].partition("/")[2].lstrip("/"), found.code)


def local_path(target: str | None, otherwise: str) -> str:
    """`target` when it is a path of this site, else `otherwise`: nobody is sent elsewhere by a link."""
    if not target or len(target) > LONGEST or not target.startswith("/") or target.startswith(("//", "/\\")):
        return otherwise
    try:
        parts = urlsplit(target)
    except ValueError:  # such as half an IPv6 address
        return otherwise
    plain = target.isprintable() and "\\" not in target
    return target if plain and not parts.scheme and not parts.netloc else otherwise
