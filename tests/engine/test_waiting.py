"""Waiting for messages and deadlines: event gateways, border events, expiry, rescheduling."""

from datetime import UTC, datetime

import pytest

from app.errors import Conflict
from tests.engine.diagrams import (
    catch,
    end,
    events,
    on_timer,
    parallel,
    process,
    script,
    start,
    timer,
    user,
    xor,
)
from tests.engine.office import BASE, DAY_ONE, Office

TWO_WAITS = process(
    "p",
    [
        start(),
        parallel("abre"),
        events("espera_a", estado="AGUARDA"),
        catch("veio_a", "contestacao", estado="CONTESTADO"),
        timer("prazo_a", "prazo('defesa', ciencia)"),
        events("espera_b"),
        catch("veio_b", "contestacao"),
        timer("prazo_b", "prazo('contestacao', ciencia)"),
        script("revel", "revelia = True"),
        xor("uniu_a"),
        xor("uniu_b"),
        parallel("fecha"),
        user("julgar"),
        end(),
    ],
    """
    inicio > abre
    abre > espera_a
    abre > espera_b
    espera_a > veio_a
    espera_a > prazo_a
    veio_a > uniu_a
    prazo_a > revel
    revel > uniu_a
    espera_b > veio_b
    espera_b > prazo_b
    veio_b > uniu_b
    prazo_b > uniu_b
    uniu_a > fecha
    uniu_b > fecha
    fecha > julgar
    julgar > fim
    """,
)


def two_waits() -> Office:
    office = Office({"p.bpmn": TWO_WAITS})
    office.start(ciencia=BASE)
    return office


def test_both_branches_arm_their_deadlines_at_once() -> None:
    office = two_waits()
    assert [(a.element, a.deadline, a.base, a.expires_at) for a in office.step.armed] == [
        ("prazo_a", "defesa", BASE, datetime(2026, 3, 7, 12, tzinfo=UTC)),
        ("prazo_b", "contestacao", BASE, datetime(2026, 3, 12, 12, tzinfo=UTC)),
    ]
    assert office.step.awaited == {"contestacao"}
    assert office.step.milestones == ("AGUARDA",)
    assert [a.question for a in office.step.asked] == ["prazo", "prazo"]


def test_one_message_is_caught_by_both_waiting_branches() -> None:
    office = two_waits()
    office.deliver("contestacao", protocolo="2026/7")
    assert office.open == ["julgar"]
    assert office.running == []
    assert office.step.awaited == frozenset()
    assert office.step.data == {"ciencia": BASE, "protocolo": "2026/7"}
    assert office.step.milestones == ("CONTESTADO",)
    office.complete("julgar")
    assert office.step.ended
    office.replay()


def test_a_message_after_one_expiry_is_caught_by_the_branch_that_still_waits() -> None:
    office = two_waits()
    office.expire("prazo_a", days=5)
    assert office.running == ["prazo_b"]
    assert office.open == []
    office.deliver("contestacao", protocolo="2026/8")
    assert office.open == ["julgar"]
    assert office.step.data == {"ciencia": BASE, "protocolo": "2026/8", "revelia": True}
    office.replay()


def test_an_expiry_before_its_instant_is_refused_and_the_instant_itself_is_late_enough() -> None:
    office = two_waits()
    with pytest.raises(Conflict, match="correndo") as refused:
        office.expire("prazo_a", days=4)
    assert refused.value.code == "prazo.ainda_corre"
    office.expire("prazo_a", days=5)
    assert office.running == ["prazo_b"]


def test_a_rescheduled_deadline_keeps_its_new_instant_and_fires_nothing() -> None:
    office = two_waits()
    office.reschedule("prazo_a", datetime(2026, 6, 1, tzinfo=UTC))
    assert office.step.armed[0].expires_at == datetime(2026, 6, 1, tzinfo=UTC)
    assert office.step.changes == ()
    with pytest.raises(Conflict):
        office.expire("prazo_a", days=60)
    office.deliver("contestacao")
    office.replay()


def test_two_timers_under_one_gateway_have_different_ids_and_only_the_addressed_one_fires() -> None:
    diagram = process(
        "p",
        [
            start(), events("espera"), timer("curto", "prazo('defesa', ciencia)"),
            timer("longo", "prazo('recurso', ciencia)"), user("a"), user("b"), end(),
        ],
        """
        inicio > espera
        espera > curto
        espera > longo
        curto > a
        longo > b
        a > fim
        b > fim
        """,
    )  # fmt: skip
    office = Office({"p.bpmn": diagram})
    office.start(ciencia=BASE)
    assert office.running == ["curto", "longo"]
    assert len({a.task_id for a in office.step.armed}) == 2
    office.expire("longo")
    assert office.open == ["b"]
    assert office.happened == ["espera COMPLETED", "longo COMPLETED", "b READY"]


