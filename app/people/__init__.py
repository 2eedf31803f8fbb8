"""Who works here, which office each one holds and since which act. Competence itself is decided in `cases`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import BindParameter, bindparam, or_, select, update

from app import audit
from app.audit import seal
from app.errors import Conflict, Invalid, NotFound
from app.store import Reader, Row, Tx
from app.store.registry_tables import appointment, person
from app.values import digest, is_email

_MACHINES = {"instalacao": "Instalação", "prensa": "Prensa de documentos"}
_DAY: BindParameter[date] = bindparam("day")
_IN_OFFICE = (
    select(appointment, person.c.name, person.c.email)
    .join(person, person.c.id == appointment.c.person_id)
    .where(person.c.active, appointment.c.since <= _DAY)
    .where(or_(appointment.c.until.is_(None), appointment.c.until >= _DAY))
    .order_by(appointment.c.since, appointment.c.id)
)
_OFFICES = _IN_OFFICE.where(appointment.c.person_id == bindparam("person_id"))
_HOLDERS = _IN_OFFICE.where(appointment.c.role.in_(bindparam("roles", expanding=True)))


@dataclass(frozen=True)
class Office:
    """A role held by a person on a day, by an act.

    `seat` is the chair in a board, when it has one; `reachable`: the person has an e-mail address.
    """

    person_id: str
    name: str
    role: str
    seat: str | None
    act: str
    reachable: bool


def register(tx: Tx, login: str, name: str, registration: str) -> str:
    """Adds a person of the administration; `registration` is the matrícula. Gives the id."""
    if tx.first(select(person.c.id).where(person.c.login == login)):
        raise Conflict(f"Já existe uma pessoa com o acesso {login}.", code="pessoa.repetida")
    person_id = tx.new_id()
    row = {"login": login, "registration": registration, "active": True}
    named = {"name": name, "email_salt": _salt(tx)}
    tx.add(person, id=person_id, **row, **named)
    audit.append(tx, f"pessoa:{person_id}", "register_person", {**row, "name": _name_digest(named)})
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
    tx.add(appointment, id=appointment_id, **row)
    body = {
        **row,
        "id": appointment_id,
        "since": since.isoformat(),
        "until": until.isoformat() if until else None,
    }
    audit.append(tx, f"pessoa:{person_id}", "appoint", body)


def set_email(tx: Tx, login: str, address: str) -> None:
    """Where messages to a person go; an empty address: nowhere.

    The journal keeps a digest only, salted: nobody finds the address by trying those that are likely. Each change takes
    a new salt, so the entry tells the name anew: with the old one gone, an address taken away can be proven by nobody.
    """
    found = by_login(tx, login)
    if found is None:
        raise NotFound(f"Não há pessoa com o acesso {login}.")
    if address and not is_email(address):
        raise Invalid(f"{address} não é um endereço de e-mail.", code="pessoa.email")
    told = {"email": address or None, "email_salt": _salt(tx)}
    tx.write(update(person).where(person.c.id == found["id"]).values(**told))
    body = {"email": _email_digest(told), "name": _name_digest({**found, **told})}
    audit.append(tx, f"pessoa:{found['id']}", "set_email", body)


def _email_digest(row: Mapping[str, Any]) -> str | None:
    """What the journal says of a person's address."""
    return digest(f"{row['email_salt']} {row['email']}".encode()) if row["email"] else None


def _name_digest(row: Mapping[str, Any]) -> str:
    """What the journal says of a person's name."""
    return seal.veiled(str(row["name"]), str(row["email_salt"]).encode())


def _salt(tx: Tx) -> str:
    return tx.random_bytes(16).hex()


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
    return [_office(row) for row in reader.all(_OFFICES, person_id=person_id, day=day)]


def holders(reader: Reader, roles: Sequence[str], day: date) -> Sequence[Office]:
    """Who holds one of the roles on the local `day`, in order of appointment."""
    return [_office(row) for row in reader.all(_HOLDERS, roles=list(roles), day=day)]


def _office(row: Row) -> Office:
    reachable = row["email"] is not None
    return Office(row["person_id"], row["name"], row["role"], row["seat"], row["act"], reachable)
