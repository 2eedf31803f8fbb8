"""Figures, choices, calendar and norm versions: each holds from a day on, by an act, and nothing unset is guessed."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from app.cases import acts
from app.cases.vocabulary import LANGUAGE
from app.errors import Invalid, NotFound
from app.law.calendar import Closure
from app.registry import calendar, norms, values
from app.settings import ROOT
from app.store.tables import norm_value
from app.values import Money, Units
from tests.cases.infringement import AUTO, Infringement
from tests.cases.town import Town, local


def test_the_worth_of_a_unit_that_nobody_recorded_is_refused_with_who_can_help(town: Town) -> None:
    with pytest.raises(Invalid) as refused:
        town.read(values.unit_value, town.norm, date(2024, 12, 31))
    assert refused.value.code == "valor.unidade_sem_valor"
    for word in ("UFP", "31/12/2024", "administrador", "ato"):
        assert word in refused.value.message


def test_the_worth_of_a_unit_is_the_newest_in_force_on_the_day(town: Town) -> None:
    for since, value in ((date(2026, 6, 1), "110.00"), (date(2026, 5, 1), "105.50")):
        town.install(values.record, town.norm, "ufp.valor", value, since, "Decreto")
    days = {date(2025, 1, 1): 10_000, date(2026, 4, 30): 10_000, date(2026, 5, 1): 10_550}
    days |= {date(2026, 5, 31): 10_550, date(2026, 6, 1): 11_000, date(2030, 1, 1): 11_000}
    for day, cents in days.items():
        assert town.read(values.unit_value, town.norm, day) == Money(cents)


def test_of_two_acts_for_one_day_the_later_one_holds(town: Town) -> None:
    town.install(values.record, town.norm, "ufp.valor", "105.00", date(2026, 5, 1), "Decreto 1")
    town.clock.set(town.clock.now() + timedelta(seconds=1))
    town.install(values.record, town.norm, "ufp.valor", "106.00", date(2026, 5, 1), "Decreto 2, retifica")
    assert town.read(values.unit_value, town.norm, date(2026, 5, 1)) == Money(10_600)


def test_an_auto_cannot_be_drawn_up_while_the_unit_has_no_worth(town: Town) -> None:
    town.tamper("DELETE FROM norm_value WHERE key = 'ufp.valor'")
    case = Infringement.opened(town).registered()
    item = case.item("lavrar_auto")
    refused = town.refusal("autuante", acts.complete, item["id"], AUTO, item["version"])
    assert refused.code == "valor.unidade_sem_valor"
    assert case.open == ["lavrar_auto"]


def test_the_law_own_figures_hold_until_the_municipality_records_another(town: Town) -> None:
    day = date(2026, 5, 5)
    assert town.read(values.parameter_on, town.norm, "recurso2.min_ufp", day) == Units(500)
    assert town.read(values.parameter_on, town.norm, "recurso2.min_ufp", date(1994, 12, 14)) is None
    town.install(values.record, town.norm, "recurso2.min_ufp", "4", day, "Lei 2.000/2026")
    assert town.read(values.parameter_on, town.norm, "recurso2.min_ufp", day) == Units(400)
    before = day - timedelta(days=1)
    assert town.read(values.parameter_on, town.norm, "recurso2.min_ufp", before) == Units(500)


@pytest.mark.parametrize(
    ("key", "value", "act", "code"),
    [
        ("nada", "1", "Decreto", "valor.chave"),
        ("ufp.valor", "muito", "Decreto", "valor.tipo"),
        ("ufp.valor", "1e30", "Decreto", "valor.tipo"),
        ("ufp.valor", "NaN", "Decreto", "valor.tipo"),
        ("reincidencia.dias", "60,5", "Decreto", "valor.tipo"),
        ("recurso1.inicio", "talvez", "Decreto", "valor.opcao"),
        ("ufp.valor", "110.00", "   ", "valor.sem_ato"),
        ("ufp.valor", "0", "Decreto", "valor.tipo"),
        ("ufp.valor", "-100.00", "Decreto", "valor.tipo"),
        ("recurso2.min_ufp", "-1", "Decreto", "valor.tipo"),
    ],
)
def test_a_value_without_key_type_option_or_act_is_refused(
    shared_town: Town, key: str, value: str, act: str, code: str
) -> None:
    town = shared_town
    refused = town.unchanged(
        lambda: town.install(values.record, town.norm, key, value, date(2026, 5, 1), act)
    )
    assert (refused.code, refused.status) == (code, 422)


def test_a_choice_holds_for_new_cases_from_its_day(town: Town) -> None:
    day = date(2026, 5, 6)
    town.install(values.record, town.norm, "recurso1.inicio", "desligado", day, "Decreto 5")
    assert town.read(values.choices_on, town.norm, date(2026, 5, 5))["recurso1.inicio"] == "auto"
    assert town.read(values.choices_on, town.norm, day)["recurso1.inicio"] == "desligado"
    assert set(town.read(values.choices_on, town.norm, day)) == set(town.norm.choices)
    old = Infringement.opened(town, when="2026-05-05 23:59")
    new = Infringement.opened(town, when="2026-05-06 00:00")
    assert [c.row["choices"]["recurso1.inicio"] for c in (old, new)] == ["auto", "desligado"]


def test_demo_values_are_marked_and_every_value_has_its_act(town: Town) -> None:
    town.install(values.record, town.norm, "ufp.valor", "105.00", date(2026, 5, 1), "Decreto 1")
    rows = town.read(values.all_recorded)
    assert [(r["key"], r["fixture"]) for r in rows] == [
        ("multa.permitir_inferidas", True),
        ("ufp.valor", True),
        ("ufp.valor", False),
    ]
    assert all(r["act"] for r in town.rows(norm_value))
    assert town.entries("norma:jequie")[-1].body["act"] == "Decreto 1"


def test_the_calendar_keeps_everything_that_counting_reads(town: Town) -> None:
    days = (
        Closure(
            date(2026, 5, 13), "H", "Jequié", "Feriado municipal", act="Lei 9", published_on=date(2025, 1, 2)
        ),
        Closure(
            date(2026, 5, 14),
            "E",
            "Jequié",
            "Fecha mais cedo",
            opens_at=time(8),
            closes_at=time(12, 30),
            act="Portaria 4",
            in_force_from=date(2026, 5, 1),
        ),
        Closure(date(2026, 5, 15), "P", "Jequié", "Facultativo", act="Decreto 8", office_closed=True),
        Closure(
            date(2026, 5, 18),
            "H",
            "Jequié",
            "Revogado",
            act="Decreto 7",
            revoked_by="Decreto 9",
            revoked_on=date(2026, 5, 2),
        ),
    )
    town.install(calendar.record, days)
    kept = {c.day: c for c in town.read(calendar.current).closures}
    for one in days:
        assert kept[one.day] == one
    told = town.entries("calendario")[-1].body["closures"]
    assert (told[0]["day"], told[0]["act"]) == ("2026-05-13", "Lei 9")


def test_no_days_are_no_act(town: Town) -> None:
    before = town.snapshot()
    town.install(calendar.record, ())
    assert town.snapshot() == before


def published(town: Town, files: Any, since: date, act: str = "Decreto") -> Any:
    return town.install(norms.publish, files, since, act, language=LANGUAGE)


def test_a_norm_is_published_once_and_holds_for_new_cases_from_its_day(town: Town) -> None:
    files = norms.read_content(ROOT, "jequie")
    refused = town.unchanged(lambda: published(town, files, date(2026, 6, 1)))
    assert (refused.code, refused.status) == ("norma.repetida", 409)
    table = "bpmn/jequie/multas.csv"
    corrected = {**files, table: files[table].replace(b"operacionais", b"operacionais ")}
    newer = published(town, corrected, date(2026, 6, 1), "Decreto 10")
    assert newer.digest != town.norm.digest
    for when, digest in (("2026-05-31 23:59", town.norm.digest), ("2026-06-01 00:00", newer.digest)):
        assert town.read(norms.in_force, "jequie", local(when)).digest == digest
    old = Infringement.opened(town)
    town.at("2026-06-02 09:00")
    new = Infringement.opened(town, when="2026-06-02 09:00")
    assert [c.row["norm_digest"] for c in (old, new)] == [town.norm.digest, newer.digest]
    old.registered("2026-06-02 10:00")
    assert old.row["norm_digest"] == town.norm.digest


def test_what_was_published_is_read_back_as_it_was(town: Town) -> None:
    again = town.read(norms.by_digest, town.norm.digest)
    assert (again.digest, again.slug) == (town.norm.digest, "jequie")
    norms._parsed.clear()
    assert town.read(norms.by_digest, town.norm.digest).digest == town.norm.digest
    with pytest.raises(NotFound, match="desconhecida"):
        town.read(norms.by_digest, "0" * 64)


def test_before_anything_is_in_force_there_is_no_norm(town: Town) -> None:
    with pytest.raises(NotFound, match="em vigor"):
        town.read(norms.in_force, "jequie", datetime(1990, 1, 1, tzinfo=UTC))
    with pytest.raises(NotFound, match="em vigor"):
        town.read(norms.in_force, "outra", datetime(2026, 1, 1, tzinfo=UTC))


def test_content_without_a_norm_is_refused_by_name(tmp_path: Any) -> None:
    (tmp_path / "bpmn" / "vila").mkdir(parents=True)
    with pytest.raises(Invalid, match=r"bpmn/vila/norma.toml"):
        norms.read_content(tmp_path, "vila")


def test_the_invented_world_is_no_part_of_the_norm() -> None:
    files = norms.read_content(ROOT, "jequie")
    assert "bpmn/jequie/norma.toml" in files
    assert not [name for name in files if "demonstracao" in name]
