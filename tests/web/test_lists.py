"""Inbox, list of cases and situation as pages: filters in addresses that can be passed on, numbers that lead on."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import event, update

from app.store import INSTALLER
from app.store.cases_tables import deadline
from app.store.registry_tables import person
from tests.web.browser import Page
from tests.web.conftest import BAHIA, Site
from tests.web.test_guards import HOSTILE

INBOX = ("prazo", "tarefa", "estado", "busca", "comigo", "rascunho", "pagina")
CASES = (
    *("busca", "numero", "estado", "procedimento", "tarefa", "com", "qual", "prazo", "transportador"),
    *("parado", "pagina"),
)
LEFT_OUT = "O endereço pede algo que não existe aqui e que ficou de fora do filtro:"


def rows(page: Page) -> list[str]:
    return [e.text for e in page.all("th", scope="row")]


def asked_by(page: Page, rel: str) -> dict[str, list[str]]:
    """What the link to the next or previous page asks for."""
    return parse_qs(urlsplit(unescape(page.one("a", rel=rel).attributes["href"])).query)


def city(site: Site, hora: str) -> str:
    """One more case, of Transcidade."""
    told = {"transportador": site.world.carriers["TC"], "outorga": site.world.grants["L-102"]}
    return site.opened(hora=hora, **told)


def test_the_inbox_counts_tasks_by_risk_and_each_count_opens_its_tasks(site: Site) -> None:
    site.defended()  # Thursday 5 March; payment until Tuesday 10, the third business day: Fri 6, Mon 9, Tue 10
    city(site, "06:30")
    browser = site.person("membro1")
    page = browser.get("/caixa")
    assert [e.text for e in page.all("li")][-6:] == [
        "todas 2",
        "vencido 0",
        "vence hoje 0",
        "em até 3 dias úteis 1",
        "depois 0",
        "sem prazo correndo 1",
    ]
    assert page.one("nav", class_="bands no-print").text.endswith("vão até 10/03/2026.")
    assert rows(page)[0].startswith("Votar")
    near = browser.get(page.link("em até 3 dias úteis 1"))
    assert [r.split(" ")[0] for r in rows(near)] == ["Votar"]
    assert near.one("a", aria_current="true").text == "em até 3 dias úteis 1"
    assert "Caixa de entrada 2" in near.one("nav", id="menu").text


def test_a_row_of_the_inbox_names_the_carrier_and_the_infringement(site: Site) -> None:
    site.opened()
    row = next(e.text for e in site.person("membro1").get("/caixa").all("tr") if "Registrar" in e.text)
    assert "Expresso Sol Ltda I-03 — Não atendimento a convocação por escrito, expedida pela SESEP" in row


def test_filters_of_the_inbox_stay_in_the_form_in_the_links_and_can_be_cleared(site: Site) -> None:
    site.defended()
    city(site, "06:30")
    browser = site.person("membro1")
    page = browser.get("/caixa?tarefa=registrar_notificacao&estado=NOTIFICADO&busca=transcidade")
    assert [r.split(" ")[0] for r in rows(page)] == ["Registrar"]
    assert [page.value(name) for name in ("tarefa", "estado", "busca")] == [
        "registrar_notificacao",
        "NOTIFICADO",
        "transcidade",
    ]
    assert "1 tarefa com estes filtros" in page.text
    band = page.link("sem prazo correndo 1")
    assert parse_qs(urlsplit(band).query) == {
        "tarefa": ["registrar_notificacao"],
        "estado": ["NOTIFICADO"],
        "busca": ["transcidade"],
        "prazo": ["sem-prazo"],
    }
    assert browser.get(band).value("prazo") == "sem-prazo"
    assert len(rows(browser.get(page.link("Limpar filtros")))) == 2


def test_an_inbox_filtered_to_nothing_says_so_and_the_menu_still_counts_everything(site: Site) -> None:
    site.opened()
    page = site.person("membro1").get("/caixa?comigo=1")
    assert "Nenhuma tarefa sua fica com estes filtros." in page.text
    assert "Nada espera por você agora." not in page.text
    assert "Caixa de entrada 1" in page.one("nav", id="menu").text
    assert "checked" in page.one("input", name="comigo").attributes


def test_pages_of_the_inbox_and_of_cases_keep_the_filters(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.cases.inbox.PAGE", 1)
    monkeypatch.setattr("app.cases.finding.browsing.PAGE", 1)
    first = city(site, "06:30")
    site.clock.set(site.clock.now() + timedelta(minutes=1))
    second = city(site, "06:31")
    site.opened()
    browser = site.person("membro1")
    page = browser.get("/caixa?busca=transcidade&prazo=sem-prazo")
    assert "Página 1 de 2" in page.text
    assert asked_by(page, "next") == {"busca": ["transcidade"], "prazo": ["sem-prazo"], "pagina": ["2"]}
    assert first in page.links()
    assert second in browser.get(page.one("a", rel="next").attributes["href"]).links()
    assert "Página 2 de 2" in browser.get("/caixa?busca=transcidade&pagina=9").text
    page = browser.get("/processos?busca=transcidade&estado=NOTIFICADO&pagina=9")
    assert "Página 2 de 2" in page.text
    assert asked_by(page, "prev") == {"busca": ["transcidade"], "estado": ["NOTIFICADO"], "pagina": ["1"]}


def test_cases_are_narrowed_by_every_filter_of_the_form(site: Site) -> None:
    old = site.defended()  # the second of its carrier; the first has ended with a warning
    first, new = "/processos/00001/2026-0", city(site, "06:30")
    browser = site.person("gestor")
    transcidade, paulo = site.world.carriers["TC"], site.world.people["presidente"]
    for query, wanted in (
        ("busca=l-102", []),
        ("busca=sol", [old, first]),
        ("estado=NOTIFICADO", [new]),
        ("procedimento=infracao", [new, old, first]),
        ("procedimento=peticao", []),
        ("tarefa=votar", [old]),
        ("com=cargo:suplente_comissao", []),
        (f"com=pessoa:{paulo}&prazo=sem-prazo", [new]),
        ("qual=pagamento_auto&prazo=3-dias-uteis", [old]),
        ("qual=pagamento_auto&prazo=depois", []),
        (f"transportador={transcidade}", [new]),
        (f"transportador={transcidade}&tarefa=votar", []),
        ("parado=1", []),
    ):
        page = browser.get(f"/processos?{query}")
        assert [f"/processos/{number}" for number in rows(page)] == wanted, query
        count = "1 processo" if len(wanted) == 1 else f"{len(wanted)} processos"
        assert page.one("p", role="status").text == count, query
        assert ("Nenhum processo fica com estes filtros." in page.text) == (not wanted), query
    page = browser.get(f"/processos?com=pessoa:{paulo}&qual=defesa&parado=1&transportador={transcidade}")
    chosen = [page.value(name) for name in ("com", "qual", "transportador")]
    assert chosen == [f"pessoa:{paulo}", "defesa", transcidade]
    assert "checked" in page.one("input", name="parado").attributes


@pytest.mark.parametrize("text", [*HOSTILE, "a" * 200, "nada", "cargo:nada", "pessoa:", "é%ED%A0%80"])
def test_no_filter_breaks_a_list(shared: Site, text: str) -> None:
    browser = shared.person("fiscal")
    for path, names in (("/caixa", INBOX), ("/processos", CASES)):
        for name in names:
            assert browser.get(f"{path}?{name}={text}").status == 200, (path, name)


def test_what_a_list_does_not_know_is_left_out_and_said(site: Site) -> None:
    site.opened()
    page = site.person("gestor").get("/processos?estado=NADA&com=cargo:rei&prazo=ontem&procedimento=infracao")
    assert page.one("p", class_="notice").text == f"{LEFT_OUT} À espera de quem, Estado, Quando vence."
    assert len(rows(page)) == 1
    page = site.person("membro1").get("/caixa?tarefa=voar&comigo=sim")
    assert page.one("p", class_="notice").text == f"{LEFT_OUT} Tarefa, Comigo."
    assert len(rows(page)) == 1


def test_a_step_where_nothing_waits_any_more_may_still_be_asked_for(site: Site) -> None:
    site.opened()
    site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    page = site.person("gestor").get("/processos?tarefa=registrar_notificacao")
    assert page.all("p", class_="notice") == []
    assert page.value("tarefa") == "registrar_notificacao"
    assert page.one("p", role="status").text == "0 processos"


class Loose(HTMLParser):
    """The text of a page's main part that is neither a link nor a time."""

    def __init__(self) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in ("main", "a", "time"):
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            self.inside.remove(tag)

    def handle_data(self, data: str) -> None:
        if self.inside == ["main"]:
            self.words.append(data)


