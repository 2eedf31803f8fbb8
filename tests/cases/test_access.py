"""Every act of the norm and every person of the town: who may and who may not is what the competence table says."""

from __future__ import annotations

import csv
import tomllib
from datetime import date
from typing import Any

import pytest

from app import people
from app.cases import access, acts
from app.errors import Forbidden
from app.settings import ROOT
from app.store import CLOCK, Actor, Tx
from tests.cases.infringement import OTHER, Infringement, notice
from tests.cases.town import Town

FOLDER = ROOT / "bpmn" / "jequie"
TABLE = list(csv.DictReader((FOLDER / "competencias.csv").read_text("utf-8").splitlines()))
PERSONAS = {
    p["login"]: set(p["papeis"])
    for p in tomllib.loads((FOLDER / "demonstracao.toml").read_text("utf-8"))["pessoas"]
}
ACTS = sorted({row["ato"] for row in TABLE})
# Acts outside the table that the product has all the same would escape it.
ENTRANCES = {"notificar", "protocolar", "anotar", "anexar", "cancelar_processo"}


def competent(act: str, login: str) -> bool:
    return bool({row["papel"] for row in TABLE if row["ato"] == act} & PERSONAS[login])


def try_to(tx: Tx, town: Town, act: str) -> bool:
    try:
        access.require(tx, town.norm, act)
    except Forbidden as refused:
        told = (refused.status, refused.code, refused.message[:17])
        return told != (403, "competencia.ausente", "Este ato cabe a: ")
    return True


def test_the_table_names_the_acts_and_people_that_these_tests_go_through() -> None:
    assert {"fiscal", "presidente", "membro1", "membro2", "suplente", "autuante"} <= set(PERSONAS)
    assert {"protocolo", "financas", "secretario", "auditor"} <= set(PERSONAS)
    assert set(ACTS) >= ENTRANCES
    assert len(ACTS) > 10


@pytest.mark.parametrize("login", PERSONAS)
def test_each_person_may_do_what_the_table_gives_to_an_office_held(shared_town: Town, login: str) -> None:
    with shared_town.store.act(shared_town.actor(login)) as tx:
        allowed = {act: try_to(tx, shared_town, act) for act in ACTS}
    assert allowed == {act: competent(act, login) for act in ACTS}


def test_the_clock_may_do_nothing_here(shared_town: Town) -> None:
    with shared_town.store.act(CLOCK) as tx:
        assert [act for act in ACTS if try_to(tx, shared_town, act)] == []


def test_the_auditor_looks_and_does_nothing(shared_town: Town) -> None:
    assert [act for act in ACTS if competent(act, "auditor")] == []
    held = shared_town.read(people.offices, shared_town.world.people["auditor"], date(2026, 5, 8))
    assert access.may_see(held)
    assert not access.may_see(shared_town.read(people.offices, "ninguem", date(2026, 5, 8)))


def test_an_act_that_the_norm_gives_to_nobody_is_refused_with_whom_to_ask(shared_town: Town) -> None:
    with shared_town.store.act(shared_town.actor("secretario")) as tx:
        with pytest.raises(Forbidden, match="não dá este ato a ninguém") as refused:
            access.require(tx, shared_town.norm, "voar")
        assert "administrador" in refused.value.message


def test_a_refusal_names_office_article_and_who_holds_it(shared_town: Town) -> None:
    with (
        shared_town.store.act(shared_town.actor("fiscal")) as tx,
        pytest.raises(Forbidden) as refused,
    ):
        access.require(tx, shared_town.norm, "cancelar_processo")
    assert refused.value.message == (
        "Este ato cabe a: Secretário de Serviços Públicos (Art. 138). Fale com Sônia Guedes."
    )
    assert refused.value.context == {"act": "cancelar_processo"}


def deeds(town: Town, case: Infringement) -> dict[str, tuple[Any, ...]]:
    pdf = (case.id, "laudo.pdf", "application/pdf", b"%PDF-1.7")
    return {
        "notificar": (acts.open_case, "jequie", "infracao", notice(town, ocorrida_em="2026-03-02")),
        "protocolar": (acts.file, case.id, "outro", OTHER),
        "anotar": (acts.annotate, case.id, "Visto."),
        "anexar": (acts.attach, *pdf),
        "cancelar_processo": (acts.cancel, case.id, "Auto em duplicidade."),
    }


@pytest.mark.parametrize("act", sorted(ENTRANCES))
def test_each_entrance_holds_everybody_to_the_table(shared_town: Town, act: str) -> None:
    """The whole act, by each person: refused without a trace, or done."""
    town = shared_town
    case = Infringement.opened(town, when=None, ocorrida_em="2026-03-02")
    for login in PERSONAS:
        deed = deeds(town, case)[act]
        if competent(act, login):
            town.act(login, *deed)
            if act == "cancelar_processo":
                case = Infringement.opened(town, when=None, ocorrida_em="2026-03-02")
        else:
            assert town.refusal(login, *deed).code == "competencia.ausente"


def test_each_task_is_refused_to_everybody_whom_the_table_does_not_name(town: Town) -> None:
    case = Infringement.opened(town)
    for element, act in (
        ("registrar_notificacao", "registrar_notificacao"),
        ("lavrar_auto", "lavrar_auto"),
        ("dar_ciencia_auto", "dar_ciencia"),
    ):
        item = case.item(element)
        assert item["act"] == act
        for login in (p for p in PERSONAS if not competent(act, p)):
            refused = town.refusal(login, acts.complete, item["id"], {}, item["version"])
            assert refused.code == "competencia.ausente"
            assert town.refusal(login, acts.claim, item["id"], item["version"]).code == refused.code
        if element == "registrar_notificacao":
            case.registered()
        elif element == "lavrar_auto":
            case.charged()


def test_who_holds_no_office_any_more_is_refused_everything(town: Town) -> None:
    case = Infringement.opened(town)
    nobody = str(town.install(people.register, "ninguem", "Ninguém", "9999"))
    town.world.people["ninguem"] = nobody
    for deed in deeds(town, case).values():
        assert town.refusal("ninguem", *deed).code == "competencia.ausente"
    town.world.people["fantasma"] = "nao-existe"
    assert town.refusal("fantasma", *deeds(town, case)["anotar"]).code == "competencia.ausente"
    assert str(Actor(nobody)) == f"pessoa:{nobody}"
