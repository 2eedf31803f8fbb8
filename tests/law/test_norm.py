"""A municipality's content is read whole, or refused with every fault by file and key."""

from __future__ import annotations

from datetime import date, time

import pytest

from app.errors import Invalid
from app.law.competence import acts_for, roles_for
from app.law.counting import Unit
from app.law.norm import load_norm
from app.law.provisions import Competence, Period
from app.values import Money, Units

NORMA, FORM, UI = "bpmn/vila/norma.toml", "forms/vila/auto-schema.json", "forms/vila/auto-uischema.json"
Files = dict[str, bytes]


def faults_of(files: Files) -> dict[str, str]:
    with pytest.raises(Invalid) as refusal:
        load_norm(files)
    assert refusal.value.code == "norma.invalida"
    return refusal.value.fields


def test_the_head_says_whose_law_it_is(content: Files):
    norm = load_norm(content)
    assert (norm.slug, norm.municipality, norm.state, norm.law) == ("vila", "Vila", "BA", "Lei 1/1990")
    assert (norm.agency, norm.unit_name, norm.zone.key) == ("Secretaria", "UFP", "America/Bahia")
    assert (norm.published_on, norm.in_force) == (date(1990, 12, 15), "na data da publicação")
    assert norm.summary == "Regulamento."


def test_roles_boards_and_seats_are_read(content: Files):
    norm = load_norm(content)
    board = norm.boards["comissao"]
    assert norm.roles["fiscal"].article == "Art. 1"
    assert (board.quorum, board.alternate_role, board.barring_acts) == (2, "membro", ("autuar",))
    assert [(seat.key, seat.role) for seat in board.seats] == [("a", "membro"), ("b", "fiscal")]


def test_deadlines_become_terms_in_the_zone_of_the_municipality(content: Files):
    defence, balance = load_norm(content).deadlines.values()
    assert (defence.amount, defence.unit, defence.profile) == (5, Unit.BUSINESS_DAYS, "LPA_9784")
    assert (defence.code, defence.starts, defence.binds, defence.effect) == (
        "DL-1",
        "ciência",
        "autuado",
        "revelia",
    )
    assert (balance.unit, balance.amount, balance.day, balance.month) == (Unit.FIXED_DATE, None, 30, 3)
    assert balance.zone.key == "America/Bahia"


def test_a_deadline_without_amount_is_one_the_law_leaves_unset(content: Files):
    content[NORMA] = content[NORMA].replace(b"quantidade = 5\n", b"")
    assert load_norm(content).deadlines["defesa"].amount is None


def test_parameters_have_values_by_date_of_force(content: Files):
    parameters = load_norm(content).parameters
    ceiling = parameters["teto"]
    assert ceiling.value_on(date(1990, 12, 14)) is None
    assert ceiling.value_on(date(1990, 12, 15)) == Units.parse("5")
    assert ceiling.value_on(date(2019, 12, 31)) == Units.parse("5")
    assert ceiling.value_on(date(2020, 1, 1)) == Units.parse("7.5")
    in_force = ceiling.in_force_on(date(2026, 1, 1))
    assert in_force is not None
    assert in_force.source == "Lei 9"
    assert parameters["ufp.valor"].value_on(date(2026, 1, 1)) is None
    assert parameters["ufp.valor"].read("100.00") == Money(10_000)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("inteiro", "60", 60),
        ("percentual", "70", 70),
        ("unidades", "2,5", Units(250)),
        ("reais", "R$ 1.234,50", Money(123_450)),
        ("texto", "civil", "civil"),
        ("booleano", "sim", True),
        ("booleano", "Não", False),
    ],
)
def test_each_type_of_parameter_reads_its_text(content: Files, kind: str, text: str, value: object):
    content[NORMA] = content[NORMA].replace(b'tipo = "unidades"', f'tipo = "{kind}"'.encode())
    content[NORMA] = (
        content[NORMA]
        .replace(b'"7.5"', f'"{text}"'.encode())
        .replace(b'  { desde = 1990-12-15, valor = "5", fonte = "Lei 1" },\n', b"")
    )
    found = load_norm(content).parameters["teto"].value_on(date(2026, 1, 1))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [("inteiro", "6,5"), ("percentual", "-1"), ("unidades", "NaN"), ("reais", "cem"), ("booleano", "talvez")],
)
def test_a_value_of_another_type_is_a_fault(content: Files, kind: str, text: str):
    content[NORMA] = content[NORMA].replace(b'tipo = "unidades"', f'tipo = "{kind}"'.encode())
    content[NORMA] = content[NORMA].replace(b'"7.5"', f'"{text}"'.encode())
    told = faults_of(content)[f"{NORMA} [parametros.teto.valores[1].valor]"]
    assert told == f"{text!r} não é um valor do tipo {kind}"


