"""What stops a diagram that never stops, and what a command costs."""

from __future__ import annotations

import time
from itertools import pairwise
from statistics import median

import pytest

from app.engine.runner import MAX_DEPTH
from app.errors import Invalid
from tests.engine.diagrams import end, on_timer, parallel, process, script, start, user, xor
from tests.engine.office import BASE, Office
from tests.engine.test_replay import FILES

LOOP = """
inicio > volta
volta > a
a > mais
mais > volta : not chega
mais > fim : chega
"""


def test_a_circle_of_automatic_elements_is_stopped() -> None:
    diagram = process(
        "p",
        [start(), user("antes"), xor("volta"), script("s", "x = 1"), xor("mais"), end()],
        "inicio > antes\nantes > volta\nvolta > s\ns > mais\nmais > volta : x == 1\nmais > fim : x == 2",
    )
    office = Office({"p.bpmn": diagram})
    before = office.start()
    with pytest.raises(Invalid) as refused:
        office.complete("antes")
    assert refused.value.code == "fluxo.passos"
    assert office.step is before


@pytest.mark.parametrize("shape", ["plain", "deadline", "fork"])
def test_a_loop_is_refused_before_the_library_stalls(shape: str) -> None:
    nodes = [start(), xor("volta"), user("a"), xor("mais"), end()]
    path = LOOP
    if shape == "deadline":
        nodes += [on_timer("t", "a", "prazo('defesa', ciencia)"), end("f2")]
        path += "t > f2\n"
    if shape == "fork":
        nodes += [parallel("abre"), user("b"), parallel("fecha")]
        path = (
            "inicio > volta\nvolta > abre\nabre > a\nabre > b\na > fecha\nb > fecha\nfecha > mais\n"
            + "\n".join(LOOP.splitlines()[4:])
        )
    office = Office({"p.bpmn": process("p", nodes, path)}, restart=False)
    office.start(chega=False, ciencia=BASE)
    reached = [office.step]

    def go_round_and_round() -> None:
        while len(reached) < MAX_DEPTH:
            for element in office.open:
                office.complete(element)
            assert office.open, "the case must not stall in silence"
            assert office.step.depth > reached[-1].depth
            reached.append(office.step)

    with pytest.raises(Invalid) as refused:
        go_round_and_round()
    assert refused.value.code == "fluxo.profundidade"
    assert reached[-1].depth <= MAX_DEPTH
    if shape != "fork":
        office.step = reached[-1]
        office.complete("a", chega=True)
        assert office.step.ended, "a case may always end"


def test_the_cost_of_a_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints, asserts nothing about time: machines differ."""
    tasks = [user(f"t{n}") for n in range(20)]
    scripts = [script(f"s{n}", f"v{n} = {n}") for n in range(23)]
    chain = ["inicio", *(key for n in range(20) for key in (f"t{n}", f"s{n}")), "s20", "s21", "s22", "fim"]
    path = "\n".join(f"{a} > {b}" for a, b in pairwise(chain))
    office = Office({"p.bpmn": process("p", [start(), *tasks, *scripts, end()], path)}, restart=False)
    office.start(ciencia=BASE)
    costs = []
    for number in range(20):
        begin = time.perf_counter()
        office.complete(f"t{number}", **{f"r{number}": number})
        costs.append((time.perf_counter() - begin) * 1000)
    assert office.step.ended
    compiled = Office(FILES)
    begin = time.perf_counter()
    compiled.definition()
    compile_ms = (time.perf_counter() - begin) * 1000
    with capsys.disabled():
        print(
            f"\n45 nodes: {median(costs):.1f} ms per command (first {costs[0]:.1f}, last {costs[-1]:.1f}), "
            f"state {len(office.step.state)} bytes, compiling two files {compile_ms:.0f} ms"
        )
