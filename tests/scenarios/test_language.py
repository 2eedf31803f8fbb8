"""The story language keeps its word: what is written wrong is refused, what comes out otherwise is said, exactly."""

from __future__ import annotations

import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from app.cli import main
from app.errors import Invalid
from app.scenario.story import read_stories
from app.settings import ROOT

OPENED = """\
cenario: ERRADA
titulo: Uma história com expectativas erradas
quando:
  - em: 2026-03-02 10:00
    quem: fiscal
    abre: infracao
    com:
      codigo: I-14
      transportador: ES
      outorga: L-110
      ocorrida_em: 2026-03-02
      hora: "09:00"
      local: Terminal
      fatos: Deixou de fazer duas viagens.
"""
THEN = """\
    entao:
      estado: AUTUADO
      encerrado: true
      prazos: {defesa: 2026-03-09, defessa: null}
      documentos: [auto_de_infracao]
      sem_documentos: [notificacao, notificaçao]
      campos: {notificacao: {codigo: I-15, talao: ""}}
      cobranca: {ufp: 5}
      devolucao: {reais: 1}
      pago: 500.00
      ocorrencia: advertida
      tarefas: [lavrar_auto]
      quem_age: [secretario]
      protocolo: {moveu: true}
      peticao: true
      infrator: VRC
      votos: {presidente: procedente}
      fatos: {codigo: I-15}
"""
ACTS = """\
  - {em: 2026-03-03 09:00, quem: fiscal, conclui: registrar_notificacao, com: {conferencia: em_ordem}}
  - {em: 2026-03-03 09:10, quem: presidente, conclui: lavrar_auto, com: {penalidade: multa}}
  - {em: 2026-03-03 09:20, quem: fiscal, conclui: registrar_notificacao, recusa: competencia.assento}
  - em: 2026-03-03 09:30
    quem: presidente
    conclui: registrar_notificacao
    com: {conferencia: em_ordem}
    recusa: competencia.ausente
"""
DIFFERENCES = """\
passo 1: estado: esperava-se AUTUADO, encontrou-se NOTIFICADO
passo 1: encerrado: esperava-se sim, encontrou-se não
passo 1: prazo defesa: esperava-se 2026-03-09, e ele não foi contado
passo 1: prazo defessa: a norma não o tem
passo 1: documento auto_de_infracao: esperava-se emitido; há notificacao
passo 1: documento notificacao: não devia ter sido emitido
passo 1: documento notificaçao: a norma não o tem
passo 1: documento notificacao: o campo codigo é “I-14”, esperava-se conter “I-15”
passo 1: documento notificacao: o campo talao está vazio
passo 1: cobrança: não há
passo 1: devolução: não foi ordenada
passo 1: pago: esperava-se R$ 500,00, encontrou-se R$ 0,00
passo 1: ocorrência: esperava-se advertida, encontrou-se notificada
passo 1: tarefas abertas: esperava-se lavrar_auto, encontrou-se registrar_notificacao
passo 1: quem age: esperava-se secretario; agem membro_comissao, presidente_comissao
passo 1: protocolo: nada foi protocolado
passo 1: petição autônoma aberta: esperava-se sim, encontrou-se não
passo 1: infrator: esperava-se VRC, encontrou-se ES
passo 1: votos: esperava-se presidente: procedente, encontrou-se nada
passo 1: fato codigo: esperava-se I-15, encontrou-se I-14
passo 2: recusado: Este ato cabe a: Presidente da Comissão de Julgamento, Membro
passo 3: recusado: a tarefa lavrar_auto não está aberta; abertas: registrar_notificacao
passo 4: esperava-se recusa competencia.assento, veio competencia.ausente: Este ato cabe a: Presidente
passo 5: esperava-se recusa (competencia.ausente), e o ato foi aceito
""".splitlines()


def test_each_wrong_line_is_reported_and_nothing_else_and_the_command_fails(tmp_path: Path) -> None:
    (tmp_path / "errada.yaml").write_text(OPENED + THEN + ACTS, "utf-8")
    result = CliRunner().invoke(main, ["scenario", "run", str(tmp_path)])
    told = result.output.splitlines()
    assert told[0] == "✗ ERRADA: Uma história com expectativas erradas"
    assert told[-1] == "0 de 1 histórias saíram como escrito"
    found = [line.strip().removeprefix("ERRADA, ") for line in told[1:-1]]
    assert len(found) == len(DIFFERENCES)
    for line, expected in zip(found, DIFFERENCES, strict=True):
        assert line.startswith(expected)
    assert result.exit_code == 1


def test_a_story_that_holds_ends_the_command_well(tmp_path: Path) -> None:
    then = "    entao: {estado: NOTIFICADO, tarefas: [registrar_notificacao]}\n"
    (tmp_path / "certa.yaml").write_text(OPENED + then, "utf-8")
    result = CliRunner().invoke(main, ["scenario", "run", str(tmp_path)])
    assert result.output.splitlines()[-1] == "1 de 1 histórias saíram como escrito"
    assert result.exit_code == 0