DATES = re.compile(r"\d\d/\d\d/\d{4}|\d\d:\d\d|\d+ (dias|horas|minutos)\b|\bArts?\. [\d.ºª§, e]+")


def loose_numbers(page: Page) -> list[str]:
    """Numbers of the page that lead nowhere, but for zeros, dates, times and articles of the law."""
    reader = Loose()
    reader.feed(page.html)
    words = DATES.sub("", " ".join(reader.words))
    return [number for number in re.findall(r"\d+", words) if int(number)]


def test_a_number_that_leads_nowhere_is_found() -> None:
    html = "<p>9</p><main>(2) <a href='x'>3</a> de <time>4</time>, 0 em 05/03/2026 até 23:59, 7 dias: <b>6</b></main>"
    assert loose_numbers(Page(200, {}, html, "/")) == ["2", "6"]


@pytest.mark.parametrize(
    ("month", "day", "told"),
    [
        (3, 11, ["Vencidos e ainda não registrados (1 processo)", "Vencem em 7 dias (1 processo)"]),
        (4, 20, ["Vencidos e ainda não registrados (1 processo)", "Vencem em 7 dias (0)"]),
    ],
)
def test_every_number_of_the_situation_opens_as_many_cases(
    site: Site, month: int, day: int, told: list[str]
) -> None:
    """Defence until Tuesday 10 March, appeal until Friday 13; nobody sweeps. The appeal's term is of an older norm."""
    site.charged()
    city(site, "06:30")
    city(site, "06:31")
    with site.store.database.writing() as connection:
        older = update(deadline).where(deadline.c.key == "recurso1")
        assert connection.execute(older.values(key="recurso_antigo")).rowcount == 1
    site.clock.set(datetime(2026, month, day, 9, 0, tzinfo=BAHIA))
    with site.store.silent_act(INSTALLER) as tx:  # they could not be decided, which is another story
        tx.write(update(deadline).values(retry_at=tx.now + timedelta(days=1)))
    site.watched()
    browser = site.person("gestor")
    page = browser.get("/situacao")
    assert [e.text for e in page.all("h2")][:2] == told
    assert loose_numbers(page) == []
    numbers = {
        e.attributes["href"]: int(e.text.split(" ")[0])
        for e in page.all("a")
        if e.attributes["href"].startswith("/processos?") and e.text.split(" ")[0].isdigit()
    }
    assert len(numbers) >= 8
    assert any("qual=recurso_antigo" in address for address in numbers)
    assert any("parado=1" in address for address in numbers) == (month == 4)
    for address, number in numbers.items():
        opened = browser.get(unescape(address))
        assert (len(rows(opened)), opened.all("p", class_="notice")) == (number, []), address


