"""The demo's clock: sent forward by visitors, stopping at every end of a term, seen by every process, never elsewhere.

The wall stands still on Monday 2 March 2026, 9:00, unless a test says otherwise. Carnival of 2027: Monday 8 and Tuesday
9 February, Ash Wednesday 10. No law closes those days and Jequié's calendar has no act for them.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from app import audit, create_app, serve
from app.audit.verify import verify
from app.cases.history import by_number
from app.clock import DemoClock, FixedClock, SystemClock, clock_for
from app.demo import destinations, letting_pass
from app.errors import Conflict
from app.scheduler import sweep
from app.settings import Settings
from app.store import INSTALLER, Actor, Store, connect
from app.store.tables import closure, journal
from app.values import parse_instant
from tests.web.browser import Browser, Page
from tests.web.conftest import BAHIA, CHARGE, MONDAY, SERVED, Furnished, Site, application


def local(month: int, day: int, hour: int = 9, year: int = 2026) -> datetime:
    return datetime(year, month, day, hour, tzinfo=BAHIA)


@pytest.fixture
def site(furnished: Furnished, tmp_path: Path) -> Iterator[Site]:
    """A demo that lives on the stored offset over a wall that only tests move."""
    copy = tmp_path / "tramita.db"
    shutil.copy(furnished.path, copy)
    settings = Settings(database_url=f"sqlite:///{copy}", data_dir=tmp_path, demo=True)
    wall = FixedClock(MONDAY)
    store = Store(connect(settings.database_url), DemoClock(base=wall))
    yield Site(application(settings, store), settings, store, wall, furnished.world, furnished.path.parent)
    store.database.close()


def now(store: Store) -> datetime:
    with store.read() as reader:
        return reader.now


def actor(site: Site) -> Actor:
    return Actor(site.world.people["fiscal"])


def go(browser: Browser, where: str, **fields: str) -> Page:
    page = browser.get("/relogio")
    return browser.post("/relogio", para=where, andou=page.value("andou"), **fields)


def case_id(site: Site, case: str) -> str:
    with site.store.read() as reader:
        return str(by_number(reader, case.removeprefix("/processos/"))["id"])


def expiries(site: Site, case: str) -> list[tuple[str, datetime]]:
    """Terms of the case that ran out, and when that was recorded."""
    stream = f"processo:{case_id(site, case)}"
    with site.store.read() as reader:
        return [(e.body["key"], e.at) for e in audit.entries(reader, stream) if e.act == "expire"]


def test_the_page_is_reached_from_the_banner_and_tells_the_time(site: Site) -> None:
    browser = site.person("fiscal")
    page = browser.get(browser.get("/caixa").link("Deixar o tempo passar"))
    assert page.path == "/relogio?"
    assert "02/03/2026 09:00" in page.one("div", class_="standing").text
    assert "ninguém o adiantou ainda" in page.text
    assert "Relógio da demonstração:" not in browser.get("/caixa").text


@pytest.mark.parametrize(
    ("where", "arrives"),
    [
        ("dia_util", local(3, 3)),
        ("um_dia", local(3, 3)),
        ("sexta", local(2, 5, year=2027)),
        ("cinzas", local(2, 10, year=2027)),
    ],
)
def test_each_button_leads_where_it_says(site: Site, where: str, arrives: datetime) -> None:
    page = go(site.person("fiscal"), where)
    assert page.status == 200
    assert now(site.store) == arrives
    assert f"{arrives:%d/%m/%Y %H:%M}" in page.one("div", class_="standing").text
    assert "nenhum prazo decorreu." in page.text


def test_a_weekend_is_passed_over_by_the_next_business_day(site: Site) -> None:
    browser = site.person("fiscal")
    go(browser, "data", data="06/03/2026")
    go(browser, "dia_util")
    assert now(site.store) == local(3, 9)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("2026-03-01", "O relógio só anda para a frente"),
        ("2027-03-04", "no máximo um ano"),
        ("9999-12-31", "não passa do ano 2099"),
        ("ontem", "Informe uma data"),
        (" 2099-03-04 ", "no máximo um ano"),
        ("", "Informe uma data"),
    ],
)
def test_the_clock_goes_forward_by_a_year_at_most(site: Site, typed: str, words: str) -> None:
    page = go(site.person("fiscal"), "data", data=typed)
    assert page.status == 422
    assert words in page.one("span", id="data-erro").text
    assert page.value("data") == typed.strip()
    assert now(site.store) == MONDAY


def test_every_page_of_the_demo_tells_its_date_once_it_is_ahead(site: Site) -> None:
    browser = site.person("fiscal")
    go(browser, "um_dia")
    for path in ("/caixa", "/processos", "/norma", "/nada"):
        assert "Relógio da demonstração: 03/03/2026 09:00" in browser.get(path).text, path
    assert "Relógio da demonstração: 03/03/2026 09:00" in site.visitor().get("/entrar").text


def test_terms_run_out_on_the_way_each_at_its_own_end(site: Site) -> None:
    """Served on Tuesday 3 March: defence ends with Tuesday 10, appeal with Friday 13."""
    case = site.charged()
    page = go(site.person("fiscal"), "data", data="2026-03-20")
    assert now(site.store) == local(3, 20)
    assert expiries(site, case) == [("defesa", local(3, 11, 0)), ("recurso1", local(3, 14, 0))]
    told = page.one("section", id="caminho")
    assert "2 prazos decorreram." in told.text
    assert "Defesa terça-feira, 10/03/2026, até 23:59" in told.text
    _, _, quiet = told.text.partition("Terminaram também, sem que o processo dependesse disso:")
    assert "Recolhimento da multa do auto terça-feira, 10/03/2026, até 23:59" in quiet
    assert any(link.startswith(f"{case}#registro-") for link in page.links())


def test_the_next_end_of_a_term_is_reached_and_not_passed(site: Site) -> None:
    case = site.charged()
    browser = site.person("fiscal")
    assert "Defesa terça-feira, 10/03/2026, até 23:59" in browser.get("/relogio").text
    page = go(browser, "prazo")
    assert now(site.store) == local(3, 11, 0)
    assert "1 prazo decorreu." in page.text
    assert [key for key, _at in expiries(site, case)] == ["defesa"]


def served_before_carnival(site: Site) -> str:
    """An auto received on Friday 5 February 2027. Gives the receipt of its service."""
    browser = site.person("fiscal")
    go(browser, "data", data="2027-02-04")
    for hour in ("06:00", "07:40"):
        site.opened(hora=hour, ocorrida_em="2027-02-03")
    for _ in range(2):
        site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    site.do("autuante", "Lavrar auto de infração", **CHARGE)
    go(browser, "dia_util")
    assert now(site.store) == local(2, 5, year=2027)
    page = site.do("protocolo", "Dar ciência do auto", **{**SERVED, "instante": "2027-02-05T08:30"})
    return page.one("section", id="recibo").text


def test_without_an_act_carnival_is_business_and_the_page_says_so(site: Site) -> None:
    """Five business days from Friday 5: 8, 9, 10, 11, 12 February 2027; the decree of the demo is taken back first."""
    with site.store.silent_act(INSTALLER) as tx:
        tx.write(update(closure).where(closure.c.name == "Carnaval").values(revoked_by="Decreto 4/2026"))
    assert "Defesa, sexta-feira, 12/02/2027" in served_before_carnival(site)
    browser = site.person("fiscal")
    page = browser.get("/relogio")
    assert "Carnaval: 08/02/2027 , 09/02/2027 . Nenhum ato fecha a repartição" in page.text
    go(browser, "cinzas")
    assert now(site.store) == local(2, 10, year=2027)
    go(browser, "prazo")
    assert now(site.store) == local(2, 13, 0, year=2027)


def test_the_decree_of_the_demo_closes_carnival_and_is_shown(site: Site) -> None:
    """Monday 8 and Tuesday 9 closed: 10, 11, 12, 15, 16 February 2027."""
    assert "Defesa, terça-feira, 16/02/2027" in served_before_carnival(site)
    browser = site.person("fiscal")
    page = browser.get("/relogio")
    assert "Nenhum ato fecha" not in page.text
    days = [e.text for e in page.all("li") if "Decreto de demonstração" in e.text]
    assert [text.split(" ")[0] for text in days] == ["08/02/2027", "09/02/2027"]
    assert all("Carnaval" in text and text.endswith("fechado") for text in days)
    go(browser, "dia_util")
    assert now(site.store) == local(2, 10, year=2027)


@pytest.mark.parametrize(
    ("year", "ashes"), [(2026, date(2026, 2, 18)), (2027, date(2027, 2, 10)), (2028, date(2028, 3, 1))]
)
def test_ash_wednesday_is_forty_six_days_before_easter(year: int, ashes: date) -> None:
    assert destinations.ash_wednesday(year) == ashes


def test_a_form_sent_twice_travels_once(site: Site) -> None:
    browser = site.person("fiscal")
    seen = browser.get("/relogio").value("andou")
    assert browser.post("/relogio", para="um_dia", andou=seen).status == 200
    again = browser.post("/relogio", para="um_dia", andou=seen)
    assert again.status == 409
    assert "O relógio andou depois que você abriu esta página." in again.text
    assert now(site.store) == local(3, 3)


def test_of_two_that_send_the_clock_at_once_only_one_does(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.charged()
    refused: list[Conflict] = []

    def somebody_else_too(store: Store, breathe: Callable[[], bool]) -> Any:
        if not refused:
            with pytest.raises(Conflict) as told:
                letting_pass.let_pass(store, actor(site), local(6, 1), 1)
            refused.append(told.value)
        return sweep(store, breathe)

    monkeypatch.setattr(letting_pass, "sweep", somebody_else_too)
    letting_pass.let_pass(site.store, actor(site), local(3, 20), 0)
    assert [r.code for r in refused] == ["relogio.a_caminho"]
    assert now(site.store) == local(3, 20)


class Killed(BaseException):
    """The process is gone, without a word."""


def killed_on_the_way(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """A case whose two terms lie on the way to 20 March; the process ends when the first has run out."""
    case, stops = site.charged(), []

    def until_killed(store: Store, breathe: Callable[[], bool]) -> Any:
        stops.append(now(store))
        if len(stops) == 3:  # at the start, at the end of the defence, at the end of the appeal
            raise Killed
        return sweep(store, breathe)

    with monkeypatch.context() as patched:
        patched.setattr(letting_pass, "sweep", until_killed)
        with pytest.raises(Killed):
            letting_pass.let_pass(site.store, actor(site), local(3, 20), 0)
    assert [key for key, _at in expiries(site, case)] == ["defesa"]
    return case


def restarted(site: Site) -> Store:
    """Another process over the same database, which knows nothing of the first."""
    return Store(connect(site.settings.database_url), DemoClock(base=site.clock))


def test_a_clock_that_was_killed_on_its_way_goes_on_at_the_next_start(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = killed_on_the_way(site, monkeypatch)
    store = restarted(site)
    assert now(store) == local(3, 14, 0)
    serve._let_time_arrive(site.settings, store)
    assert "chegou à data para onde ia" in capsys.readouterr().out
    assert now(store) == local(3, 20)
    assert expiries(site, case) == [("defesa", local(3, 11, 0)), ("recurso1", local(3, 14, 0))]
    serve._let_time_arrive(site.settings, store)
    assert capsys.readouterr().out == ""
    assert now(store) == local(3, 20)
    store.database.close()


def test_an_interrupted_journey_is_told_and_taken_up_from_the_page(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_on_the_way(site, monkeypatch)
    browser = site.person("fiscal")
    page = browser.get("/relogio")
    assert "O relógio está a caminho de 20/03/2026 09:00" in page.text
    assert browser.post("/relogio", para="um_dia", andou="1").status == 409
    page = browser.post("/relogio", para="continuar")
    assert page.status == 200
    assert "2 prazos decorreram." in page.text
    assert now(site.store) == local(3, 20)


def test_whoever_was_given_up_moves_the_clock_no_more(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journey that somebody else took up, and that comes to itself when the other has arrived."""
    site.charged()
    taken_up: list[datetime] = []

    def slow(store: Store, breathe: Callable[[], bool]) -> Any:
        if not taken_up:
            taken_up.append(now(store))
            letting_pass.go_on(restarted(site))
        return sweep(store, breathe)

    monkeypatch.setattr(letting_pass, "sweep", slow)
    letting_pass.let_pass(site.store, actor(site), local(3, 20), 0)
    assert now(site.store) == local(3, 20)
    with site.store.read() as reader:
        assert letting_pass.standing(reader).target is None


