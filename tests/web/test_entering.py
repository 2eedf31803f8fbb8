"""Who may enter, and what stays closed to whoever has not."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.store import INSTALLER
from app.store.registry_tables import appointment
from tests.web.conftest import Site


def test_the_entry_offers_every_account_with_its_offices_and_what_waits(site: Site) -> None:
    site.opened()
    accounts = [e.text for e in site.visitor().get("/entrar").all("button", class_="account")]
    assert len(accounts) == 11
    assert accounts[0] == "Fernanda Lima Preposto fiscal nada esperando"
    walk = ["Fernanda", "Paulo", "Antônio", "Priscila", "Sônia", "Flávio", "Aurora"]
    names = [text.split()[0] for text in accounts]
    assert [name for name in names if name in walk] == walk
    assert "Marta Andrade Membro da Comissão de Julgamento 1 tarefa esperando" in accounts


def test_whoever_enters_lands_in_their_inbox(site: Site) -> None:
    page = site.visitor().enter(site.world.people["fiscal"])
    assert page.path == "/caixa?"
    assert "Fernanda Lima" in page.text
    assert "Nada espera por você agora." in page.text


def test_a_page_asked_for_before_entering_is_shown_after_it(site: Site) -> None:
    browser = site.visitor()
    page = browser.get("/processos?estado=REVEL")
    assert page.path == "/entrar?next=/processos?estado%3DREVEL"
    page = browser.post("/entrar", pessoa=site.world.people["auditor"], next=page.value("next"))
    assert page.path == "/processos?estado=REVEL"


@pytest.mark.parametrize(
    "elsewhere",
    ["//mal.example", "https://mal.example/x", "/\\mal.example", "javascript:alert(1)", "/a\\b", "/\tx", ""],
)
def test_entering_never_leads_to_another_site(site: Site, elsewhere: str) -> None:
    browser = site.visitor()
    browser.post("/entrar", follow=False, pessoa=site.world.people["auditor"], next=elsewhere)
    assert browser.page is not None
    assert browser.page.headers["Location"] == "/caixa"


def test_signing_out_closes_everything_again(site: Site) -> None:
    browser = site.person("fiscal")
    assert browser.post("/sair").path == "/entrar?"
    assert browser.get("/caixa").path == "/entrar?next=/caixa"


def test_nobody_enters_as_a_person_who_is_not_offered(site: Site) -> None:
    page = site.visitor().post("/entrar", pessoa="0" * 28)
    assert page.status == 403
    assert site.visitor().get("/caixa").path.startswith("/entrar")


def test_without_demo_nobody_can_enter_and_the_page_says_so(real_site: Site) -> None:
    browser = real_site.visitor()
    page = browser.get("/entrar")
    assert "ainda não faz parte desta versão" in page.text
    assert page.all("button", class_="account") == []
    assert browser.post("/entrar", pessoa=real_site.world.people["fiscal"]).status == 403
    assert browser.get("/caixa").path.startswith("/entrar")


def test_every_page_but_the_entry_and_the_check_of_papers_asks_for_sign_in(shared: Site) -> None:
    sample = {
        "number": "00001/2026-0",
        "digest": "a" * 64,
        "form": "voto",
        "kind": "outro",
        "process": "infracao",
    }
    for rule in shared.app.url_map.iter_rules():
        checks = ("checking.ask", "checking.show", "checking.astray")
        watching = ("health.alive", "health.ready", "health.on_time")
        public = rule.endpoint in ("static", "entering.enter", *watching, *checks)
        if public or "GET" not in (rule.methods or ()):
            continue
        with shared.app.test_request_context():
            path = rule.build({name: sample.get(name, "0" * 28) for name in rule.arguments})
        assert path is not None
        assert shared.visitor().get(path[1]).path.startswith("/entrar"), rule.rule


def test_a_person_without_an_office_today_sees_no_case(site: Site) -> None:
    case = site.opened()
    browser = site.person("auditor")
    with site.store.silent_act(INSTALLER) as tx:
        ended = update(appointment).where(appointment.c.person_id == site.world.people["auditor"])
        tx.write(ended.values(until=appointment.c.since))
    assert browser.get("/caixa").status == 200
    for path in (case, "/processos", "/situacao"):
        page = browser.get(path)
        assert page.status == 403
        assert "Peça ao administrador que registre sua designação." in page.text
