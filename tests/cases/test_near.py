"""What open tasks keep as the next end of a term of their case: it follows every act that moves terms, and the clock.

Days as in `infringement.py`: auto received Mon 2026-05-11, so pay and defend by Mon 05-18, appeal by Thu 05-21. A term
ends with its last day: its first late instant is the midnight after it.
"""

from __future__ import annotations

from typing import Any

import pytest

from app.cases import acts, inbox
from app.cases.finding.risk import Risk
from app.cases.proof.replay import replay
from app.scheduler import sweep
from app.store.cases_tables import NO_END, cases, work_item
from tests.cases.infringement import Infringement, receipt
from tests.cases.town import Town, local

WHY = "Lançado por engano."


def kept(case: Infringement) -> set[Any]:
    """The ends that the open tasks of a case keep, in local time; None for no end."""
    rows = case.town.rows(work_item, case_id=case.id, status="open")
    return {None if r["next_end"] == NO_END else r["next_end"].astimezone(case.town.norm.zone) for r in rows}


def shown(case: Infringement, login: str = "presidente") -> tuple[Any, dict[Risk, int]]:
    looked = case.town.read(inbox.inbox, case.town.norm, case.town.world.people[login])
    (row,) = looked.rows
    return row["next_end"], dict(looked.by_risk)


def defended(town: Town) -> Infringement:
    """The votes are open; the fine may still be paid until Monday 18."""
    return Infringement.opened(town).registered().charged().served().defended("2026-05-12 10:00")


def test_a_case_in_which_no_term_runs_keeps_no_end(town: Town) -> None:
    case = Infringement.opened(town)
    assert kept(case) == {None}
    assert kept(case.registered()) == kept(case.charged()) == {None}


def test_tasks_that_open_while_a_term_runs_keep_its_end(town: Town) -> None:
    case = defended(town)
    assert kept(case) == {local("2026-05-19 00:00")}
    case.voted("procedente", "procedente", "improcedente", when="2026-05-13 09:00")
    assert case.open == ["redigir_decisao:presidente"]
    assert kept(case) == {local("2026-05-19 00:00")}


def test_a_term_that_is_met_no_longer_presses(town: Town) -> None:
    case = defended(town)
    case.paid("2026-05-13 10:00", "200.00")
    assert kept(case) == {local("2026-05-19 00:00")}
    case.paid("2026-05-13 11:00", "300.00")
    assert kept(case) == {None}