def test_a_process_that_opens_by_itself_has_no_form(content: Files):
    content[NORMA] = content[NORMA].replace(b'formulario = "auto"\nato', b"ato")
    assert load_norm(content).processes["infracao"].form == ""


def test_choices_statuses_processes_and_filings_are_read(content: Files):
    norm = load_norm(content)
    choice, process = norm.choices["defesa.previa"], norm.processes["infracao"]
    assert (choice.default, choice.options, choice.labels["nao"]) == ("sim", ("sim", "nao"), "Sem defesa")
    assert [norm.statuses[key].final for key in ("ABERTO", "FIM")] == [False, True]
    assert (process.file, process.form, process.act, process.articles) == (
        "infracao.bpmn",
        "auto",
        "autuar",
        ("Art. 8",),
    )
    assert norm.diagrams[process.file] == b"<definitions/>"
    assert norm.templates == {"auto.typ": b"= Auto"}
    assert norm.documents["auto"].template == "auto"
    assert norm.crest == b"<svg/>"
    defence, payment = norm.filings["defesa"], norm.filings["pagamento"]
    assert (defence.message, defence.deadline, defence.payment) == ("defesa", "defesa", False)
    assert (payment.message, payment.deadline, payment.payment) == (None, None, True)


def test_documents_tables_articles_and_forms_are_read(content: Files):
    norm = load_norm(content)
    document, table = norm.documents["auto"], norm.tables["multas"]
    assert (document.series, document.fields[0].source, document.fields[0].article) == (
        "auto",
        "formulario.auto.fato",
        "Art. 9",
    )
    assert table.row_on("I-02", date(1990, 12, 15)) == {
        "codigo": "I-02",
        "descricao": "Adulterar",
        "ufp": "15",
        "desde": "1990-12-15",
        "ate": "",
        "artigo": "Anexo",
    }
    assert (table.file, table.key_column, dict(table.settings)) == (
        "multas.csv",
        "codigo",
        {"unidade": "UFP", "valor": "ufp"},
    )
    assert [note.covered_by for note in norm.articles] == ["prazos.defesa", ""]
    schema, ui = norm.forms["auto"]
    assert (schema["title"], ui["ui:order"][0]) == ("Auto", "fato")


def test_the_calendar_of_the_content_closes_what_it_says(content: Files):
    norm = load_norm(content)
    assert norm.calendar.scope == "Vila/BA"
    assert norm.calendar.why_closed(date(2026, 12, 25)) == "feriado: Natal (Lei 662/1949)"
    assert norm.calendar.is_business(date(2026, 2, 16))
    eve = norm.calendar_rows[2]
    assert (eve.opens_at, eve.closes_at, eve.published_on) == (time(8), time(13), date(2026, 12, 1))


def test_a_revoked_day_of_the_content_is_open(content: Files):
    path = "bpmn/vila/calendario.csv"
    head, christmas, *_ = content[path].decode().splitlines()
    content[path] = f"{head},revogado_por,revogado_em\n{christmas},Lei 5,2026-01-01\n".encode()
    assert load_norm(content).calendar.is_business(date(2026, 12, 25))


def test_competences_are_asked_by_act(content: Files):
    norm = load_norm(content)
    always = Period(date(1990, 12, 15))
    assert roles_for(norm, "autuar", date(1990, 12, 15)) == (
        Competence("autuar", "fiscal", "Art. 1", "", always),
        Competence("autuar", "membro", "Art. 10", "na falta do fiscal", always),
    )
    assert roles_for(norm, "autuar", date(1990, 12, 14)) == ()
    assert roles_for(norm, "perdoar", date(2026, 1, 1)) == ()
    assert acts_for(norm, {"membro"}, date(2026, 1, 1)) == {"autuar", "julgar"}
    assert acts_for(norm, {"fiscal"}, date(2026, 1, 1)) == {"autuar"}


