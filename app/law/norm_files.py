"""The files beside `norma.toml`: CSV tables, the calendar, forms and the TOML text itself, with their faults.

Turns bytes into plain values; what the values mean together is for `norm.py`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from datetime import date, time

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from app.errors import Invalid
from app.law.calendar import Closure
from app.law.norm_reading import Faults
from app.law.provisions import ArticleNote, Competence, Table
from app.values import Json

CALENDAR_COLUMNS = (
    "data",
    "tipo",
    "nome",
    "ambito",
    "abre",
    "fecha",
    "expediente_fechado",
    "ato",
    "publicado_em",
    "em_vigor_desde",
)
REVOCATION_COLUMNS = ("revogado_por", "revogado_em")
REGISTERS = frozenset({"transportador", "pessoal", "outorga"})
#: Where a document field may come from, besides `formulario.…`, `dado.…`, `unidades.…`, `prazo.…` and `texto:…`.
SOURCES = frozenset(
    {
        "caso.numero",
        "caso.aberto_em",
        "infrator.nome",
        "infrator.documento",
        "transportador.nome",
        "outorga.linha",
        "autor.nome",
        "autor.matricula",
        "autor.cargo",
        "ato.data",
        "multa.codigo",
        "multa.descricao",
        "multa.artigo",
        "multa.certeza",
        "multa.nota",
        "cobranca.ufp",
        "cobranca.valor",
        "cobranca.pago",
        "cobranca.devolucao",
        "votos",
    }
)
_FLAGS = {
    "sim": True,
    "true": True,
    "1": True,
    "não": False,
    "nao": False,
    "false": False,
    "0": False,
    "": False,
}
_POSITION = re.compile(r"\(at line (\d+), column \d+\)")


def read_toml(data: bytes, file: str, faults: Faults) -> dict[str, Json]:
    """The TOML document; a repeated key is a fault that shows its line."""
    try:
        text = data.decode("utf-8")
        return tomllib.loads(text)
    except UnicodeDecodeError:
        faults.add(file, "", "o arquivo não está em UTF-8")
    except tomllib.TOMLDecodeError as error:
        what = "chave repetida" if "overwrite" in str(error) or "twice" in str(error) else "TOML inválido"
        found = _POSITION.search(str(error))
        number = int(found[1]) if found else len(text.splitlines())
        line = next(iter(text.splitlines()[number - 1 : number]), "").strip()
        faults.add(file, f"linha {number}", f"{what}: {line or 'fim do arquivo'}")
    return {}


def read_rows(
    files: Mapping[str, bytes],
    file: str,
    columns: tuple[str, ...],
    faults: Faults,
    optional: tuple[str, ...] = (),
) -> Iterator[tuple[str, dict[str, str]]]:
    """Rows of a CSV with their line (`linha 3`). `columns` must exist; `optional` ones read as empty."""
    if file not in files:
        faults.add(file, "", "o arquivo não existe")
        return
    try:
        text = files[file].decode("utf-8-sig")
    except UnicodeDecodeError:
        faults.add(file, "", "o arquivo não está em UTF-8")
        return
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = list(reader.fieldnames or ())
        for name in columns:
            if name not in names:
                faults.add(file, name, "falta a coluna")
        for name in sorted({name for name in names if names.count(name) > 1}):
            faults.add(file, name, "a coluna aparece mais de uma vez")
        for row in reader:
            line = f"linha {reader.line_num}"
            if None in row or None in row.values():
                faults.add(file, line, "a linha não tem uma célula por coluna")
                continue
            yield line, {name: row.get(name, "").strip() for name in (*names, *columns, *optional)}
    except csv.Error as error:
        faults.add(file, f"linha {reader.reader.line_num}", f"o CSV não pode ser lido ({error})")


def read_table(
    files: Mapping[str, bytes], folder: str, key: str, name: str, column: str, settings: Json, faults: Faults
) -> Table:
    """A table of the law by the value of its key column; a repeated or empty key is a fault."""
    rows: dict[str, Mapping[str, str]] = {}
    file = folder + name
    for line, row in read_rows(files, file, (column,), faults):
        if not row[column]:
            faults.add(file, line, f"a coluna {column} está vazia")
        if row[column] in rows:
            faults.add(file, line, f"a chave {row[column]} já apareceu")
        rows[row[column]] = row
    return Table(key, name, column, rows, settings)


def read_competences(
    files: Mapping[str, bytes], file: str, roles: Mapping[str, object], faults: Faults
) -> tuple[Competence, ...]:
    """`competencias.csv`: every role must exist and every row has its article."""
    found: list[Competence] = []
    seen: set[tuple[str, str]] = set()
    for line, row in read_rows(files, file, ("ato", "papel", "artigo", "nota"), faults):
        competence = Competence(row["ato"], row["papel"], row["artigo"], row["nota"])
        if not competence.act:
            faults.add(file, line, "falta o ato")
        if competence.role not in roles:
            faults.add(file, line, f"o papel {competence.role!r} não existe na norma")
        if not competence.article:
            faults.add(file, line, "falta o artigo que fundamenta")
        if (competence.act, competence.role) in seen:
            faults.add(file, line, f"a competência de {competence.role} para {competence.act} já apareceu")
        seen.add((competence.act, competence.role))
        found.append(competence)
    return tuple(found)


def read_articles(files: Mapping[str, bytes], file: str, faults: Faults) -> tuple[ArticleNote, ...]:
    """`artigos.csv`: each article says where it lives or why it does not."""
    found = []
    for line, row in read_rows(files, file, ("artigo", "onde", "nota"), faults):
        if not row["artigo"]:
            faults.add(file, line, "falta o artigo")
        if not row["onde"] and not row["nota"]:
            faults.add(file, line, "falta dizer onde o artigo está ou por que não foi modelado")
        found.append(ArticleNote(row["artigo"], row["onde"], row["nota"]))
    return tuple(found)


def read_calendar(files: Mapping[str, bytes], file: str, faults: Faults) -> tuple[Closure, ...]:
    """`calendario.csv`: one row per day and act. A closed day without its act could not be shown in a trace."""
    found: list[Closure] = []
    for line, row in read_rows(files, file, CALENDAR_COLUMNS, faults, REVOCATION_COLUMNS):
        if row["expediente_fechado"].lower() not in _FLAGS:
            faults.add(file, line, "expediente_fechado deve ser sim ou não")
            continue
        if not row["ato"]:
            faults.add(file, line, "falta o ato que fecha o dia")
        try:
            closure = _closure(row)
        except ValueError:
            faults.add(file, line, "há data ou hora que não pode ser lida (use aaaa-mm-dd e hh:mm)")
        except Invalid as error:
            faults.add(file, line, error.message)
        else:
            if closure in found:
                faults.add(file, line, f"a linha repete outra do dia {row['data']}")
            found.append(closure)
    return tuple(found)


def _closure(row: Mapping[str, str]) -> Closure:
    return Closure(
        day=date.fromisoformat(row["data"]),
        kind=row["tipo"],
        scope=row["ambito"],
        name=row["nome"],
        opens_at=time.fromisoformat(row["abre"]) if row["abre"] else None,
        closes_at=time.fromisoformat(row["fecha"]) if row["fecha"] else None,
        act=row["ato"],
        published_on=_day(row["publicado_em"]),
        in_force_from=_day(row["em_vigor_desde"]),
        office_closed=_FLAGS[row["expediente_fechado"].lower()],
        revoked_by=row["revogado_por"] or None,
        revoked_on=_day(row["revogado_em"]),
    )


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


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
        schema = _json(files[file], file, faults)
        ui = _ui(files, f"{folder}{form}-uischema.json", schema, faults)
        _check_schema(schema, file, tables, faults)
        forms[form] = (schema, ui)
    return forms


def _ui(files: Mapping[str, bytes], file: str, schema: Json, faults: Faults) -> Json:
    if file not in files:
        faults.add(file, "", "o arquivo não existe")
        return {}
    ui = _json(files[file], file, faults)
    order, known = ui.get("ui:order", []), ["*", *form_fields(schema)]
    if not isinstance(order, list):
        faults.add(file, "ui:order", "deve ser uma lista de campos")
        return ui
    for name in order:
        if name not in known:
            faults.add(file, "ui:order", f"o campo {name!r} não existe no formulário")
    return ui


def _check_schema(schema: Json, file: str, tables: Mapping[str, object], faults: Faults) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        path = ".".join(str(part) for part in error.absolute_path)
        faults.add(file, path, f"o JSON Schema é inválido: {error.message}")
        return
    for name, field in form_fields(schema).items():
        # Lists, because what stands in a file need not be hashable.
        if "x-tabela" in field and field["x-tabela"] not in list(tables):
            faults.add(file, name, f"a tabela {field['x-tabela']!r} não existe na norma")
        if "x-registro" in field and field["x-registro"] not in list(REGISTERS):
            faults.add(file, name, f"o registro {field['x-registro']!r} não existe")


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


def source_problem(
    source: str, forms: Mapping[str, tuple[Json, Json]], deadlines: Collection[str]
) -> str | None:
    """Why a document field cannot get its value, or None."""
    kind, _, rest = source.partition(".")
    if (
        not source
        or source.startswith("texto:")
        or source in SOURCES
        or (kind in ("dado", "unidades") and rest)
    ):
        return None
    if kind == "prazo":
        return None if rest in deadlines else f"o prazo {rest!r} não existe na norma"
    if kind == "formulario":
        form, _, name = rest.partition(".")
        if form not in forms:
            return f"o formulário {form!r} não existe na norma"
        return (
            None if name in form_fields(forms[form][0]) else f"o formulário {form} não tem o campo {name!r}"
        )
    return f"a origem {source!r} não existe"


def content_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the sorted paths and bytes; each is preceded by its length, so that none can run into another."""
    total = hashlib.sha256()
    for path in sorted(files):
        for part in (path.encode(), files[path]):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def _json(data: bytes, file: str, faults: Faults) -> Json:
    def once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        names = [name for name, _ in pairs]
        for name in sorted({name for name in names if names.count(name) > 1}):
            faults.add(file, name, "chave repetida")
        return dict(pairs)

    try:
        value = json.loads(data, object_pairs_hook=once)
    except ValueError as error:
        faults.add(file, "", f"o JSON não pode ser lido ({error})")
        return {}
    if not isinstance(value, dict):
        faults.add(file, "", "esperava-se um objeto JSON")
        return {}
    return value
