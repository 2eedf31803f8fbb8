"""A press for tests, papers of any text, and what a reader sees of a PDF."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from typing import Any

from pypdf import PdfReader

from app.documents import typesetter
from app.documents.paper import Paper
from app.documents.press import Press
from app.law.norm import Norm, load_norm
from app.registry import norms
from app.settings import ROOT
from app.store.cases_tables import rendition, unprinted
from tests.cases.town import Town

ADDRESS = "https://tramita.exemplo.ba.gov.br"
ISSUED = datetime(2026, 3, 2, 13, 5, tzinfo=UTC)  # 10:05 in Jequié
SIGNER = {"name": "José da Silva", "office": "Presidente da Comissão", "registration": "10.234-5"}


@cache
def jequie() -> Norm:
    return load_norm(norms.read_content(ROOT, "jequie"))


def press(town: Town, **changes: Any) -> Press:
    """One that sets papers in this process: the one apart is tried in `test_printing.py`."""
    return replace(Press(town.store, norms.by_digest, ADDRESS, typesetter.typeset), **changes)


def print_all(town: Town, **changes: Any) -> int:
    """Lets the press work until nothing waits; how many times it took a document."""
    one, times = press(town, **changes), 0
    while one.print_next():
        times += 1
    return times


def paper(text: str = "Consta.", kind: str = "auto_de_infracao", **changes: Any) -> Paper:
    """A paper whose every field says `text`."""
    what = jequie().documents[kind]
    fields = [{"key": f.key, "label": f.label, "article": f.article or "", "text": text} for f in what.fields]
    content = {
        "title": what.title,
        "law": jequie().law,
        "case": "00007/2026-3",
        "fields": fields,
        "signature": SIGNER,
        **changes,
    }
    return Paper(jequie(), what, "00012/2026", "0123456789ABCDEF", ISSUED, content)


def pdf_of(one: Paper) -> bytes:
    return typesetter.typeset(one.order(ADDRESS))


def words(pdf: bytes) -> str:
    """The text of all pages, as one line; words that a line's end parts are whole again."""
    told = "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)
    return re.sub(r"\s+", " ", re.sub("[-\u00ad\u2010]\n", "", told))


def waiting(town: Town) -> int:
    return len(town.rows(unprinted))


def printed(town: Town) -> int:
    return len(town.rows(rendition))
