"""Correcting what the office wrote, by people at pages. Days and records as in `test_backwards.py`."""

from __future__ import annotations

import pytest

from tests.web.browser import Page
from tests.web.conftest import Site
from tests.web.test_backwards import WHY, record, sheet, texts


def test_the_form_comes_filled_in_and_the_party_is_shown_but_fixed(site: Site) -> None:
    case = site.charged()
    president = site.person("presidente")
    page = president.get(sheet(case, 1, "corrigir"))
    assert page.value("local") == "Terminal da Praça Ruy Barbosa"
    assert page.value("codigo") == "I-03"
    assert page.all("select", name="transportador") == []
    assert "Expresso Sol Ltda" in page.one("dl", class_="pairs card").text
    page = president.get(sheet(case, 4, "corrigir"))
    assert (
        page.value("recebido_por") == "Rita Alves"
    )  # sealed for its subject, and opened for whoever corrects
    assert page.value("instante") == "2026-03-03T09:30"
    assert "Data e hora do recebimento" in page.one("p", class_="lead").text


def corrected(page: Page, **changes: str) -> dict[str, str]:
    """The page's form as it stands, with changes; each time it is sent it is a form of its own."""
    named = [e.attributes.get("name", "") for e in page.elements if e.tag in ("input", "textarea", "select")]
    fields = {n: page.value(n) for n in named if n and n not in ("csrf_token", "_chave", "lang", "next")}
    return {**fields, **changes}


def test_what_the_diagram_never_sees_is_put_right_in_place(site: Site) -> None:
    case = site.charged()
    president, way = site.person("presidente"), sheet(case, 1, "corrigir")
    fields = corrected(president.get(way), local="Terminal da Rua da Linha", motivo="Erro de digitação.")
    page = president.post(way, **fields, _acao="conferir")
    assert page.status == 200
    assert "Só corrige" in page.one("section", id="efeito").text
    assert page.value("local") == "Terminal da Rua da Linha"
    assert "Registro corrigido" not in president.get(case).text
    page = president.post(way, **{**fields, "efeito": "so_corrige"}, _acao="corrigir")
    assert page.status == 200, page.text
    assert "Registro corrigido" in page.one("section", id="recibo").text
    assert "Corrigido pelo registro 5" in record(page, 1)
    assert "Corrige o registro 1" in record(page, 5)
    assert sheet(case, 1, "corrigir") not in page.links()
    assert sheet(case, 5, "corrigir") in page.links()
    again = president.post(way, **{**fields, "efeito": "so_corrige"}, _acao="corrigir")
    assert again.status == 409
    assert "já foi corrigido pelo registro 5" in again.text
    assert "Terminal da Rua da Linha" in texts(again, "dd", class_="typed")


def test_a_correction_that_moves_the_case_says_what_falls_before_it_is_done(site: Site) -> None:
    """Received on Wednesday 4 March: defence by Wednesday 11 (5, 6, 9, 10, 11), appeal by Saturday 14, so Monday 16."""
    case = site.charged()
    site.at(3, 5)
    president, way = site.person("presidente"), sheet(case, 4, "corrigir")
    fields = corrected(president.get(way), instante="2026-03-04T09:30", motivo="O livro diz dia 4.")
    page = president.post(way, **{**fields, "efeito": "so_corrige"}, _acao="corrigir")
    assert "Move o processo" in page.one("section", id="efeito").text  # nothing moves that was not shown to
    preview = page.one("section", id="previa").text
    assert "registro 4: Ciência registrada" in preview
    assert "Prazos que voltam a correr" in preview
    assert "Defesa: quarta-feira, 11/03/2026, até 23:59" in preview
    assert "Recurso em primeira instância: segunda-feira, 16/03/2026, até 23:59" in preview
    assert "sem efeito" not in record(president.get(case), 4)
    page = president.post(way, **{**fields, "efeito": "move"}, _acao="corrigir")
    assert page.status == 200, page.text
    receipt = page.one("section", id="recibo").text
    assert "Ficaram sem efeito os registros: 4." in receipt
    assert "Defesa, quarta-feira, 11/03/2026" in receipt
    assert "Recurso em primeira instância, segunda-feira, 16/03/2026" in receipt
    assert "sem efeito" in record(page, 4)
    assert "Corrigido pelo registro 6" in record(page, 4)