def test_the_situation_says_who_is_waited_for(site: Site) -> None:
    site.defended()
    city(site, "06:30")
    city(site, "06:31")
    page = site.person("gestor").get("/situacao")
    assert loose_numbers(page) == []
    told = [e.text for e in page.all("tr")]
    assert any(r.startswith("Presidente da Comissão de Julgamento Paulo Prates 3 ") for r in told)
    members = "Membro da Comissão de Julgamento Marta Andrade, Mário Bastos 3 "
    assert any(r.startswith(members) for r in told)
    term = next(r for r in told if "Recolhimento da multa do auto" in r and "Expresso Sol Ltda" in r)
    assert "terça-feira, 10/03/2026, até 23:59 vence em 5 dias" in term


def test_paper_says_what_a_list_was_narrowed_by(site: Site) -> None:
    site.defended()
    city(site, "06:30")
    transcidade, paulo = site.world.carriers["TC"], site.world.people["presidente"]

    def on_paper(login: str, address: str) -> str:
        sheet = site.person(login).get(address).one("div", class_="on-paper").text
        return sheet.partition("Jequié")[2]

    whole = on_paper("gestor", "/processos")
    assert "Processos · dados de 05/03/2026" in whole
    assert "Filtros" not in whole
    query = f"busca=cidade&estado=NOTIFICADO&com=pessoa:{paulo}&prazo=sem-prazo&transportador={transcidade}"
    assert (
        "Processos · Filtros: Número, transportador ou placa: “cidade”; À espera de quem: Paulo Prates; "
        "Estado: Notificado; Quando vence: sem prazo correndo; Transportador: Transcidade"
    ) in on_paper("gestor", f"/processos?{query}&procedimento=nada")
    assert "Processos · Filtros: Sem movimento · dados de" in on_paper("gestor", "/processos?parado=1")
    assert (
        "Caixa de entrada · Filtros: Prazo: em até 3 dias úteis; Tarefa: Votar; Estado: Defesa em julgamento; Comigo ·"
    ) in on_paper("membro1", "/caixa?prazo=3-dias-uteis&tarefa=votar&estado=EM_DEFESA&comigo=1")
    browser = site.person("membro1")
    browser.post("/idioma", lang="en")
    assert "Filters: Deadline: within 3 business days · as of 5 Mar 2026" in on_paper(
        "membro1", "/caixa?prazo=3-dias-uteis"
    )