def test_after_an_expiry_the_next_term_presses(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 00:00")
    assert case.open == ["lavrar_revelia"]
    assert kept(case) == {local("2026-05-22 00:00")}


def test_a_shown_term_that_is_over_stops_pressing_at_once_and_is_swept_away_without_an_act(
    town: Town,
) -> None:
    case = defended(town)
    town.at("2026-05-18 23:59")
    assert shown(case) == (local("2026-05-19 00:00"), {Risk.TODAY: 1})
    entries = len(case.acts)
    town.at("2026-05-19 00:00")
    assert kept(case) == {local("2026-05-19 00:00")}
    assert shown(case) == (None, {Risk.NONE: 1})  # nobody has swept
    assert town.read(replay, case.id).faults == ()
    sweep(town.store)
    assert kept(case) == {None}
    assert shown(case) == (None, {Risk.NONE: 1})
    assert len(case.acts) == entries


def test_many_cases_are_swept_together_and_each_keeps_its_own_next_end(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.scheduler.passing._BATCH", 1)
    early = defended(town)
    late = Infringement.opened(town, when="2026-05-12 11:00", hora="06:00").registered("2026-05-12 12:00")
    late.charged("2026-05-12 13:00").served("2026-05-12 15:00", "2026-05-12 14:30")  # pay by Tuesday 19
    late.defended("2026-05-13 09:00")
    other = Infringement.opened(town, when="2026-05-13 10:00", hora="07:00")
    town.at("2026-05-19 00:00")
    sweep(town.store)
    assert [kept(case) for case in (early, late, other)] == [{None}, {local("2026-05-20 00:00")}, {None}]
    town.at("2026-05-20 00:00")
    sweep(town.store)
    assert [kept(case) for case in (early, late, other)] == [{None}] * 3


def test_an_overdue_term_that_nobody_has_decided_goes_on_pressing(town: Town) -> None:
    case = defended(town).paid("2026-05-12 11:00")
    case.voted("procedente", "procedente", "improcedente", when="2026-05-13 09:00").decided(
        "2026-05-13 10:00"
    )
    case.told("2026-05-14 10:30", "2026-05-14 10:00").appealed("2026-05-19 15:00").admitted(
        "2026-05-20 09:00"
    )
    assert case.open == ["apresentar_contrarrazoes"]
    # Five business days to pay what was decided: 15, 18, 19, 20, 21. Ten days for counter-reasons: until Friday 29.
    assert kept(case) == {local("2026-05-22 00:00")}
    town.at("2026-05-22 00:00")
    assert shown(case, "autuante") == (local("2026-05-30 00:00"), {Risk.LATER: 1})
    town.at("2026-05-30 08:00")
    assert shown(case, "autuante") == (local("2026-05-30 00:00"), {Risk.OVERDUE: 1})
    assert town.read(replay, case.id).faults == ()
    sweep(town.store)
    assert case.open == ["decidir_ultima"]
    assert kept(case) == {None}


def test_an_annulled_service_takes_its_terms_away_and_a_new_one_brings_its_own(town: Town) -> None:
    case = defended(town)
    town.at("2026-05-13 09:00")
    town.act("secretario", acts.annul, case.id, 4, reason=WHY, version=case.row["version"])
    assert case.open == ["dar_ciencia_auto"]
    assert kept(case) == {None}
    case.served("2026-05-13 11:30", "2026-05-13 11:00").defended("2026-05-13 12:00")
    assert kept(case) == {local("2026-05-21 00:00")}  # 14, 15, 18, 19, 20


def test_a_task_that_opens_again_keeps_the_end_that_stands(town: Town) -> None:
    case = defended(town)
    case.voted("procedente", "procedente", "improcedente", when="2026-05-13 09:00").decided(
        "2026-05-13 10:00"
    )
    newest = len(case.acts)
    town.act("secretario", acts.annul, case.id, newest, reason=WHY, version=case.row["version"])
    assert case.open == ["redigir_decisao:presidente"]
    assert kept(case) == {local("2026-05-19 00:00")}


def test_a_corrected_day_of_service_moves_the_end_that_tasks_keep(town: Town) -> None:
    case = defended(town)
    told = receipt("2026-05-08 11:00")
    town.act("presidente", acts.correct, case.id, 4, told, WHY, case.row["version"])
    assert kept(case) == {local("2026-05-16 00:00")}  # received on Friday 8: 11, 12, 13, 14, 15


def test_a_cancelled_case_waits_for_nobody(town: Town) -> None:
    case = defended(town)
    town.act("secretario", acts.cancel, case.id, WHY, "cancelada")
    assert kept(case) == set()
    assert town.row(cases, id=case.id)["closed_at"] is not None


@pytest.mark.parametrize("moved", ["2026-05-18 00:00", "2026-06-30 00:00", "2026-05-12 00:00"])
def test_an_end_that_somebody_moved_by_hand_is_found(town: Town, moved: str) -> None:
    case = defended(town)
    assert town.read(replay, case.id).faults == ()
    instant = local(moved).astimezone(NO_END.tzinfo)
    told = instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if town.dialect == "sqlite" else "%Y-%m-%d %H:%M:%S+00")
    town.tamper(f"UPDATE work_item SET next_end = '{told}' WHERE status = 'open'")
    (fault,) = town.read(replay, case.id).faults
    assert fault.startswith("os próximos prazos guardados com as tarefas não conferem com o histórico")
