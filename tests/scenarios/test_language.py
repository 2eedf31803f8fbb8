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

ZONE = ZoneInfo("America/Bahia")
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
      numeros: {notificacao: [1], auto_de_infracao: [1]}
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
passo 1: números de auto_de_infracao: esperava-se 1, encontrou-se nada
passo 2: recusado: Este ato cabe a: Presidente da Comissão de Julgamento, Membro
passo 3: recusado: a tarefa lavrar_auto não está aberta; abertas: registrar_notificacao
passo 4: esperava-se recusa competencia.assento, veio competencia.ausente: Este ato cabe a: Presidente
passo 5: esperava-se recusa (competencia.ausente), e o ato foi aceito
""".splitlines()


def test_each_wrong_line_is_reported_and_nothing_else_and_the_command_fails(tmp_path: Path) -> None:
    (tmp_path / "errada.yaml").write_text(OPENED + THEN + ACTS, "utf-8")
    result = CliRunner().invoke(main, ["scenario", "run", str(tmp_path)])
    told = result.output.splitlines()
    assert told[0] == "✗ ERRADA: Uma história com expectativas erradas (errada.yaml)"
    assert told[-1] == "0 de 1 histórias saíram como escrito"
    places = [line.strip().partition(": ERRADA, ") for line in told[1:-1]]
    found = [rest for _, _, rest in places]
    assert [line for line, _, _ in places] == ["linha 4"] * 21 + [
        "linha 34",
        "linha 35",
        "linha 36",
        "linha 37",
    ]
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
    assert result.stderr == "✗ a.yaml: linha 15: chave repetida: titulo\n"
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
WRONG: dict[str, tuple[str, str]] = {
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
    "a text with a colon": ("cenario: X\ntitulo: Y: Z\n", "linha 2, coluna 10: não é YAML: há dois-pontos"),
    "a tabulation": ("cenario: X\n\ttitulo: Y\n", "linha 2, coluna 1: não é YAML: há uma tabulação"),
    "an object of Python": ("cenario: !!python/name:os.system\n", "linha 1, coluna 10: não é YAML: há uma marca"),
    "two documents": ("cenario: X\n---\ntitulo: Y\n", "só pode haver uma história por arquivo"),
    "a control character": ("cenario: X\ntitulo: a\x00b\n", "linha 2: não é YAML: há um caractere de controle"),
    "nothing at all": ("", "o arquivo: esperavam-se chaves e valores, veio nada"),
    "a list": ("- cenario: X\n", "o arquivo: esperavam-se chaves e valores, veio uma lista"),
    "a key that is a list": ("? [a]\n: 1\n", "linha 1: uma chave tem de ser um texto"),
    "a key that is a number": ("cenario: X\ntitulo: Y\n3: Z\n", "linha 3: o arquivo: a chave 3 tem de ser um texto"),
    "ten thousand levels": ("cenario: X\ntitulo: " + "[" * 10_000, "linha 2: há mais de 30 blocos"),
    "a bomb of repetitions": (
        "cenario: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"n{n}: &{'abcdefg'[n]} [{', '.join(['*' + 'abcdefg'[n - 1]] * 9)}]\n" for n in range(1, 7)),
        "linha 5: há mais de 50000 valores",
    ),
    "a part that holds itself": ("cenario: &a [*a]\n", "linha 1: um trecho com nome (&) chama a si mesmo"),
    "a day that no month has": (STEP.replace("03-02", "02-30") + "anota: a}\n", "linha 4: valor ilegível: 2026-02-3"),
    "a name that is a path": ("cenario: ../../X\ntitulo: Y\n", "linha 1: cenario: use um nome curto"),
    "a title that is a list": ("cenario: X\ntitulo: [Y]\n", "linha 2: titulo: esperava-se um texto, veio uma lista"),
    "articles that are no list": ("cenario: X\ntitulo: Y\nartigos: 1\n", "linha 3: artigos: esperava-se uma lista"),
    "steps that are no list": ("cenario: X\ntitulo: Y\nquando: {em: 1}\n", "X: quando: esperava-se uma lista"),
    "a step that is a text": ("cenario: X\ntitulo: Y\nquando: [ontem]\n", "X, passo 1: esperavam-se chaves e valores"),
    "variants that are a list": ("cenario: X\ntitulo: Y\nvariantes: [A]\n", "variantes: esperavam-se chaves e valores"),
    "steps beside variants": (
        "cenario: X\ntitulo: Y\nquando: []\nvariantes: {A: {}}\n",
        "linha 3: quando: com variantes, os passos de todas ficam em comum",
    ),
    "givens that are a list": ("cenario: X\ntitulo: Y\ndado: [a]\n", "linha 3: X: dado: esperavam-se chaves e valores"),
    "a given that is a text": (HEAD + "pessoas: fiscal" + TAIL, "linha 4: X: dado: pessoas: esperava-se uma lista"),
    "roles that are a text": (
        HEAD + "pessoas: [{login: a, nome: b, matricula: 1, papeis: fiscal}]" + TAIL,
        "linha 4: X: dado: pessoas: papeis: esperava-se uma lista, veio fiscal",
    ),
    "a year for a day": (
        HEAD + "antecedentes: [{infrator: ES, codigo: I-14, data: 2026, situacao: advertida}]" + TAIL,
        "X: dado: antecedentes: data: esperava-se uma data, como 2026-03-02, veio 2026",
    ),
    "a status nobody knows": (
        HEAD + "antecedentes: [{infrator: ES, codigo: I-14, data: 2026-01-02, situacao: perdoada}]" + TAIL,
        "X: dado: antecedentes: situacao: perdoada não é nenhum destes: notificada, advertida",
    ),
    "a date for an act": (STEP + "abre: 2026-03-02}\n", "X, passo 1: abre: esperava-se um texto, veio 2026-03-02"),
    "a number for an instant": ("cenario: X\ntitulo: Y\nquando: [{em: 20260302}]\n", "data e hora ilegíveis: 20260302"),
    "a time before all stories": (
        "cenario: X\ntitulo: Y\nquando: [{em: 1998-03-02}]\n",
        "02/03/1998 está fora dos dias das histórias",
    ),
    "answers that are a list": (STEP + "abre: infracao, com: [I-14]}\n", "X, passo 1: com: esperavam-se chaves"),
    "an expectation left blank": (STEP + "entao: {estado: }}\n", "X, passo 1: entao: estado: chave sem valor"),
    "a yes that is no true": (STEP + "entao: {encerrado: sim}}\n", "encerrado: esperava-se true ou false, veio sim"),
    "an amount in words": (STEP + "entao: {pago: cem}}\n", "pago: esperava-se uma quantia, como 500.00, veio cem"),
    "documents that are a text": (STEP + "entao: {documentos: auto}}\n", "documentos: esperava-se uma lista"),
    "a term that ends in words": (STEP + "entao: {prazos: {defesa: logo}}}\n", "prazos: defesa: data ilegível: logo"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_story_is_refused_for(what: str, tmp_path: Path) -> None:
    text, sentence = WRONG[what]
    path = tmp_path / "historia.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(Invalid) as refused:
        read_stories(path, lambda _: ZONE)
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
    a, b = read_stories(path, lambda _: ZONE)
    assert [(s.name, s.title, len(s.steps)) for s in (a, b)] == [("X-A", "Tudo: um", 2), ("X-B", "Tudo", 1)]
    assert [len(s.given["antecedentes"]) for s in (a, b)] == [1, 2]
    assert [f"{step.at:%d/%m %H:%M %z}" for step in a.steps] == ["02/03 09:00 -0300", "03/03 08:00 -0300"]


def test_hours_and_numbers_mean_what_people_read(tmp_path: Path) -> None:
    """YAML alone makes 750 of `12:30` and 8 of `010`."""
    path = tmp_path / "historia.yaml"
    path.write_text(STEP + "anota: 010, com: {hora: 12:30, folha: 010, quantos: 12}}\n", "utf-8")
    (story,) = read_stories(path, lambda _: ZONE)
    assert story.steps[0].target == "010"
    assert story.steps[0].answers == {"hora": "12:30", "folha": "010", "quantos": 12}


def test_instants_are_local_to_the_zone_of_the_story_s_municipality(tmp_path: Path) -> None:
    path = tmp_path / "historia.yaml"
    path.write_text("cenario: X\ntitulo: Y\nmunicipio: tarauaca\nquando: [{em: 2026-03-02 10:00}]\n", "utf-8")
    zones = {"tarauaca": ZoneInfo("America/Rio_Branco")}
    (story,) = read_stories(path, zones.__getitem__)
    assert story.steps[0].at.isoformat() == "2026-03-02T10:00:00-05:00"


def test_a_file_in_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "historia.yaml"
    path.write_bytes("cenario: X\ntitulo: Petição\n".encode("latin-1"))
    with pytest.raises(Invalid, match=r"^historia.yaml: linha 2: o arquivo não está em UTF-8"):
        read_stories(path, lambda _: ZONE)


UNKNOWN = {
    "a municipality": (
        "cenario: X\ntitulo: Y\nmunicipio: atlantida\nquando: [{em: 2026-03-02}]\n",
        "linha 3: municipio: Não há o município atlantida",
    ),
    "a person": (STEP.replace("fiscal", "ninguem") + "anota: a}\n", "linha 4: X, passo 1: pessoa ninguem não existe"),
    "a procedure": (STEP + "abre: usucapiao}\n", "linha 4: X, passo 1: procedimento usucapiao não existe"),
    "a case": (STEP + "anota: nada}\n", "linha 4: X, passo 1: processo 1 não existe"),
    "a role": (
        HEAD + "pessoas: [{login: a, nome: b, matricula: 1, papeis: [rei]}]" + TAIL,
        "dado: Não há papel chamado rei.",
    ),
    "a seat": (
        HEAD + "pessoas: [{login: a, nome: b, matricula: 1, papeis: [fiscal], assento: trono}]" + TAIL,
        "dado: Não há assento chamado trono.",
    ),
    "a code of the law": (
        HEAD + "antecedentes: [{infrator: ES, codigo: I-999, data: 2026-01-02, situacao: advertida}]" + TAIL,
        "dado: Não há código de infração chamado I-999.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", UNKNOWN)
def test_a_story_that_names_what_is_not_there_is_told_so(what: str, tmp_path: Path) -> None:
    text, sentence = UNKNOWN[what]
    (tmp_path / "historia.yaml").write_text(text, "utf-8")
    result = CliRunner().invoke(main, ["scenario", "run", str(tmp_path)])
    assert "historia.yaml" in result.output
    assert sentence in result.output
    assert result.exit_code == 1
