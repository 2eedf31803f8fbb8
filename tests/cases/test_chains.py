"""Acts that write in several chains take them in one order, so that two of them never wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

from sqlalchemy import event

from app.cases import acts
from app.cases.acts.ending import FALLS
from app.registry import carriers, occurrences
from app.store import INSTALLER
from app.store.registry_tables import charge, occurrence
from tests.cases.infringement import Infringement
from tests.cases.town import Town


@contextmanager
def taken(town: Town) -> Iterator[list[str]]:
    """Names of the chains whose heads are asked for, in the order in which they are."""
    names: list[str] = []

    def asked(_c: Any, _cursor: Any, sql: str, told: Any, *_: Any) -> None:
        if sql.startswith("SELECT stream.seq"):
            names.append(next(iter(told.values() if isinstance(told, dict) else told)))

    event.listen(town.store.database.engine, "before_cursor_execute", asked)
    try:
        yield names
    finally:
        event.remove(town.store.database.engine, "before_cursor_execute", asked)


def of_a_driver(town: Town) -> tuple[Infringement, list[str]]:
    """José's second infringement, for which his company is charged; the chains it writes in, by name."""
    jose, company = town.world.staff["jose"], town.world.carriers["ES"]
    with town.store.act(INSTALLER) as tx:
        line, earlier = town.world.grants["L-110"], date(2026, 4, 1)
        told = {"case_id": None, "status": "advertida", "source": "livro"}
        occurrences.record(tx, f"pessoal:{jose}", company, line, "II-18", earlier, **told)
    case = Infringement.opened(town, codigo="II-01", pessoa=jose, transportador=company).registered()
    return case, [f"processo:{case.id}", f"pessoal:{jose}", carriers.stream_of(company)]


def test_a_charge_and_what_became_of_the_occurrence_are_entered_in_order_of_the_chains(town: Town) -> None:
    case, chains = of_a_driver(town)
    with taken(town) as names:
        case.charged()
    assert len(town.rows(charge, case_id=case.id)) == len(town.rows(occurrence, case_id=case.id)) == 1
    assert names == chains


def test_so_it_is_when_a_charged_case_is_cancelled(town: Town) -> None:
    case, chains = of_a_driver(town)
    case.charged()
    town.at("2026-05-09 09:00")
    with taken(town) as names:
        town.act("secretario", acts.cancel, case.id, "Auto lavrado em duplicidade.", FALLS)
    assert names == chains


def test_so_it_is_when_the_act_that_charged_falls(town: Town) -> None:
    case, chains = of_a_driver(town)
    case.charged()
    town.at("2026-05-09 09:00")
    newest = town.entries(f"processo:{case.id}")[-1]
    with taken(town) as names:
        told = {"version": case.row["version"], "reason": "O auto saiu com a data errada."}
        town.act("secretario", acts.annul, case.id, newest.seq, **told)
    assert names == chains
