"""A person at a browser without JavaScript, over Flask's test client, and pages as that person reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from itertools import count
from typing import Any

from flask.testing import FlaskClient

VOID = {"input", "meta", "link", "br", "img", "hr", "source", "area", "base", "col", "embed", "track", "wbr"}
INLINE = {"a", "abbr", "b", "code", "em", "small", "span", "strong", "time"}
KEYS = count(1)
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


@dataclass
class Element:
    """One tag of a page with the language it stands in."""

    tag: str
    attributes: dict[str, str]
    language: str
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        around = self._open[-1].language if self._open else ""
        element = Element(tag, given, given.get("lang", around))
        self.elements.append(element)
        if tag not in INLINE:
            for outer in self._open:
                outer.words.append(" ")
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open[-1].tag != tag:
            self._open.pop()
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1].tag in ("script", "style"):
            return
        if data.strip():
            self.texts.append((self._open[-1].language if self._open else "", " ".join(data.split())))
        for element in self._open:
            element.words.append(data)


@dataclass
class Page:
    """What came back: status, headers, and the page as elements and texts in reading order."""

    status: int
    headers: Mapping[str, str]
    html: str
    path: str

    @cached_property
    def read(self) -> _Reader:
        reader = _Reader()
        reader.feed(self.html)
        return reader

    @property
    def elements(self) -> list[Element]:
        return self.read.elements

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Every text with the language it stands in."""
        return self.read.texts

    @property
    def text(self) -> str:
        return " ".join(text for _language, text in self.texts)

    @property
    def title(self) -> str:
        return next(e.text for e in self.elements if e.tag == "title")

    def all(self, tag: str, **attributes: str) -> list[Element]:
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            e
            for e in self.elements
            if e.tag == tag and all(e.attributes.get(name) == value for name, value in wanted.items())
        ]

    def one(self, tag: str, **attributes: str) -> Element:
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} <{tag}> with {attributes} on {self.path}"
        return found[0]

    def links(self) -> list[str]:
        return [e.attributes["href"] for e in self.elements if e.tag == "a" and "href" in e.attributes]

    def link(self, words: str) -> str:
        found = [e.attributes["href"] for e in self.all("a") if e.text == words]
        assert found, f"no link {words!r} on {self.path}"
        return found[0]

    def value(self, name: str) -> str:
        """What a field holds: typed, chosen or hidden."""
        for e in self.elements:
            if e.attributes.get("name") != name:
                continue
            if e.tag == "textarea":
                return "".join(e.words).removeprefix("\n")
            if e.tag == "input" and (e.attributes.get("type") != "radio" or "checked" in e.attributes):
                return e.attributes.get("value", "")
            if e.tag == "select":
                return self._chosen(e)
        raise AssertionError(f"no field {name!r} on {self.path}")

    def _chosen(self, select: Element) -> str:
        after = self.elements[self.elements.index(select) + 1 :]
        return next(
            (e.attributes["value"] for e in after if e.tag == "option" and "selected" in e.attributes), ""
        )


class Browser:
    """Keeps the session, sends the token and a key that a page would send, follows redirects like a browser."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.page: Page | None = None

    def get(self, path: str) -> Page:
        return self._kept(self.client.get(path, follow_redirects=True))

    def post(self, path: str, follow: bool = True, token: bool = True, **fields: Any) -> Page:
        """Sends a form, each time a form of its own unless `_chave` is given. Names keep their leading underscore."""
        key = {"_chave": f"chave-de-formulario-{next(KEYS)}"}
        sent = {**({"csrf_token": self.token()} if token else {}), **key, **fields}
        return self._kept(self.client.post(path, data=sent, follow_redirects=follow))

    def token(self) -> str:
        """The token of the page before this one; every page has a form."""
        found = TOKEN.search(self.page.html if self.page else "") or TOKEN.search(
            self.client.get("/entrar").text
        )
        assert found
        return found[1]

    def enter(self, person_id: str) -> Page:
        return self.post("/entrar", pessoa=person_id)

    def _kept(self, response: Any) -> Page:
        text = response.text if response.mimetype.startswith("text/") else ""
        self.page = Page(response.status_code, response.headers, text, response.request.full_path)
        response.close()
        return self.page
