"""An HTML form and the JSON it stands for, both ways, and what is seen for which answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.cases.forms import properties
from app.law.norm import Norm, load_norm
from app.registry.norms import read_content
from app.settings import ROOT
from app.web.forms.choices import Option
from app.web.forms.conditions import conditional, css
from app.web.forms.fields import draw
from app.web.forms.reading import answers_in, clean, day_in, typed_again, typed_in

BAHIA = ZoneInfo("America/Bahia")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["houve"],
    "properties": {
        "houve": {"type": "boolean", "title": "Houve?"},
        "grau": {"type": "string", "title": "Grau", "oneOf": [{"const": "leve", "title": "Leve"}]},
        "dias": {"type": "integer", "title": "Dias"},
        "valor": {"type": "string", "title": "Valor", "format": "decimal", "x-moeda": "BRL"},
        "quando": {"type": "string", "title": "Quando", "format": "date-time"},
        "dia": {"type": "string", "title": "Dia", "format": "date"},
        "nota": {"type": "string", "title": "Nota", "maxLength": 100},
    },
    "allOf": [
        {
            "if": {"properties": {"houve": {"const": True}}, "required": ["houve"]},
            "then": {"properties": {"patio": {"type": "string", "title": "Pátio"}}, "required": ["patio"]},
            "else": {"properties": {"valor": False}},
        }
    ],
}


@pytest.mark.parametrize(
    ("field", "typed", "answer"),
    [
        ("valor", "1.234,50", "1234.50"),
        ("valor", "R$ 7", "7.00"),
        ("valor", "1234.5", "1234.50"),
        ("valor", "-2,30", "-2.30"),
        ("valor", "1,2,3", "1,2,3"),
        ("valor", "NaN", "NaN"),
        ("quando", "2026-03-03T09:30", "2026-03-03T09:30:00-03:00"),
        ("quando", "03/03/2026 09:30", "2026-03-03T09:30:00-03:00"),
        ("quando", "2026-03-03T12:30:00+00:00", "2026-03-03T12:30:00+00:00"),
        ("quando", "amanhã", "amanhã"),
        ("quando", "2026-03-03", "2026-03-03"),  # a day alone is not its midnight: the schema refuses it
        ("quando", "03/03/2026", "03/03/2026"),
        ("quando", "20260303", "20260303"),
        ("quando", "2026-W10-2", "2026-W10-2"),
        ("quando", "2026-03-03T09", "2026-03-03T09"),
        (
            "quando",
            "2026-W48-1T10:00",
            "2026-W48-1T10:00",
        ),  # a week, which nobody means: the schema refuses it
        ("quando", "20260303T10:00", "20260303T10:00"),
        ("dia", "15/03/2026", "2026-03-15"),
        ("dia", "2026-03-15", "2026-03-15"),
        ("dias", "12", 12),
        ("dias", "-3", -3),
        ("dias", "doze", "doze"),
        ("dias", "1" * 40, "1" * 40),
        ("houve", "true", True),
        ("houve", "false", False),
        ("houve", "talvez", "talvez"),
        ("nota", "  texto  ", "texto"),
    ],
)
def test_what_is_typed_becomes_an_answer(field: str, typed: str, answer: object) -> None:
    assert answers_in(SCHEMA, {field: typed}, BAHIA) == {field: answer}


def test_blanks_and_fields_of_no_form_are_no_answers() -> None:
    typed = typed_in(SCHEMA, {"nota": " \n ", "csrf_token": "x", "intruso": "y", "patio": "Norte"})
    assert answers_in(SCHEMA, typed, BAHIA) == {"patio": "Norte"}


@pytest.mark.parametrize(
    ("answers", "typed"),
    [
        ({"valor": "1234.50"}, {"valor": "1.234,50"}),
        ({"valor": "mil"}, {"valor": "mil"}),
        ({"quando": "2026-03-03T12:30:00+00:00"}, {"quando": "2026-03-03T09:30"}),
        ({"houve": True, "dias": 3}, {"houve": "true", "dias": "3"}),
        ({"de_outra_versao": "x"}, {}),
    ],
)
def test_a_draft_comes_back_as_it_was_typed(answers: dict[str, Any], typed: dict[str, str]) -> None:
    assert typed_again(SCHEMA, answers, BAHIA) == typed


@pytest.mark.parametrize("blank", ["\u200b", "\u200e\u2069", "\u034f", "\u115f\u3164\uffa0", "\u2800\u00a0"])
def test_what_nobody_can_see_is_no_answer(blank: str) -> None:
    assert answers_in(SCHEMA, {"nota": blank, "dias": "1"}, BAHIA) == {"dias": 1}


@pytest.mark.parametrize(
    ("kept", "typed"),
    [
        ("9999-12-31T20:59:00-03:00", "9999-12-31T20:59"),
        ("9999-12-31T21:00:00-03:00", ""),  # in UTC it is the year 10000
        ("0001-01-01T00:00:00+05:00", ""),  # and here the year before the first
        ("0001-01-01T05:00:04+00:00", "0001-01-01T02:26"),  # local mean time: 2 h 34 min 4 s behind Greenwich
        ("99999-01-01T00:00", "99999-01-01T00:00"),
    ],
)
def test_a_draft_at_the_edge_of_the_calendar_comes_back_as_far_as_it_can(kept: str, typed: str) -> None:
    assert typed_again(SCHEMA, {"quando": kept}, BAHIA) == {"quando": typed}


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("2026-03-03", True),
        (" 03/03/2026 ", True),
        ("2026-03-03T09:30", False),
        ("2026-W48-1", False),
        ("nunca", False),
        ("", False),
    ],
)
def test_a_day_without_its_hour_is_told_from_no_day_at_all(text: str, bare: bool) -> None:
    assert (day_in(text) is not None) is bare


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("a\x00b\x1bc", "abc"),
        ("um\r\ndois\rtrês", "um\ndois\ntrês"),
        ("e\u0301", "é"),
        ("\u202eabc\u2066", "abc"),
        ("👩\u200d👩", "👩\u200d👩"),
        ("\ttab", "\ttab"),
        # Thirty marks in a row are more than any writing needs; what is beyond would take hours to put in order.
        ("z" + "\u0301\u0323" * 2_000 + "z", "\u1e93" + "\u0323" * 14 + "\u0301" * 15 + "z"),
        ("\u0f73" * 100, "\u0f71" * 30 + "\u0f72" * 30),  # a mark of class 0 that comes apart into two others
        ("\u0301a" * 100, "\u0301" + "\u00e1" * 99 + "a"),
    ],
)
def test_cleaning_keeps_what_can_be_read(raw: str, kept: str) -> None:
    assert clean(raw) == kept


def test_fields_are_asked_in_the_order_of_the_ui_and_say_whether_they_may_be_left_out() -> None:
    ui = {"ui:order": ["nota", "*", "houve"], "nota": {"ui:widget": "textarea", "ui:options": {"rows": 9}}}
    fields = draw(SCHEMA, ui, {"nota": "já"}, {"dias": "Errado."}, lambda spec: None)
    assert [f.name for f in fields] == ["nota", "grau", "dias", "valor", "quando", "dia", "patio", "houve"]
    by_name = {f.name: f for f in fields}
    assert (by_name["nota"].kind, by_name["nota"].rows, by_name["nota"].typed) == ("textarea", 9, "já")
    assert by_name["dias"].fault == "Errado."
    assert by_name["valor"].unit == "R$"
    assert [f.name for f in fields if f.required] == ["valor", "patio", "houve"]


def test_few_options_are_seen_at_once_and_many_are_a_list() -> None:
    def kinds(count: int) -> str:
        options = tuple(Option(str(n), str(n)) for n in range(count))
        schema = {"properties": {"x": {"type": "string", "enum": [o.value for o in options]}}}
        return draw(schema, {}, {}, {}, lambda spec: options)[0].kind

    assert kinds(5) == "radio"
    assert kinds(6) == "select"


def test_the_stylesheet_shows_a_field_for_the_answer_that_brings_it_in() -> None:
    style = css(SCHEMA)
    assert style.startswith("@supports selector(:has(*)) {")
    assert '[data-field="patio"] { display: none }' in style
    chosen = ':has([name="houve"][value="true"]:checked, [name="houve"] option[value="true"]:checked)'
    assert f'form{chosen} [data-field="patio"] {{ display: block }}' in style
    assert f'form:not({chosen}) [data-field="valor"] {{ display: none }}' in style
    assert conditional(SCHEMA) == {"patio", "valor"}
    assert css({"properties": {}}) == ""


def test_no_key_or_value_of_a_norm_can_leave_its_string_in_the_stylesheet() -> None:
    schema = {
        "properties": {"a": {"enum": ['"] } body { display: none } ["']}},
        "allOf": [{"if": {"properties": {"a": {"const": '"]}\\*'}}}, "then": {"properties": {"b": {}}}}],
    }
    assert '[value="\\22 \\5d \\7d \\5c \\2a "]' in css(schema)


@pytest.fixture(scope="module")
def jequie() -> Norm:
    return load_norm(read_content(ROOT, "jequie"))


def chosen(spec: Mapping[str, Any]) -> tuple[Option, ...] | None:
    """No options, but for a field that is chosen from some."""
    return () if spec.get("type") == "boolean" or {"oneOf", "x-registro", "x-tabela"} & set(spec) else None


def test_every_form_of_the_law_can_be_drawn_with_titles_and_lengths(jequie: Norm) -> None:
    for name, (schema, ui) in jequie.forms.items():
        fields = draw(schema, ui, {}, {}, chosen)
        assert {f.name for f in fields} == set(properties(schema)), name
        assert all(f.title != f.name for f in fields), name
        assert all(f.longest for f in fields if f.kind in ("text", "textarea")), name


def test_a_confirmation_is_one_box_to_tick() -> None:
    schema = {
        "properties": {"conferi": {"type": "boolean", "title": "Conferi", "const": True, "default": False}}
    }
    sim = (Option("true", "Sim"), Option("false", "Não"))
    assert draw(schema, {}, {}, {}, lambda spec: sim)[0].kind == "checkbox"
