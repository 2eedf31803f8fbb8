"""The law's text: articles and headings are found, what is missing is told, and citations lead to what they name."""

from __future__ import annotations

import pytest

from app.errors import Invalid
from app.law.norm import load_norm
from app.law.text import Article, Heading, Passage, Rows, cited, mentions, parse
from tests.law.test_content import load

NORMA, TEXT = "bpmn/vila/norma.toml", "bpmn/vila/lei.txt"
SMALL = """# Transcrita do Diário.
# Prevalece o original.

LEI Nº 1

CAPÍTULO I
DAS LINHAS

Art. 1º - As linhas são [urbanas]:
I - de bairro;
a) comuns;
Parágrafo Único - A lei não distingue.

Seção [I] - Da outorga

Art. 2º - A outorga é por linha.
Art. 2º-A - Acrescentado.

Art. 3 - Dura [?] anos.

§ 1º - Prorroga-se.

Publique-se.

ANEXO I
Tabela

Código | Valor
I-01 | 5
I-02 | [?]
"""


def test_a_text_is_read_into_headings_articles_passages_and_tables():
    law, faults = parse(SMALL)
    assert faults == []
    assert law.preface == ("Transcrita do Diário.", "Prevalece o original.")
    kinds = [type(block) for block in law.blocks]
    assert kinds == [
        Passage,
        Heading,
        Article,
        Heading,
        Article,
        Article,
        Article,
        Passage,
        Heading,
        Rows,
    ]
    assert [(h.level, h.label, h.title, h.anchor) for h in law.headings] == [
        (2, "CAPÍTULO I", "DAS LINHAS", "capitulo-i"),
        (3, "Seção [I]", "Da outorga", "capitulo-i-secao-i"),
        (2, "ANEXO I", "Tabela", "anexo-i"),
    ]


def test_an_article_keeps_its_label_and_its_lines_also_after_a_blank():
    articles = parse(SMALL)[0].articles
    assert list(articles) == ["1", "2", "2-A", "3"]
    first = articles["1"]
    assert (first.label, first.anchor) == ("Art. 1º", "art-1")
    assert [(line.kind, line.text) for line in first.lines] == [
        ("text", "- As linhas são [urbanas]:"),
        ("item", "I - de bairro;"),
        ("letter", "a) comuns;"),
        ("paragraph", "Parágrafo Único - A lei não distingue."),
    ]
    assert articles["2-A"].anchor == "art-2-a"
    assert [line.text for line in articles["3"].lines] == ["- Dura [?] anos.", "§ 1º - Prorroga-se."]


def test_a_table_has_its_head_and_its_rows():
    table = parse(SMALL)[0].blocks[-1]
    assert table == Rows(("Código", "Valor"), (("I-01", "5"), ("I-02", "[?]")))


def test_two_sections_of_one_name_have_places_of_their_own():
    law, _ = parse("Art. 1 - A.\n\nSeção I\nUm\n\nArt. 2 - B.\n\nSeção I\nDois\n")
    assert [h.anchor for h in law.headings] == ["secao-i", "secao-i--2"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Art. 1 - A.\nArt. 2 - B.\nArt. 2 - C.", [(3, "o Art. 2 já está no texto")]),
        ("Art. 1 - A.\n\nArt. 4 - B.", [(3, f"falta o Art. {n} antes do Art. 4") for n in (2, 3)]),
        ("Art. 2 - A.", [(1, "falta o Art. 1 antes do Art. 2")]),
        ("Art. 1 - A.\nArt. 3-A - B.", [(2, f"falta o Art. {n} antes do Art. 3-A") for n in (2, 3)]),
        (
            "Art. 1 - A.\nArt. 2 - B.\nArt. 3 - C.\nArt. 2-B - D.",
            [(4, "o Art. 2-B vem depois do Art. 3")],
        ),
        ("Art. 1 - A.\nArt. X - B.", [(2, "o número do artigo não se lê: Art. X - B.")]),
        ("Nada.", [(1, "o texto não tem artigo: cada um começa uma linha, com Art. e o número")]),
    ],
)
def test_what_cannot_be_right_is_told_with_its_line(text: str, told: list[tuple[int, str]]):
    assert parse(text)[1] == told


def test_numbers_that_the_law_itself_skips_are_not_missing():
    assert parse("Art. 1 - A.\nArt. 4 - B.", ["2", "3"])[1] == []


