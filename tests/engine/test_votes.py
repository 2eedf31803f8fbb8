"""Collegiate votes: seats, majority, rounds, counters, interruption."""

import pytest

from app.errors import Invalid
from tests.engine.diagrams import end, on_timer, process, script, start, user, vote, xor
from tests.engine.office import BASE, Office

VOTE = process(
    "p",
    [
        start(),
        script("convoca", "assentos = assentos('comissao')"),
        xor("volta"),
        vote("votar", "conta(votos, 'P') >= 2 or conta(votos, 'I') >= 2", estado="JULGAMENTO"),
        xor("decidido"),
        user("proclamar"),
        end(),
    ],
    """
    inicio > convoca
    convoca > volta
    volta > votar
    votar > decidido
    decidido > proclamar : maioria(votos) != ''
    decidido > volta : maioria(votos) == ''
    proclamar > fim
    """,
)


def test_a_vote_closes_by_majority_and_cancels_the_vote_left_over() -> None:
    office = Office({"p.bpmn": VOTE})
    office.start()
    assert office.open == [("votar", "membro1"), ("votar", "membro2"), ("votar", "presidente")]
    assert office.step.milestones == ("JULGAMENTO",)
    assert office.happened[-4:] == ["votar READY", "votar READY", "votar READY", "votar STARTED"]
    office.complete("votar", "presidente", voto="P")
    assert office.step.data["votos"] == {"presidente": "P"}
    assert len(office.open) == 2
    office.complete("votar", "membro2", voto="P")
    assert office.open == ["proclamar"]
    assert office.happened.count("votar CANCELLED") == 1
    assert office.step.data["votos"] == {"presidente": "P", "membro2": "P"}
    assert "voto" not in office.step.data
    office.complete("proclamar")
    assert office.step.ended
    office.replay()


def test_a_second_round_starts_with_an_empty_box() -> None:
    office = Office({"p.bpmn": VOTE})
    office.start()
    for seat, ballot in (("presidente", "P"), ("membro1", "I"), ("membro2", "A")):
        office.complete("votar", seat, voto=ballot)
    assert len(office.open) == 3, "no majority: all vote again"
    assert office.step.data["votos"] == {}
    office.complete("votar", "membro1", voto="I")
    assert office.step.data["votos"] == {"membro1": "I"}
    office.complete("votar", "membro2", voto="I")
    assert office.open == ["proclamar"]
    office.replay()


def test_a_vote_without_a_condition_waits_for_every_seat_and_counters_are_known() -> None:
    for until, seats in (("", 3), ("nrOfCompletedInstances >= 2", 2), ("nrOfActiveInstances == 2", 1)):
        diagram = process(
            "p", [start(), vote("votar", until), user("depois"), end()],
            "inicio > votar\nvotar > depois\ndepois > fim",
        )  # fmt: skip
        office = Office({"p.bpmn": diagram})
        office.start(assentos={"a": "a", "b": "b", "c": "c"})
        for seat in "abc"[:seats]:
            assert office.open != ["depois"]
            office.complete("votar", seat, voto="P")
        assert office.open == ["depois"]


def test_an_answer_without_the_vote_is_refused() -> None:
    office = Office({"p.bpmn": VOTE})
    office.start()
    with pytest.raises(Invalid) as refused:
        office.complete("votar", "presidente", justificativa="nada")
    assert refused.value.code == "voto.ausente"
    assert "voto" in refused.value.fields


def test_a_deadline_that_interrupts_a_vote_cancels_the_open_seats_and_the_votes_cast() -> None:
    diagram = process(
        "p",
        [
            start(),
            vote("votar"),
            on_timer("pauta", "votar", "prazo('recurso', ciencia)"),
            user("pautar"),
            end(),
            end("f2"),
        ],
        "inicio > votar\nvotar > fim\npauta > pautar\npautar > f2",
    )
    office = Office({"p.bpmn": diagram})
    office.start(assentos={"a": "a", "b": "b", "c": "c"}, ciencia=BASE)
    office.complete("votar", "a", voto="P")
    office.expire("pauta")
    assert office.open == ["pautar"]
    assert office.happened.count("votar CANCELLED") == 3, "two open seats and the vote itself"
    assert "votos" not in office.step.data
    office.complete("pautar")
    assert office.step.ended
    office.replay()
