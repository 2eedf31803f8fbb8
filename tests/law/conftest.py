"""A municipality small enough to read: one act, one board, one deadline, one form, one document."""

from __future__ import annotations

import json

import pytest

NORMA = """
[norma]
slug = "vila"
municipio = "Vila"
uf = "BA"
lei = "Lei 1/1990"
ementa = "Regulamento."
publicada_em = 1990-12-15
fuso = "America/Bahia"
unidade_fiscal = "UFP"
orgao = "Secretaria"
vigencia = "na data da publicação"

[papeis.fiscal]
nome = "Fiscal"
artigo = "Art. 1"

[papeis.membro]
nome = "Membro"
artigo = "Art. 2"

[colegiados.comissao]
nome = "Comissão"
artigo = "Art. 2"
quorum = 2
suplente = "membro"
impedem = ["autuar"]
assentos = [{ chave = "a", nome = "A", papel = "membro" }, { chave = "b", nome = "B", papel = "fiscal" }]

[prazos.defesa]
codigo = "DL-1"
nome = "Defesa"
quantidade = 5
unidade = "dias_uteis"
perfil = "LPA_9784"
artigo = "Art. 3"
inicio = "ciência"
vincula = "autuado"
efeito = "revelia"

[prazos.balanco]
codigo = "DL-2"
nome = "Balanço"
dia = 30
mes = 3
unidade = "data_fixa"
perfil = "LPA_9784"
artigo = "Art. 78"

[escolhas."defesa.previa"]
opcoes = ["sim", "nao"]
padrao = "sim"
artigo = "Art. 4"
razao = "A lei não diz."
rotulos = { sim = "Com defesa", nao = "Sem defesa" }

[parametros."ufp.valor"]
tipo = "reais"
rotulo = "Valor da UFP"
artigo = "Art. 5"

[parametros.teto]
tipo = "unidades"
rotulo = "Teto"
artigo = "Art. 6"
valores = [
  { desde = 2020-01-01, valor = "7.5", fonte = "Lei 9" },
  { desde = 1990-12-15, valor = "5", fonte = "Lei 1" },
]

[estados.ABERTO]
nome = "Aberto"
artigo = "Art. 7"
texto = "O processo foi aberto."

[estados.FIM]
nome = "Fim"
artigo = "Art. 7"
texto = "O processo acabou."
final = true

[processos.infracao]
codigo = "V-P1"
nome = "Infração"
arquivo = "infracao.bpmn"
processo = "infracao"
formulario = "auto"
ato = "autuar"
tabela = "multas"
artigos = ["Art. 8"]

[protocolo.defesa]
nome = "Defesa"
formulario = "auto"
artigo = "Art. 3"
mensagem = "defesa"
prazo = "defesa"

[protocolo.pagamento]
nome = "Pagamento"
formulario = "auto"
artigo = "Art. 3"
pagamento = true

[documentos.auto]
codigo = "DOC-1"
titulo = "Auto de infração"
serie = "auto"
artigo = "Art. 9"
modelo = "auto"
campos = [
  { chave = "fato", rotulo = "Fato", de = "formulario.auto.fato", artigo = "Art. 9" },
  { chave = "motivo", rotulo = "Motivo", de = "formulario.auto.motivo" },
  { chave = "fim", rotulo = "Último dia", de = "prazo.defesa" },
  { chave = "numero", rotulo = "Número", de = "caso.numero" },
  { chave = "julgamento", rotulo = "Julgado", de = "dado.julgamento" },
  { chave = "aviso", rotulo = "Aviso", de = "texto:Cabe recurso." },
]

[tabelas.multas]
arquivo = "multas.csv"
chave = "codigo"
valor = "ufp"
unidade = "UFP"
"""

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Auto",
    "type": "object",
    "properties": {
        "fato": {"type": "string", "title": "Fato", "maxLength": 500, "x-pessoal": True},
        "codigo": {
            "type": "string",
            "title": "Código",
            "x-tabela": "multas",
            "maxLength": 10,
            "x-fluxo": True,
        },
        "quem": {"type": "string", "title": "Quem", "x-registro": "transportador", "maxLength": 40},
    },
    "allOf": [
        {
            "if": {"properties": {"codigo": {"const": "I-02"}}},
            "then": {"properties": {"motivo": {"type": "string", "title": "Motivo", "maxLength": 99}}},
            "else": {"properties": {"motivo": False}},
        }
    ],
}


@pytest.fixture
def content() -> dict[str, bytes]:
    """The files of Vila/BA, without a fault. A test breaks one thing and sees it named."""
    texts = {
        "bpmn/vila/norma.toml": NORMA,
        "bpmn/vila/infracao.bpmn": "<definitions/>",
        "bpmn/vila/multas.csv": "codigo,descricao,ufp,desde,ate,artigo\nI-01,Recusar,5,1990-12-15,,Anexo\n"
        "I-02,Adulterar,15,1990-12-15,,Anexo\n",
        "bpmn/vila/competencias.csv": "ato,papel,artigo,nota,desde,ate\nautuar,fiscal,Art. 1,,1990-12-15,\n"
        "julgar,membro,Art. 2,,1990-12-15,\nautuar,membro,Art. 10,na falta do fiscal,1990-12-15,\n",
        "bpmn/vila/artigos.csv": "artigo,onde,nota\nArt. 3,prazos.defesa,\nArt. 11,,revogado\n",
        "bpmn/vila/calendario.csv": "data,tipo,nome,ambito,abre,fecha,expediente_fechado,ato,publicado_em,"
        "em_vigor_desde\n2026-12-25,H,Natal,nacional,,,sim,Lei 662/1949,1949-04-06,1949-04-06\n"
        "2026-02-16,P,Carnaval,municipal,,,não,Decreto 9,,\n"
        "2026-12-24,E,véspera,municipal,08:00,13:00,,Decreto 40,2026-12-01,\n",
        "forms/vila/auto-schema.json": json.dumps(SCHEMA),
        "forms/vila/auto-uischema.json": '{"ui:order": ["fato", "motivo", "*"]}',
        "forms/vila/documentos/auto.typ": "= Auto",
        "forms/vila/documentos/brasao.svg": "<svg/>",
    }
    return {path: text.encode() for path, text in texts.items()}
