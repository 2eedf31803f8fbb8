"""Parallel branches: joining without losing data, and ending everything from one branch."""

from tests.engine.diagrams import (
    catch,
    end,
    events,
    on_timer,
    parallel,
    part,
    process,
    script,
    start,
    terminate,
    timer,
    user,
    xor,
)
from tests.engine.office import BASE, Office

ADMISSION = process(
    "p",
    [
        start(),
        parallel("abre"),
        user("analisar"),
        xor("admite"),
        terminate("arquivado", estado="ARQUIVADO"),
        events("espera"),
        catch("veio", "contestacao"),
        timer("prazo", "prazo('defesa', ciencia)"),
        script("anota", "anotado = True"),
        xor("uniu"),
        user("instruir"),
        on_timer("alerta", "instruir", "prazo('recurso', ciencia)", interrupts=False),
        end("avisado"),
        part(
            "corpo",
            [
                start("si"),
                user("dentro"),
                on_timer("pd", "dentro", "prazo('recurso', ciencia)"),
                end("sf"),
                end("st"),
            ],
            "si > dentro\ndentro > sf\npd > st",
        ),
        parallel("fecha"),
        end(),
    ],
    """
    inicio > abre
    abre > analisar
    abre > espera
    abre > instruir
    abre > corpo
    analisar > admite
    admite > arquivado : not admitido
    admite > fecha : admitido
    espera > veio
    espera > prazo
    veio > anota
    anota > uniu
    prazo > uniu
    uniu > fecha
    alerta > avisado
    instruir > fecha
    corpo > fecha
    fecha > fim
    """,
)


def test_a_terminate_end_in_one_branch_cancels_everything_in_the_others() -> None:
    office = Office({"p.bpmn": ADMISSION})
    office.start(ciencia=BASE)
    assert sorted(office.running) == ["alerta", "pd", "prazo"]
    office.complete("analisar", admitido=False)
    assert office.step.ended
    assert office.running == []
    assert office.open == []
    assert office.step.awaited == frozenset()
    assert office.step.ends == ("arquivado",)
    assert office.step.milestones == ("ARQUIVADO",)
    assert office.happened[:3] == ["analisar COMPLETED", "admite COMPLETED", "arquivado COMPLETED"]
    assert sorted(office.happened[3:]) == [
        f"{e} CANCELLED" for e in ("alerta", "corpo", "dentro", "espera", "instruir", "pd")
    ]
    office.replay()


def test_the_other_way_through_the_same_diagram_joins_and_ends() -> None:
    office = Office({"p.bpmn": ADMISSION})
    office.start(ciencia=BASE)
    office.complete("analisar", admitido=True)
    assert not office.step.ended
    office.deliver("contestacao")
    office.expire("alerta")
    assert office.step.ends == ("avisado",)
    assert office.open == ["instruir", "dentro"]
    office.complete("instruir")
    office.complete("dentro")
    assert office.step.ended
    assert office.step.data == {"admitido": True, "anotado": True, "ciencia": BASE}
    office.replay()


def test_a_terminated_branch_does_not_come_back_to_life() -> None:
    """Both branches become ready by the same message; the first one ends the case before the second one runs."""
    diagram = process(
        "p",
        [
            start(), parallel("abre"), catch("a", "parar"), catch("b", "parar"), terminate("fim_a"),
            script("tarde", "tarde = True"), user("depois"), end(),
        ],
        """
        inicio > abre
        abre > a
        abre > b
        a > fim_a
        b > tarde
        tarde > depois
        depois > fim
        """,
    )  # fmt: skip
    office = Office({"p.bpmn": diagram})
    office.start()
    office.deliver("parar")
    assert office.step.ended
    assert office.open == []
    assert "tarde" not in office.step.data
    assert "depois READY" not in office.happened


def test_a_join_keeps_what_each_branch_changed_whatever_order_they_arrive_in() -> None:
    diagram = process(
        "p",
        [start(), parallel("abre"), user("a"), user("b"), parallel("fecha"), user("ver"), end()],
        """
        inicio > abre
        abre > a
        abre > b
        a > fecha
        b > fecha
        fecha > ver
        ver > fim
        """,
    )
    for order in ("ab", "ba"):
        office = Office({"p.bpmn": diagram})
        office.start(x=1, y=1, lista=["um"])
        for branch in order:
            office.complete(
                branch, **{"a": {"x": 2, "lista": ["um", "dois"]}, "b": {"z": None, "y": True}}[branch]
            )
        assert office.open == ["ver"]
        assert office.step.data == {"x": 2, "y": True, "z": None, "lista": ["um", "dois"]}
        assert office.step.data["y"] is True
        office.complete("ver")
        assert office.step.ended
        office.replay()


def test_when_two_branches_change_the_same_variable_the_later_arrival_stands() -> None:
    diagram = process(
        "p",
        [start(), parallel("abre"), user("a"), user("b"), parallel("fecha"), user("ver"), end()],
        "inicio > abre\nabre > a\nabre > b\na > fecha\nb > fecha\nfecha > ver\nver > fim",
    )
    office = Office({"p.bpmn": diagram})
    office.start(x=0)
    office.complete("b", x="b")
    office.complete("a", x="a")
    assert office.step.data == {"x": "a"}


def test_ends_of_parallel_branches_merge_data_in_a_sub_process_too() -> None:
    body = part(
        "corpo",
        [start("si"), parallel("sa"), user("a"), user("b"), end("fa"), end("fb")],
        "si > sa\nsa > a\nsa > b\na > fa\nb > fb",
        estado="INSTRUIDO",
    )
    office = Office(
        {
            "p.bpmn": process(
                "p", [start(), body, user("ver"), end()], "inicio > corpo\ncorpo > ver\nver > fim"
            )
        }
    )
    office.start(x=1, y=1)
    assert office.happened[:3] == ["inicio COMPLETED", "corpo STARTED", "si COMPLETED"]
    office.complete("a", x=2)
    office.complete("b", y=2)
    assert office.step.milestones == ("INSTRUIDO",)
    assert office.step.ends == ("fb",)
    assert office.step.data == {"x": 2, "y": 2}
    assert office.happened == ["b COMPLETED", "fb COMPLETED", "corpo COMPLETED", "ver READY"]
    office.complete("ver")
    assert office.step.ended
    office.replay()


def test_a_join_inside_a_loop_waits_for_both_branches_in_every_round() -> None:
    diagram = process(
        "p",
        [
            start(),
            xor("volta"),
            parallel("abre"),
            user("a"),
            user("b"),
            parallel("fecha"),
            xor("mais"),
            end(),
        ],
        """
        inicio > volta
        volta > abre
        abre > a
        abre > b
        a > fecha
        b > fecha
        fecha > mais
        mais > volta : not chega
        mais > fim : chega
        """,
    )
    office = Office({"p.bpmn": diagram})
    office.start(chega=False, n=0)
    office.complete("a", de_a=1)
    office.complete("b", n=1)
    assert office.open == ["a", "b"]
    office.complete("b", n=2)
    assert office.open == ["a"], "the first round's arrival must not count for the second"
    office.complete("a", chega=True)
    assert office.step.ended
    assert office.step.data == {"chega": True, "de_a": 1, "n": 2}
    office.replay()
