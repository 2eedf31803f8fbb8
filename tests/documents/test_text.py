"""Any text can be set on a paper: what cannot be shown is marked; nothing that is typed stops or commands the press."""

from __future__ import annotations

import json
import re
from io import BytesIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from app.documents.glyphs import MISSING
from app.documents.text import LONGEST_RUN, Printable
from tests.documents.paper import SIGNER, jequie, paper, pdf_of, words

BREAK = "\u200b"


@pytest.mark.parametrize(
    ("typed", "shown", "replaced"),
    [
        ("Ação nº 1 – “à vista”… § 2º, R$ 3,50 €", "Ação nº 1 – “à vista”… § 2º, R$ 3,50 €", False),
        ("Jose\u0301", "José", False),
        ("g\u0303uarani", "g\u0303uarani", False),  # a letter that only exists with a mark beside it
        ("a\u0301\u0302\u0303\u0304", "á\u0302\u0303", True),  # no tower of marks
        ("\u0301solto", "solto", True),
        ("a \u0301b", "a b", True),
        ("ônibus 🚌 cheio", f"ônibus {MISSING} cheio", True),
        ("漢字 и кириллица", f"{MISSING}{MISSING} и кириллица", True),
        ("مرحبا", MISSING * 5, True),
        ("a\u202edcb\u202c\u2066x\u2069", "adcbx", False),
        ("a\x00\x07b\u200dc\ufeffd\u00ade", "abcde", False),
        ("\ue000\U0010ffff", MISSING * 2, True),
        ("\u2764\ufe0f", MISSING, True),
        ("1\u20e3", "1", True),
        ("um\r\ndois\rtrês\u2028quatro\x0bcinco", "um\ndois\ntrês\nquatro\ncinco", False),
        ("um  \n\n\n\n  dois", "um\n\ndois", False),
        ("a\u00a0\u3000 \tb", "a b", False),
        ("  \n ", "", False),
        ("a" * LONGEST_RUN, "a" * LONGEST_RUN, False),
        ("a" * 161, f"{'a' * 80}{BREAK}{'a' * 80}{BREAK}a", False),
        ("a" * 80 + " " + "b" * 80, "a" * 80 + " " + "b" * 80, False),
        ("\ud800", MISSING, True),
    ],
)
def test_a_text_keeps_what_can_be_shown(typed: str, shown: str, replaced: bool) -> None:
    text = Printable()
    assert (text(typed), text.replaced) == (shown, replaced)


def test_one_loss_is_remembered_through_all_texts_of_a_paper() -> None:
    text = Printable()
    assert [text("a"), text("🚌"), text("b")] == ["a", MISSING, "b"]
    assert text.replaced


