"""Rules of a table hold from a day to a day: on each day between the first and the last there is exactly one."""

from __future__ import annotations

from datetime import date

import pytest

from app.errors import Invalid
from app.law.competence import roles_for
from app.law.norm import load_norm
from app.values import Units

NORMA = "bpmn/vila/norma.toml"
FINES, COMPETENCES = "bpmn/vila/multas.csv", "bpmn/vila/competencias.csv"
HEAD = "codigo,descricao,ufp,desde,ate,artigo\n"
OLD, NEW = "I-01,Recusar,5,1990-12-15,2025-12-31,Anexo\n", "I-01,Desacatar,8,2026-01-01,,Lei 9\n"
OTHER = "I-02,Adulterar,15,1990-12-15,,Anexo\n"
Files = dict[str, bytes]


def fines(content: Files, *lines: str) -> Files:
    return content | {FINES: (HEAD + "".join(lines)).encode()}


def faults_of(files: Files) -> dict[str, str]:
    with pytest.raises(Invalid) as refusal:
        load_norm(files)
    return refusal.value.fields


def test_the_rule_of_a_code_is_that_of_the_day(content: Files):
    table = load_norm(fines(content, OLD, OTHER, NEW)).tables["multas"]
    amounts = {
        date(1990, 12, 14): None,
        date(1990, 12, 15): Units.parse("5"),
        date(2025, 12, 31): Units.parse("5"),
        date(2026, 1, 1): Units.parse("8"),
        date(2999, 12, 31): Units.parse("8"),
    }
    for day, amount in amounts.items():
        row = table.row_on("I-01", day)
        assert (table.amount(row) if row else None) == amount
    assert list(table.on(date(2025, 12, 31))) == ["I-01", "I-02"]
    assert [row["descricao"] for row in table.on(date(2026, 1, 1)).values()] == ["Adulterar", "Desacatar"]
    assert table.codes == {"I-01", "I-02"}


def test_a_repealed_code_has_no_rule_and_is_still_known_for_what_it_was(content: Files):
    table = load_norm(fines(content, OLD, OTHER)).tables["multas"]
    later = date(2026, 1, 1)
    assert table.row_on("I-01", later) is None
    assert list(table.on(later)) == ["I-02"]
    assert (table.known_on("I-01", later) or {})["descricao"] == "Recusar"
    assert table.known_on("I-01", date(1990, 12, 14)) is None
    assert table.known_on("I-99", later) is None


def test_an_amount_that_the_law_does_not_give_is_none(content: Files):
    table = load_norm(fines(content, OLD, "I-02,Adulterar,,1990-12-15,,Anexo\n")).tables["multas"]
    assert table.amount(table.row_on("I-02", date(2026, 1, 1)) or {}) is None


@pytest.mark.parametrize(
    ("lines", "where", "told"),
    [
        ((OLD, NEW.replace("2026-01-01", "2025-12-31")), 3, "I-01 já tem regra em vigor em 2025-12-31"),
        ((NEW.replace("2026-01-01", "2025-12-31"), OLD), 2, "I-01 já tem regra em vigor em 2025-12-31"),
        ((OLD, OLD), 3, "I-01 já tem regra em vigor em 1990-12-15"),
        ((OTHER, OTHER.replace("1990-12-15", "2026-01-01")), 3, "I-02 já tem regra em vigor em 2026-01-01"),
        (
            (OLD, NEW.replace("2026-01-01", "2026-01-02")),
            3,
            "I-01 fica sem regra entre 2025-12-31 e 2026-01-02",
        ),
        ((OLD.replace("2025-12-31", "1990-12-14"),), 2, "ate (1990-12-14) é antes de desde (1990-12-15)"),
        ((OLD.replace("1990-12-15", ""),), 2, "falta a data em que a regra entrou em vigor (desde)"),
        ((OLD.replace("1990-12-15", "15/12/1990"),), 2, "desde ou ate não é uma data"),
        ((OLD.replace("1990-12-15", "19901215"),), 2, "desde ou ate não é uma data"),
        ((OLD.replace("2025-12-31", "2025-02-30"),), 2, "desde ou ate não é uma data"),
        ((OLD.replace("Anexo", ""),), 2, "falta o artigo que fundamenta"),
        ((OLD.replace(",5,", ",cinco,"),), 2, "ufp 'cinco' não é um valor"),
        ((OLD.replace(",5,", ",-5,"),), 2, "ufp '-5' não é um valor"),
    ],
)
def test_each_fault_of_dates_and_amounts_is_told_by_its_line(
    content: Files, lines: tuple[str, ...], where: int, told: str
):
    assert told in faults_of(fines(content, *lines))[f"{FINES} [linha {where}]"]


def test_a_rule_of_one_day_is_a_rule(content: Files):
    one_day = OLD.replace("2025-12-31", "1990-12-15")
    table = load_norm(fines(content, one_day)).tables["multas"]
    assert table.row_on("I-01", date(1990, 12, 15)) is not None
    assert table.row_on("I-01", date(1990, 12, 16)) is None


def test_a_table_without_dates_is_refused(content: Files):
    content[FINES] = b"codigo,descricao,ufp,artigo\nI-01,Recusar,5,Anexo\n"
    told = faults_of(content)
    assert (told[f"{FINES} [desde]"], told[f"{FINES} [ate]"]) == ("falta a coluna", "falta a coluna")


