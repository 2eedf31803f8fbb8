"""Furnishing a database: norm and calendar for every installation, invented people and carriers for demo and stories.

What is furnished comes from content: `bpmn/<slug>/` and its `demonstracao.toml`. Every row is written by the same acts
that people use, so a demo's journal verifies like any other.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import select

from app import people
from app.cases.vocabulary import LANGUAGE
from app.demo.given import given
from app.demo.shapes import Place
from app.errors import Invalid
from app.law.calendar import Closure
from app.law.content.raw import MAX_FILE, read_toml
from app.law.content.sections import Faults
from app.law.norm import Norm, load_norm
from app.registry import calendar, carriers, norms, occurrences, values
from app.store import INSTALLER, Store, Tx
from app.store.tables import norm_version

_T = TypeVar("_T")

FILE = "demonstracao.toml"


@dataclass
class World:
    """Ids of what was furnished, by the short names that stories use."""

    people: dict[str, str] = field(default_factory=dict)
    carriers: dict[str, str] = field(default_factory=dict)
    grants: dict[str, str] = field(default_factory=dict)
    staff: dict[str, str] = field(default_factory=dict)


def install(store: Store, content_dir: Path, slug: str) -> Norm:
    """Publishes the norm and its calendar once; later calls change nothing. Gives the norm in force."""
    with store.read() as reader:
        if reader.first(select(norm_version.c.digest).where(norm_version.c.slug == slug)):
            return norms.in_force(reader, slug, reader.now)
    files = content(content_dir, slug)
    with store.act(INSTALLER) as tx:
        norm = norms.publish(tx, files, None, "Instalação do sistema", language=LANGUAGE)
        calendar.record(tx, norm.calendar_rows)
    return norm


def content(content_dir: Path, slug: str) -> dict[str, bytes]:
    """The files of a municipality's norm. Raises Invalid naming those there are, when this one is not."""
    there = sorted(path.parent.name for path in content_dir.glob("bpmn/*/norma.toml"))
    if slug not in there:
        raise Invalid(
            f"Não há o município {slug} (bpmn/{slug}/norma.toml) em {content_dir}. "
            + (f"Há: {', '.join(there)}." if there else "Confira TRAMITA_CONTENT_DIR."),
            code="norma.inexistente",
        )
    return norms.read_content(content_dir, slug)


def zone_of(content_dir: Path, slug: str) -> ZoneInfo:
    """Where the municipality's clocks stand, by its norm, without reading the rest of it."""
    path, faults = content_dir / "bpmn" / slug / "norma.toml", Faults()
    if path.is_file() and path.stat().st_size <= MAX_FILE:
        with suppress(ValueError, KeyError, TypeError, OSError, ZoneInfoNotFoundError):
            return ZoneInfo(read_toml(path.read_bytes(), path.name, faults)["norma"]["fuso"])
    return load_norm(content(content_dir, slug)).zone  # says everything that is wrong with it


def demo_world(content_dir: Path, slug: str) -> Mapping[str, Any]:
    """The municipality's invented world, or an empty one when it brings none."""
    path = content_dir / "bpmn" / slug / FILE
    if not path.exists():
        return {}
    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:  # neither UTF-8 nor TOML
        raise Invalid(f"bpmn/{slug}/{FILE} não pode ser lido: {error}") from None
    return given(Place(f"bpmn/{slug}/{FILE}"), told)


