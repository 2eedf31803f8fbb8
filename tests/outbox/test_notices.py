"""Whoever has to go on when a term ends is told by e-mail: which term of which case, by which article, which task."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import update

from app import create_app, people
from app.cases import acts
from app.errors import Refused
from app.settings import Settings
from app.store import INSTALLER, Row
from app.store.cases_tables import deadline
from app.store.registry_tables import person
from app.store.tables import message
from tests.cases.infringement import REVELIA, Infringement
from tests.cases.town import Town


def reachable(town: Town, *logins: str) -> None:
    for login in logins:
        town.install(people.set_email, login, f"{login}@example.org")


def messages(town: Town) -> dict[str, list[Row]]:
    """By the login of whom they are for."""
    logins = {person_id: login for login, person_id in town.world.people.items()}
    told: dict[str, list[Row]] = {}
    for row in town.rows(message):
        told.setdefault(logins[row["person_id"]], []).append(row)
    return told


def undefended(town: Town) -> Infringement:
    """The auto is received, and nobody defends: the term to defend ends on Monday, 18 May."""
    return Infringement.opened(town).registered().charged().served()


def test_who_has_to_draw_up_the_termo_de_revelia_is_told_when_the_defence_has_run_out(town: Town) -> None:
    reachable(town, "presidente", "membro1", "fiscal")
    case = undefended(town)
    assert messages(town) == {}
    town.let_pass("2026-05-19 00:00")
    assert "lavrar_revelia" in case.open
    told = messages(town)
    assert set(told) == {"presidente", "membro1"}
    (row,) = told["presidente"]
    number = case.row["number"]
    assert row["subject"] == f"Processo {number}: terminou um prazo"
    assert row["text"].splitlines() == [
        f"Processo {number}",
        "",
        "O prazo “Defesa” (Art. 126 e § 1º) terminou em 18/05/2026, às 23:59.",
        "Espera agora: Lavrar termo de revelia.",
    ]
    assert row["page"] == f"/processos/{number}"


def test_the_page_that_a_message_leads_to_is_that_of_the_case(town: Town) -> None:
    reachable(town, "presidente")
    case = undefended(town)
    town.let_pass("2026-05-19 00:00")
    site = create_app(Settings(town.url, Path("nowhere"), secret_key="x"), town.store)
    endpoint, given = site.url_map.bind("").match(town.row(message)["page"])
    assert (endpoint, given) == ("cases.show", {"number": case.row["number"]})


def test_nothing_of_the_parties_is_in_a_message(town: Town) -> None:
    reachable(town, *town.world.people)
    undefended(town)
    town.let_pass("2026-05-19 00:00")
    said = "".join(f"{row['subject']}{row['text']}{row['page']}" for row in town.rows(message))
    assert said
    for party in ("Expresso", "Sol", "L-110", "Representante", "@", "Prates"):
        assert party not in said


def test_without_addresses_nothing_is_queued(town: Town) -> None:
    undefended(town)
    town.let_pass("2026-05-19 00:00")
    assert town.rows(message) == []


def test_who_is_no_longer_in_office_is_not_told(town: Town) -> None:
    reachable(town, "presidente")
    undefended(town)
    with town.store.silent_act(INSTALLER) as tx:
        tx.write(update(person).where(person.c.login == "presidente").values(active=False))
    town.let_pass("2026-05-19 00:00")
    assert town.rows(message) == []


def test_who_took_office_on_the_last_day_is_told_too(town: Town) -> None:
    ana = town.install(people.register, "ana", "Ana", "2001")
    roles = [
        office.role
        for office in town.read(people.offices, town.world.people["presidente"], date(2026, 5, 19))
    ]
    for role in roles:
        town.install(people.appoint, ana, role, date(2026, 5, 19), "Portaria 7")
    town.world.people["ana"] = ana
    reachable(town, "ana", "presidente")
    undefended(town)
    town.let_pass("2026-05-19 00:00")
    assert set(messages(town)) == {"ana", "presidente"}


def test_a_term_that_somebody_elses_act_finds_run_out_is_told_with_that_act(town: Town) -> None:
    reachable(town, "presidente")
    case = undefended(town)
    town.at("2026-05-19 08:00")  # nobody has swept
    case.defended(when=None)
    assert case.acts[-2:] == ["expire", "file"]
    assert set(messages(town)) == {"presidente"}


def test_an_act_that_is_refused_takes_the_message_of_the_term_that_ended_before_it_back(town: Town) -> None:
    reachable(town, "presidente")
    case = undefended(town)
    town.at("2026-05-19 08:00")
    refusal: Refused = town.refusal("protocolo", acts.file, case.id, "contestacao", {}, None)
    assert refusal.fields
    assert town.rows(message) == []
    assert town.row(deadline, case_id=case.id, key="defesa")["status"] == "armed"


def test_a_term_that_opens_no_task_is_told_to_nobody(town: Town) -> None:
    case = undefended(town)
    town.let_pass("2026-05-19 09:00")
    reachable(town, *town.world.people)
    town.let_pass(
        "2026-05-22 09:00"
    )  # the term to appeal ends while the termo de revelia is still to be drawn up
    assert case.acts[-1] == "expire"
    assert case.open == ["lavrar_revelia"]
    assert town.rows(message) == []


def seats_opened(town: Town, **changes: Any) -> dict[str, list[Row]]:
    """What is told when the term to appeal ends and the Comissão may vote."""
    case = Infringement.opened(town, **changes).registered().charged().served()
    town.let_pass("2026-05-19 09:00")
    case.do("membro1", "lavrar_revelia", REVELIA)
    town.let_pass("2026-05-22 00:00")
    assert [task.partition(":")[0] for task in case.open] == ["votar"] * 3
    return messages(town)


def test_a_vote_is_told_to_whoever_holds_each_seat(town: Town) -> None:
    reachable(town, *town.world.people)
    told = seats_opened(town)
    voting = {login for login, rows in told.items() if any("Votar" in row["text"] for row in rows)}
    assert voting == {"presidente", "membro1", "membro2"}


def test_a_vote_of_who_is_barred_from_judging_is_told_to_the_alternate(town: Town) -> None:
    reachable(town, *town.world.people)
    told = seats_opened(town, by="presidente")
    voting = {login for login, rows in told.items() if any("Votar" in row["text"] for row in rows)}
    assert voting == {"suplente", "membro1", "membro2"}


def test_what_was_told_still_waits_for_whom_it_was_told_to(town: Town) -> None:
    reachable(town, "presidente")
    case = undefended(town)
    town.let_pass("2026-05-19 09:00")
    assert set(messages(town)) == {"presidente"}
    case.do("presidente", "lavrar_revelia", REVELIA)
    assert "lavrar_revelia" not in case.open
