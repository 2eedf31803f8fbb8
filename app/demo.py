"""Furnishing a database: norm and calendar for every installation, invented people and carriers for demo and stories.

What is furnished comes from content: `bpmn/<slug>/` and its `demonstracao.toml`. Every row is written by the same acts
that people use, so a demo's journal verifies like any other.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import Any

from sqlalchemy import select

from app import people
from app.errors import Invalid
from app.law.calendar import Closure
from app.law.norm import Norm
from app.registry import calendar, carriers, norms, occurrences, values
from app.store import INSTALLER, Store, Tx
from app.store.tables import norm_version

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
    files = norms.read_content(content_dir, slug)
    with store.act(INSTALLER) as tx:
        norm = norms.publish(tx, files, _first_day(files, slug), "Instalação do sistema")
        calendar.record(tx, norm.calendar_rows)
    return norm


def demo_world(content_dir: Path, slug: str) -> Mapping[str, Any]:
    """The municipality's invented world, or an empty one when it brings none."""
    path = content_dir / "bpmn" / slug / FILE
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def furnish(store: Store, norm: Norm, world: Mapping[str, Any], into: World | None = None) -> World:
    """Adds people, carriers, staff, closed days, earlier occurrences and values; `into` keeps the names from before."""
    known = into or World()
    if days := world.get("feriados"):
        with store.act(INSTALLER) as tx:
            calendar.record(tx, [_closure(spec) for spec in days])
    for spec in world.get("pessoas", []):
        with store.act(INSTALLER) as tx:
            known.people[spec["login"]] = _person(tx, spec)
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
            _antecedent(tx, spec, known)
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


def _person(tx: Tx, spec: Mapping[str, Any]) -> str:
    person_id = people.register(tx, spec["login"], spec["nome"], str(spec["matricula"]))
    for role in spec["papeis"]:
        seat = spec.get("assento") if role.endswith("_comissao") else None
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


def _antecedent(tx: Tx, spec: Mapping[str, Any], known: World) -> None:
    name = spec["infrator"]
    if name in known.staff:
        infringer = f"pessoal:{known.staff[name]}"
        carrier_id = carriers.staff_by_id(tx, known.staff[name])["carrier_id"]
    else:
        carrier_id = _named(known.carriers, name, "transportador")
        infringer = f"transportador:{carrier_id}"
    line = spec.get("outorga")
    occurrences.record(
        tx,
        infringer,
        carrier_id,
        _named(known.grants, line, "outorga") if line else None,
        spec["codigo"],
        spec["data"],
        case_id=None,
        status=spec["situacao"],
        source=spec.get("fonte", "registro anterior ao sistema"),
    )


def _named(names: Mapping[str, str], name: str, what: str) -> str:
    if name not in names:
        raise Invalid(f"Não há {what} chamado {name}. Há: {', '.join(sorted(names)) or 'nenhum'}.")
    return names[name]


def _first_day(files: Mapping[str, bytes], slug: str) -> date:
    told = tomllib.loads(files[f"bpmn/{slug}/norma.toml"].decode("utf-8"))
    day: date = told["norma"]["publicada_em"]
    return day
