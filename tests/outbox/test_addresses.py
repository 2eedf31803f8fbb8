"""A person's e-mail address is recorded by the installation; the journal proves it without holding it."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from app import people
from app.audit.verify import verify
from app.errors import Invalid, NotFound
from app.registry import evidence
from app.store import CLOCK
from app.store.registry_tables import person
from app.store.tables import journal
from app.values import digest
from tests.cases.town import Town

ADDRESS = "paulo.prates@example.org"


def address_of(town: Town, login: str = "presidente") -> str | None:
    found: str | None = town.row(person, login=login)["email"]
    return found


def differences(town: Town) -> list[str]:
    with town.store.read() as reader:
        return list(evidence.faults(reader))


def test_the_journal_says_that_the_address_changed_and_not_what_it_is(town: Town) -> None:
    town.install(people.set_email, "presidente", ADDRESS)
    assert address_of(town) == ADDRESS
    entry = town.entries(f"pessoa:{town.world.people['presidente']}")[-1]
    assert (entry.act, entry.actor) == ("set_email", "instalacao")
    bodies = b"".join(bytes(row["body"]) for row in town.read(lambda r: r.all(select(journal.c.body))))
    assert b"prates@" not in bodies
    assert b"example.org" not in bodies


def test_the_same_address_of_two_people_is_two_digests(town: Town) -> None:
    """Otherwise whoever has the journal could try likely addresses."""
    for login in ("presidente", "membro1"):
        town.install(people.set_email, login, ADDRESS)
    told = [
        town.entries(f"pessoa:{town.world.people[login]}")[-1].body for login in ("presidente", "membro1")
    ]
    assert told[0]["email"] != told[1]["email"]


def test_an_empty_address_takes_it_away_with_what_its_digest_was_made_with(town: Town) -> None:
    town.install(people.set_email, "presidente", ADDRESS)
    town.install(people.set_email, "presidente", "")
    row = town.row(person, login="presidente")
    with_address, without = town.entries(f"pessoa:{row['id']}")[-2:]
    assert (row["email"], without.body["email"]) == (None, None)
    assert with_address.body["email"] != digest(f"{row['email_salt']} {ADDRESS}".encode())
    assert without.body["name"] != with_address.body["name"]


@pytest.mark.parametrize(
    "address", ["presidente", "a@b", "a b@example.org", "a@example.org\n", "@example.org"]
)
def test_what_is_no_address_is_refused(town: Town, address: str) -> None:
    def record() -> None:
        town.install(people.set_email, "presidente", address)

    assert isinstance(town.unchanged(record), Invalid)


def test_nobodys_address_is_refused(town: Town) -> None:
    refusal = town.unchanged(lambda: town.install(people.set_email, "ninguem", ADDRESS))
    assert isinstance(refusal, NotFound)
    assert "ninguem" in refusal.message


@pytest.mark.parametrize("change", [{"email": "outro@example.org"}, {"email": None}, {"email_salt": "0"}])
def test_an_address_changed_by_hand_is_found_by_the_audit(town: Town, change: dict[str, str | None]) -> None:
    town.install(people.set_email, "presidente", ADDRESS)
    assert differences(town) == []
    with town.store.silent_act(CLOCK) as tx:
        tx.write(update(person).where(person.c.login == "presidente").values(**change))
    assert differences(town)[-1].startswith("os endereços de e-mail não conferem")
    assert list(town.read(verify).faults) == []
