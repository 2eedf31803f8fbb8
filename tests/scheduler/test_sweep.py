"""Deadlines are decided once, never early, in due order, whoever sweeps; a poisoned one stops no other."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError
from structlog.typing import EventDict

from app.cases import acts
from app.cases.dossier import open_dossier
from app.clock import FixedClock
from app.errors import Invalid
from app.scheduler import Swept, due_ids, next_end, sweep
from app.store import CLOCK, Busy, Store, Tx, Unreached, connect
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


def test_a_term_that_waits_for_a_retry_is_not_overtaken_by_a_later_one_of_its_case(town: Town) -> None:
    case = running(town)
    town.at("2026-05-26 00:00")
    defence, appeal = due_ids(town.store)
    with town.store.silent_act(CLOCK) as tx:
        retry = {"failures": 1, "retry_at": local("2026-05-26 01:00")}
        tx.write(deadline.update().where(deadline.c.id == defence).values(**retry))
    assert due_ids(town.store) == [appeal]
    assert sweep(town.store) == Swept(1)
    expiries = [e for e in town.entries(f"processo:{case.id}") if e.act == "expire"]
    assert [(e.body["key"], e.effective_at) for e in expiries] == [
        ("defesa", local("2026-05-18 23:59:59")),
        ("recurso1", local("2026-05-21 23:59:59")),
    ]
    assert case.term("defesa")["status"] == case.term("recurso1")["status"] == "expired"


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
            assert sweep(other) == Swept(left=1)
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
    assert sweep(town.store, lambda: False) == Swept(1, 0)
    assert sweep(town.store, lambda: True) == Swept(1, 0)


def test_more_than_a_batch_is_swept_to_the_end(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scheduler.sweeping._BATCH", 1)
    running(town)
    town.at("2026-05-26 00:00")
    assert len(due_ids(town.store, 1)) == 1
    assert sweep(town.store) == Swept(2, 0)


def test_what_cannot_be_decided_now_does_not_hide_what_is_due_behind_it(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of one, and in front of it a case that somebody is working on."""
    monkeypatch.setattr("app.scheduler.sweeping._BATCH", 1)
    held = running(town)
    free = Infringement.opened(town, when=None, codigo="I-13", ocorrida_em="2026-05-08")
    free.registered("2026-05-12 10:00").charged("2026-05-12 11:00").served(
        "2026-05-12 12:00", "2026-05-12 11:30"
    )
    town.at("2026-05-20 00:00")  # both defences are over, the held one's a day before
    refused = held.term("defesa")["id"]
    real = acts.expire_deadline

    def busy(tx: Tx, deadline_id: str) -> bool:
        if deadline_id == refused:
            raise Busy("O sistema está ocupado com outro ato.")
        return real(tx, deadline_id)

    monkeypatch.setattr("app.scheduler.sweeping.expire_deadline", busy)
    assert sweep(town.store) == Swept(1, 0, left=1)
    assert (held.term("defesa")["status"], free.term("defesa")["status"]) == ("armed", "expired")


@pytest.mark.parametrize("odd", ["a\0b", "a\ud800b"], ids=["NUL", "half a surrogate pair"])
def test_a_failure_that_quotes_what_cannot_be_stored_is_noted_all_the_same(
    town: Town, monkeypatch: pytest.MonkeyPatch, odd: str
) -> None:
    case = running(town)
    town.at("2026-05-26 00:00")
    first = case.term("defesa")["id"]
    real = acts.expire_deadline

    def odd_failure(tx: Tx, deadline_id: str) -> bool:
        if deadline_id == first:
            raise Invalid(odd)
        return real(tx, deadline_id)

    monkeypatch.setattr("app.scheduler.sweeping.expire_deadline", odd_failure)
    assert sweep(town.store).failed == 1
    shown = case.term("defesa")["failure"]
    assert shown.startswith("Invalid: a")
    assert shown.endswith("b")


