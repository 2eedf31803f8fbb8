"""An examination finds what is wrong with a database, names it, and finds nothing where nothing is."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from app.errors import Refused
from app.monitor import soundness
from app.store import Store
from tests.cases.infringement import Infringement
from tests.cases.town import Town


def faults(town: Town, **more: bool) -> dict[str, list[str]]:
    return {
        line.told.split(":")[0]: list(line.faults)
        for line in soundness.examined(town.store, **more)
        if line.faults
    }


def test_a_town_at_work_is_sound(town: Town) -> None:
    Infringement.opened(town).registered().charged().served()
    lines = list(soundness.examined(town.store))
    assert [line.told for line in lines if not line.sound] == []
    assert lines[-1].told == "processos reproduzidos do histórico: 1"
    assert len(list(soundness.examined(town.store, replaying=False))) == len(lines) - 1


def test_a_changed_entry_a_lost_trigger_and_a_changed_state_are_each_told(town: Town) -> None:
    case = Infringement.opened(town).registered()
    town.tamper(
        "UPDATE journal SET actor = 'pessoa:x' WHERE stream = :s AND seq = 1", s=f"processo:{case.id}"
    )
    town.tamper("UPDATE cases SET status = 'PAGO' WHERE id = :i", i=case.id)
    found = faults(town)
    assert set(found) == {
        "travas que impedem alterar o histórico",
        "histórico",
        "processos reproduzidos do histórico",
    }
    assert found["histórico"] == [f"processo:{case.id}, registro 1: a coluna actor contradiz o registro"]
    assert any(case.row["number"] in told for told in found["processos reproduzidos do histórico"])
    assert "processos reproduzidos do histórico" not in faults(town, replaying=False)


def test_a_row_without_the_row_it_names_is_told(town: Town) -> None:
    case = Infringement.opened(town)
    town.tampered = True
    change = "UPDATE work_item SET assigned_to = 'ninguem' WHERE case_id = '" + case.id + "'"
    if town.dialect == "sqlite":
        with closing(sqlite3.connect(make_url(town.url).database or "")) as connection:
            connection.execute(change)
            connection.commit()
    else:
        with town.store.database.writing() as connection:
            connection.execute(text("SET LOCAL session_replication_role = replica"))
            connection.execute(text(change))
    assert faults(town)["referências entre as tabelas"] == ["work_item.assigned_to: 1 sem person"]


def test_a_dropped_table_or_column_is_told(town: Town) -> None:
    town.tampered = True
    with town.store.database.writing() as connection:
        connection.execute(text("DROP TABLE draft"))
        connection.execute(text("ALTER TABLE note DROP COLUMN text"))
    line = next(one for one in soundness.examined(town.store) if one.told == "tabelas do esquema")
    assert line.faults == ["falta a tabela draft", "falta a coluna note.text"]


def test_a_broken_chain_is_not_believed(town: Town) -> None:
    case = Infringement.opened(town)
    town.tamper("UPDATE journal SET act = 'x' WHERE stream = :s", s=f"processo:{case.id}")
    with pytest.raises(Refused, match="tramita audit verify"):
        soundness.believe(town.store.database, lambda it: Store(it, town.clock))
