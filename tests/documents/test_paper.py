"""What a paper says and is: every field of the law, who signs, where to check it; accessible and the same each time."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
import segno
from pypdf import PdfReader

from app.documents import typesetter
from app.documents.paper import address_of, qr
from app.values import digest
from tests.documents.paper import ADDRESS, ISSUED, jequie, paper, pdf_of, words


def test_a_paper_is_a_tagged_pdf_a_with_title_author_and_language() -> None:
    read = PdfReader(BytesIO(pdf_of(paper())))
    assert read.metadata is not None
    assert read.metadata.title == "Auto de infração nº 00012/2026"
    assert read.metadata.author == "Secretaria Municipal de Serviços Públicos (SESEP) de Jequié"
    assert read.metadata.creation_date == ISSUED
    root = read.root_object
    assert str(root["/Lang"]).lower() == "pt-br"
    assert root["/MarkInfo"]["/Marked"].value is True  # type: ignore[index]
    assert "/StructTreeRoot" in root
    marks = root["/Metadata"].get_data().decode()  # type: ignore[attr-defined]
    for mark in ("<pdfaid:part>2<", "<pdfaid:conformance>A<", "<pdfuaid:part>1<"):
        assert mark in marks


def test_the_same_order_gives_the_same_bytes_and_another_instant_gives_others() -> None:
    one = pdf_of(paper())
    assert pdf_of(paper()) == one
    later = replace(paper(), issued_at=ISSUED.replace(minute=6))
    assert digest(pdf_of(later)) != digest(one)


def test_the_head_and_the_foot_say_whose_paper_it_is_and_where_it_is_checked() -> None:
    told = words(pdf_of(paper()))
    for said in (
        "Município de Jequié/BA",
        "Secretaria Municipal de Serviços Públicos",
        "nº 00012/2026 · Art. 124",
        "Processo 00007/2026-3",
        "Página 1 de",
        f"{ADDRESS}/conferir/0123-4567-89AB-CDEF",
        "Código verificador 0123-4567-89AB-CDEF",
        "emitido em 02/03/2026 às 10:05",  # 13:05 in UTC
    ):
        assert said in told, said
    assert jequie().law in told


def test_the_pages_are_counted() -> None:
    pages = PdfReader(BytesIO(pdf_of(paper("linha\n" * 40)))).pages
    assert len(pages) > 3
    assert f"Página 2 de {len(pages)}" in pages[1].extract_text()


def test_every_field_of_an_auto_stands_with_its_article() -> None:
    """Art. 124 has ten numbers, from I (date) to X (date of the auto)."""
    told = words(pdf_of(paper()))
    for number in ("I", "II", "III", "IV", "V", "VI", "VII", "IX", "X"):
        assert f"Art. 124, {number} " in told.replace(")", " "), number
    assert "Art. 124, VIII" in told
    for field in jequie().documents["auto_de_infracao"].fields:
        assert field.label in told, field.label


def test_a_field_of_the_law_stands_even_when_nothing_is_known_and_another_does_not() -> None:
    told = words(pdf_of(paper("")))
    assert "Veículo — Art. 124, III" in told
    assert "Nota sobre a leitura" not in told


def test_a_long_text_is_a_section_with_its_paragraphs() -> None:
    facts = "Primeiro parágrafo, com o que se viu.\n\nSegundo parágrafo, com o que se ouviu."
    field = {"key": "fatos", "label": "Fatos", "article": "Art. 124, II", "text": facts}
    told = words(pdf_of(paper(fields=[field])))
    assert "Fatos (Art. 124, II) Primeiro parágrafo, com o que se viu. Segundo parágrafo" in told


def test_votes_are_a_table_of_seat_name_and_vote() -> None:
    rows = [["Presidente", "Ana Lima", "procedente"], ["1º membro", "Bia Sá", "improcedente"]]
    votes = {"key": "votos", "label": "Votos", "article": "Art. 105, III", "text": "…", "rows": rows}
    told = words(pdf_of(paper(kind="decisao_comissao", fields=[votes])))
    assert "Assento Nome Voto Presidente Ana Lima procedente 1º membro Bia Sá improcedente" in told


def test_who_is_to_sign_is_named_with_office_and_registration() -> None:
    told = words(pdf_of(paper()))
    assert "José da Silva Presidente da Comissão Matrícula 10.234-5 a assinar" in told


def test_a_signer_without_office_or_number_has_no_empty_line() -> None:
    signer = {"name": "José da Silva", "office": "", "registration": ""}
    assert "José da Silva a assinar" in words(pdf_of(paper(signature=signer)))


def test_what_the_clock_issues_nobody_signs() -> None:
    told = words(pdf_of(paper(signature=None)))
    assert "Emitido pelo sistema no fim de um prazo, sem assinatura." in told
    assert "a assinar" not in told


def test_the_qr_code_holds_the_printed_address() -> None:
    where = address_of(ADDRESS, "0123456789ABCDEF")
    drawn = BytesIO()
    segno.make(where, error="m", micro=False).save(drawn, kind="svg", xmldecl=False, svgns=True, border=2)
    assert qr(where) == drawn.getvalue().decode()
    assert paper().order(ADDRESS)["data"]["endereco"] == where == f"{ADDRESS}/conferir/0123-4567-89AB-CDEF"


@pytest.mark.parametrize("key", sorted(jequie().documents))
def test_every_document_of_the_norm_can_be_set(key: str) -> None:
    one = paper(kind=key)
    told = words(pdf_of(one))
    assert one.kind.title in told
    assert all(field.label in told for field in one.kind.fields)


def test_a_template_reads_no_file_of_the_machine() -> None:
    order = {"template": '#read("/etc/hostname")', "data": {}, "timestamp": 0}
    with pytest.raises(Exception, match=r"not found|access"):
        typesetter.typeset(order)