def test_an_office_that_nobody_holds_is_told(site: Site) -> None:
    site.opened()
    with site.store.silent_act(INSTALLER) as tx:
        gone = [site.world.people[login] for login in ("membro1", "membro2")]
        tx.write(update(person).where(person.c.id.in_(gone)).values(active=False))
    told = [e.text for e in site.person("gestor").get("/situacao").all("tr")]
    wanted = "Membro da Comissão de Julgamento ninguém exerce este cargo hoje 1 "
    assert any(r.startswith(wanted) for r in told)


def test_a_long_list_of_the_situation_says_where_the_rest_is(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.charged()  # Tuesday 3 March: defence, payment and appeal run
    page = site.person("gestor").get("/situacao")
    assert "Ver todos os processos" not in page.text
    assert len([e for e in page.all("tr") if "vence em" in e.text]) > 1
    monkeypatch.setattr("app.cases.finding.overview.MOST", 1)
    page = site.person("gestor").get("/situacao")
    assert "Só os primeiros prazos estão abaixo." in page.one("main").text
    assert loose_numbers(page) == []
    assert page.link("Ver todos os processos") == "/processos?prazo=7-dias"
    assert len([e for e in page.all("tr") if "vence em" in e.text]) == 1


def test_stalled_cases_are_counted_and_the_thirty_days_are_no_term_of_the_law(site: Site) -> None:
    site.opened()  # Monday 2 March
    site.at(4, 1, 9, 1)
    page = site.person("gestor").get("/situacao")
    assert "1 processo sem nada de novo no histórico há mais de 30 dias." in page.one("main").text
    assert "Os 30 dias são uma escolha desta página, não um prazo da lei." in page.text
    assert len(rows(site.person("gestor").get("/processos?parado=1"))) == 1


def test_lists_ask_the_database_as_much_for_many_cases_as_for_one(site: Site) -> None:
    city(site, "06:30")
    asked: list[str] = []

    @event.listens_for(site.store.database.engine, "before_cursor_execute")
    def note(*told: Any) -> None:
        asked.append(told[2])

    def statements(login: str, path: str) -> int:
        site.person(login).get(path)  # signed in, and the norm read
        asked.clear()
        assert site.person(login).get(path).status == 200
        return len(asked)

    looks = [
        ("membro1", "/caixa"),
        ("membro1", "/caixa?busca=transcidade&prazo=sem-prazo"),
        ("gestor", "/situacao"),
        ("gestor", "/processos"),
        ("gestor", "/processos?busca=transcidade&com=cargo:membro_comissao&prazo=sem-prazo"),
    ]
    few = [statements(*look) for look in looks]
    for minute in range(5):
        city(site, f"07:{minute:02d}")
    assert [statements(*look) for look in looks] == few


def test_no_list_loads_the_engine(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.opened()

    def loaded(*_: object) -> None:
        raise AssertionError("a diagram was loaded")

    monkeypatch.setattr("app.registry.diagrams.definition_of", loaded)
    monkeypatch.setattr("app.engine.runner.Engine.snapshot", loaded)
    for login, path in (("membro1", "/caixa"), ("gestor", "/situacao"), ("gestor", "/processos")):
        assert site.person(login).get(path).status == 200


def test_grants_are_offered_under_the_carrier_that_holds_them(shared: Site) -> None:
    page = shared.person("fiscal").get("/processos/novo/infracao")
    labels = [e.attributes["label"] for e in page.all("optgroup")]
    assert "Expresso Sol Ltda (CNPJ 11.222.333/0001-81)" in labels
    select = page.html[page.html.index('id="outorga"') :]
    sol = select[select.index("Expresso Sol Ltda") : select.index("</optgroup>")]
    assert "L-110 (concessão)" in sol
    assert "L-102" not in sol


def test_a_grant_of_another_carrier_is_refused_at_its_field_and_what_was_typed_stays(site: Site) -> None:
    wrong = site.notice(outorga=site.world.grants["L-102"])
    page = site.person("fiscal").post("/processos/novo/infracao", **wrong)
    assert page.status == 422
    assert page.one("span", id="outorga-erro").text == "Erro: Não pertence ao transportador informado."
    assert page.one("select", id="outorga").attributes["aria-invalid"] == "true"
    assert (page.value("outorga"), page.value("local")) == (site.world.grants["L-102"], wrong["local"])
    assert "0 processos" in site.person("fiscal").get("/processos").text
