"""Who works here and who travels: people with their offices by day, carriers with lines and staff."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlalchemy import update

from app import people
from app.audit import seal
from app.errors import NotFound
from app.registry import carriers
from app.store import CLOCK, INSTALLER, Actor
from app.store.registry_tables import person, staff
from tests.cases.town import Town

TODAY = date(2026, 5, 5)


def roles(town: Town, login: str, day: date = TODAY) -> list[str]:
    return [o.role for o in town.read(people.offices, town.world.people[login], day)]


def test_an_office_is_held_from_its_first_to_its_last_day(town: Town) -> None:
    ana = town.install(people.register, "ana", "Ana", "2001")
    appointed = (people.appoint, ana, "procuradoria", date(2026, 5, 4), "Portaria 1")
    town.install(*appointed, until=date(2026, 5, 6))
    held = {
        day: [o.role for o in town.read(people.offices, ana, date(2026, 5, day))] for day in (3, 4, 5, 6, 7)
    }
    assert held == {3: [], 4: ["procuradoria"], 5: ["procuradoria"], 6: ["procuradoria"], 7: []}
    told = [e.body for e in town.entries(f"pessoa:{ana}")]
    assert (told[0]["login"], told[1]["since"], told[1]["until"]) == ("ana", "2026-05-04", "2026-05-06")
    assert "Ana" not in str(told[0])  # the name of a natural person is not in the journal


def test_a_person_may_hold_several_offices_with_their_seats(town: Town) -> None:
    assert roles(town, "presidente") == ["chefe_fiscalizacao", "presidente_comissao"]
    offices = town.read(people.offices, town.world.people["presidente"], TODAY)
    assert [o.seat for o in offices] == [None, "presidente"]
    assert offices[0].name == "Paulo Prates"
    assert roles(town, "presidente", date(2024, 12, 31)) == []


def test_holders_come_in_order_of_appointment(town: Town) -> None:
    bia = town.install(people.register, "bia", "Bia", "2002")
    town.install(people.appoint, bia, "membro_comissao", date(2024, 1, 1), "Portaria 2", seat="membro_9")
    found = town.read(people.holders, ("membro_comissao", "suplente_comissao"), TODAY)
    assert found[0].name == "Bia"
    assert {o.name for o in found[1:]} == {"Marta Andrade", "Mário Bastos", "Sueli Campos"}


def test_who_is_no_longer_active_holds_nothing_and_cannot_enter(town: Town) -> None:
    assert town.read(people.by_login, "membro1")["name"] == "Marta Andrade"
    with town.store.silent_act(INSTALLER) as tx:
        tx.write(update(person).where(person.c.login == "membro1").values(active=False))
    assert town.read(people.by_login, "membro1") is None
    assert roles(town, "membro1") == []
    assert "Marta Andrade" not in [o.name for o in town.read(people.holders, ("membro_comissao",), TODAY)]
    assert town.read(people.by_id, town.world.people["membro1"])["name"] == "Marta Andrade"


def test_a_login_belongs_to_one_person(shared_town: Town) -> None:
    refused = shared_town.unchanged(lambda: shared_town.install(people.register, "fiscal", "Outra", "9"))
    assert (refused.code, refused.status) == ("pessoa.repetida", 409)
    assert shared_town.read(people.by_login, "ninguem") is None
    with pytest.raises(NotFound, match="Pessoa"):
        shared_town.read(people.by_id, "ninguem")


def test_every_actor_of_a_journal_has_a_name_on_a_page(shared_town: Town) -> None:
    names = {
        str(Actor(shared_town.world.people["fiscal"])): "Fernanda Lima",
        str(CLOCK): "Relógio do sistema",
        str(INSTALLER): "Instalação",
        "pessoa:nobody": "pessoa desconhecida",
    }
    assert {actor: shared_town.read(people.name_of, actor) for actor in names} == names


@pytest.mark.parametrize(
    ("what", "args", "code"),
    [
        (
            carriers.register_carrier,
            ("Outra", "11.222.333/0001-81", date(2026, 1, 1)),
            "transportador.repetido",
        ),
        (carriers.grant_line, ("ES", "L-1", "favor", date(2026, 1, 1)), "outorga.regime"),
        (carriers.register_staff, ("ES", "Zé", "piloto", "ES-99", date(2026, 1, 1)), "pessoal.categoria"),
    ],
)
def test_what_the_register_cannot_hold_is_refused(shared_town: Town, what: Any, args: Any, code: str) -> None:
    town = shared_town
    told = [town.world.carriers.get(a, a) if isinstance(a, str) else a for a in args]
    assert town.unchanged(lambda: town.install(what, *told)).code == code


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (carriers.carrier_by_id, "Transportador"),
        (carriers.grant_by_id, "Outorga"),
        (carriers.staff_by_id, "pessoal de tráfego"),
    ],
)
def test_what_is_not_registered_is_said_so(shared_town: Town, look: Any, words: str) -> None:
    with pytest.raises(NotFound, match=words):
        shared_town.read(look, "nenhum")


def test_the_register_lists_carriers_lines_and_staff(town: Town) -> None:
    assert [c["name"] for c in town.read(carriers.all_carriers)] == [
        "Expresso Sol Ltda",
        "Transcidade Ltda",
        "Viação Rio das Contas Ltda",
    ]
    lines = town.read(carriers.all_grants)
    assert (lines[0]["carrier_name"], lines[0]["line"]) == ("Expresso Sol Ltda", "L-110")
    assert len(lines) == 3
    assert [s["name"] for s in town.read(carriers.all_staff)] == ["José dos Santos"]


def test_the_name_of_a_driver_is_sealed_and_can_be_erased(town: Town) -> None:
    row = town.row(staff, registration="ES-014")
    assert "José" not in str([e.body for e in town.entries(f"pessoal:{row['id']}")])
    assert town.read(carriers.staff_name, row) == "José dos Santos"
    town.draft("secretario", seal.destroy_key, row["subject_id"])
    assert town.read(carriers.staff_name, row) == "(dados eliminados)"
    assert town.faults() == []