def test_every_process_of_the_database_lives_on_the_same_time(site: Site) -> None:
    case = site.charged()
    worker = restarted(site)
    assert now(worker) == site.clock.now()
    with site.store.silent_act(INSTALLER) as tx:  # only the offset moves: the worker does the sweeping
        tx.ensure(letting_pass.installation, key="relogio", value={"ahead": 10 * 24 * 3600 * 10**6})
    assert now(worker) == site.clock.now() + timedelta(days=10)
    assert sweep(worker).expired >= 1
    assert "defesa" in [key for key, _at in expiries(site, case)]
    worker.database.close()


def test_the_clock_never_goes_back(site: Site) -> None:
    clock = DemoClock(timedelta(days=3), FixedClock(MONDAY))
    clock.learn(timedelta(days=1))
    assert clock.now() == local(3, 5)


def test_an_auditor_sees_who_moved_the_clock_and_the_chains_hold(site: Site) -> None:
    go(site.person("fiscal"), "um_dia")
    with site.store.read() as reader:
        (entry,) = audit.entries(reader, "demonstracao")
        assert not verify(reader).faults
    assert (entry.act, entry.actor) == ("advance", str(actor(site)))
    assert {key: parse_instant(told) for key, told in entry.body.items()} == {
        "from": MONDAY,
        "to": local(3, 3),
    }