def test_the_words_of_an_error_that_nobody_foresaw_are_shown_to_nobody(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = running(town)
    town.at("2026-05-26 00:00")

    def quoting(_tx: Tx, _deadline_id: str) -> bool:
        raise ValueError("Rita Alves, CPF 529.982.247-25")

    monkeypatch.setattr("app.scheduler.sweeping.expire_deadline", quoting)
    assert sweep(town.store).failed == 2  # both of its terms
    assert case.term("defesa")["failure"] == "ValueError"


def test_a_failure_whose_note_fails_too_costs_no_other_deadline_its_turn(
    town: Town, monkeypatch: pytest.MonkeyPatch, logs: list[EventDict]
) -> None:
    running(town)
    town.at("2026-05-26 00:00")
    defence, appeal = due_ids(town.store)
    tried: list[str] = []

    def failing(tx: Tx, deadline_id: str) -> bool:
        tried.append(deadline_id)
        raise ValueError("doente")

    def unwritable(*_: object) -> None:
        raise TypeError("nem isso")

    monkeypatch.setattr("app.scheduler.sweeping.expire_deadline", failing)
    monkeypatch.setattr("app.scheduler.sweeping._postpone", unwritable)
    assert sweep(town.store) == Swept(0, 2)
    assert tried == [defence, appeal]
    assert [told["event"] for told in logs] == ["deadline_failed", "deadline_failure_not_noted"] * 2


def test_a_database_in_trouble_ends_the_sweep(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    running(town)
    town.at("2026-05-26 00:00")

    def gone(*_: object) -> None:
        raise OperationalError("SELECT 1", None, Exception("server closed the connection"))

    monkeypatch.setattr("app.scheduler.sweeping.expire_deadline", gone)
    monkeypatch.setattr("app.scheduler.sweeping._postpone", gone)
    with pytest.raises(OperationalError):
        sweep(town.store)


def test_a_connection_that_was_lost_is_no_fault_of_the_deadline(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a process wakes after its transaction was ended for it: that sweep ends, the next one begins anew."""
    case = running(town)
    town.at("2026-05-19 00:00")

    def ended(*_: object) -> None:
        reason = Exception("terminating connection due to idle-in-transaction timeout")
        raise DBAPIError("SELECT 1", None, reason, connection_invalidated=True)

    with monkeypatch.context() as stalled:
        stalled.setattr("app.scheduler.sweeping.expire_deadline", ended)
        with pytest.raises(Unreached):
            sweep(town.store)
    assert (case.term("defesa")["failures"], case.term("defesa")["retry_at"]) == (0, None)
    assert sweep(town.store) == Swept(1)


@pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("when", ["expire_deadline", "_postpone"])
def test_a_server_that_ends_the_connection_amid_a_decision_or_its_note_ends_the_sweep_and_blames_nothing(
    town: Town, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    case = running(town)
    town.at("2026-05-19 00:00")

    def fails(*_: object) -> None:
        raise ValueError("doente")

    def ended(tx: Tx | Store, *_: object) -> None:
        with town.store.act(CLOCK) if isinstance(tx, Store) else nullcontext(tx) as its:
            its.scalar(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    with monkeypatch.context() as stalled:
        stalled.setattr("app.scheduler.sweeping.expire_deadline", fails)
        stalled.setattr(f"app.scheduler.sweeping.{when}", ended)
        with pytest.raises(Unreached):
            sweep(town.store)
    assert (case.term("defesa")["failures"], case.term("defesa")["retry_at"]) == (0, None)
    assert sweep(town.store) == Swept(1)


def test_the_next_end_is_the_nearest_one_to_come(town: Town) -> None:
    assert next_end(town.store) is None
    running(town)
    assert next_end(town.store) == local("2026-05-19 00:00")
    town.at("2026-05-19 00:00")
    assert next_end(town.store) == local("2026-05-22 00:00")
    town.at("2026-05-22 00:00")
    assert next_end(town.store) is None
