"""Deadlines are decided once, never early, in due order, whoever sweeps; a poisoned one stops no other."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from structlog.typing import EventDict

from app.cases import acts
from app.cases.dossier import open_dossier
from app.clock import FixedClock
from app.scheduler import Swept, due_ids, next_end, sweep
from app.store import CLOCK, Store, connect
from app.store.cases_tables import deadline
from app.store.tables import journal
from tests.cases.infringement import Infringement, receipt
from tests.cases.town import Town, local
from tests.store.impatience import impatient


def running(town: Town, code: str = "I-14") -> Infringement:
    """Received on Monday 11 May: defence until the 18th, appeal until the 21st."""
    return Infringement.opened(town, codigo=code).registered().charged().served()


def test_nothing_is_decided_one_microsecond_before_its_end(town: Town) -> None:
    case = running(town)
    end = local("2026-05-19 00:00")
    town.clock.set(end - timedelta(microseconds=1))
    assert (due_ids(town.store), sweep(town.store)) == ([], Swept(0, 0))
    assert case.term("defesa")["status"] == "armed"
    town.clock.set(end)
    assert due_ids(town.store) == [case.term("defesa")["id"]]
    assert sweep(town.store) == Swept(1, 0)
    assert (case.term("defesa")["status"], case.status) == ("expired", "REVEL")


def test_nothing_is_decided_twice_by_one_sweeper(town: Town) -> None:
    case = running(town)
    town.at("2026-05-19 00:00")
    assert [sweep(town.store) for _ in range(3)] == [Swept(1), Swept(0), Swept(0)]
    assert case.acts.count("expire") == 1


def test_two_sweepers_that_saw_the_same_deadline_decide_it_once(town: Town) -> None:
    case = running(town)
    town.at("2026-05-19 00:00")
    other = Store(connect(town.url), FixedClock(town.clock.now()))
    seen = due_ids(town.store), due_ids(other)
    assert seen[0] == seen[1] == [case.term("defesa")["id"]]
    assert sweep(other) == Swept(1)
    with town.store.act(CLOCK) as tx:
        assert acts.expire_deadline(tx, seen[0][0]) is False
    assert sweep(town.store) == Swept(0)
    other.database.close()
    assert case.acts.count("expire") == 1


def test_after_a_weekend_without_scheduler_everything_is_decided_in_due_order(town: Town) -> None:
    """Off from Monday 18 to Tuesday 26 May: the legal moments are the due ones, the lateness is on record."""
    days = {"I-14": "2026-05-11 11:00", "I-13": "2026-05-12 11:00", "I-03": "2026-05-15 11:00"}
    cases = {code: Infringement.opened(town, codigo=code) for code in days}
    for case in cases.values():
        case.registered()
    for case in cases.values():
        case.charged()
    for code, day in days.items():
        town.clock.set(local(day) + timedelta(minutes=30))
        cases[code].do("protocolo", "dar_ciencia_auto", receipt(day))
    town.at("2026-05-26 08:00")
    assert sweep(town.store) == Swept(6)
    entries = sorted((r for r in town.rows(journal) if r["act"] == "expire"), key=lambda r: r["id"])
    code_of = {f"processo:{case.id}": code for code, case in cases.items()}
    assert [(code_of[r["stream"]], r["effective_at"]) for r in entries] == [
        ("I-14", local("2026-05-18 23:59:59")),  # defence
        ("I-13", local("2026-05-19 23:59:59")),
        ("I-14", local("2026-05-21 23:59:59")),  # appeal
        *sorted(
            [("I-13", local("2026-05-22 23:59:59")), ("I-03", local("2026-05-22 23:59:59"))],
            key=lambda pair: cases[pair[0]].term("recurso1" if pair[0] == "I-13" else "defesa")["id"],
        ),
        ("I-03", local("2026-05-25 23:59:59")),
    ]
    assert {r["at"] for r in entries} == {local("2026-05-26 08:00")}
    rows = town.rows(deadline, status="expired")
    assert {r["noticed_at"] for r in rows} == {local("2026-05-26 08:00")}


def test_a_term_armed_by_a_sweep_and_over_already_is_decided_in_the_same_sweep(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served("2026-05-25 09:00", "2026-05-11 11:00")
    assert sweep(town.store) == Swept(2)
    assert case.acts[-2:] == ["expire", "expire"]


def test_a_poisoned_case_is_postponed_shown_and_does_not_stop_the_rest(
    town: Town, logs: list[EventDict]
) -> None:
    sick = running(town)
    well = Infringement.opened(town, when=None, codigo="I-13", ocorrida_em="2026-05-08")
    well.registered("2026-05-11 12:00").charged("2026-05-11 13:00").served(
        "2026-05-11 14:00", "2026-05-11 13:30"
    )
    good = bytes(sick.row["state"])
    town.tamper("UPDATE cases SET state = :b WHERE id = :i", b=b"garbage", i=sick.id)
    town.at("2026-05-19 00:00")
    assert sweep(town.store) == Swept(1, 1)
    assert (well.status, sick.status) == ("REVEL", "AUTUADO")
    row = sick.term("defesa")
    assert (row["status"], row["failures"], row["retry_at"]) == ("armed", 1, local("2026-05-19 00:01"))
    assert row["failure"]
    assert [(told["event"], told["deadline"]) for told in logs] == [("deadline_failed", row["id"])]
    assert sick.acts[-1] == "serve_notice"
    waits = [(60, 2, 600), (600, 3, 3_600), (3_600, 4, 3_600)]
    for seconds, failures, wait in waits:
        town.clock.set(town.clock.now() + timedelta(seconds=seconds - 1))
        assert sweep(town.store) == Swept(0, 0)
        town.clock.set(town.clock.now() + timedelta(seconds=1))
        assert sweep(town.store) == Swept(0, 1)
        row = sick.term("defesa")
        assert (row["failures"], row["retry_at"] - town.clock.now()) == (failures, timedelta(seconds=wait))
    town.tamper("UPDATE cases SET state = :b WHERE id = :i", b=good, i=sick.id)
    town.clock.set(town.clock.now() + timedelta(hours=1))
    assert sweep(town.store) == Swept(1, 0)
    assert (sick.status, sick.term("defesa")["status"]) == ("REVEL", "expired")
    assert town.faults() == []


def test_what_somebody_is_working_on_is_left_for_the_next_sweep(town: Town) -> None:
    case = running(town)
    town.at("2026-05-19 00:00")
    with impatient(town.store, town.url) as other:
        with town.store.act(CLOCK) as tx:
            open_dossier(tx, case.id)
            assert sweep(other) == Swept(0, 0)
        assert case.term("defesa")["failures"] == 0
        assert sweep(other) == Swept(1, 0)


def test_a_failure_that_cannot_even_be_noted_stops_no_sweep(town: Town) -> None:
    """The poisoned row is held by somebody: it is noted in a later sweep."""
    case = running(town)
    town.tamper("UPDATE cases SET state = :b", b=b"garbage")
    town.at("2026-05-19 00:00")
    if town.dialect == "sqlite":
        return  # one writer at a time: who holds the row holds the database, and the sweep sees it busy
    with impatient(town.store, town.url) as other:
        with town.store.silent_act(CLOCK) as tx:
            tx.write(deadline.update().where(deadline.c.case_id == case.id).values(noticed_at=tx.now))
            assert sweep(other) == Swept(0, 1)
        assert case.term("defesa")["failures"] == 0
        assert sweep(other) == Swept(0, 1)
        assert case.term("defesa")["failures"] == 1


def test_a_sweeper_that_is_told_to_stop_finishes_its_case_and_leaves_the_rest(town: Town) -> None:
    running(town)
    town.at("2026-05-26 00:00")
    stop = threading.Event()
    stop.set()
    assert sweep(town.store, stop) == Swept(1, 0)
    assert sweep(town.store, threading.Event()) == Swept(1, 0)


def test_more_than_a_batch_is_swept_to_the_end(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scheduler._BATCH", 1)
    running(town)
    town.at("2026-05-26 00:00")
    assert len(due_ids(town.store)) == 1
    assert sweep(town.store) == Swept(2, 0)


def test_the_next_end_is_the_nearest_one_to_come(town: Town) -> None:
    assert next_end(town.store) is None
    running(town)
    assert next_end(town.store) == local("2026-05-19 00:00")
    town.at("2026-05-19 00:00")
    assert next_end(town.store) == local("2026-05-22 00:00")
    town.at("2026-05-22 00:00")
    assert next_end(town.store) is None