def test_a_file_that_cannot_be_read_fails_without_hiding_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(OPENED + "titulo: outra vez\n", "utf-8")
    (tmp_path / "b.yaml").write_text(OPENED, "utf-8")
    result = CliRunner().invoke(main, ["scenario", "run", str(tmp_path)])
    assert "✗ a.yaml: a.yaml: chave repetida: titulo" in result.output
    assert "1 de 2 histórias saíram como escrito" in result.output
    assert result.exit_code == 1


def test_the_example_of_the_documentation_holds(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "scenarios.md").read_text("utf-8")
    example = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "exemplo.yaml").write_text(example, "utf-8")
    result = CliRunner().invoke(main, ["scenario", "run", str(tmp_path)])
    assert result.exit_code == 0, result.output


HEAD, TAIL = "cenario: X\ntitulo: Y\ndado:\n  ", "\nquando: [{em: 2026-03-02}]\n"
STEP = "cenario: X\ntitulo: Y\nquando:\n  - {em: 2026-03-02 10:00, quem: fiscal, "
WRONG = {
    "a repeated key": ("cenario: X\ncenario: Y\n", "chave repetida: cenario"),
    "a repeated key deep down": (STEP + "entao: {estado: A, estado: B}}\n", "chave repetida: estado"),
    "an unknown key of the file": ("cenario: X\ntitulo: Y\npassos: []\n", "o arquivo: chave desconhecida: passos"),
    "an unknown key of a step": (STEP + "faz: algo}\n", "X, passo 1: chave desconhecida: faz"),
    "an unknown expectation": (STEP + "entao: {prazo: 1}}\n", "X, passo 1: entao: chave desconhecida: prazo"),
    "an unknown part of an expectation": (STEP + "entao: {cobranca: {upf: 5}}}\n", "cobranca: chave desconhecida: upf"),
    "no title": ("cenario: X\n", "falta titulo"),
    "no steps": ("cenario: X\ntitulo: Y\n", "não tem passos"),
    "no date": ("cenario: X\ntitulo: Y\nquando:\n  - {quem: fiscal}\n", "X, passo 1: falta em"),
    "no readable date": ("cenario: X\ntitulo: Y\nquando:\n  - {em: ontem}\n", "data e hora ilegíveis: ontem"),
    "two acts at once": (STEP + "abre: infracao, anota: nada}\n", "um ato por passo"),
    "an act by nobody": ("cenario: X\ntitulo: Y\nquando:\n  - {em: 2026-03-02, anota: nada}\n", "com quem o pratica"),
    "steps out of order": (STEP + "anota: um}\n  - {em: 2026-03-01}\n", "X, passo 2: vem antes do passo anterior"),
    "a text cut by its comma": (STEP + "abre: infracao, com: {fatos: Nove, ou dez}}\n", "chave sem valor"),
    "an unknown given": (HEAD + "clima: []" + TAIL, "X: dado: chave desconhecida: clima"),
    "an unknown key of a given": (
        HEAD + "feriados: [{dia: 2026-03-03}]" + TAIL,
        "X: dado: feriados: chave desconhecida: dia",
    ),
    "a given that lacks a part": (
        HEAD + "antecedentes: [{infrator: ES, codigo: I-14}]" + TAIL,
        "X: dado: antecedentes: falta data, situacao",
    ),
    "no YAML": ("cenario: [\n", "não é YAML"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_story_is_refused_for(what: str, tmp_path: Path) -> None:
    text, sentence = WRONG[what]
    path = tmp_path / "historia.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(Invalid) as refused:
        read_stories(path, ZoneInfo("America/Bahia"))
    assert refused.value.message.startswith("historia.yaml: ")
    assert sentence in refused.value.message


def test_variants_share_what_is_common_and_the_givens_of_all(tmp_path: Path) -> None:
    path = tmp_path / "v.yaml"
    path.write_text(
        "cenario: X\ntitulo: Tudo\n"
        "dado: {antecedentes: [&aviso {infrator: ES, codigo: I-14, data: 2026-01-02, situacao: advertida}]}\n"
        "comum: [{em: 2026-03-02}]\nvariantes:\n"
        "  A: {titulo: um, quando: [{em: 2026-03-03 08:00}]}\n"
        "  B: {dado: {antecedentes: [*aviso]}}\n",
        "utf-8",
    )
    a, b = read_stories(path, ZoneInfo("America/Bahia"))
    assert [(s.name, s.title, len(s.steps)) for s in (a, b)] == [("X-A", "Tudo: um", 2), ("X-B", "Tudo", 1)]
    assert [len(s.given["antecedentes"]) for s in (a, b)] == [1, 2]
    assert [f"{step.at:%d/%m %H:%M %z}" for step in a.steps] == ["02/03 09:00 -0300", "03/03 08:00 -0300"]
