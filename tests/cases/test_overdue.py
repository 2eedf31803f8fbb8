"""Timeliness is judged by when something happened, never by when it was typed or when a sweep came."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.cases import acts
from app.cases.acts.ending import FALLS
from app.cases.dossier import open_dossier
from app.cases.vocabulary import facts
from app.store import CLOCK
from app.store.cases_tables import cases, deadline, filing
from tests.cases.infringement import (
    OTHER,
    REASONS,
    REVELIA,
    Infringement,
    receipt,
    to_decision_served,
)
from tests.cases.town import Town, local


def running(town: Town) -> Infringement:
    """Auto received on Monday 11 May: defence until the 18th, appeal until the 21st."""
    return Infringement.opened(town).registered().charged().served()


def test_a_defence_stamped_after_its_term_is_late_although_no_sweep_has_come(town: Town) -> None:
    """On the 19th nobody has swept: the act itself decides what is overdue first."""
    case = running(town).defended("2026-05-19 00:00")
    assert case.acts[-2:] == ["expire", "file"]
    assert case.row["flow"].get("classe", "recurso1") == "recurso1"
    assert (case.status, case.term("defesa")["status"]) == ("REVEL", "expired")
    assert [e.actor for e in town.entries(f"processo:{case.id}")[-2:]] == [
        "relogio",
        f"pessoa:{town.world.people['protocolo']}",
    ]
    case.do("membro1", "lavrar_revelia", REVELIA)
    assert (case.status, case.row["flow"]["classe"]) == ("EM_RECURSO_1", "recurso1")


def test_the_last_second_of_the_last_day_is_in_time(town: Town) -> None:
    case = running(town)
    town.clock.set(local("2026-05-19 00:00") - timedelta(microseconds=1))
    case.defended(when=None)
    assert (case.status, case.row["flow"]["classe"]) == ("EM_DEFESA", "defesa")


def test_a_defence_stamped_in_time_and_typed_late_counts_while_its_term_is_armed(town: Town) -> None:
    case = running(town).defended("2026-05-20 09:00", stamp="2026-05-18 23:59")
    assert (case.status, case.row["flow"]["classe"]) == ("EM_DEFESA", "defesa")
    assert case.term("defesa")["status"] == "met"
    row = case.filed("contestacao")
    assert (row["stamped_at"], row["received_at"]) == (local("2026-05-18 23:59"), local("2026-05-20 09:00"))
    entry = town.entries(f"processo:{case.id}")[-1]
    assert (entry.effective_at, entry.at) == (local("2026-05-18 23:59"), local("2026-05-20 09:00"))


def test_a_defence_stamped_in_time_and_typed_after_the_sweep_is_judged_by_its_stamp(town: Town) -> None:
    """The recorded expiry stands; the petition finds its place by its stamp when the Comissão is convened."""
    case = running(town)
    town.let_pass("2026-05-19 08:00")
    assert case.status == "REVEL"
    case.defended("2026-05-19 09:00", stamp="2026-05-18 16:00")
    case.do("membro1", "lavrar_revelia", REVELIA)
    assert (case.status, case.row["flow"]["classe"]) == ("EM_DEFESA", "defesa")


def test_every_overdue_term_is_decided_in_order_before_the_act(town: Town) -> None:
    case = running(town).paid("2026-05-12 10:00", "100.00")
    case.file("outro", OTHER, when="2026-05-25 09:00")
    assert case.acts[-3:] == ["expire", "expire", "file"]
    expired = [e for e in town.entries(f"processo:{case.id}") if e.act == "expire"]
    assert [(e.body["key"], e.effective_at) for e in expired] == [
        ("defesa", local("2026-05-18 23:59:59")),
        ("recurso1", local("2026-05-21 23:59:59")),
    ]
    assert {e.at for e in expired} == {local("2026-05-25 09:00")}


def test_an_overdue_term_that_ends_the_case_turns_the_filing_into_a_petition(town: Town) -> None:
    """Paid in time, nobody swept: the case ends as the law says before the late defence is received."""
    case = running(town).paid("2026-05-14 10:00").defended("2026-05-19 09:00")
    assert (case.status, case.ended) == ("PAGO_SEM_CONTESTACAO", True)
    petition = town.row(cases, origin_case_id=case.id)
    assert (petition["process"], petition["status"]) == ("peticao", "EM_DESPACHO")


def test_a_task_closed_by_an_overdue_term_cannot_be_completed_any_more(town: Town) -> None:
    """Counter-reasons on the eleventh day: the clock was first, though no sweep had come."""
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted()
    item = case.item("apresentar_contrarrazoes")
    town.at("2026-06-13 00:00")
    refused = town.refusal("autuante", acts.complete, item["id"], REASONS, item["version"])
    assert (refused.code, refused.status) == ("tarefa.encerrada", 409)
    assert "Relógio do sistema" in refused.message
    town.let_pass("2026-06-13 00:00")
    assert case.open == ["decidir_ultima"]


def test_claiming_a_task_decides_what_is_overdue_too(town: Town) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted()
    item = case.item("apresentar_contrarrazoes")
    town.at("2026-06-13 00:00")
    refused = town.refusal("autuante", acts.claim, item["id"], item["version"])
    assert refused.code == "tarefa.encerrada"


def test_cancelling_decides_what_is_overdue_first(town: Town) -> None:
    """On the 19th nobody has swept: the defence's term had run out before the case was cancelled."""
    case = running(town)
    town.at("2026-05-19 00:00")
    town.act("secretario", acts.cancel, case.id, "Auto lavrado em duplicidade.", FALLS)
    assert case.acts[-2:] == ["expire", "cancel"]
    assert [e.actor for e in town.entries(f"processo:{case.id}")[-2:]] == [
        "relogio",
        f"pessoa:{town.world.people['secretario']}",
    ]
    states = {key: case.term(key)["status"] for key in ("defesa", "recurso1")}
    assert states == {"defesa": "expired", "recurso1": "cancelled"}
    assert case.open == []


