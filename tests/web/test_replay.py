"""A case played again on its page: every step a page of its own, for everybody who may see the case and nobody else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import text, update

from app.audit import seal
from app.cases import acts, history
from app.store import INSTALLER, Actor
from app.store.cases_tables import cases
from app.store.registry_tables import appointment
from tests.web.browser import Browser, Page
from tests.web.conftest import Site
from tests.web.test_language import SPOKEN, TELLTALE

STEPS = (
    "Processo aberto",
    "Tarefa concluída: Registrar notificação",
    "Tarefa concluída: Lavrar auto de infração",
    "Ciência registrada: Dar ciência do auto",
    "Petição protocolada: Defesa ou recurso em 1ª instância, P00001/2026",
)


@pytest.fixture(scope="module")
def defended(shared: Site) -> tuple[Browser, str]:
    """The auditor, and the history of a case with five entries: the last is a defence of Thursday 5 March."""
    return shared.person("auditor"), f"{shared.defended()}/historico"


def shown(page: Page, tag: str, **attributes: str) -> list[str]:
    return [element.text for element in page.all(tag, **attributes)]


def hrefs(page: Page, words: str) -> list[str]:
    return [e.attributes.get("href", "") for e in page.all("a") if e.text == words]


def folder(page: Page) -> tuple[str, str, str]:
    """What had been answered, handed in and added by the entry that is shown."""
    answered, filings, added = (
        page.one("details", id=key) for key in ("respondido", "peticoes-ate-aqui", "juntados")
    )
    assert [d for d in (answered, filings, added) if "open" in d.attributes] == []
    return answered.text, filings.text, added.text


def tampered(site: Site, statement: str, **named: Any) -> None:
    with site.store.database.writing() as connection:
        for (name,) in connection.execute(
            text("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        ).all():
            connection.execute(text(f"DROP TRIGGER {name}"))
        assert connection.execute(text(statement), named).rowcount >= 1


def case_row(site: Site, case: str) -> Any:
    with site.store.read() as reader:
        return history.by_number(reader, case.removeprefix("/processos/"))


def test_the_case_page_leads_to_its_history_and_each_line_to_its_step(shared: Site) -> None:
    case = shared.defended()
    page = shared.person("auditor").get(case)
    assert page.link("Reproduzir o histórico") == f"{case}/historico"
    assert [hrefs(page, f"registro {seq}")[0] for seq in range(1, 6)] == [
        f"{case}/historico/{seq}" for seq in range(1, 6)
    ]


def test_the_history_opens_at_its_last_entry_and_lists_all(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    page = browser.get(base)
    assert page.status == 200
    listed = [e for e in page.all("a") if "data-seq" in e.attributes and e.text in STEPS]
    assert [e.text for e in listed] == list(STEPS)
    assert [e.attributes["data-seq"] for e in listed if e.attributes.get("aria-current") == "step"] == ["5"]
    assert "Registro 5 de 5: Petição protocolada" in page.text


@pytest.mark.parametrize(
    ("seq", "first", "before", "after", "last"),
    [(1, "", "", 2, 5), (3, 1, 2, 4, 5), (5, 1, 4, "", "")],
)
def test_steps_are_linked_without_scripts(
    defended: tuple[Browser, str], seq: int, first: Any, before: Any, after: Any, last: Any
) -> None:
    browser, base = defended
    page = browser.get(f"{base}/{seq}")
    found = [hrefs(page, words)[0] for words in ("Primeiro", "Anterior", "Próximo", "Último")]
    assert found == [f"{base}/{to}" if to else "" for to in (first, before, after, last)]


def test_an_entry_tells_who_when_and_on_which_chain(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    third, fourth = browser.get(f"{base}/3"), browser.get(f"{base}/4")
    for words in (
        "Registro 4 de 5: Ciência registrada: Dar ciência do auto",
        "Aconteceu em 03/03/2026 09:30",
        "Registrado em 03/03/2026 10:00",
        "Por Priscila Elói Protocolo",
        "Em vigor",
        "Recebido por Rita Alves",
    ):
        assert words in fourth.text, words
    codes = [e.text for e in fourth.all("code") if re.fullmatch(r"[0-9a-f]{64}", e.text)]
    assert len(set(codes)) == 2
    assert codes[1] == next(e.text for e in third.all("code") if re.fullmatch(r"[0-9a-f]{64}", e.text))
    assert "não há: é o primeiro" in browser.get(f"{base}/1").text


def test_an_entry_tells_what_it_changed(defended: tuple[Browser, str]) -> None:
    """Received on Tuesday 3 March: five business days end on Tuesday 10, ten days on Friday 13."""
    browser, base = defended
    page = browser.get(f"{base}/4")
    for line in (
        "Tarefa concluída: Dar ciência do auto",
        "Prazo começou a correr: Defesa, terça-feira, 10/03/2026, até 23:59",
        "Prazo começou a correr: Recurso em primeira instância, sexta-feira, 13/03/2026, até 23:59",
        "Documento emitido: Guia de recolhimento 00001/2026",
    ):
        assert line in shown(page, "li"), line
    assert "Situação: Notificado → Autuado" in shown(browser.get(f"{base}/3"), "li")
    assert "Prazo cumprido: Defesa" in shown(browser.get(f"{base}/5"), "li")


def test_the_case_is_shown_as_it_stood_then(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    second, fourth, fifth = (browser.get(f"{base}/{seq}").text for seq in (2, 4, 5))
    assert "Nada se cobrava." in second
    assert "Nenhum prazo tinha começado." in second
    assert "Lavrar auto de infração Cabia a Servidor designado para autuar" in second
    assert "Antônio Dias" in second
    assert "até 23:59 correndo" in fourth
    assert "Nenhuma tarefa: o processo esperava o fim de um prazo ou uma petição." in fourth
    assert "até 23:59 cumprido" in fifth
    assert "Votar Cabia a Comissão de Julgamento, Presidente (Chefe de Fiscalização): Paulo Prates" in fifth
    assert "R$ 0,00 · falta recolher R$ 500,00" in fifth


def test_questions_and_data_are_in_the_words_of_the_norm(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    page = browser.get(f"{base}/5")
    for words in (
        "2 É a primeira vez do infrator? I-03 não",
        "2 Com que certeza se lê o valor I-03 lido com certeza",
        "4 Fim do prazo Defesa terça-feira, 10/03/2026, até 23:59",
        "5 Em que prazo a petição foi carimbada Defesa ou recurso em 1ª instância Defesa",
        "Modo da ciência Entrega pessoal",
        "quem Expresso Sol Ltda",
        "ciencia_auto 03/03/2026 09:30",
    ):
        assert words in page.text, words


def test_the_drawing_carries_the_marks_of_the_step(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    page = browser.get(f"{base}/2")
    drawn = {
        e.attributes["data-element"]: e.attributes.get("data-mark")
        for e in page.all("g")
        if "data-element" in e.attributes
    }
    assert (drawn["registrar_notificacao"], drawn["lavrar_auto"], drawn["dar_ciencia_auto"]) == (
        "done",
        "active",
        None,
    )
    (step,) = [e for e in page.all("div") if "data-step" in e.attributes]
    assert '"lavrar_auto": "active"' in step.attributes["data-marks"]
    assert page.one("div", id="desenho").attributes["data-marks"] == step.attributes["data-marks"]


@pytest.mark.parametrize("seq", range(1, 6))
def test_every_step_is_one_sound_document(defended: tuple[Browser, str], seq: int) -> None:
    browser, base = defended
    page = browser.get(f"{base}/{seq}")
    assert page.status == 200
    assert (len(page.all("main")), len(page.all("h1"))) == (1, 1)
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert sorted(ids) == sorted(set(ids))
    named = {e.attributes["for"] for e in page.all("label")} | {
        e.attributes["for"] for e in page.all("output")
    }
    pointed = {e.attributes["aria-labelledby"] for e in page.elements if "aria-labelledby" in e.attributes}
    assert named | pointed <= set(ids)
    assert [a for e in page.elements for a in e.attributes if a == "style" or a.startswith("on")] == []


def test_every_step_speaks_english_too(site: Site) -> None:
    base = f"{site.defended()}/historico"
    browser = site.person("auditor")
    browser.get("/caixa")
    browser.post("/idioma", lang="en")
    for seq in range(1, 6):
        page = browser.get(f"{base}/{seq}")
        assert page.one("h1").text.startswith("History of case")
        spoken = [(e.language, e.attributes[a]) for e in page.elements for a in SPOKEN if a in e.attributes]
        loose = [
            told for language, told in [*page.texts, *spoken] if language == "en" and TELLTALE.search(told)
        ]
        assert loose == []


def test_an_entry_is_jumped_to_by_its_number(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    assert browser.get(f"{base}?registro=3").path.rstrip("?") == f"{base}/3"
    assert browser.get(f"{base}?registro=").status == 200


@pytest.mark.parametrize(
    "asked", ["/99", "/0", "?registro=99", "?registro=três", "?registro=-1", "/99?parte=1"]
)
def test_an_entry_that_is_not_there_is_said_so(defended: tuple[Browser, str], asked: str) -> None:
    browser, base = defended
    page = browser.get(base + asked)
    assert page.status == 404
    assert "O histórico deste processo não tem o registro pedido." in page.text


def test_a_case_that_is_not_there_is_said_so(defended: tuple[Browser, str]) -> None:
    page = defended[0].get("/processos/09999/2026-0/historico")
    assert page.status == 404
    assert "Não há processo com este número" in page.text


def test_a_page_that_is_open_may_ask_for_what_changes_only(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    part, drawn = browser.get(f"{base}/2?parte=1"), browser.get(f"{base}/2?parte=desenho")
    for page in (part, drawn):
        assert page.status == 200
        assert page.all("main") == page.all("h1") == []
        assert "Registro 2 de 5" in page.text
    assert part.all("svg") == []
    assert len(drawn.all("svg")) == 1


def test_whoever_is_not_signed_in_or_holds_no_office_sees_nothing(site: Site) -> None:
    base, stranger = f"{site.charged()}/historico", site.person("auditor")
    with site.store.silent_act(INSTALLER) as tx:
        ended = update(appointment).where(appointment.c.person_id == site.world.people["auditor"])
        tx.write(ended.values(until=appointment.c.since))
    for path in (base, f"{base}/4", f"{base}/4?parte=1"):
        assert site.visitor().get(path).one("h1").text == "Entrar no Tramita"
        page = stranger.get(path)
        assert page.status == 403
        assert "Rita Alves" not in page.text
        assert "Expresso Sol" not in page.text


def test_everybody_with_an_office_may_look_and_nothing_is_written(shared: Site) -> None:
    base = f"{shared.defended()}/historico"
    before = case_row(shared, base.removesuffix("/historico"))
    for login in ("fiscal", "presidente", "protocolo", "gestor", "auditor"):
        page = shared.person(login).get(f"{base}/4")
        assert page.status == 200
        assert [
            e
            for e in page.all("form")
            if base in e.attributes.get("action", "") and e.attributes["method"] != "get"
        ] == []
    assert case_row(shared, base.removesuffix("/historico")) == before


def test_annulled_entries_say_so_and_by_which_entry(site: Site) -> None:
    case = site.charged()
    row = case_row(site, case)
    with site.store.act(Actor(site.world.people["secretario"])) as tx:
        acts.annul(tx, row["id"], 3, "O auto foi lavrado sobre outra linha.", row["version"])
    browser = site.person("auditor")
    third, fifth = browser.get(f"{case}/historico/3"), browser.get(f"{case}/historico/5")
    assert "Sem efeito desde o registro 5" in third.text
    assert "Auto de infração 00001/2026 registro 3" in third.text
    assert "Lavrar auto de infração registro 3" in folder(third)[0]
    told = folder(fifth)[0]
    assert told.startswith("O que foi respondido até aqui (4)")
    assert "Lavrar auto de infração sem efeito registro 3" in told
    assert "Dar ciência sem efeito registro 4" in told
    assert "Rita Alves" not in told
    assert "Notificar infração registro 1" in told
    assert "registro 3 · anulado" not in third.text
    for words in (
        "Registro 5 de 5: Atos anulados",
        "Motivo O auto foi lavrado sobre outra linha.",
        "Registros que perderam o efeito: 3, 4",
        "Prazo anulado: Defesa",
        "Documento anulado: Auto de infração 00001/2026",
        "Auto de infração 00001/2026 registro 3 · anulado",
        "Nada se cobrava.",
    ):
        assert words in fifth.text, words
    listed = [e.text for e in fifth.all("li") if "· sem efeito" in e.text]
    assert [line.split(":")[0] for line in listed] == ["Tarefa concluída", "Ciência registrada"]
    drawing = [e for e in browser.get(case).all("g") if e.attributes.get("data-mark") == "active"]
    assert [e.attributes["data-element"] for e in drawing] == ["lavrar_auto"]


def test_erased_data_is_said_to_be_erased(site: Site) -> None:
    case = site.charged()
    with site.store.silent_act(INSTALLER) as tx:
        seal.destroy_key(tx, case_row(site, case)["subject_id"])
    page = site.person("auditor").get(f"{case}/historico/4")
    assert page.text.count("Dados pessoais: dados eliminados") > folder(page)[0].count("dados eliminados") > 0
    assert "Modo da ciência Entrega pessoal" in page.text
    assert "Rita Alves" not in page.text


def test_a_vote_is_not_read_before_the_last_one_is_in(site: Site) -> None:
    case = site.defended()
    vote = {"voto": "improcedente", "fundamentacao": "A convocação não foi recebida."}
    site.do("presidente", "Votar", **vote)
    page = site.person("auditor").get(f"{case}/historico/6?parte=1")
    assert "O voto não se mostra antes de todos votarem." in page.text
    assert "em segredo até o último voto" in page.text
    assert "improcedente" not in page.html
    assert "O voto não se mostra antes de todos votarem." in folder(page)[0]
    site.do("membro1", "Votar", **vote)
    site.do("membro2", "Votar", **vote)
    page = site.person("auditor").get(f"{case}/historico/6")
    assert "A convocação não foi recebida." in page.text
    assert "presidente: improcedente" in page.text
    told = folder(page)[0]
    assert told.startswith("O que foi respondido até aqui (6)")
    assert "Votar registro 6 · 05/03/2026 10:00 · Paulo Prates" in told
    assert "Fundamentação A convocação não foi recebida." in told


def test_a_broken_history_says_where_and_why_and_shows_what_is_before_it(site: Site) -> None:
    case = site.charged()
    tampered(
        site,
        "UPDATE journal SET body = replace(body, 'lavrar_auto', 'lavrar_nada') WHERE stream = :n AND seq = 3",
        n=f"processo:{case_row(site, case)['id']}",
    )
    browser = site.person("auditor")
    page = browser.get(f"{case}/historico")
    for words in (
        "O histórico não se reproduz a partir do registro 3",
        "os bytes do registro não conferem com a cadeia.",
        "O que vem antes confere e está abaixo.",
        "do que ele fez nada se mostra",
        "Como o processo ficou depois do registro 2",
        "Lavrar auto de infração Cabia a",
    ):
        assert words in page.text, words
    assert "Recebido por" not in page.text
    assert len([e for e in page.all("li") if e.text.endswith("não confere")]) == 2
    second = browser.get(f"{case}/historico/2")
    assert "Em vigor" in second.text
    assert "O histórico não se reproduz a partir do registro 3" in second.text


def test_a_case_whose_history_is_gone_says_so(site: Site) -> None:
    case = site.opened()
    tampered(site, "DELETE FROM journal WHERE stream = :n", n=f"processo:{case_row(site, case)['id']}")
    page = site.person("auditor").get(f"{case}/historico")
    assert page.status == 200
    assert "Nada antes dele se pode mostrar." in page.text


def test_the_page_believes_the_journal_and_not_the_rows_of_the_day(site: Site) -> None:
    case = site.charged()
    with site.store.database.writing() as connection:
        connection.execute(update(cases).values(status="PAGO", state=b"{", fallen=[3]))
    page = site.person("auditor").get(f"{case}/historico")
    assert "Autuado" in page.text
    assert "sem efeito" not in page.text.lower()
