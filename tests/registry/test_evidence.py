"""What somebody with the database in their hands may change in the registry, and how the auditor finds it."""

from __future__ import annotations

from datetime import date

import pytest

from app.registry import charges, evidence
from app.store.registry_tables import charge
from app.values import Money, Units
from tests.cases.infringement import Infringement
from tests.cases.town import Town


@pytest.fixture
def paid(town: Town) -> Town:
    Infringement.opened(town).registered().charged().served().paid("2026-05-13 10:00", "200.00")
    return town


def found(town: Town) -> list[str]:
    return list(town.read(lambda reader: list(evidence.faults(reader))))


def test_a_registry_that_only_acts_have_touched_agrees_with_the_journal(paid: Town) -> None:
    assert found(paid) == []


def test_a_charge_that_was_withdrawn_and_set_again_agrees_with_the_journal(paid: Town) -> None:
    """An annulment takes the charge away; the registry then said something that the journal did not."""
    (owed,) = paid.rows(charge)
    paid.install(charges.withdraw, owed["case_id"])
    assert found(paid) == []
    told = (owed["case_id"], owed["carrier_id"], Units(500), Money(10000), date(2026, 5, 20))
    paid.install(charges.owe, *told)
    assert found(paid) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE charge SET cents = 1", "as cobranças"),
        ("UPDATE payment SET cents = 50000", "os pagamentos"),
        ("UPDATE payment SET paid_at = (SELECT min(recorded_at) FROM closure)", "os pagamentos"),
        ("DELETE FROM payment", "os pagamentos"),
        ("UPDATE occurrence SET status = 'anulada'", "as ocorrências"),
        ("UPDATE occurrence SET happened_on = '2020-01-01'", "as ocorrências"),
        ("UPDATE appointment SET role = 'secretario'", "as designações"),
        ("UPDATE norm_value SET value = '1.00' WHERE key = 'ufp.valor'", "os valores e as escolhas"),
        ("UPDATE carrier SET name = 'Outra'", "os transportadores"),
        ("UPDATE carrier SET document = 'x' WHERE name LIKE 'Expresso%'", "os transportadores"),
        ("UPDATE grants SET until = '2026-01-01'", "as outorgas"),
        ("UPDATE staff SET category = 'cobrador'", "o pessoal de tráfego"),
        ("DELETE FROM closure WHERE kind = 'H'", "os dias do calendário"),
        ("UPDATE closure SET revoked_by = 'ninguém'", "os dias do calendário"),
    ],
)
def test_a_row_changed_by_hand_is_named(paid: Town, statement: str, said: str) -> None:
    assert paid.tamper(statement) >= 1
    (line,) = found(paid)
    assert line.startswith(f"{said}")
    assert "não conferem com o histórico" in line
