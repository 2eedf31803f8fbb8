"""Who works here, which office each one holds and since which act. Competence itself is decided in `cases`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, insert, or_, select

from app import audit
from app.errors import Conflict
from app.store import Reader, Row, Tx
from app.store.registry_tables import appointment, person

_MACHINES = {"instalacao": "Instalação", "prensa": "Prensa de documentos"}


@dataclass(frozen=True)
class Office:
    """A role held by a person on a day, by an act. `seat` is the chair in a board, when it has one."""

    person_id: str
    name: str
    role: str
    seat: str | None
    act: str


def register(tx: Tx, login: str, name: str, registration: str) -> str:
    """Adds a person of the administration; `registration` is the matrícula. Gives the id."""
    if tx.first(select(person.c.id).where(person.c.login == login)):
        raise Conflict(f"Já existe uma pessoa com o acesso {login}.", code="pessoa.repetida")
    person_id = tx.new_id()
    tx.write(
        insert(person).values(id=person_id, login=login, name=name, registration=registration, active=True)
    )
    audit.append(tx, f"pessoa:{person_id}", "register_person", {"login": login, "registration": registration})
    return person_id


def appoint(
    tx: Tx,
    person_id: str,
    role: str,
    since: date,
    act: str,
    *,
    seat: str | None = None,
    until: date | None = None,
) -> None:
    """Records an appointment in force from `since` to `until` (inclusive), by the act named."""
    row = {"person_id": person_id, "role": role, "seat": seat, "since": since, "until": until, "act": act}
    appointment_id = tx.new_id()
    tx.write(insert(appointment).values(id=appointment_id, **row))
    body = {
        **row,
        "id": appointment_id,
        "since": since.isoformat(),
        "until": until.isoformat() if until else None,
    }
    audit.append(tx, f"pessoa:{person_id}", "appoint", body)


def by_login(reader: Reader, login: str) -> Row | None:
    return reader.first(select(person).where(person.c.login == login, person.c.active))


def by_id(reader: Reader, person_id: str) -> Row:
    return reader.one(select(person).where(person.c.id == person_id), "Pessoa não encontrada.")


def name_of(reader: Reader, actor: str) -> str:
    """How a journal's actor is called on a page."""
    return names_of(reader, [actor])[actor]


def names_of(reader: Reader, actors: Collection[str]) -> dict[str, str]:
    """How several actors are called, by actor, in one statement."""
    people = {actor: actor.removeprefix("pessoa:") for actor in actors if actor.startswith("pessoa:")}
    known = select(person.c.id, person.c.name).where(person.c.id.in_(sorted(people.values())))
    names = {row["id"]: str(row["name"]) for row in (reader.all(known) if people else ())}
    told = {actor: names.get(key, "pessoa desconhecida") for actor, key in people.items()}
    return told | {a: _MACHINES.get(a, "Relógio do sistema") for a in actors if a not in told}


def offices(reader: Reader, person_id: str, day: date) -> Sequence[Office]:
    """What the person is on the local `day`."""
    return _offices(reader, day, appointment.c.person_id == person_id)


def holders(reader: Reader, roles: Sequence[str], day: date) -> Sequence[Office]:
    """Who holds one of the roles on the local `day`, in order of appointment."""
    return _offices(reader, day, appointment.c.role.in_(roles))


def _offices(reader: Reader, day: date, condition: ColumnElement[bool]) -> list[Office]:
    statement = (
        select(appointment, person.c.name)
        .join(person, person.c.id == appointment.c.person_id)
        .where(condition, person.c.active)
        .where(appointment.c.since <= day, or_(appointment.c.until.is_(None), appointment.c.until >= day))
        .order_by(appointment.c.since, appointment.c.id)
    )
    return [Office(r["person_id"], r["name"], r["role"], r["seat"], r["act"]) for r in reader.all(statement)]