LONGEST = max(  # 8000, of the reasons of a decision
    spec.get("maxLength", 0)
    for schema, _ in jequie().forms.values()
    for spec in schema.get("properties", {}).values()
)
# Marks, joiners, directions, emoji and markup as often as letters: what breaks shaping is rare among all characters.
_MARKS = "\u0301\u0303\u0323\u0336\u200d\u200b\u202e\ufe0f\u2066"
TRICKY = st.sampled_from("aáÇ§ º\n\t#$*_`\\[]{}<>@=/\"'-~&%🚌漢ب\u05d0▲ﬁ½€" + _MARKS)
TEXTS = (
    st.text(max_size=LONGEST)
    | st.text(TRICKY, max_size=400)
    | st.text(TRICKY | st.characters(), max_size=400)
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_any_text_that_a_form_takes_becomes_a_pdf_a_and_pdf_ua(typed: str) -> None:
    assert pdf_of(paper(typed)).startswith(b"%PDF-1.7")


@pytest.mark.parametrize(
    "typed",
    [
        "a" * 60_000,
        "palavra " * 7_500,
        "linha\n" * 4_000,
        "🚌" * 8_000,
        "\u202e" * 8_000 + "x",
        "e\u0301" * 8_000,
    ],
    ids=["one word", "words", "lines", "emoji", "directions", "accents"],
)
def test_a_text_beyond_any_form_is_set_in_moments(typed: str) -> None:
    told = paper("x").content["fields"]
    assert pdf_of(paper(fields=[{**told[0], "text": typed}])).startswith(b"%PDF-")


HOSTILE = [
    '#read("/etc/passwd")',
    '#panic("parou")',
    '#eval("1+1", mode: "markup")',
    '#import "@preview/pacote:1.0.0": *',
    "*negrito* _itálico_ `código` $x^2$ = título",
    "] #sys.version [",
    "<rotulo> @referencia // fim /* comentário",
    '\\u{1F600} \\ "aspas" --- ...',
    "<script>alert(1)</script>",
]


@pytest.mark.parametrize("typed", HOSTILE)
def test_markup_is_printed_as_it_was_typed(typed: str) -> None:
    assert words(pdf_of(paper(typed))).count(typed) >= 3
    assert typed in words(pdf_of(paper(typed + "\nsegunda linha")))  # in a section too


def test_what_a_paper_could_not_show_is_told_at_its_end() -> None:
    assert "não existem na fonte deste documento" in words(pdf_of(paper("Viu-se 🚌 na via.")))
    assert "não existem na fonte deste documento" not in words(pdf_of(paper("Viu-se um ônibus.")))
    assert json.dumps(paper("🚌").order("http://x")["data"]["nota"]) != '""'


# Directions, emoji, controls, letters without a glyph or from right to left, half a character, line ends, markup.
EVERYTHING = (
    "\u202eoãça\u202c \u2066🚌\u2069 fim\x00\x07\ufeff مرحبا \ue000 \U0010ffff \ud800\r\n"
    + "\n".join(HOSTILE)
)
SEEN = (f"oãça {MISSING} fim", *HOSTILE)
ENDLESS = "a" * 60_000


def hostile(kind: str, typed: str, only: str | None = None) -> bytes:
    """The PDF of a kind whose title, case, signer, votes and fields (all, or only one) say `typed`."""
    fields = [f for f in paper(typed, kind).content["fields"] if only in (None, f["key"])]
    for field in fields:
        if field["key"] == "votos":
            field["rows"] = [[typed, typed, typed], ["Presidente", typed, ""]]
    whole = {"title": typed, "case": typed, "law": typed, "signature": dict.fromkeys(SIGNER, typed)}
    return pdf_of(paper(kind=kind, fields=fields, **whole))


def bare(text: str) -> str:
    """Without spaces: a PDF keeps lines, not gaps."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("kind", sorted(jequie().documents))
def test_no_kind_of_document_is_stopped_or_commanded_by_what_stands_anywhere_in_it(kind: str) -> None:
    fields = jequie().documents[kind].fields
    read = PdfReader(BytesIO(hostile(kind, EVERYTHING)))
    told = bare("".join(page.extract_text() for page in read.pages))
    for seen in SEEN:
        assert told.count(bare(seen)) >= len(fields) + len(SIGNER), seen
    for field in fields:
        assert bare(field.label) in told, field.label
    assert read.metadata is not None
    for text in (told, str(read.metadata.title)):
        assert not set(text) & set("\u202e\u202c\u2066\u2069\x00\x07\ufeff🚌")


@pytest.mark.parametrize(("kind", "field"), [("notificacao", "fatos"), ("decisao_comissao", "votos")])
def test_a_word_without_end_stops_no_document_wherever_it_stands(kind: str, field: str) -> None:
    """Title, case number, signer, and a section of pages or the cells of a table."""
    assert hostile(kind, ENDLESS, field).startswith(b"%PDF-")


def test_a_title_too_long_for_a_foot_is_cut_where_all_see_it() -> None:
    told = words(pdf_of(paper(title="Título " + "muito " * 200 + "longo")))
    assert "muito… nº 00012/2026" in told.replace("muito …", "muito…")
    assert "longo" not in told