def test_a_number_out_of_all_proportion_does_not_fill_the_list_of_faults():
    assert len(parse("Art. 9999 - A.")[1]) < 1000


@pytest.mark.parametrize(
    ("citation", "numbers"),
    [
        ("Art. 108", "108"),
        ("Arts. 108 e 126, § 1º", "108 126"),
        ("Art. 126 e § 1º", "126"),
        ("Arts. 105, III, e 126, §§ 2º e 3º", "105 126"),
        ("Arts. 105, IV, c, 127, parágrafo único, 128 e 129", "105 127 128 129"),
        ("Arts. 105, IV, 111, § 2º, 125 e 138", "105 111 125 138"),
        ("Arts. 16, 29 e 105, III e V", "16 29 105"),
        ("Arts. 99 e 105, I, a", "99 105"),
        ("Arts. 106, § 1º, e 111, c", "106 111"),
        ("Art. 102, III a VIII", "102"),
        ("Arts. 101 a 104", "101 102 103 104"),
        ("Arts. 1 a 999999", "1"),
        ("Arts. 1 a 9999", "1 9999"),
        ("Arts. 108, 126 ou 129", "108 126 129"),
        ("Arts. 1º e 2º-A", "1 2-A"),
        ("Art. 111, § 3º, e nota ao Anexo I", "111"),
        ("Art. 126, § 1º; Art. 126, § 2º", "126"),
        ("Art. 105, III (organização do município de 30 mil)", "105"),
        ("Art. 138; Constituição Federal, art. 5º, XXXIV, a", "138"),
        ("Constituição Federal, art. 31", ""),
        ("Itens do Art. 124. Data, 30 dias", "124"),
        ("Anexo I", ""),
        ("", ""),
    ],
)
def test_a_citation_means_these_articles(citation: str, numbers: str):
    assert cited(citation) == tuple(numbers.split())


def test_a_mention_is_the_words_that_become_a_link():
    words = [(m.words, m.anchor) for m in mentions("Arts. 108 e 126, § 1º, e nota ao Anexo I, Grupo II")]
    assert words == [
        ("108", "art-108"),
        ("126, § 1º", "art-126"),
        ("Anexo I, Grupo II", "anexo-i-grupo-ii"),
    ]
    assert [m.words for m in mentions("Súmula 21 (Art. 127, parágrafo único).")] == [
        "Art. 127, parágrafo único"
    ]


def test_places_that_are_not_in_the_text_are_named():
    law = parse(SMALL)[0]
    assert law.missing("Arts. 1, 2-A e 3, § 1º; Anexo I") == []
    assert law.missing("Arts. 1 a 5; Anexo II") == ["Art. 4", "Art. 5", "Anexo II"]


# ----------------------------------------------------------------------------------------- as part of a norm


def with_text(content: dict[str, bytes], articles: int = 130) -> dict[str, bytes]:
    """Vila with a text of so many articles and the annex that its table cites."""
    text = "".join(f"Art. {n} - Texto.\n\n" for n in range(1, articles + 1)) + "ANEXO I\nMultas\n"
    named = content[NORMA].replace(b"[norma]\nslug", b'[norma]\ntexto = "lei.txt"\nslug')
    return {**content, NORMA: named, TEXT: text.encode()}


def faults_of(content: dict[str, bytes]) -> dict[str, str]:
    with pytest.raises(Invalid) as refusal:
        load_norm(content)
    return refusal.value.fields


def test_a_norm_may_do_without_the_text(content: dict[str, bytes]):
    assert load_norm(content).text is None


def test_a_norm_has_its_text_and_the_digest_covers_it(content: dict[str, bytes]):
    whole = with_text(content)
    norm = load_norm(whole)
    assert norm.text is not None
    assert list(norm.text.articles)[-1] == "130"
    assert load_norm({**whole, TEXT: whole[TEXT] + b"\nFim.\n"}).digest != norm.digest


def test_a_text_that_is_named_and_not_there_is_a_fault(content: dict[str, bytes]):
    whole = with_text(content)
    del whole[TEXT]
    assert faults_of(whole) == {f"{NORMA} [norma.texto]": f"o arquivo {TEXT} não existe"}


