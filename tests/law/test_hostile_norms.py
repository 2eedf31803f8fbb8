"""A broken or hostile folder gets every fault by file and key, in moments: no traceback, no hang, nothing fetched."""

from __future__ import annotations

import json
import socket
import urllib.request
from typing import Any

import pytest

from app.errors import Invalid
from app.law.content import raw, sections
from app.law.norm import load_norm

NORMA, BPMN = "bpmn/vila/norma.toml", "bpmn/vila/infracao.bpmn"
FINES, COMPETENCES = "bpmn/vila/multas.csv", "bpmn/vila/competencias.csv"
FORM, UI = "forms/vila/auto-schema.json", "forms/vila/auto-uischema.json"
Files = dict[str, bytes]


def faults_of(files: Files) -> dict[str, str]:
    with pytest.raises(Invalid) as refusal:
        load_norm(files)
    assert refusal.value.code == "norma.invalida"
    return refusal.value.fields


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was to be fetched")

    for owner, name in ((socket, "socket"), (socket, "getaddrinfo"), (urllib.request, "urlopen")):
        monkeypatch.setattr(owner, name, refuse)


def schema_with(content: Files, **members: Any) -> Files:
    return content | {FORM: json.dumps(json.loads(content[FORM]) | members).encode()}


def field_with(content: Files, **members: Any) -> Files:
    schema = json.loads(content[FORM])
    schema["properties"]["novo"] = {"type": "string", "title": "Novo"} | members
    return content | {FORM: json.dumps(schema).encode()}


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:9/esquema.json",
        "https://example.org/a.json#/b",
        "file:///etc/passwd",
        "outro-schema.json",
        "#/$defs/nada",
        "#",
        "urn:a:b",
    ],
)
@pytest.mark.parametrize("word", ["$ref", "$dynamicRef"])
def test_a_form_that_points_elsewhere_is_refused_and_nothing_is_fetched(
    content: Files, no_network: None, target: str, word: str
):
    told = faults_of(field_with(content, **{word: target}))[f"{FORM} [properties.novo.{word}]"]
    assert told == f"aponta para {target!r}: um formulário é escrito por extenso, nada é buscado"


def test_a_reference_inside_a_condition_is_found_too(content: Files, no_network: None):
    rule = {"if": {"properties": {"codigo": {"$ref": "http://a/b"}}}, "then": {}}
    assert set(faults_of(schema_with(content, allOf=[rule]))) >= {
        f"{FORM} [allOf[1].if.properties.codigo.$ref]"
    }


@pytest.mark.parametrize("word", ["$id", "$anchor", "$dynamicAnchor"])
def test_a_form_gives_itself_no_name_to_be_pointed_at(content: Files, word: str):
    assert faults_of(field_with(content, **{word: "nome"})) == {
        f"{FORM} [properties.novo.{word}]": "não é permitido em formulário"
    }


@pytest.mark.parametrize("dialect", ["http://json-schema.org/draft-07/schema#", "http://127.0.0.1:9/x", 7])
def test_a_form_in_another_dialect_is_refused(content: Files, no_network: None, dialect: Any):
    told = faults_of(schema_with(content, **{"$schema": dialect}))[f"{FORM} [$schema]"]
    assert told.startswith("o formulário deve ser JSON Schema 2020-12")


