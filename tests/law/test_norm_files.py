"""The tables and forms beside the norm: each fault is told with its file and line or field."""

from __future__ import annotations

import json

import pytest

from app.errors import Invalid
from app.law.norm import load_norm

COMPETENCES, ARTICLES = "bpmn/vila/competencias.csv", "bpmn/vila/artigos.csv"
CALENDAR, FINES = "bpmn/vila/calendario.csv", "bpmn/vila/multas.csv"
FORM, UI = "forms/vila/auto-schema.json", "forms/vila/auto-uischema.json"
Files = dict[str, bytes]


def faults_of(files: Files) -> dict[str, str]:
    with pytest.raises(Invalid) as refusal:
        load_norm(files)
    return refusal.value.fields


@pytest.mark.parametrize("path", [COMPETENCES, ARTICLES, CALENDAR, FINES, UI])
def test_a_missing_file_is_named(content: Files, path: str):
    del content[path]
    assert faults_of(content)[path] == "o arquivo não existe"


@pytest.mark.parametrize(
    ("path", "old", "new", "where", "told"),
    [
        (COMPETENCES, "julgar,membro", "julgar,rei", "linha 3", "o papel 'rei' não existe na norma"),
        (COMPETENCES, "julgar,membro,Art. 2", "julgar,membro,", "linha 3", "falta o artigo que fundamenta"),
        (COMPETENCES, "julgar,membro", ",membro", "linha 3", "falta o ato"),
        (
            COMPETENCES,
            "julgar,membro",
            "autuar,fiscal",
            "linha 3",
            "autuar, fiscal já tem regra em vigor em 1990-12-15",
        ),
        (COMPETENCES, "artigo,nota,", "artigo,obs,", "nota", "falta a coluna"),
        (COMPETENCES, "artigo,nota,", "artigo,artigo,", "artigo", "a coluna aparece mais de uma vez"),
        (COMPETENCES, "Art. 2,,", "Art. 2,,,,", "linha 3", "a linha não tem uma célula por coluna"),
        (
            COMPETENCES,
            "julgar,membro,Art. 2,,1990-12-15,",
            "julgar",
            "linha 3",
            "a linha não tem uma célula por coluna",
        ),
        (COMPETENCES, "julgar", '"jul"gar', "linha 3", "o CSV não pode ser lido"),
        (ARTICLES, "Art. 3,prazos.defesa,", ",prazos.defesa,", "linha 2", "falta o artigo"),
        (ARTICLES, "Art. 11,,revogado", "Art. 11,,", "linha 3", "falta dizer onde o artigo está"),
        (FINES, "I-02", "I-01", "linha 3", "I-01 já tem regra em vigor em 1990-12-15"),
        (FINES, "I-02", " ", "linha 3", "a coluna codigo está vazia"),
        (FINES, "codigo,", "cod,", "codigo", "falta a coluna"),
        (CALENDAR, "2026-12-25,H", "25/12/2026,H", "linha 2", "há data ou hora que não pode ser lida"),
        (CALENDAR, "13:00", "uma da tarde", "linha 4", "há data ou hora que não pode ser lida"),
        (CALENDAR, "2026-12-25,H", "2026-12-25,F", "linha 2", "O tipo de dia 'F' não existe"),
        (CALENDAR, "não", "talvez", "linha 3", "expediente_fechado deve ser sim ou não"),
        (CALENDAR, "Decreto 9", "", "linha 3", "falta o ato que fecha o dia"),
        (CALENDAR, "em_vigor_desde", "vigor", "em_vigor_desde", "falta a coluna"),
    ],
)
def test_each_fault_of_a_table_is_named_by_its_line(
    content: Files, path: str, old: str, new: str, where: str, told: str
):
    text = content[path].decode()
    assert old in text
    content[path] = text.replace(old, new, 1).encode()
    assert told in faults_of(content)[f"{path} [{where}]"]