def deadline_on(task: str, *, interrupts: bool) -> Office:
    diagram = process(
        "p",
        [
            start(), user("defender", estado="DEFESA"),
            on_timer("esgotou", "defender", task, interrupts=interrupts, estado="ESGOTADO"), user("revelia"),
            end(), end("fim_r"),
        ],
        "inicio > defender\ndefender > fim\nesgotou > revelia\nrevelia > fim_r",
    )  # fmt: skip
    return Office({"p.bpmn": diagram})


def test_conflicts_have_their_codes() -> None:
    office = two_waits()
    state, definition = office.step.state, office.definition()
    for call, code in (
        (
            lambda: office.engine.complete(definition, state, "x", {}, DAY_ONE, office.ask),
            "tarefa.nao_aberta",
        ),
        (lambda: office.engine.expire(definition, state, "x", DAY_ONE, office.ask), "prazo.nao_armado"),
        (lambda: office.engine.reschedule(definition, state, "x", DAY_ONE, DAY_ONE), "prazo.nao_armado"),
        (
            lambda: office.engine.deliver(definition, state, "x", {}, DAY_ONE, office.ask),
            "mensagem.nao_esperada",
        ),
    ):
        with pytest.raises(Conflict) as refused:
            call()
        assert refused.value.code == code


def test_a_snapshot_is_the_last_step_without_what_happened() -> None:
    office = two_waits()
    snapshot = office.engine.snapshot(office.definition(), office.step.state)
    step = office.step
    assert (snapshot.state, snapshot.digest, snapshot.armed, snapshot.data) == (
        step.state, step.digest, step.armed, step.data
    )  # fmt: skip
    assert (snapshot.asked, snapshot.orders, snapshot.changes, snapshot.milestones, snapshot.ends) == (
        (),
    ) * 5


def test_the_id_of_a_timer_under_an_event_gateway_is_the_id_of_its_own_task() -> None:
    office = two_waits()
    armed = office.step.armed[0].task_id
    office.expire("prazo_a")
    assert [c.task_id for c in office.step.changes if c.element == "prazo_a"] == [armed]


def test_an_interrupting_deadline_cancels_its_task() -> None:
    office = deadline_on("prazo('defesa', ciencia)", interrupts=True)
    office.start(ciencia=BASE)
    assert office.happened == ["inicio COMPLETED", "esgotou WAITING", "defender READY"]
    assert office.step.milestones == ("DEFESA",)
    office.expire("esgotou")
    assert office.open == ["revelia"]
    assert office.happened == ["esgotou COMPLETED", "revelia READY", "defender CANCELLED"]
    assert office.step.milestones == ("ESGOTADO",)
    office.complete("revelia")
    assert office.step.ended
    office.replay()


def test_a_non_interrupting_deadline_leaves_its_task_open_and_fires_once() -> None:
    office = deadline_on("prazo('defesa', ciencia)", interrupts=False)
    office.start(ciencia=BASE)
    fired = office.step.armed[0].task_id
    office.expire("esgotou")
    assert sorted(office.open) == ["defender", "revelia"]
    assert office.running == []
    with pytest.raises(Conflict) as refused:
        office.engine.expire(office.definition(), office.step.state, fired, DAY_ONE, office.ask)
    assert refused.value.code == "prazo.nao_armado"
    office.complete("defender")
    assert not office.step.ended
    office.complete("revelia")
    assert office.step.ended
    office.replay()


def test_completing_the_task_in_time_disarms_its_deadline() -> None:
    office = deadline_on("prazo('defesa', ciencia)", interrupts=True)
    office.start(ciencia=BASE)
    office.complete("defender")
    assert office.step.ended
    assert office.running == []
    assert "esgotou CANCELLED" in office.happened


def test_a_completed_task_cannot_be_completed_again() -> None:
    office = deadline_on("prazo('defesa', ciencia)", interrupts=True)
    office.start(ciencia=BASE)
    task = office.step.tasks[0].id
    office.complete("defender")
    with pytest.raises(Conflict):
        office.engine.complete(office.definition(), office.step.state, task, {}, DAY_ONE, office.ask)
