"""What a replay says of the folder as of an entry: forms in force, filings, files and notes."""

from __future__ import annotations

import io
from typing import Any

import pytest
from sqlalchemy import event

from app.cases import history
from tests.web.browser import Browser
from tests.web.conftest import DEFENCE, Site
from tests.web.test_replay import case_row, folder, hrefs


@pytest.fixture(scope="module")
def defended(shared: Site) -> tuple[Browser, str]:
    """The auditor, and the history of a case with five entries: the last is a defence of Thursday 5 March."""
    return shared.person("auditor"), f"{shared.defended()}/historico"


def test_the_forms_in_force_then_are_shown_with_who_and_when(defended: tuple[Browser, str]) -> None:
    browser, base = defended
    third, fourth = folder(browser.get(f"{base}/3"))[0], folder(browser.get(f"{base}/4"))[0]
    assert third.startswith("O que foi respondido até aqui (3)")
    assert "Rita Alves" not in third
    for words in (
        "Notificar infração registro 1 · 02/03/2026 09:05 · ",
        "Local da ocorrência Terminal da Praça Ruy Barbosa",
        "Lavrar auto de infração registro 3 · ",
        "Dar ciência registro 4 · 03/03/2026 09:30 · Priscila Elói",
        "Recebido por Rita Alves",
        "Modo da ciência Entrega pessoal",
    ):
        assert words in fourth, words
    links = hrefs(browser.get(f"{base}/4"), "Dar ciência")
    assert links == [f"{base}/4"]


def test_a_filing_is_shown_from_its_entry_on_with_its_stamp_and_timeliness(
    defended: tuple[Browser, str],
) -> None:
    browser, base = defended
    before, after = folder(browser.get(f"{base}/4"))[1], folder(browser.get(f"{base}/5"))[1]
    assert before == "Petições recebidas até aqui (0) Nenhuma petição tinha sido recebida."
    assert after.startswith(
        "Petições recebidas até aqui (1) Defesa ou recurso em 1ª instância, P00001/2026 ("
    )
    assert "Carimbo: 05/03/2026 09:00 no prazo (Defesa) registro 5" in after


def test_files_and_notes_are_shown_from_their_entries_on(site: Site) -> None:
    case = site.opened()
    browser = site.person("fiscal")
    browser.get(case)
    browser.post(f"{case}/anexar", arquivo=(io.BytesIO(b"%PDF-1.7 laudo"), "laudo.pdf", "application/pdf"))
    browser.get(case)
    browser.post(f"{case}/anotar", texto="Visto no local.")
    first, second, third = (folder(browser.get(f"{case}/historico/{seq}"))[2] for seq in (1, 2, 3))
    assert first == "Arquivos e anotações até aqui (0) Nada tinha sido juntado."
    assert second.startswith(
        "Arquivos e anotações até aqui (1) laudo.pdf 14 B registro 2 · 02/03/2026 09:00 · "
    )
    assert "Visto no local.registro 3 · 02/03/2026 09:00 · Fernanda Lima" in third
    (file,) = hrefs(browser.get(f"{case}/historico/3"), "laudo.pdf")
    assert browser.get(file).status == 200


def test_a_full_folder_asks_the_database_no_more_than_a_thin_one(site: Site) -> None:
    case = site.defended()
    asked: list[Any] = []

    @event.listens_for(site.store.database.engine, "before_cursor_execute")
    def note(*told: Any) -> None:
        asked.append(told[2])

    def fill(login: str) -> None:
        browser = site.person(login)
        browser.get(case)
        file = (io.BytesIO(b"%PDF-1.7 laudo"), "laudo.pdf", "application/pdf")
        assert browser.post(f"{case}/anexar", arquivo=file).status == 200
        other = {**DEFENCE, "_carimbo": "2026-03-05T09:30", "razoes": f"Por {login}."}
        assert site.person("protocolo").post(f"{case}/protocolar/contestacao", **other).status == 200
        assert browser.post(f"{case}/anotar", texto="Visto no local.").status == 200

    def statements() -> int:
        page = site.person("auditor").get(f"{case}/historico?registro={len_of(site, case)}")
        assert page.status == 200
        asked.clear()
        again = site.person("auditor").get(page.path)
        assert again.status == 200
        return len(asked)

    fill("fiscal")
    few = statements()
    for login in ("presidente", "membro1", "secretario"):
        fill(login)
    assert statements() == few


def len_of(site: Site, case: str) -> int:
    with site.store.read() as reader:
        return len(history.timeline(reader, case_row(site, case)["id"]))
