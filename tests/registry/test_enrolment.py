"""What is typed into the registers: each fault told by its field, each record written once, each name kept sealed."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from app.audit import seal
from app.cases import registers
from app.errors import Conflict, Forbidden, Invalid, NotFound
from app.registry import carriers, occurrences
from app.registry.enrolment import cnpj, group_of
from app.store.registry_tables import occurrence, staff
from tests.cases.town import Town

NEW = {"nome": "Auto Viação Cajueiro Ltda", "cnpj": "12.345.678/0001-95"}
GRANT = {"linha": "L-300", "regime": "permissao", "desde": "2026-01-05"}
MEMBER = {"nome": "Ana Cruz", "categoria": "cobrador", "matricula": "ES-099"}
PAPER = {
    "codigo": "I-14",
    "ocorrida_em": "2025-11-10",
    "situacao": "advertida",
    "fonte": "Livro 2 de notificações, fl. 31",
}


def faults(town: Town, login: str, act: Any, *args: Any) -> dict[str, str]:
    before = town.snapshot()
    with pytest.raises(Invalid) as refused:
        town.act(login, act, town.norm, *args)
    assert town.snapshot() == before
    return refused.value.fields


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("11.222.333/0001-81", "11.222.333/0001-81"),
        ("11222333000181", "11.222.333/0001-81"),
        (" 11 222 333/0001-81 ", "11.222.333/0001-81"),
        (
            "12.abc.345/01de-35",
            "12.ABC.345/01DE-35",
        ),  # letters, as of 2026: the example of the Receita Federal
        ("11.222.333/0001-82", None),
        ("11.222.333/0001-18", None),
        ("1122233300018", None),
        ("112223330001811", None),
        ("00.000.000/0000-00", None),
        ("12.ABC.345/01DE-3A", None),
        ("", None),
    ],
)
def test_a_cnpj_is_known_by_its_check_digits_and_kept_as_it_is_printed(typed: str, kept: str | None) -> None:
    assert cnpj.written(typed) == kept


def test_a_carrier_is_registered_by_one_entry_of_its_own_stream(town: Town) -> None:
    made = town.act("gestor", registers.register_carrier, town.norm, {**NEW, "cnpj": "12345678000195"})
    row = town.read(carriers.carrier_by_id, made)
    assert (row["name"], row["document"]) == ("Auto Viação Cajueiro Ltda", "12.345.678/0001-95")
    assert row["registered_on"] == date(2026, 3, 2)
    (told,) = town.entries(f"transportador:{made}")
    assert (told.act, told.actor) == ("register_carrier", f"pessoa:{town.world.people['gestor']}")


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"nome": " "}, "nome", "Preencha"),
        ({"nome": "\u200d\u2800"}, "nome", "Preencha"),
        ({"nome": "🚌🚌"}, "nome", "ao menos uma letra"),
        ({"nome": "--"}, "nome", "ao menos uma letra"),
        ({"nome": "x" * 201}, "nome", "no máximo 200"),
        ({"nome": "a\x00b"}, "nome", "caracteres que não"),
        ({"nome": 7}, "nome", "Preencha"),
        ({"cnpj": ""}, "cnpj", "Preencha"),
        ({"cnpj": "12.345.678/0001-96"}, "cnpj", "não existe"),
        ({"cnpj": "11222333000181"}, "cnpj", "Já há um transportador"),  # Expresso Sol, typed without dots
    ],
)
def test_a_carrier_that_cannot_stand_is_refused_by_field(
    town: Town, changes: dict[str, Any], field: str, said: str
) -> None:
    told = faults(town, "gestor", registers.register_carrier, {**NEW, **changes})
    assert list(told) == [field]
    assert said in told[field]


def test_every_fault_of_a_form_is_told_at_once(town: Town) -> None:
    assert set(faults(town, "gestor", registers.register_carrier, {})) == {"nome", "cnpj"}
    es = town.world.carriers["ES"]
    assert set(faults(town, "gestor", registers.register_grant, es, {})) == {"linha", "regime", "desde"}
    assert set(faults(town, "gestor", registers.register_staff, es, {})) == {"nome", "categoria", "matricula"}
    who = f"transportador:{es}"
    assert set(faults(town, "presidente", registers.register_antecedent, who, {})) == set(PAPER)


def test_a_form_sent_twice_makes_one_record(town: Town) -> None:
    es = town.world.carriers["ES"]
    for login, act, args in (
        ("gestor", registers.register_carrier, (NEW,)),
        ("gestor", registers.register_grant, (es, GRANT)),
        ("gestor", registers.register_staff, (es, MEMBER)),
        ("presidente", registers.register_antecedent, (f"transportador:{es}", PAPER)),
    ):
        town.act(login, act, town.norm, *args)
        before = town.snapshot()
        assert town.refusal(login, act, town.norm, *args).status in (409, 422)
        assert town.snapshot() == before


def test_two_acts_that_race_for_one_number_make_one_record(town: Town) -> None:
    """What the check before did not see, the table itself tells: the second act refuses, it does not break."""
    with town.store.act(town.actor("gestor")) as tx:
        carriers.register_carrier(tx, "Uma", NEW["cnpj"], date(2026, 3, 2))
        with pytest.raises(Conflict):
            carriers.register_carrier(tx, "Outra", NEW["cnpj"], date(2026, 3, 2))
        es = town.world.carriers["ES"]
        carriers.register_staff(tx, es, "Ana", "cobrador", "ES-099", date(2026, 3, 2))
        with pytest.raises(Conflict):
            carriers.register_staff(tx, es, "Bia", "cobrador", "ES-099", date(2026, 3, 2))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"regime": "autarquia"}, "regime"),
        ({"desde": "31/02/2026"}, "desde"),
        ({"desde": "0202-01-05"}, "desde"),
        ({"desde": "2026-W01-1"}, "desde"),
        ({"desde": "20260105"}, "desde"),
        ({"ate": "2026-01-04"}, "ate"),
        ({"ate": "amanhã"}, "ate"),
        ({"linha": "x" * 41}, "linha"),
        ({"linha": "l-110"}, "linha"),  # held since 2025-06-02, without end
    ],
)
def test_a_grant_that_cannot_stand_is_refused_by_field(
    town: Town, changes: dict[str, Any], field: str
) -> None:
    es = town.world.carriers["ES"]
    assert list(faults(town, "gestor", registers.register_grant, es, {**GRANT, **changes})) == [field]


def test_a_line_is_granted_again_when_its_grant_has_ended(town: Town) -> None:
    es, told = town.world.carriers["ES"], {**GRANT, "ate": "2026-06-30"}
    town.act("gestor", registers.register_grant, town.norm, es, told)
    overlapping = {**GRANT, "desde": "2026-06-30"}
    assert list(faults(town, "gestor", registers.register_grant, es, overlapping)) == ["linha"]
    town.act("gestor", registers.register_grant, town.norm, es, {**GRANT, "desde": "2026-07-01"})
    assert [e.act for e in town.entries(f"transportador:{es}")][-2:] == ["grant_line", "grant_line"]


def test_the_name_of_a_person_is_sealed_and_never_in_the_journal(town: Town) -> None:
    made = town.act("gestor", registers.register_staff, town.norm, town.world.carriers["ES"], MEMBER)
    row = town.row(staff, id=made)
    assert town.read(carriers.known_name, row) == "Ana Cruz"
    (told,) = town.entries(f"pessoal:{made}")
    assert "Ana" not in str(told.body)
    with town.store.act(town.actor("gestor")) as tx:
        seal.destroy_key(tx, row["subject_id"])
        registers.register_carrier(tx, town.norm, NEW)  # an act of some kind: erasing alone is not one yet
    assert town.read(carriers.known_name, row) is None


def test_a_registration_is_one_in_capitals_and_in_small_letters(town: Town) -> None:
    es, tc = town.world.carriers["ES"], town.world.carriers["TC"]
    town.act("gestor", registers.register_staff, town.norm, es, {**MEMBER, "matricula": "M-é"})
    for again in ("m-é", "M-É", " m-É "):
        told = faults(town, "gestor", registers.register_staff, tc, {**MEMBER, "matricula": again})
        assert told == {"matricula": "Já há uma pessoa com esta matrícula."}


def test_names_and_numbers_stand_on_one_line(town: Town) -> None:
    es, broken = town.world.carriers["ES"], {**MEMBER, "nome": "Ana\n Cruz", "matricula": "ES\r\n099"}
    row = town.row(staff, id=town.act("gestor", registers.register_staff, town.norm, es, broken))
    assert (town.read(carriers.known_name, row), row["registration"]) == ("Ana Cruz", "ES 099")
    made = town.act("gestor", registers.register_carrier, town.norm, {**NEW, "nome": "Auto\nViação"})
    assert town.read(carriers.carrier_by_id, made)["name"] == "Auto Viação"


def test_a_paper_enters_the_record_that_first_offence_and_recurrence_look_back_on(town: Town) -> None:
    es, line = town.world.carriers["ES"], town.world.grants["L-110"]
    who = f"transportador:{es}"
    made = town.act("presidente", registers.register_antecedent, town.norm, who, {**PAPER, "outorga": line})
    row = town.row(occurrence, id=made)
    assert (row["case_id"], row["grant_id"], row["status"]) == (None, line, "advertida")
    assert row["source"] == "Livro 2 de notificações, fl. 31"
    assert made in {r["id"] for r in town.read(occurrences.of_infringer, who)}
    assert town.entries(who)[-1].act == "record_occurrence"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"codigo": "X-1"}, "codigo"),
        ({"codigo": "II-05"}, "codigo"),  # of the staff
        ({"ocorrida_em": "2026-03-03"}, "ocorrida_em"),  # tomorrow
        ({"situacao": "perdoada"}, "situacao"),
        ({"outorga": "de outro"}, "outorga"),
        ({"fonte": "x" * 1001}, "fonte"),
    ],
)
def test_a_paper_that_cannot_stand_is_refused_by_field(
    town: Town, changes: dict[str, Any], field: str
) -> None:
    who = f"transportador:{town.world.carriers['ES']}"
    assert list(faults(town, "presidente", registers.register_antecedent, who, {**PAPER, **changes})) == [
        field
    ]


def test_a_code_belongs_to_the_record_of_whom_the_table_names(town: Town) -> None:
    assert (group_of(town.norm, "I-14"), group_of(town.norm, "II-05")) == ("transportador", "pessoal")
    assert group_of(town.norm, "X-1") is None
    jose = f"pessoal:{town.world.staff['jose']}"
    town.act("membro1", registers.register_antecedent, town.norm, jose, {**PAPER, "codigo": "II-05"})
    told = faults(town, "membro1", registers.register_antecedent, jose, PAPER)
    assert told == {"codigo": "Este código é de infração do transportador: registre-o na página dele."}


def test_two_sheets_about_one_day_are_two_occurrences(town: Town) -> None:
    who = f"transportador:{town.world.carriers['ES']}"
    for sheet in ("fl. 31", "fl. 32"):
        town.act("presidente", registers.register_antecedent, town.norm, who, {**PAPER, "fonte": sheet})
    assert len([r for r in town.read(occurrences.of_infringer, who) if r["code"] == "I-14"]) == 2


@pytest.mark.parametrize("login", ["auditor", "fiscal", "secretario"])
def test_who_keeps_no_register_is_refused_whatever_was_typed(town: Town, login: str) -> None:
    es, before = town.world.carriers["ES"], town.snapshot()
    for act, args in (
        (registers.register_carrier, (NEW,)),
        (registers.register_grant, (es, GRANT)),
        (registers.register_staff, (es, MEMBER)),
        (registers.register_antecedent, (f"transportador:{es}", PAPER)),
    ):
        refused = town.refusal(login, act, town.norm, *args)
        assert isinstance(refused, Forbidden)
    assert town.snapshot() == before


def test_records_of_nobody_are_not_found(town: Town) -> None:
    for act, login, args in (
        (registers.register_grant, "gestor", ("0" * 32, GRANT)),
        (registers.register_staff, "gestor", ("0" * 32, MEMBER)),
        (registers.register_antecedent, "presidente", ("pessoal:" + "0" * 32, PAPER)),
    ):
        assert isinstance(town.refusal(login, act, town.norm, *args), NotFound)
