"""The forms beside `norma.toml`: JSON Schemas that are whole in their own file, with their uiSchema.

A form is written out in full. References are refused, also local ones: nothing that a form says may be fetched, and
no other part of the machine follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from jsonschema import Draft202012Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from app.law.content.raw import read_json
from app.law.content.sections import Faults
from app.values import Json, Money

MAX_VALUES = 2_000  # in one schema: checking one takes half a millisecond for each subschema
MAX_PATTERN = 200  # characters of a `pattern`
MAX_TOLD = 50  # faults told of one schema by its metaschema
DIALECT = "https://json-schema.org/draft/2020-12/schema"
REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
NAMES = frozenset({"$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"})
REGISTERS = frozenset({"transportador", "pessoal", "outorga"})
# A repetition of a group that itself repeats without end: its matching may take longer than anybody waits.
_RUNAWAY = re.compile(r"\([^()]*(?:[*+]|\{\d+,\})[^()]*\)(?:[*+]|\{\d*,)")


def read_forms(
    files: Mapping[str, bytes], folder: str, tables: Mapping[str, object], faults: Faults
) -> dict[str, tuple[Json, Json]]:
    """Every `<form>-schema.json` of the folder with its `<form>-uischema.json`."""
    forms: dict[str, tuple[Json, Json]] = {}
    for file in sorted(files):
        name = file.removeprefix(folder)
        if not file.startswith(folder) or "/" in name or not name.endswith("-schema.json"):
            continue
        form = name.removesuffix("-schema.json")
        schema = read_json(files[file], file, faults)
        if _count(schema) > MAX_VALUES:
            faults.add(file, "", f"o formulário tem mais de {MAX_VALUES} valores")
            schema = {}
        forms[form] = (schema, _ui(files, f"{folder}{form}-uischema.json", schema, faults))
        _check_schema(schema, file, tables, faults)
    return forms


def form_fields(schema: Json) -> dict[str, Json]:
    """Every field of a form by name: its properties and those that a condition (`allOf`) adds."""
    fields: dict[str, Json] = {}
    branches = [schema]
    for rule in schema.get("allOf", []) if isinstance(schema.get("allOf", []), list) else []:
        branches += [rule[key] for key in ("then", "else") if isinstance(rule, dict) and key in rule]
    for branch in branches:
        properties = branch.get("properties", {}) if isinstance(branch, dict) else {}
        for name, field in properties.items() if isinstance(properties, dict) else ():
            if isinstance(field, dict):
                fields[name] = {**fields.get(name, {}), **field}
    return fields


def _ui(files: Mapping[str, bytes], file: str, schema: Json, faults: Faults) -> Json:
    if file not in files:
        faults.add(file, "", "o arquivo não existe")
        return {}
    ui = read_json(files[file], file, faults)
    order, known = ui.get("ui:order", []), {"*", *form_fields(schema)}
    for name, told in ui.items():
        if name in known and not isinstance(told, dict):
            faults.add(file, name, "deve ser um objeto")
    if not isinstance(order, list):
        faults.add(file, "ui:order", "deve ser uma lista de campos")
        return ui
    for name in order:
        if not isinstance(name, str) or name not in known:
            faults.add(file, "ui:order", f"o campo {name!r} não existe no formulário")
    return ui


def _check_schema(schema: Json, file: str, tables: Mapping[str, object], faults: Faults) -> None:
    validator = Draft202012Validator(Draft202012Validator.META_SCHEMA, registry=REGISTRY)
    found = [*_references(schema, ""), *_patterns(schema, "")]
    if schema.get("$schema", DIALECT) != DIALECT:
        found.append(("$schema", f"o formulário deve ser JSON Schema 2020-12 ({DIALECT})"))
    for error in islice(validator.iter_errors(schema), MAX_TOLD):
        path = ".".join(str(part) for part in error.absolute_path)
        found.append((path, f"o JSON Schema é inválido: {error.message}"))
    for path, told in found or _shape(schema, tables):
        faults.add(file, path, told)


def _references(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """Where a schema points elsewhere, or gives itself a name to be pointed at."""
    for name, part, where in _parts(value, path):
        if name in REFERENCES:
            yield where, f"aponta para {str(part)!r}: um formulário é escrito por extenso, nada é buscado"
        elif name in NAMES or (name == "$schema" and path):
            yield where, "não é permitido em formulário"
        yield from _references(part, where)


def _patterns(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """Regular expressions that do not compile or that could keep a validation busy for ever."""
    for name, part, where in _parts(value, path):
        if name == "pattern" and isinstance(part, str):
            yield from ((where, told) for told in _pattern_problems(part))
        if name == "patternProperties" and isinstance(part, dict):
            yield from ((where, told) for key in part for told in _pattern_problems(key))
        yield from _patterns(part, where)


def _pattern_problems(pattern: str) -> Iterator[str]:
    if len(pattern) > MAX_PATTERN:
        yield f"o padrão tem mais de {MAX_PATTERN} caracteres"
        return
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        yield f"o padrão não é uma expressão regular ({error})"
        return
    bare = re.sub(r"\[[^\]]*\]", "x", re.sub(r"\\.", "x", pattern))
    if _RUNAWAY.search(bare):
        yield "o padrão repete um grupo que já se repete: a conferência poderia não terminar"


def _shape(schema: Json, tables: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """What a schema may be but a form may not: the pages and the checks count on fields that are objects."""
    if schema.get("type", "object") != "object":
        yield "type", "um formulário é um objeto"
    for name, field in schema.get("properties", {}).items():
        if not isinstance(field, dict):
            yield f"properties.{name}", "o campo deve ser um objeto"
    for number, rule in enumerate(schema.get("allOf", []), 1):
        if not isinstance(rule, dict):
            yield f"allOf[{number}]", "a condição deve ser um objeto"
            continue
        for side in ("if", "then", "else"):
            branch = rule.get(side, {})
            if not isinstance(branch, dict):
                yield f"allOf[{number}].{side}", "deve ser um objeto"
            elif side != "if" and any(field is True for field in branch.get("properties", {}).values()):
                yield f"allOf[{number}].{side}", "o campo deve ser um objeto, ou false"
    for name, field in form_fields(schema).items():
        yield from ((name, told) for told in _field_problems(field, tables))


def _field_problems(field: Mapping[str, Json], tables: Mapping[str, object]) -> Iterator[str]:
    table, register = field.get("x-tabela"), field.get("x-registro")
    if "x-tabela" in field and not (isinstance(table, str) and table in tables):
        yield f"a tabela {table!r} não existe na norma"
    if "x-registro" in field and not (isinstance(register, str) and register in REGISTERS):
        yield f"o registro {register!r} não existe"
    if not all(isinstance(option, dict) and "const" in option for option in field.get("oneOf", [])):
        yield "cada opção de oneOf deve trazer const"
    if field.get("x-busca") and field.get("x-pessoal"):
        yield "x-busca não cabe em dado pessoal (x-pessoal): o que está selado não se procura"
    try:
        Money.parse(str(field.get("x-minimo", "0")))
    except ValueError:
        yield f"x-minimo {field['x-minimo']!r} não é um valor"
    below = field.get("x-menor-que", "x")
    if not (isinstance(below, str) and below.isidentifier()):
        yield f"x-menor-que {below!r} não é nome de dado do diagrama"
    elif "x-menor-que" in field and field.get("format") != "decimal":
        yield "x-menor-que é só de valores (format: decimal)"


def _parts(value: Json, path: str) -> Iterator[tuple[str, Json, str]]:
    """The members of an object or a list: name, value, path."""
    if isinstance(value, dict):
        yield from ((name, part, f"{path}.{name}".lstrip(".")) for name, part in value.items())
    elif isinstance(value, list):
        yield from (("", part, f"{path}[{number}]") for number, part in enumerate(value, 1))


def _count(value: Json) -> int:
    return 1 + sum(_count(part) for _, part, _ in _parts(value, ""))