@pytest.mark.parametrize(
    ("members", "where", "told"),
    [
        ({"type": "array"}, "type", "um formulário é um objeto"),
        ({"properties": {"a": True}}, "properties.a", "o campo deve ser um objeto"),
        ({"properties": {"a": False}}, "properties.a", "o campo deve ser um objeto"),
        ({"allOf": [True]}, "allOf[1]", "a condição deve ser um objeto"),
        ({"allOf": [{"if": True}]}, "allOf[1].if", "deve ser um objeto"),
        (
            {"allOf": [{"then": {"properties": {"a": True}}}]},
            "allOf[1].then",
            "o campo deve ser um objeto, ou false",
        ),
        (
            {"properties": {"a": {"oneOf": [{"type": "string"}]}}},
            "a",
            "cada opção de oneOf deve trazer const",
        ),
        ({"properties": {"a": {"x-minimo": "pouco"}}}, "a", "x-minimo 'pouco' não é um valor"),
        (
            {"properties": {"a": {"x-menor-que": "a b", "format": "decimal"}}},
            "a",
            "x-menor-que 'a b' não é nome de dado do diagrama",
        ),
        (
            {"properties": {"a": {"x-menor-que": "valor"}}},
            "a",
            "x-menor-que é só de valores (format: decimal)",
        ),
        (
            {"properties": {"a": {"type": "string", "x-busca": True, "x-pessoal": True}}},
            "a",
            "x-busca não cabe em dado pessoal (x-pessoal): o que está selado não se procura",
        ),
    ],
)
def test_a_schema_that_is_no_form_is_refused_before_anybody_fills_it_in(
    content: Files, members: dict[str, Any], where: str, told: str
):
    assert faults_of(schema_with(content, **members))[f"{FORM} [{where}]"] == told


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(", "não é uma expressão regular"),
        ("^(a+)+$", "repete um grupo que já se repete"),
        ("^(\\d*,)*$", "repete um grupo que já se repete"),
        ("^([a-z]{2,}x)+$", "repete um grupo que já se repete"),
        ("a" * 201, "mais de 200 caracteres"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(content: Files, pattern: str, told: str):
    assert told in faults_of(field_with(content, pattern=pattern))[f"{FORM} [properties.novo.pattern]"]


@pytest.mark.parametrize("pattern", ["^([01][0-9]|2[0-3]):[0-5][0-9]$", "^[+*]{1,5}$", "^(\\+55)?[0-9]+$"])
def test_a_pattern_that_ends_is_taken(content: Files, pattern: str):
    load_norm(field_with(content, pattern=pattern))


def test_a_form_of_more_values_than_anybody_fills_in_is_refused(content: Files):
    fields = {f"c{n}": {"type": "string"} for n in range(1001)}
    assert faults_of(schema_with(content, properties=fields))[FORM] == "o formulário tem mais de 2000 valores"


def test_what_a_form_says_of_a_field_on_the_page_is_an_object(content: Files):
    content[UI] = b'{"fato": 3}'
    assert faults_of(content) == {f"{UI} [fato]": "deve ser um objeto"}


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_nested_without_end_is_a_fault(content: Files, opening: str):
    content[UI] = (opening * 100_000).encode()
    assert faults_of(content)[UI] == "há mais de 16 níveis, um dentro do outro"


def test_json_nested_deeper_than_any_form_is_a_fault_at_its_place(content: Files):
    deep: Any = "fundo"
    for _ in range(17):
        deep = [deep]
    content[UI] = json.dumps({"x": deep}).encode()
    assert faults_of(content) == {f"{UI} [x{'[1]' * 15}]": "há mais de 16 níveis, um dentro do outro"}


@pytest.mark.parametrize("opening", ["[", "{a="])
def test_toml_nested_without_end_is_a_fault(content: Files, opening: str):
    content[NORMA] = b"x = " + (opening * 100_000).encode()
    assert any("um dentro do outro" in told for told in faults_of(content).values())


@pytest.mark.parametrize("line", ["[{}]", "{} = 1", "x = {{ {} = 1 }}"])
def test_a_name_of_a_hundred_thousand_dots_is_refused_before_it_is_read(content: Files, line: str):
    content[NORMA] += ("\n" + line.format("a." * 100_000 + "a")).encode()
    number = content[NORMA].count(b"\n") + 1
    assert faults_of(content)[f"{NORMA} [linha {number}]"] == "a linha tem mais de 100 pontos"


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000, str(2**53)])
def test_a_number_of_toml_that_nobody_can_keep_is_a_fault(content: Files, digits: str):
    content[NORMA] = content[NORMA].replace(b"quantidade = 5", f"quantidade = {digits}".encode())
    assert any("número inteiro" in told and "grande demais" in told for told in faults_of(content).values())


@pytest.mark.parametrize(
    ("number", "told"),
    [("9" * 5000, "grande demais"), (str(2**53), "grande demais"), ("NaN", "NaN não é um número do JSON")],
)
def test_a_number_of_json_that_nobody_can_keep_is_a_fault(content: Files, number: str, told: str):
    content[UI] = f'{{"fato": {{"x": {number}}}}}'.encode()
    assert any(told in text for text in faults_of(content).values())


@pytest.mark.parametrize(
    ("path", "data", "where"),
    [
        (UI, b'{"fato": {"ui:help": "\\ud800"}}', f"{UI} [fato.ui:help]"),
        (UI, b'{"fato": {"ui:help": "\\u0000"}}', f"{UI} [fato.ui:help]"),
        (NORMA, b'x = "\\u0000"', f"{NORMA} [x]"),
    ],
)
def test_text_that_no_database_keeps_is_a_fault(content: Files, path: str, data: bytes, where: str):
    content[path] = data
    assert "não podem ser gravados" in faults_of(content)[where]