def test_a_defence_is_foreseen_to_be_put_before_the_corrected_case_again(site: Site) -> None:
    case = site.defended()
    president, way = site.person("presidente"), sheet(case, 4, "corrigir")
    fields = corrected(president.get(way), instante="2026-03-04T09:30", motivo="O livro diz dia 4.")
    page = president.post(way, **fields, _acao="conferir")
    preview = page.one("section", id="previa").text
    assert "Será reapresentada ao processo, no instante do carimbo." in preview
    assert "passa a Defesa em julgamento" in preview
    assert "Votar (3)" in preview
    page = president.post(way, **{**fields, "efeito": "move"}, _acao="corrigir")
    assert "Defesa em julgamento" in page.one("div", class_="standing").text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"local": ""}, "Preencha este campo."),
        ({"codigo": "Z-99"}, "O código não está na tabela da lei."),
        ({"ocorrida_em": "2031-01-01"}, "A data está no futuro."),
        ({}, "Nada mudou em relação ao que está registrado."),
    ],
)
def test_a_correction_with_problems_comes_back_with_all_that_was_typed(
    site: Site, changes: dict[str, str], words: str
) -> None:
    case = site.charged()
    president, way = site.person("presidente"), sheet(case, 1, "corrigir")
    fields = corrected(president.get(way), **changes, motivo="Conferido no original.")
    page = president.post(way, **fields, _acao="conferir")
    assert page.status == 422
    assert words in page.one("div", role="alert").text
    assert page.value("fatos") == "Não atendeu à convocação nº 12/2026."
    assert page.value("motivo") == "Conferido no original."


def test_a_correction_needs_a_reason(site: Site) -> None:
    case = site.charged()
    president, way = site.person("presidente"), sheet(case, 1, "corrigir")
    fields = corrected(president.get(way), local="Rua Nova", efeito="so_corrige")
    page = president.post(way, **fields, _acao="corrigir")
    assert page.status == 422
    assert "#motivo" in page.links()
    assert page.value("local") == "Rua Nova"


def test_a_forged_party_is_not_taken_over(site: Site) -> None:
    case = site.charged()
    president, way = site.person("presidente"), sheet(case, 1, "corrigir")
    other = next(i for name, i in site.world.carriers.items() if name != "ES")
    fields = corrected(president.get(way), local="Rua Nova", motivo=WHY, transportador=other)
    page = president.post(way, **{**fields, "efeito": "so_corrige"}, _acao="corrigir")
    assert page.status == 200
    assert "Expresso Sol Ltda" in page.one("aside").text


def test_a_vote_is_neither_shown_nor_corrected_by_others(site: Site) -> None:
    case = site.defended()
    site.do("membro1", "Votar", voto="procedente", fundamentacao="Segredo até o fim da rodada.")
    president = site.person("presidente")
    assert sheet(case, 6, "corrigir") not in president.get(case).links()
    page = president.get(sheet(case, 6, "corrigir"))
    assert page.status == 422
    assert "Segredo" not in page.text


def test_a_decision_is_offered_for_correction_only_to_whoever_decides_it(site: Site) -> None:
    """Records 6 to 8 are votes, which nobody corrects; 9 is the president's to word, 4 is the service."""
    case = site.defended()
    for login in ("presidente", "membro1", "membro2"):
        site.do(login, "Votar", voto="procedente", fundamentacao="Conforme as provas.")
    site.do("presidente", "Redigir decisão", resumo="Auto procedente.", fundamentacao="As provas bastam.")
    offered = {
        login: [
            seq for seq in (4, 6, 9) if sheet(case, seq, "corrigir") in site.person(login).get(case).links()
        ]
        for login in ("presidente", "secretario")
    }
    assert offered == {"presidente": [4, 9], "secretario": [4]}
    assert site.person("secretario").get(sheet(case, 9, "corrigir")).status == 403