def test_nothing_of_a_norm_can_be_changed(content: Files):
    norm = load_norm(content)
    with pytest.raises(TypeError):
        norm.roles["outro"] = norm.roles["fiscal"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        norm.law = "outra"  # type: ignore[misc]


def test_the_digest_covers_every_name_and_every_byte(content: Files):
    digest = load_norm(content).digest
    assert load_norm(dict(reversed(content.items()))).digest == digest
    other = {**content, "forms/vila/documentos/auto.typ": b"= Auto "}
    moved = {**content, "forms/vila/documentos/autos.typ": b""}
    assert len({digest, load_norm(other).digest, load_norm(moved).digest}) == 3


BROKEN = [
    # What is broken in norma.toml (old, new), where the fault is told, what it says.
    ('slug = "vila"', 'slug = "cidade"', "norma.slug", "é 'cidade', mas a pasta é 'vila'"),
    ('"America/Bahia"', '"America/Vila"', "norma.fuso", "o fuso 'America/Vila' não existe"),
    ('"America/Bahia"', '""', "norma.fuso", "está vazio"),
    ("1990-12-15\nfuso", '"ontem"\nfuso', "norma.publicada_em", "deve ser data"),
    ("1990-12-15\nfuso", "1990-12-15T10:00:00\nfuso", "norma.publicada_em", "deve ser data"),
    ('lei = "Lei 1/1990"\n', "", "norma.lei", "falta"),
    ("[norma]\n", "[outra]\n", "norma", "falta"),
    ("[norma]\n", "[outra]\n", "outra", "chave desconhecida"),
    ('uf = "BA"', 'uf = "BA"\nprefeito = "X"', "norma.prefeito", "chave desconhecida"),
    ("[papeis.fiscal]", "[papeis.'fiscal geral']", "papeis.fiscal geral", "a chave só pode ter letras"),
    ('nome = "Fiscal"', "nome = 7", "papeis.fiscal.nome", "deve ser texto"),
    ('artigo = "Art. 1"\n', "", "papeis.fiscal.artigo", "falta o artigo que fundamenta"),
    ('artigo = "Art. 1"\n', 'artigo = " "\n', "papeis.fiscal.artigo", "está vazio"),
    (
        'papel = "fiscal"',
        'papel = "rei"',
        "colegiados.comissao.assentos[2].papel",
        "o papel 'rei' não existe",
    ),
    ('chave = "b"', 'chave = "a"', "colegiados.comissao.assentos", "dois assentos com a mesma chave"),
    ("quorum = 2", "quorum = 3", "colegiados.comissao.quorum", "entre 1 e o número de assentos (2)"),
    ("quorum = 2", "quorum = true", "colegiados.comissao.quorum", "deve ser número inteiro"),
    ('suplente = "membro"', 'suplente = "rei"', "colegiados.comissao.suplente", "o papel 'rei' não existe"),
    (
        'suplente = "membro"',
        'suplente = "membro"\nnomeia = "rei"',
        "colegiados.comissao.nomeia",
        "o papel 'rei' não existe",
    ),
    ('["autuar"]', '["multar"]', "colegiados.comissao.impedem", "o ato 'multar' não existe"),
    ('artigo = "Art. 3"\ninicio', "inicio", "prazos.defesa.artigo", "falta o artigo que fundamenta"),
    ('"dias_uteis"', '"semanas"', "prazos.defesa.unidade", "não existe; use dias_uteis, dias, horas"),
    ('"dias_uteis"', '"horas"', "prazos.defesa", "O perfil LPA_9784 não conta em hours"),
    ('"LPA_9784"\nartigo = "Art. 3"', '"SEI"\nartigo = "Art. 3"', "prazos.defesa.perfil", "'SEI' não existe"),
    ('perfil = "LPA_9784"\nartigo = "Art. 3"', 'artigo = "Art. 3"', "prazos.defesa.perfil", "falta"),
    ("quantidade = 5", "quantidade = 0", "prazos.defesa", "entre 1 e 36525; foi dada 0"),
    ("quantidade = 5", 'quantidade = "5"', "prazos.defesa.quantidade", "deve ser número inteiro"),
    ("quantidade = 5", "quantidad = 5", "prazos.defesa.quantidad", "chave desconhecida"),
    ("dia = 30\n", "", "prazos.balanco.dia", "falta"),
    ("dia = 30", "dia = 32", "prazos.balanco", "A data fixa 32/3 não existe"),
    (
        'padrao = "sim"',
        'padrao = "talvez"',
        "escolhas.defesa.previa.padrao",
        "'talvez' não está entre as opções",
    ),
    ('["sim", "nao"]', '["sim", "sim", "nao"]', "escolhas.defesa.previa.opcoes", "tem item repetido"),
    ('["sim", "nao"]', "[1, 2]", "escolhas.defesa.previa.opcoes", "deve ser uma lista de textos"),
    (', nao = "Sem defesa"', "", "escolhas.defesa.previa.rotulos", "'nao' não tem rótulo"),
    (
        'nao = "Sem defesa" }',
        'nao = "Sem defesa" }\ninicios = { sim = "O auto" }',
        "escolhas.defesa.previa.inicios",
        "só uma escolha `<prazo>.inicio`",
    ),
    (
        '[escolhas."defesa.previa"]',
        '[escolhas."defesa.inicio"]\ninicios = { x = "O auto" }',
        "escolhas.defesa.inicio.inicios",
        "'x' não é uma das opções",
    ),
    (
        "[estados.FIM]",
        '[fatos.primario]\nartigo = "Art. 1"\n[estados.FIM]',
        "fatos.primario.pergunta",
        "falta",
    ),
    ("nao = ", 'x = "X", nao = ', "escolhas.defesa.previa.rotulos", "'x' não é uma das opções"),
    ('nao = "Sem defesa"', "nao = 1", "escolhas.defesa.previa.rotulos", "deve ser uma tabela de textos"),
    ('"reais"', '"dinheiro"', "parametros.ufp.valor.tipo", "não existe; use inteiro, percentual"),
    ('tipo = "unidades"', 'tipo = "moeda"', "parametros.teto.tipo", "não existe; use inteiro, percentual"),
    ('artigo = "Art. 6"\n', "", "parametros.teto.artigo", "falta o artigo que fundamenta"),
    (', fonte = "Lei 9"', "", "parametros.teto.valores[1].fonte", "falta"),
    ("desde = 2020-01-01, ", "", "parametros.teto.valores[1].desde", "falta"),
    ('"7.5"', '"muito"', "parametros.teto.valores[1].valor", "'muito' não é um valor do tipo unidades"),
    ("2020-01-01", "1990-12-15", "parametros.teto.valores", "há dois valores em vigor desde 1990-12-15"),
    ("final = true", 'final = "sim"', "estados.FIM.final", "deve ser booleano"),
    ('"infracao.bpmn"', '"outro.bpmn"', "processos.infracao.arquivo", "bpmn/vila/outro.bpmn não existe"),
    ('ato = "autuar"', 'ato = "multar"', "processos.infracao.ato", "o ato 'multar' não existe"),
    ('["Art. 8"]', "[]", "processos.infracao.artigos", "falta o artigo que fundamenta"),
    ('"auto"\nato', '"nada"\nato', "processos.infracao.formulario", "o formulário 'nada' não existe"),
    (
        '"auto"\nartigo = "Art. 3"\nm',
        '"x"\nartigo = "Art. 3"\nm',
        "protocolo.defesa.formulario",
        "'x' não existe",
    ),
    ('prazo = "defesa"', 'prazo = "nada"', "protocolo.defesa.prazo", "o prazo 'nada' não existe"),
    (
        "pagamento = true",
        'pagamento = true\ncumpre = ["nada"]',
        "protocolo.pagamento.cumpre",
        "o prazo 'nada' não existe",
    ),
    ('"formulario.auto.fato"', '"formulario.auto.x"', "documentos.auto.campos[1].de", "não tem o campo 'x'"),
    ('"formulario.auto.fato"', '"formulario.nada.x"', "documentos.auto.campos[1].de", "'nada' não existe"),
    ('"prazo.defesa"', '"prazo.nada"', "documentos.auto.campos[3].de", "o prazo 'nada' não existe"),
    ('"caso.numero"', '"caso.cor"', "documentos.auto.campos[4].de", "a origem 'caso.cor' não existe"),
    ('"caso.numero"', '"parametro.nada"', "documentos.auto.campos[4].de", "o parâmetro 'nada' não existe"),
    ('"caso.numero"', '"se.x:sim"', "documentos.auto.campos[4].de", "a origem 'se.x:sim' não existe"),
    ('"dado.julgamento"', '"dado."', "documentos.auto.campos[5].de", "a origem 'dado.' não existe"),
    ('chave = "fim"', 'chave = "fato"', "documentos.auto.campos", "há dois campos com a mesma chave"),
    ('chave = "codigo"', 'chave = ""', "tabelas.multas.chave", "está vazio"),
    ('arquivo = "multas.csv"\n', "", "tabelas.multas.arquivo", "falta"),
    ("[estados.FIM]", "[estados]\nFIM = 3\n[outro]", "estados.FIM", "esperava-se uma tabela"),
]


@pytest.mark.parametrize(("old", "new", "key", "told"), BROKEN)
def test_each_fault_of_the_norm_is_named_by_its_key(content: Files, old: str, new: str, key: str, told: str):
    text = content[NORMA].decode()
    assert old in text
    content[NORMA] = text.replace(old, new, 1).encode()
    assert told in faults_of(content)[f"{NORMA} [{key}]"]


def test_every_fault_is_told_at_once(content: Files):
    content[NORMA] = content[NORMA].replace(b'artigo = "Art. 1"\n', b"").replace(b"quorum = 2", b"quorum = 9")
    del content["bpmn/vila/infracao.bpmn"]
    content[UI] = b"{"
    with pytest.raises(Invalid, match="tem 4 faltas") as refusal:
        load_norm(content)
    faults = refusal.value.context["faults"]
    assert [(file, key) for file, key, _ in faults] == [
        (NORMA, "papeis.fiscal.artigo"),
        (UI, ""),
        (NORMA, "processos.infracao.arquivo"),
        (NORMA, "colegiados.comissao.quorum"),
    ]


def test_two_faults_of_one_key_are_both_told(content: Files):
    content[NORMA] = content[NORMA].replace(
        b'rotulos = { sim = "Com defesa"', b'rotulos = { x = "Com defesa"'
    )
    assert faults_of(content) == {
        f"{NORMA} [escolhas.defesa.previa.rotulos]": "'sim' não tem rótulo; 'x' não é uma das opções"
    }


@pytest.mark.parametrize(
    "repeated",
    [b'uf = "BA"\nuf = "ES"\n', b'uf = "BA"\n[papeis.fiscal]\nnome = "X"\n'],
)
def test_a_repeated_key_is_refused_with_its_line(content: Files, repeated: bytes):
    content[NORMA] = content[NORMA].replace(b'uf = "BA"\n', repeated)
    assert any("chave repetida: " in told for told in faults_of(content).values())


def test_a_norm_that_is_no_toml_is_refused_with_its_line(content: Files):
    content[NORMA] = content[NORMA].replace(b'uf = "BA"', b"uf = BA")
    assert faults_of(content)[f"{NORMA} [linha 5]"] == "TOML inválido: uf = BA"


def test_a_norm_that_breaks_off_is_refused(content: Files):
    content[NORMA] += b'x = "'
    assert any("TOML inválido" in told for told in faults_of(content).values())


def test_a_norm_in_another_encoding_is_refused(content: Files):
    content[NORMA] = content[NORMA].decode().encode("latin-1")
    # The first letter beyond ASCII is the "ç" of `vigencia = "na data da publicação"`, on the twelfth line.
    assert faults_of(content)[f"{NORMA} [linha 12]"].startswith("o arquivo não está em UTF-8: byte 0xe7 na ")


@pytest.mark.parametrize("paths", [(), ("bpmn/a/norma.toml", "bpmn/b/norma.toml"), ("bpmn/a/b/norma.toml",)])
def test_exactly_one_municipality_is_read_at_a_time(paths: tuple[str, ...]):
    told = faults_of(dict.fromkeys(paths, b""))["bpmn"]
    assert told == f"esperava-se um arquivo bpmn/<municipio>/norma.toml; há {len(paths)}"


@pytest.mark.parametrize(
    ("key", "options", "told"),
    [
        ("prazo.defesa.unidade", ("dias", "dias_uteis"), None),
        ("prazo.nada.unidade", ("dias", "dias_uteis"), "o prazo 'nada' não existe na norma"),
        ("prazo.defesa.unidade", ("dias", "luas"), "'luas' não é uma unidade"),
        ("prazo.defesa.unidade", ("dias", "horas"), "não conta em"),
        ("prazo.defesa.perfil", ("dias", "luas"), None),
    ],
)
def test_a_choice_of_a_deadline_s_unit_names_units_that_it_can_count_in(
    content: Files, key: str, options: tuple[str, str], told: str | None
):
    first, second = options
    choice = f'[escolhas."{key}"]\nopcoes = ["{first}", "{second}"]\npadrao = "{first}"\nartigo = "Art. 3"\n'
    labels = f'razao = "Não diz."\nrotulos = {{ {first} = "A", {second} = "B" }}\n'
    content[NORMA] += f"\n{choice}{labels}".encode()
    if told is None:
        assert set(load_norm(content).choices) == {"defesa.previa", key}
    else:
        assert told in faults_of(content)[f"{NORMA} [escolhas.{key}.opcoes]"]
