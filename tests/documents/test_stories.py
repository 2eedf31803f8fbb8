"""Every document of the norm, as it comes out of a story, is printed: DOC-28 to DOC-37 and the order in a petition."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from app import documents
from app.cases.proof.replay import case_ids, replay
from app.clock import FixedClock
from app.documents import typesetter
from app.documents.press import Press
from app.registry import norms
from app.scenario.play import play
from app.settings import ROOT
from app.store import Row, Store, connect
from app.store.cases_tables import document
from tests.databases import Databases
from tests.documents.paper import ADDRESS, jequie, words
from tests.scenarios.reached import LATER, all_stories, published

# Between them they reach every kind: revelia, counter-reasons and refund, dismissal, a petition after the end.
STORIES = ("SC-12", "P12-ESCOLHAS-K", "P12-RECONSIDERACAO-A", "P12-SEGUNDA-G")


@pytest.fixture(scope="module")
def papers(databases: Databases) -> list[tuple[Row, str]]:
    """Each document of the stories with the words of its PDF."""
    found: list[tuple[Row, str]] = []
    for story in all_stories():
        if story.name in STORIES:
            url = databases.prepared("sqlite", published)
            assert play(story, url, ROOT).differences == []
            found += _printed(url)
            databases.drop(url)
    return found


def _printed(url: str) -> Iterator[tuple[Row, str]]:
    store = Store(connect(url), FixedClock(LATER))
    press = Press(store, norms.by_digest, ADDRESS, typesetter.typeset)
    while press.print_next():
        pass
    with store.read() as reader:
        for row in reader.all(select(document)):
            pdf = documents.pdf_of(reader, row["id"])
            assert pdf is not None, row["kind"]
            yield row, words(pdf)
        assert [fault for case in case_ids(reader) for fault in replay(reader, case).faults] == []
    store.database.close()


def test_every_kind_of_document_comes_out_of_a_story_as_a_pdf(papers: list[tuple[Row, str]]) -> None:
    kinds = {row["kind"] for row, _ in papers}
    assert kinds == set(jequie().documents)
    codes = {jequie().documents[kind].code for kind in kinds}
    assert {f"DOC-{number}" for number in range(28, 38)} <= codes


def test_every_pdf_bears_its_title_number_case_and_code(papers: list[tuple[Row, str]]) -> None:
    for row, told in papers:
        title = f"{row['title']} nº {documents.number_of(row)}"
        assert title in told.replace(" nº", " nº"), row["kind"]
        assert "\u00ad" not in told, row["kind"]
        assert documents.codes.grouped(row["code"]) in told, row["kind"]


def test_an_auto_of_a_story_says_all_that_art_124_wants(papers: list[tuple[Row, str]]) -> None:
    """I day, hour, place; II facts; III line, vehicle; IV infringer; V provision; VI penalty; VII amount; VIII author's
    number, name and signature; IX term for the defence; X day of the auto."""
    autos = [told for row, told in papers if row["kind"] == "auto_de_infracao"]
    assert autos
    for told in autos:
        for label in (
            "Data da ocorrência",
            "Horário da ocorrência",
            "Local da ocorrência",
            "Fato gerador da infração",
            "Linha",
            "Veículo",
            "Infrator",
            "Dispositivo legal infringido",
            "Penalidade a ser aplicada",
            "Valor da multa em reais R$",
            "Matrícula do autuante",
            "Nome do autuante",
            "Prazo para a defesa 5 dias úteis",
            "Data da autuação",
            "a assinar",
        ):
            assert label in told, label


def test_a_decision_of_a_story_has_its_table_of_votes(papers: list[tuple[Row, str]]) -> None:
    decisions = [told for row, told in papers if row["kind"] == "decisao_comissao"]
    assert decisions
    assert all("Assento Nome Voto" in told for told in decisions)