def test_a_case_that_an_overdue_term_ends_is_not_cancelled_any_more(town: Town) -> None:
    case = running(town).paid("2026-05-14 10:00")
    town.at("2026-05-19 00:00")
    refused = town.refusal("secretario", acts.cancel, case.id, "Duplicidade.", FALLS)
    assert refused.code == "processo.encerrado"
    town.let_pass("2026-05-19 00:00")
    assert case.status == "PAGO_SEM_CONTESTACAO"


def test_a_receipt_typed_late_arms_terms_that_may_be_over_already(town: Town) -> None:
    """Received on the 11th, typed on the 25th: both terms end on their days; the clock notices today."""
    case = Infringement.opened(town).registered().charged().served("2026-05-25 09:00", "2026-05-11 11:00")
    assert case.term("defesa")["expires_at"] == local("2026-05-19 00:00")
    town.let_pass("2026-05-25 09:00")
    assert (case.status, case.open) == ("REVEL", ["lavrar_revelia"])
    row = case.term("defesa")
    assert (row["due_at"], row["noticed_at"]) == (local("2026-05-18 23:59:59"), local("2026-05-25 09:00"))


def test_a_deadline_is_expired_once_and_only_when_its_end_has_come(town: Town) -> None:
    case = running(town)
    row = case.term("defesa")
    before = town.snapshot()
    town.clock.set(row["expires_at"] - timedelta(microseconds=1))
    with town.store.act(CLOCK) as tx:
        assert acts.expire_deadline(tx, row["id"]) is False
        assert acts.expire_deadline(tx, "nenhum") is False
    assert town.snapshot() == before
    town.clock.set(row["expires_at"])
    with town.store.act(CLOCK) as tx:
        assert acts.expire_deadline(tx, row["id"]) is True
    with town.store.act(CLOCK) as tx:
        assert acts.expire_deadline(tx, row["id"]) is False
    assert case.acts.count("expire") == 1


def test_a_window_is_shown_and_never_fires(town: Town) -> None:
    case = running(town)
    window = case.term("pagamento_auto")
    town.at("2026-05-19 00:00")
    with town.store.act(CLOCK) as tx:
        assert acts.expire_deadline(tx, window["id"]) is False
    assert case.term("pagamento_auto")["status"] == "window"


def test_a_deadline_of_a_case_that_ended_meanwhile_does_not_fire(town: Town) -> None:
    case = running(town)
    row = case.term("defesa")
    town.act("secretario", acts.cancel, case.id, "Auto lavrado em duplicidade.", FALLS)
    town.at("2026-05-19 00:00")
    with town.store.act(CLOCK) as tx:
        assert acts.expire_deadline(tx, row["id"]) is False
    assert town.row(deadline, id=row["id"])["status"] == "cancelled"


def test_a_deadline_left_armed_in_an_ended_case_by_a_bug_still_does_not_fire(town: Town) -> None:
    case = running(town)
    row = case.term("defesa")
    town.act("secretario", acts.cancel, case.id, "Auto lavrado em duplicidade.", FALLS)
    town.tamper("UPDATE deadline SET status = 'armed' WHERE id = :i", i=row["id"])
    town.at("2026-05-19 00:00")
    with town.store.act(CLOCK) as tx:
        assert acts.expire_deadline(tx, row["id"]) is False
    case.file("outro", OTHER)
    assert case.acts[-1] == "file"


@pytest.mark.parametrize(
    ("served", "typed", "due"),
    [
        # Good Friday 3 April and Tiradentes 21 April 2026 are closed days
        ("2026-04-01 09:00", "2026-04-01 10:00", "2026-04-09 23:59:59"),  # 2, 6, 7, 8, 9
        ("2026-04-16 09:00", "2026-04-16 10:00", "2026-04-24 23:59:59"),  # 17, 20, 22, 23, 24
        ("2026-04-17 22:30", "2026-04-18 10:00", "2026-04-27 23:59:59"),  # 20, 22, 23, 24, 27
    ],
)
def test_closed_days_and_the_local_evening_are_counted_as_people_do(
    town: Town, served: str, typed: str, due: str
) -> None:
    case = Infringement.opened(town, when="2026-03-30 09:00", ocorrida_em="2026-03-30")
    case.registered("2026-03-30 10:00").charged("2026-03-30 11:00")
    town.at(typed)
    case.do("protocolo", "dar_ciencia_auto", receipt(served))
    assert case.term("defesa")["due_at"] == local(due)


def test_filings_are_numbered_and_stamped_in_their_own_year(town: Town) -> None:
    one = Infringement.opened(town, when="2026-12-29 09:00", ocorrida_em="2026-12-28")
    first = one.file("outro", OTHER, when="2026-12-30 09:00")
    late = one.file("outro", OTHER, when="2027-01-04 09:00", stamp="2026-12-30 10:00")
    new = one.file("outro", OTHER)
    assert [first, late, new] == ["P00001/2026", "P00002/2026", "P00001/2027"]
    assert len(town.rows(filing, case_id=one.id)) == 3


def test_a_petition_after_every_term_that_could_receive_it_is_untimely(town: Town) -> None:
    case = running(town).defended("2026-05-22 09:00")
    with town.store.act(CLOCK) as tx:
        dossier = open_dossier(tx, case.id)
        assert facts.tempestividade(dossier, "contestacao", "defesa", "recurso1") == "intempestiva"
        assert facts.tempestividade(dossier, "recurso2", "recurso2") == "nenhuma"