def furnish(store: Store, norm: Norm, world: Mapping[str, Any], into: World | None = None) -> World:
    """Adds people, carriers, staff, closed days, earlier occurrences and values; `into` keeps the names from before."""
    known = into or World()
    if days := world.get("feriados"):
        with store.act(INSTALLER) as tx:
            calendar.record(tx, [_closure(spec) for spec in days])
    for spec in world.get("pessoas", []):
        with store.act(INSTALLER) as tx:
            known.people[spec["login"]] = _person(tx, norm, spec)
    for spec in world.get("transportadores", []):
        with store.act(INSTALLER) as tx:
            _carrier(tx, spec, known)
    for spec in world.get("pessoal", []):
        with store.act(INSTALLER) as tx:
            known.staff[spec["chave"]] = carriers.register_staff(
                tx,
                _named(known.carriers, spec["transportador"], "transportador"),
                spec["nome"],
                spec["categoria"],
                spec["matricula"],
                spec["desde"],
            )
    for spec in world.get("valores", []):
        with store.act(INSTALLER) as tx:
            day = spec.get("desde", date(2025, 1, 1))
            values.record(tx, norm, spec["chave"], str(spec["valor"]), day, spec["ato"], fixture=True)
    for spec in world.get("antecedentes", []):
        with store.act(INSTALLER) as tx:
            _antecedent(tx, norm, spec, known)
    return known


def _closure(spec: Mapping[str, Any]) -> Closure:
    return Closure(
        day=spec["data"],
        kind=spec["tipo"],
        name=spec["nome"],
        scope=spec.get("ambito", "municipal"),
        opens_at=_clock(spec.get("abre")),
        closes_at=_clock(spec.get("fecha")),
        office_closed=spec.get("expediente_fechado", False),
        act=spec["ato"],
        published_on=spec.get("publicado_em"),
        in_force_from=spec.get("em_vigor_desde"),
    )


def _clock(text: str | None) -> time | None:
    return time.fromisoformat(text) if text else None


def _person(tx: Tx, norm: Norm, spec: Mapping[str, Any]) -> str:
    for role in spec["papeis"]:
        _named(norm.roles, role, "papel")
    seats = {
        seat.key: (seat.role, board.alternate_role) for board in norm.boards.values() for seat in board.seats
    }
    sitting = _named(seats, spec["assento"], "assento") if "assento" in spec else ()
    person_id = people.register(tx, spec["login"], spec["nome"], str(spec["matricula"]))
    if "email" in spec:
        people.set_email(tx, spec["login"], spec["email"])
    for role in spec["papeis"]:
        seat = spec["assento"] if role in sitting else None
        since = spec.get("desde", date(2025, 1, 1))
        people.appoint(tx, person_id, role, since, spec.get("ato", "Portaria de demonstração"), seat=seat)
    return person_id


def _carrier(tx: Tx, spec: Mapping[str, Any], known: World) -> None:
    carrier_id = carriers.register_carrier(tx, spec["nome"], spec["cnpj"], spec["desde"])
    known.carriers[spec["chave"]] = carrier_id
    for grant in spec.get("outorgas", []):
        known.grants[grant["linha"]] = carriers.grant_line(
            tx, carrier_id, grant["linha"], grant["regime"], grant["desde"], grant.get("ate")
        )


def _antecedent(tx: Tx, norm: Norm, spec: Mapping[str, Any], known: World) -> None:
    name = spec["infrator"]
    if name in known.staff:
        infringer = f"pessoal:{known.staff[name]}"
        carrier_id = carriers.staff_by_id(tx, known.staff[name])["carrier_id"]
    else:
        carrier_id = _named(known.carriers, name, "transportador")
        infringer = carriers.stream_of(carrier_id)
    line = spec.get("outorga")
    codes = {row.key: row.key for table in norm.tables.values() for row in table.rows}
    occurrences.record(
        tx,
        infringer,
        carrier_id,
        _named(known.grants, line, "outorga") if line else None,
        _named(codes, spec["codigo"], "código de infração"),
        spec["data"],
        case_id=None,
        status=spec["situacao"],
        source=spec.get("fonte", "registro anterior ao sistema"),
    )


def _named(names: Mapping[str, _T], name: str, what: str) -> _T:
    if name not in names:
        raise Invalid(f"Não há {what} chamado {name}. Há: {', '.join(sorted(names)) or 'nenhum'}.")
    return names[name]
