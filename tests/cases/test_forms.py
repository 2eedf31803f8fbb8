"""Every form of the norm against what people and programs type wrong: one message per field, nothing half taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.cases import acts
from app.cases.forms import check_draft, field_spec, inactive, validate
from app.errors import Invalid, NotFound
from tests.cases.infringement import (
    ADMITTED,
    APPEAL,
    AUTO,
    DECISION,
    DEFENCE,
    NOTICE,
    OTHER,
    REASONS,
    REFUND,
    REGISTER,
    REVELIA,
    SERVED,
    Infringement,
    ballot,
    notice,
)
from tests.cases.town import Town, local

NOW = local("2026-05-12 10:00")
REQUIRED, WRONG_TYPE = "Preencha este campo.", "Valor de tipo errado."
OPTION, UNKEEPABLE = "Escolha uma das opções.", "Há caracteres que não podem ser gravados."
UNKNOWN = "O formulário não tem este campo."
FINAL = {"resultado": "desprovido", "fundamentacao": "Examinadas as provas e as razões."}


@dataclass(frozen=True)
class Form:
    """A good filling, a text field, and the field with options, if the form has one."""

    good: dict[str, Any]
    text: str
    option: str = ""


FORMS = {
    "notificacao": Form(NOTICE, "local"),
    "registro_notificacao": Form({**REGISTER, "observacao": "Conferida."}, "observacao", "conferencia"),
    "auto_de_infracao": Form(AUTO, "dispositivo", "penalidade"),
    "ciencia": Form({**SERVED, "instante": "2026-05-11T11:00:00-03:00"}, "prova", "modo"),
    "confirmar_valor": Form({"confirmo": True, "fundamento": "Confere com o impresso."}, "fundamento"),
    "contestacao": Form(DEFENCE, "razoes", "qualidade"),
    "reconsideracao": Form(DEFENCE, "razoes", "qualidade"),
    "contrarrazoes": Form(REASONS, "razoes", "pedido"),
    "decisao_comissao": Form(DECISION, "resumo"),
    "decisao_final": Form(FINAL, "fundamentacao", "resultado"),
    "devolucao_primeira": Form(
        {"devolucao_percentual": 100, "fundamento_devolucao": "Súmula 473."}, "fundamento_devolucao"
    ),
    "devolucao": Form(REFUND, "favorecido", "forma"),
    "outro": Form(OTHER, "assunto"),
    "pagamento": Form({"valor": "500.00", "guia": "GR 1"}, "guia"),
    "recurso2": Form(APPEAL, "razoes", "qualidade"),
    "termo_revelia": Form({**REVELIA, "observacao": "Livro conferido."}, "observacao"),
    "valor_parcial": Form({"valor_parcial": "3.00", "justificativa": "Meio serviço."}, "justificativa"),
    "voto": Form(ballot("parcial"), "fundamentacao", "voto"),
    "admissibilidade": Form(ADMITTED, "fundamentacao", "decisao"),
    "despacho": Form(
        {"despacho": "nao_conhecer", "motivo": "ja_decidido", "fundamentacao": "Já decidido antes."},
        "fundamentacao",
        "despacho",
    ),
}


def good(town: Town, form: str) -> dict[str, Any]:
    return notice(town) if form == "notificacao" else dict(FORMS[form].good)


def checked(town: Town, form: str, answers: Any) -> Any:
    return town.read(validate, town.norm, form, answers, town.norm.zone, now=NOW)


def faults(town: Town, form: str, **changes: Any) -> dict[str, str]:
    """Message by field; a None takes the answer away."""
    with pytest.raises(Invalid) as refused:
        checked(town, form, {**good(town, form), **changes})
    assert (refused.value.code, refused.value.status) == ("formulario.invalido", 422)
    assert refused.value.message == "O formulário tem problemas; nada foi gravado."
    return refused.value.fields


def mistakes(form: Form) -> Iterator[tuple[str, Any, str]]:
    for value in (7, True, ["a"], {"a": "b"}, 1.5):
        yield form.text, value, WRONG_TYPE
    for odd in ("nulo \x00 aqui", "metade \ud83d de par", "\udc00\udc00\udc00\udc00 final"):
        yield form.text, odd, UNKEEPABLE
    yield "campo_que_nao_existe", "x", UNKNOWN
    if form.option:
        yield form.option, "qualquer", OPTION


def test_these_are_all_the_forms_of_the_norm(shared_town: Town) -> None:
    assert set(FORMS) == set(shared_town.norm.forms)


@pytest.mark.parametrize("name", FORMS)
def test_a_good_filling_is_taken(shared_town: Town, name: str) -> None:
    told = good(shared_town, name)
    taken = checked(shared_town, name, told)
    assert {**taken.plain, **taken.personal} == told
    assert {key: taken.get(key) for key in told} == told
    assert not set(taken.plain) & set(taken.personal)


@pytest.mark.parametrize("name", FORMS)
def test_wrong_types_odd_characters_and_unknown_fields_are_refused_by_field(
    shared_town: Town, name: str
) -> None:
    for field, value, message in mistakes(FORMS[name]):
        found = faults(shared_town, name, **{field: value})
        assert found == {field: message}, (field, value)


@pytest.mark.parametrize("name", FORMS)
def test_a_text_too_long_is_refused_with_its_limit(shared_town: Town, name: str) -> None:
    field = FORMS[name].text
    longest = field_spec(shared_town.norm.forms[name][0], field)["maxLength"]  # type: ignore[index]
    found = faults(shared_town, name, **{field: "x" * (longest + 1)})
    assert found == {field: f"Escreva no máximo {longest} caracteres."}
    assert checked(shared_town, name, {**good(shared_town, name), field: "x" * longest})


@pytest.mark.parametrize("name", FORMS)
def test_what_is_required_cannot_be_left_out_nor_be_blank(shared_town: Town, name: str) -> None:
    required = shared_town.norm.forms[name][0]["required"]
    assert required
    for blank in (None, "", "   \t\n"):
        found = faults(shared_town, name, **dict.fromkeys(required, blank))
        assert {k: found.get(k) for k in required} == dict.fromkeys(required, REQUIRED)


@pytest.mark.parametrize("value", ["2026-05-13", "2027-01-01"])
def test_a_date_in_the_future_is_refused(shared_town: Town, value: str) -> None:
    assert faults(shared_town, "notificacao", ocorrida_em=value) == {"ocorrida_em": "A data está no futuro."}
    assert checked(shared_town, "notificacao", notice(shared_town, ocorrida_em="2026-05-12"))


@pytest.mark.parametrize(
    "value",
    [
        "05/05/2026",
        "2026-5-5",
        "2026-02-30",
        "20260505",
        "2026-W19-2",
        "2026-05-05T00:00",
        "0001-01-01",
        "9999-12-31",
    ],
)
def test_what_is_no_plausible_date_is_refused(shared_town: Town, value: str) -> None:
    message = "Informe uma data válida, por exemplo 15/03/2026."
    found = faults(shared_town, "notificacao", ocorrida_em=value)
    assert found["ocorrida_em"] in (message, "Escreva no máximo 10 caracteres.")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("2026-05-11T11:00:00", "Informe data e hora válidas."),  # no zone: not an instant
        ("ontem", "Informe data e hora válidas."),
        ("0001-01-01T00:00:00+14:00", "Informe data e hora válidas."),
        ("9999-12-31T23:59:59-14:00", "Informe data e hora válidas."),
        ("2026-05-11T25:00:00-03:00", "Informe data e hora válidas."),
        ("2026-05-12T10:00:01-03:00", "O instante está no futuro."),
        ("2026-05-13T00:00:00+14:00", None),  # 07:00 of the 12th in Jequié
        ("2026-05-12T10:00:00-03:00", None),
    ],
)
def test_an_instant_needs_a_zone_and_may_not_be_in_the_future(
    shared_town: Town, value: str, message: str | None
) -> None:
    if message is None:
        assert checked(shared_town, "ciencia", {**good(shared_town, "ciencia"), "instante": value})
    else:
        assert faults(shared_town, "ciencia", instante=value) == {"instante": message}


@pytest.mark.parametrize(
    ("value", "units"), [("3.00", 300), ("3", 300), ("2,5", 250), ("1.234,56", 123_456), ("0,01", 1)]
)
def test_amounts_are_read_as_people_write_them(shared_town: Town, value: str, units: int) -> None:
    told = {"valor_parcial": value, "justificativa": "Meio serviço."}
    assert checked(shared_town, "valor_parcial", told).flow == {"valor_parcial": units}


@pytest.mark.parametrize("value", ["0", "0,00", "-5", "-5,00", "-1.234,56", "0.00"])
def test_an_amount_of_nothing_or_less_is_refused_in_every_way_of_writing_it(
    shared_town: Town, value: str
) -> None:
    found = faults(shared_town, "valor_parcial", valor_parcial=value)
    assert found == {"valor_parcial": "O menor valor é 0.01."}


@pytest.mark.parametrize(
    "value", ["muito", "1e3", "1e30", "NaN", "Infinity", "1_000", "١٢", "1,234", "1.2.3", "99999999999999"]
)
def test_what_is_no_amount_is_refused(shared_town: Town, value: str) -> None:
    message = "Informe um valor, por exemplo 1.234,56."
    assert faults(shared_town, "valor_parcial", valor_parcial=value) == {"valor_parcial": message}


@pytest.mark.parametrize("value", [2**53, -(2**60), 70.0, 71, "70", [[[[[["fundo"]]]]]], {"a": 1.5}])
def test_a_share_is_one_of_the_whole_numbers_offered(shared_town: Town, value: Any) -> None:
    upheld = {"resultado": "provido", "fundamento_devolucao": "Art. 130 da lei."}
    assert set(faults(shared_town, "decisao_final", **upheld, devolucao_percentual=value)) == {
        "devolucao_percentual"
    }
    told = {**FINAL, **upheld, "devolucao_percentual": 70}
    assert checked(shared_town, "decisao_final", told).flow["devolucao_percentual"] == 70


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("codigo", "X-99", "O código não está na tabela da lei."),
        ("codigo", "i-14", "O código não está na tabela da lei."),
        ("transportador", "nenhum", "Transportador não cadastrado."),
        ("outorga", "nenhuma", "Outorga não cadastrada."),
        ("hora", "25:00", "Escreva no formato HH:MM, como 08:40."),
        ("fatos", "ab", "Escreva ao menos 5 caracteres."),
        ("transportador", "\x00", UNKEEPABLE),
        ("codigo", "\ud800", UNKEEPABLE),
    ],
)
def test_codes_and_registered_things_must_exist(
    shared_town: Town, field: str, value: str, message: str
) -> None:
    assert faults(shared_town, "notificacao", **{field: value}) == {field: message}


def test_a_fault_of_the_staff_needs_the_person_and_others_drop_it(shared_town: Town) -> None:
    jose = shared_town.world.staff["jose"]
    assert faults(shared_town, "notificacao", codigo="II-05") == {"pessoa": REQUIRED}
    missing = faults(shared_town, "notificacao", codigo="II-05", pessoa="nenhuma")
    assert missing == {"pessoa": "Pessoa não cadastrada como pessoal de tráfego."}
    assert (
        checked(shared_town, "notificacao", notice(shared_town, codigo="II-05", pessoa=jose)).references[
            "pessoal"
        ]
        == jose
    )
    dropped = checked(shared_town, "notificacao", notice(shared_town, pessoa=jose))
    assert (dropped.flow["pessoa"], "pessoa" in dropped.plain) == (None, False)


def test_a_field_that_an_answer_switches_off_is_dropped_whatever_it_says(shared_town: Town) -> None:
    told = {**SERVED, "modo": "recusa_certificada", "instante": "2026-05-11T11:00:00-03:00"}
    taken = checked(shared_town, "ciencia", {**told, "recusa_certificada_por": "Duas testemunhas"})
    assert set(taken.personal) == {"recusa_certificada_por"}
    assert faults(shared_town, "ciencia", modo="recusa_certificada")["recusa_certificada_por"] == REQUIRED
    assert faults(shared_town, "admissibilidade", decisao="nao_admitir") == {
        "motivo": "Esta opção não combina com as outras respostas."
    }


def test_what_may_enter_the_flow_is_declared_and_absent_answers_are_empty(shared_town: Town) -> None:
    told = notice(shared_town, outorga=None)
    flow = checked(shared_town, "notificacao", told).flow
    assert flow == {
        "codigo": "I-14",
        "transportador": shared_town.world.carriers["ES"],
        "pessoa": None,
        "outorga": None,
        "ocorrida_em": "2026-05-05",
    }


def test_what_is_personal_never_stands_in_the_plain_answers(shared_town: Town) -> None:
    taken = checked(shared_town, "contestacao", DEFENCE)
    assert set(taken.personal) == {"peticionario", "razoes"}
    assert taken.plain == {"qualidade": "autuado"}


def test_a_form_that_the_norm_does_not_have_is_said_so(shared_town: Town) -> None:
    with pytest.raises(NotFound, match="não tem o formulário"):
        checked(shared_town, "inexistente", {})


def test_a_draft_keeps_known_fields_of_a_sane_size_and_is_never_refused(shared_town: Town) -> None:
    told = {"resumo": "a" * 20_001, "fundamentacao": "meia fra", "outro": "x", "campo": 1}
    assert check_draft(shared_town.norm, "decisao_comissao", told) == {"fundamentacao": "meia fra"}
    for odd in ("a\x00b", "\ud800", 1.5, 2**60, [[[[[[1]]]]]]):
        assert check_draft(shared_town.norm, "decisao_comissao", {"resumo": odd}) == {}


def test_conditions_switch_fields_by_either_branch() -> None:
    schema = {
        "properties": {"modo": {}, "sempre": {}},
        "allOf": [
            {"required": ["modo"]},
            {
                "if": {"properties": {"modo": {"const": "a"}}, "required": ["modo"]},
                "then": {"properties": {"so_a": {"type": "string"}, "sempre": False}},
                "else": {"properties": {"so_b": {"type": "string"}}},
            },
        ],
    }
    assert inactive(schema, {"modo": "a"}) == {"sempre", "so_b"}
    assert inactive(schema, {"modo": "b"}) == {"so_a"}
    assert field_spec(schema, "so_b") == {"type": "string"}
    assert field_spec(schema, "nada") is None


def test_a_refused_form_leaves_nothing_behind(town: Town) -> None:
    case = Infringement.opened(town)
    item = case.item("registrar_notificacao")
    for bad in ({}, {"conferencia": 7}, {"conferencia": "em_ordem", "x": 1}, {"conferencia": "\x00"}):
        refused = town.refusal("membro1", acts.complete, item["id"], bad, item["version"])
        assert refused.code == "formulario.invalido"
    case.registered()