@pytest.mark.parametrize("path", [NORMA, FINES, COMPETENCES, FORM, UI])
def test_every_kind_of_file_in_utf_16_is_named(content: Files, path: str):
    content[path] = content[path].decode().encode("utf-16")
    assert "UTF-16" in faults_of(content)[path]


@pytest.mark.parametrize("path", [NORMA, FINES, COMPETENCES, FORM, UI])
def test_a_byte_order_mark_before_utf_8_does_no_harm(content: Files, path: str):
    content[path] = b"\xef\xbb\xbf" + content[path]
    assert load_norm(content).slug == "vila"


def test_a_file_of_fifty_megabytes_is_refused_with_the_limit(content: Files):
    content[FINES] = b" " * 50_000_000
    assert faults_of(content) == {
        FINES: "o arquivo tem 50,0 MB; o limite é 2,0 MB",
        "pasta": "a pasta tem 50,0 MB; o limite é 20,0 MB",
    }


def test_a_folder_of_too_many_files_or_bytes_is_refused_with_the_limit(content: Files):
    many = {f"forms/vila/documentos/{n}.typ": b"x" for n in range(301 - len(content))}
    assert faults_of(content | many) == {"pasta": "a pasta tem 301 arquivos; o limite é 300"}
    large = {f"forms/vila/documentos/{n}.typ": bytes(2_000_000) for n in range(11)}
    assert faults_of(content | large) == {"pasta": "a pasta tem 22,0 MB; o limite é 20,0 MB"}


def test_a_file_whose_name_is_not_utf_8_is_told(content: Files):
    content["forms/vila/documentos/a\udcff.typ"] = b""
    (where,) = faults_of(content)
    assert where == "'forms/vila/documentos/a\\udcff.typ'"


def test_a_table_of_more_columns_than_anybody_reads_is_refused(content: Files):
    content[FINES] = (",".join(f"c{n}" for n in range(150_000)) + "\nx\n" * 100_000).encode()
    assert faults_of(content)[FINES] == f"a tabela tem 150000 colunas; o limite é {raw.MAX_COLUMNS}"


def test_an_object_of_a_hundred_thousand_keys_is_read_in_moments(content: Files):
    content[UI] = json.dumps({f"c{n}": {} for n in range(100_000)}).encode()
    assert load_norm(content).slug == "vila"


def test_a_calendar_of_forty_thousand_lines_is_read_in_moments(content: Files):
    path = "bpmn/vila/calendario.csv"
    head = content[path].decode().splitlines()[0]
    lines = [f"2026-12-25,H,Natal {n},n,,,sim,Lei,," for n in range(40_000)]
    content[path] = "\n".join([head, *lines]).encode()
    assert len(load_norm(content).calendar_rows) == 40_000


def test_more_faults_than_anybody_mends_at_once_are_counted_and_the_first_told(content: Files):
    content[COMPETENCES] += b",,,,,\n" * 1000
    with pytest.raises(Invalid) as refusal:
        load_norm(content)
    # Each empty line lacks act, role, article and date.
    assert refusal.value.message == (
        "A norma não pode ser publicada: tem 4000 faltas. Mostram-se as primeiras 1000."
    )
    assert len(refusal.value.context["faults"]) == sections.MAX_FAULTS  # type: ignore[arg-type]


def test_a_key_of_a_megabyte_is_not_repeated_in_every_fault(content: Files):
    content[NORMA] += b'\n[papeis."' + b"x" * 1_000_000 + b'"]\na = 1\nb = 2\n'
    assert sum(len(where) + len(told) for where, told in faults_of(content).items()) < 10_000


def test_hours_with_a_zone_and_days_in_another_writing_are_no_hours_and_days(content: Files):
    path = "bpmn/vila/calendario.csv"
    for old, new, line in ((b"08:00", b"08:00+03:00", 4), (b"2026-12-25", b"20261225", 2)):
        broken = content | {path: content[path].replace(old, new, 1)}
        assert "não pode ser lida" in faults_of(broken)[f"{path} [linha {line}]"]


def test_faults_of_another_room_are_told_beside_the_own(content: Files):
    content[UI] = b"["
    with pytest.raises(Invalid) as refusal:
        load_norm(content, lambda norm: [(BPMN, "inicio", f"{norm.slug}: não se lê")])
    assert refusal.value.fields[f"{BPMN} [inicio]"] == "vila: não se lê"
    assert UI in refusal.value.fields
