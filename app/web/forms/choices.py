"""What may be chosen in a field: options of the schema, records of the registry, rows of a table of the law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.errors import NotFound
from app.law.norm import Norm, Table
from app.registry import carriers
from app.store import Reader
from app.values import Json
from app.web.language import N_

REGIMES = {"concessao": "concessão", "permissao": "permissão", "autorizacao": "autorização"}


@dataclass(frozen=True)
class Option:
    """One thing to choose, with the heading it stands under and what choosing it causes."""

    value: str
    text: str
    group: str = ""
    help: str = ""


def choices_of(reader: Reader, norm: Norm, spec: Mapping[str, Any]) -> tuple[Option, ...] | None:
    """The options of a field, or None when it is typed freely."""
    if kind := spec.get("x-registro"):
        return tuple(_REGISTRY[kind](reader))
    if table := spec.get("x-tabela"):
        return tuple(_rows(norm, norm.tables[table], reader.now.astimezone(norm.zone).date()))
    if spec.get("type") == "boolean":
        return (Option("true", N_("Sim")), Option("false", N_("Não")))
    if "oneOf" in spec:
        return tuple(_option(o) for o in spec["oneOf"])
    return tuple(Option(str(v), str(v)) for v in spec["enum"]) if "enum" in spec else None


def _option(spec: Mapping[str, Any]) -> Option:
    value = str(spec["const"])
    return Option(value, spec.get("title", value), help=spec.get("description", ""))


def called(reader: Reader, norm: Norm, spec: Mapping[str, Any], value: Json) -> str | None:
    """How the chosen record or row is called; None when the field chooses neither."""
    if table := spec.get("x-tabela"):
        row = norm.tables[table].known_on(str(value), reader.now.astimezone(norm.zone).date()) or {}
        return f"{value} — {row['descricao']}" if row.get("descricao") else str(value)
    look = _NAMES.get(spec.get("x-registro", ""))
    if look is None:
        return None
    try:
        return look(reader, str(value))
    except NotFound:
        return str(value)


def reading_of(table: Table, row: Mapping[str, str]) -> str:
    """How a row was read in the law's text, in the norm's words, unless it was read with certainty."""
    certainty, words = row.get("certeza", ""), table.settings.get("certezas", {})
    return "" if certainty in ("", "certo") else str(words.get(certainty, certainty))


def _carriers(reader: Reader) -> Iterator[Option]:
    for key, called in _carriers_called(reader).items():
        yield Option(key, called)


def _grants(reader: Reader) -> Iterator[Option]:
    """Under their carriers: the heading is what the carrier's own field says, two of one name included."""
    called = _carriers_called(reader)
    rows = carriers.all_grants(reader)
    for row in sorted(rows, key=lambda row: called.get(row["carrier_id"], "")):
        text = f"{row['line']} ({REGIMES.get(row['regime'], row['regime'])})"
        yield Option(row["id"], text, called.get(row["carrier_id"], ""))


def _staff(reader: Reader) -> Iterator[Option]:
    called = _carriers_called(reader)
    for row in carriers.all_staff(reader):
        text = f"{row['name']} ({row['category'].replace('_', ' ')}, {row['registration']})"
        yield Option(row["id"], text, called.get(row["carrier_id"], ""))


def _carriers_called(reader: Reader) -> dict[str, str]:
    """Carriers by name and CNPJ, in the order of their names."""
    return {r["id"]: f"{r['name']} (CNPJ {r['document']})" for r in carriers.all_carriers(reader)}


def _rows(norm: Norm, table: Table, day: date) -> Iterator[Option]:
    """A row as `I-01 — what it is (5 UFP)`; a value that the law's text does not surely give is said, not hidden."""
    for key, row in table.on(day).items():
        what = f" — {row['descricao']}" if row.get("descricao") else ""
        worth = table.amount(row)
        amount = f" ({worth} {norm.unit_name})" if worth else ""
        doubt = reading_of(table, row)
        warning = f" (ATENÇÃO: {doubt})" if doubt else ""
        group = f"Grupo {row['grupo']}" if row.get("grupo") else ""
        yield Option(key, f"{key}{what}{amount}{warning}", group)


def _carrier_name(reader: Reader, record: str) -> str:
    return str(carriers.carrier_by_id(reader, record)["name"])


def _grant_name(reader: Reader, record: str) -> str:
    return str(carriers.grant_by_id(reader, record)["line"])


def _staff_name(reader: Reader, record: str) -> str:
    row = carriers.staff_by_id(reader, record)
    return f"{carriers.staff_name(reader, row)} ({row['registration']})"


_REGISTRY = {"transportador": _carriers, "outorga": _grants, "pessoal": _staff}
_NAMES = {"transportador": _carrier_name, "outorga": _grant_name, "pessoal": _staff_name}