def test_who_is_signed_in_stays_so_however_far_the_clock_goes(site: Site) -> None:
    browser = site.person("fiscal")
    go(browser, "data", data="2027-03-01")
    assert browser.get("/caixa").path == "/caixa?"
    assert browser.post("/processos/novo/infracao", fatos="x").status == 422  # the token holds too


def test_pages_get_their_turn_between_two_cases(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.charged()
    waits: list[float] = []
    monkeypatch.setattr(letting_pass, "_RESTS", type("Rests", (), {"wait": staticmethod(waits.append)}))
    letting_pass.let_pass(site.store, actor(site), local(3, 20), 0)
    assert len(waits) == 2
    assert all(0 < wait < 0.1 for wait in waits)


def test_outside_a_demo_a_stored_offset_has_no_effect(site: Site) -> None:
    go(site.person("fiscal"), "data", data="2026-09-01")
    real = replace(site.settings, demo=False, host="tramita.example")
    assert isinstance(clock_for(demo=False), SystemClock)
    app = create_app(real)
    store = app.extensions["tramita"].store
    assert type(store.clock) is SystemClock
    before, read, after = store.clock.now(), now(store), store.clock.now()
    assert before <= read <= after
    store.database.close()
    for clock in (FixedClock(MONDAY), DemoClock(base=FixedClock(MONDAY))):
        other = Store(connect(real.database_url), clock)
        browser = Browser(create_app(real, other).test_client())
        for path in ("/relogio", "/entrar"):
            assert "Deixar o tempo passar" not in browser.get(path).text
        assert [r.rule for r in create_app(real, other).url_map.iter_rules() if "relogio" in r.rule] == []
        serve._let_time_arrive(real, other)
        other.database.close()
    fixed = Store(connect(real.database_url), FixedClock(MONDAY))
    assert now(fixed) == MONDAY
    fixed.database.close()


def test_nobody_moves_a_clock_that_is_no_demos(site: Site) -> None:
    store = Store(site.store.database, FixedClock(MONDAY))
    with store.read() as reader:
        entries = len(reader.all(journal.select()))
    with pytest.raises(letting_pass.NotFound):
        letting_pass.let_pass(store, actor(site), local(3, 3), 0)
    with pytest.raises(letting_pass.NotFound):
        letting_pass.go_on(store)
    with store.read() as reader:
        assert len(reader.all(journal.select())) == entries


def test_the_page_speaks_english(site: Site) -> None:
    browser = site.person("fiscal")
    browser.post("/idioma", lang="en")
    assert browser.get("/relogio").one("h1").text == "Clock of the demonstration"
