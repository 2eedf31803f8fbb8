"""A norm whose documents could not be set on paper is refused: template and crest must be there and stay at home."""

from __future__ import annotations

import pytest

from app.errors import Invalid
from app.law.norm import load_norm

Files = dict[str, bytes]
NORMA, FOLDER = "bpmn/vila/norma.toml", "forms/vila/documentos/"


def faults(content: Files) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as refused:
        load_norm(content)
    return [(key, text) for _, key, text in refused.value.context["faults"]]  # type: ignore[attr-defined]


def test_without_a_model_of_its_own_a_document_takes_the_common_one(content: Files) -> None:
    content[NORMA] = content[NORMA].replace(b'modelo = "auto"\n', b"")
    content[FOLDER + "documento.typ"] = b"= Documento"
    assert load_norm(content).documents["auto"].template == "documento"


def test_a_template_that_is_not_there_is_a_fault(content: Files) -> None:
    content[NORMA] = content[NORMA].replace(b'modelo = "auto"', b'modelo = "outro"')
    assert faults(content) == [("documentos.auto.modelo", f"o modelo {FOLDER}outro.typ não existe")]


@pytest.mark.parametrize("name", ["../auto", "Auto", "a b", "x" * 61, "auto.typ"])
def test_a_template_is_a_name_and_no_path(content: Files, name: str) -> None:
    content[NORMA] = content[NORMA].replace(b'modelo = "auto"', f'modelo = "{name}"'.encode())
    ((key, text),) = faults(content)
    assert key == "documentos.auto.modelo"
    assert "não é nome de modelo" in text


def test_a_template_that_wants_a_package_is_a_fault(content: Files) -> None:
    content[FOLDER + "auto.typ"] = b'#import "@preview/tabela:1.0.0": *'
    assert faults(content) == [
        (
            "documentos.auto.modelo",
            f"{FOLDER}auto.typ pede um pacote (@…): o modelo tem de ser inteiro",
        )
    ]


def test_a_template_in_another_encoding_is_a_fault(content: Files) -> None:
    content[FOLDER + "auto.typ"] = "= Infração".encode("latin-1")
    ((key, text),) = faults(content)
    assert key == "linha 1"
    assert "UTF-8" in text


@pytest.mark.parametrize("crest", [b"\x89PNG", b"", b"<svg\xff/>", b"<svg>" + b" " * 200_000])
def test_a_crest_that_is_no_small_svg_is_a_fault(content: Files, crest: bytes) -> None:
    content[FOLDER + "brasao.svg"] = crest
    ((key, text),) = faults(content)
    assert key == "documentos.auto"
    assert "brasao.svg" in text


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("protocolo.x.numero", "o tipo de petição 'x' não existe na norma"),
        ("protocolo.defesa.cor", "a origem 'protocolo.defesa.cor' não existe"),
        ("a_correr.defesa.auto", "a escolha defesa.inicio não existe ou não tem a opção 'auto'"),
        ("cobranca.cor", "a origem 'cobranca.cor' não existe"),
        ("dado.julgamento:urna.voto", "o formulário 'urna' não existe na norma"),
    ],
)
def test_a_field_that_no_case_could_fill_is_a_fault(content: Files, source: str, told: str) -> None:
    content[NORMA] = content[NORMA].replace(b'"caso.numero"', f'"{source}"'.encode())
    assert faults(content) == [("documentos.auto.campos[4].de", told)]


@pytest.mark.parametrize(
    "source", ["protocolo.defesa.numero", "protocolo.pagamento.carimbo", "cobranca.recolhimentos"]
)
def test_a_field_may_tell_of_what_was_handed_in(content: Files, source: str) -> None:
    content[NORMA] = content[NORMA].replace(b'"caso.numero"', f'"{source}", se_houver = true'.encode())
    field = load_norm(content).documents["auto"].fields[3]
    assert (field.source, field.optional) == (source, True)