def competences(content: Files, *lines: str) -> Files:
    return content | {COMPETENCES: content[COMPETENCES] + "".join(lines).encode()}


def test_an_act_passes_from_one_office_to_another_on_its_day(content: Files):
    text = content[COMPETENCES].decode().replace("Art. 2,,1990-12-15,", "Art. 2,,1990-12-15,2026-05-31")
    content[COMPETENCES] = (text + "julgar,fiscal,Lei 9,,2026-06-01,\n").encode()
    norm = load_norm(content)
    assert [row.role for row in roles_for(norm, "julgar", date(2026, 5, 31))] == ["membro"]
    assert [row.role for row in roles_for(norm, "julgar", date(2026, 6, 1))] == ["fiscal"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("julgar,membro,Lei 9,,2026-06-01,\n", "julgar, membro já tem regra em vigor em 2026-06-01"),
        ("julgar,fiscal,Lei 9,,,\n", "falta a data em que a regra entrou em vigor (desde)"),
        ("julgar,fiscal,Lei 9,,2026-06-01,2026-05-31\n", "ate (2026-05-31) é antes de desde (2026-06-01)"),
    ],
)
def test_each_fault_of_a_competence_in_time_is_told_by_its_line(content: Files, line: str, told: str):
    assert told in faults_of(competences(content, line))[f"{COMPETENCES} [linha 5]"]


def test_two_competences_of_one_office_leave_no_day_between_them(content: Files):
    text = content[COMPETENCES].decode().replace("Art. 2,,1990-12-15,", "Art. 2,,1990-12-15,2026-05-31")
    content[COMPETENCES] = (text + "julgar,membro,Lei 9,,2026-06-02,\n").encode()
    assert faults_of(content) == {
        f"{COMPETENCES} [linha 5]": "julgar, membro fica sem regra entre 2026-05-31 e 2026-06-02"
    }


@pytest.mark.parametrize(
    ("old", "new", "key", "told"),
    [
        ('tabela = "multas"', 'tabela = "taxas"', "processos.infracao.tabela", "a tabela 'taxas' não existe"),
        ('valor = "ufp"', "valor = 3", "tabelas.multas.valor", "deve ser o nome da coluna"),
        ('valor = "ufp"', 'valor = "ufp"\ncertezas = 3', "tabelas.multas.certezas", "deve ser uma tabela"),
        (
            'valor = "ufp"',
            'valor = "ufp"\ninfrator_por_grupo = { I = 1 }',
            "tabelas.multas.infrator_por_grupo",
            "deve ser uma tabela de textos",
        ),
        (
            'valor = "ufp"',
            'valor = "ufp"\ncodigos_de_veiculo = "I-01"',
            "tabelas.multas.codigos_de_veiculo",
            "deve ser uma lista de textos",
        ),
        (
            'valor = "ufp"',
            'valor = "ufp"\ncodigos_de_veiculo = ["I-01", "I-99"]',
            "tabelas.multas.codigos_de_veiculo",
            "o código 'I-99' não existe na norma",
        ),
        ('"caso.numero"', '"multa.cor"', "documentos.auto.campos[4].de", "a coluna 'cor' não existe"),
    ],
)
def test_what_a_process_and_a_paper_take_from_a_table_must_be_there(
    content: Files, old: str, new: str, key: str, told: str
):
    text = content[NORMA].decode()
    assert old in text
    content[NORMA] = text.replace(old, new, 1).encode()
    assert told in faults_of(content)[f"{NORMA} [{key}]"]


def test_a_paper_may_take_any_column_of_the_table_by_which_a_process_charges(content: Files):
    content[NORMA] = content[NORMA].replace(b'"caso.numero"', b'"multa.descricao"')
    assert load_norm(content).documents["auto"].fields[3].source == "multa.descricao"


def test_a_process_whose_code_no_form_brings_into_the_flow_is_refused(content: Files):
    form = "forms/vila/auto-schema.json"
    content[form] = content[form].replace(b'"x-fluxo": true', b'"x-fluxo": false')
    assert "nenhum formulário põe no fluxo" in faults_of(content)[f"{NORMA} [processos.infracao.tabela]"]


def test_the_rule_by_which_a_process_charges_is_found_by_its_content(content: Files):
    norm = load_norm(content)
    found = norm.charged("infracao", {"codigo": "I-02"})
    assert found is not None
    assert (found[0].key, found[1]) == ("multas", "I-02")
    assert norm.charged("infracao", {}) is None
    assert norm.charged("infracao", {"codigo": None}) is None
    assert norm.charged("outro", {"codigo": "I-02"}) is None


def test_a_certainty_that_the_norm_does_not_explain_is_refused(content: Files):
    content[NORMA] = content[NORMA].replace(b'valor = "ufp"', b'valor = "ufp"\ncertezas = { certo = "lido" }')
    content[FINES] = (HEAD.replace("\n", ",certeza\n") + OTHER.replace("\n", ",talvez\n")).encode()
    assert faults_of(content)[f"{FINES} [linha 2]"].startswith("a certeza 'talvez' não está em certezas")