def test_a_day_written_twice_is_named(content: Files):
    lines = content[CALENDAR].decode().splitlines()
    content[CALENDAR] = "\n".join([*lines, lines[1]]).encode()
    assert faults_of(content) == {f"{CALENDAR} [linha 5]": "a linha repete outra do dia 2026-12-25"}


def test_a_table_in_another_encoding_is_named(content: Files):
    content[COMPETENCES] = "ato,papel,artigo,nota\njulgar,membro,Art. 2º,\n".encode("latin-1")
    # 22 bytes of header and its line break, 20 of "julgar,membro,Art. 2" and then the º of latin-1.
    assert faults_of(content)[f"{COMPETENCES} [linha 2]"] == (
        "o arquivo não está em UTF-8: byte 0xba na posição 42"
    )


def form(content: Files, **changes: object) -> Files:
    schema = json.loads(content[FORM]) | changes
    return content | {FORM: json.dumps(schema).encode()}


def with_field(content: Files, **field: object) -> Files:
    schema = json.loads(content[FORM])
    schema["properties"]["novo"] = {"type": "string", "title": "Novo"} | field
    return content | {FORM: json.dumps(schema).encode()}


def test_a_schema_that_is_no_schema_is_named(content: Files):
    told = faults_of(with_field(content, type="palavra"))
    assert told[f"{FORM} [properties.novo.type]"].startswith("o JSON Schema é inválido: ")


@pytest.mark.parametrize("rules", [3, [3], [{"then": {"properties": 3}}], [{"then": False}]])
def test_a_schema_with_broken_conditions_is_told_and_breaks_nothing_else(content: Files, rules: object):
    content = form(content, allOf=rules)
    assert all(
        "motivo" in told or "JSON Schema" in told or told == "deve ser um objeto"
        for told in faults_of(content).values()
    )


def test_a_field_from_an_unknown_table_or_register_is_named(content: Files):
    assert faults_of(with_field(content, **{"x-tabela": "taxas"})) == {
        f"{FORM} [novo]": "a tabela 'taxas' não existe na norma"
    }
    assert faults_of(with_field(content, **{"x-registro": "gado"})) == {
        f"{FORM} [novo]": "o registro 'gado' não existe"
    }


@pytest.mark.parametrize("odd", [[], {}, None, 3])
def test_a_table_or_order_of_another_type_is_a_fault_like_any_other(content: Files, odd: object):
    assert "não existe na norma" in faults_of(with_field(content, **{"x-tabela": odd}))[f"{FORM} [novo]"]
    told = faults_of(content | {UI: json.dumps({"ui:order": [odd]}).encode()})
    assert "não existe no formulário" in told[f"{UI} [ui:order]"]


def test_an_order_that_is_no_list_is_named(content: Files):
    content[UI] = b'{"ui:order": 3}'
    assert faults_of(content) == {f"{UI} [ui:order]": "deve ser uma lista de campos"}


def test_an_order_of_fields_that_do_not_exist_is_named(content: Files):
    content[UI] = b'{"ui:order": ["fato", "cor"]}'
    assert faults_of(content) == {f"{UI} [ui:order]": "o campo 'cor' não existe no formulário"}


@pytest.mark.parametrize(
    ("data", "where", "told"),
    [
        (b"{", UI, "o JSON não pode ser lido"),
        (b"[]", UI, "esperava-se um objeto JSON"),
        (b'{"a": 1, "a": 2}', f"{UI} [a]", "chave repetida"),
        (b"{\n\xff", f"{UI} [linha 2]", "byte 0xff na posição 2"),
        ("{}".encode("utf-16"), UI, "parece estar em UTF-16"),
        ("{}".encode("utf-16-le"), UI, "parece estar em UTF-16"),
    ],
)
def test_a_form_that_is_no_json_object_is_named(content: Files, data: bytes, where: str, told: str):
    content[UI] = data
    assert told in faults_of(content)[where]


def test_a_file_in_a_folder_of_the_forms_is_no_form(content: Files):
    content["forms/vila/documentos/x-schema.json"] = b"{"
    assert set(load_norm(content).forms) == {"auto"}