def test_faults_of_the_text_come_with_file_and_line(content: dict[str, bytes]):
    whole = with_text(content)
    whole[TEXT] = whole[TEXT].replace(b"Art. 5 - ", b"Art. 4 - ")
    assert faults_of(whole)[f"{TEXT} [linha 9]"] == "o Art. 4 já está no texto"
    assert faults_of(whole)[f"{TEXT} [linha 11]"] == "falta o Art. 5 antes do Art. 6"
    whole[TEXT] = "Art. 1 - Ação".encode("latin-1")
    assert "não está em UTF-8" in faults_of(whole)[f"{TEXT} [linha 1]"]


@pytest.mark.parametrize(
    ("path", "old", "new", "where"),
    [
        (NORMA, 'artigo = "Art. 1"', 'artigo = "Arts. 1 e 200"', f"{NORMA} [papeis.fiscal.artigo]"),
        (NORMA, 'artigos = ["Art. 8"]', 'artigos = ["Art. 200"]', f"{NORMA} [processos.infracao.artigos]"),
        (
            NORMA,
            'de = "formulario.auto.fato", artigo = "Art. 9"',
            'de = "formulario.auto.fato", artigo = "Art. 200"',
            f"{NORMA} [documentos.auto.campos[1].artigo]",
        ),
        (
            "bpmn/vila/competencias.csv",
            "fiscal,Art. 1,",
            "fiscal,Art. 200,",
            "bpmn/vila/competencias.csv [linha 2]",
        ),
        ("bpmn/vila/multas.csv", "Anexo\nI-02", "Art. 200\nI-02", "bpmn/vila/multas.csv [linha 2]"),
        (
            "forms/vila/auto-schema.json",
            '"title": "Fato"',
            '"title": "Fato (Art. 200)"',
            "forms/vila/auto-schema.json [properties.fato.title]",
        ),
    ],
)
def test_a_citation_of_an_article_that_is_not_in_the_text_is_a_fault(
    content: dict[str, bytes], path: str, old: str, new: str, where: str
):
    whole = with_text(content)
    assert old.encode() in whole[path]
    whole[path] = whole[path].replace(old.encode(), new.encode(), 1)
    assert list(faults_of(whole)) == [where]
    assert faults_of(whole)[where].startswith("cita Art. 200, que não está no texto da lei")


# ----------------------------------------------------------------------------------------- Jequié


def test_jequie_has_its_140_articles_in_14_chapters_and_an_annex():
    law = load("jequie").text
    assert law is not None
    assert list(law.articles) == [str(n) for n in range(1, 141)]
    chapters = [h for h in law.headings if h.label.startswith("CAPÍTULO")]
    assert len(chapters) == 14
    assert (chapters[-2].title, chapters[-2].anchor) == ("DAS INFRAÇÕES E PENALIDADES", "capitulo-xiii")
    tables = [block for block in law.blocks if isinstance(block, Rows)]
    assert [len(table.rows) for table in tables] == [48, 21]  # Grupo I and Grupo II


def test_jequie_reads_as_the_law_does():
    law = load("jequie").text
    assert law is not None
    assert [line.text for line in law.articles["131"].lines] == [
        "- Julgado improcedente o recurso, o processo fiscal-administrativo é automaticamente encerrado."
    ]
    kinds = [line.kind for line in law.articles["105"].lines]
    # I with a to c, II with a and b, III with a to c, IV with a to c, V.
    assert kinds == ["text", *"ILLLILLILLLILLLI".replace("I", "item ").replace("L", "letter ").split()]
    assert [line.text for line in law.articles["126"].lines][1].startswith("Parágrafo Primeiro - Decorrido")
    assert law.articles["114"].lines[-1].text.endswith("retirada do infrator do serviço.")
    whole = "\n".join(line.text for a in law.articles.values() for line in a.lines)
    assert "(nota" not in whole


def test_every_citation_of_jequie_names_a_place_or_another_law():
    norm = load("jequie")
    assert norm.text is not None
    citations = [
        *(role.article for role in norm.roles.values()),
        *(term.article for term in norm.deadlines.values()),
        *(choice.article for choice in norm.choices.values()),
        *(status.article for status in norm.statuses.values()),
        *(filing.article for filing in norm.filings.values()),
        *(document.article for document in norm.documents.values()),
        *(row.article for row in norm.competences),
        *(row.cells["artigo"] for table in norm.tables.values() for row in table.rows),
    ]
    assert len(citations) > 150
    for citation in citations:
        assert norm.text.missing(citation) == []
        assert list(mentions(citation)) or citation.startswith("Constituição Federal, art. "), citation
