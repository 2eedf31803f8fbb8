"""Equal commands give equal bytes: after restarts, in threads, under any clock; and the bytes are safe to keep."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.engine.runner import Asked, replaying
from app.errors import Broken, Conflict
from tests.engine.diagrams import (
    catch,
    end,
    events,
    node,
    on_timer,
    parallel,
    part,
    process,
    script,
    start,
    timer,
    user,
    vote,
    xor,
)  # fmt: skip
from tests.engine.office import BASE, DAY_ONE, LANGUAGE, Office

CALLED = process("q", [start("qi"), user("notificar"), end("qf")], "qi > notificar\nnotificar > qf")
EVERYTHING = process(
    "p",
    [
        start(),
        script("apura", "v = valor('I-07', 2)\nemitir('auto')"),
        xor("caro"),
        node("callActivity", "chama", calledElement="q"),
        xor("uniu"),
        parallel("abre"),
        events("espera"),
        catch("veio", "contestacao"),
        timer("fim_prazo", "prazo('defesa', ciencia)"),
        xor("esperou"),
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
        script("convoca", "assentos = assentos('comissao')"),
        xor("rodada"),
        vote("votar", "conta(votos, 'P') >= 2 or conta(votos, 'I') >= 2"),
        xor("decidido"),
        user("proclamar"),
        end(),
    ],
    """
    inicio > apura
    apura > caro
    caro > chama : v >= 700
    caro > uniu : v == 0
    chama > uniu
    uniu > abre
    abre > espera
    abre > instruir
    abre > corpo
    espera > veio
    espera > fim_prazo
    veio > esperou
    fim_prazo > esperou
    esperou > fecha
    instruir > fecha
    alerta > avisado
    corpo > fecha
    fecha > convoca
    convoca > rodada
    rodada > votar
    votar > decidido
    decidido > proclamar : maioria(votos) != ''
    decidido > rodada : maioria(votos) == ''
    proclamar > fim
    """,
)
FILES = {"p.bpmn": EVERYTHING, "q.bpmn": CALLED}


def whole_case(*, restart: bool = True, case_id: str = "caso-1") -> Office:
    office = Office(
        FILES, facts={"valor": lambda code, factor: factor * 350}, restart=restart, case_id=case_id
    )
    office.start(ciencia=BASE, z=1, a=True)
    office.complete("notificar", y="sim", b=["x", 1, True])
    office.reschedule("fim_prazo", datetime(2026, 5, 1, tzinfo=UTC))
    office.expire("alerta")
    office.complete("dentro", z=True)
    office.deliver("contestacao", protocolo="7", anexos={"b": 1, "a": None})
    office.complete("instruir", a=1)
    for seat, ballot in (
        ("presidente", "P"),
        ("membro1", "I"),
        ("membro2", "A"),
        ("membro2", "P"),
        ("membro1", "P"),
    ):
        office.complete("votar", seat, voto=ballot)
    office.complete("proclamar")
    assert office.step.ended
    return office


def digests(office: Office) -> list[str]:
    return [digest for _, _, digest in office.journal]


def test_a_case_replays_byte_by_byte_with_a_restart_after_every_step() -> None:
    office = whole_case()
    office.replay()
    assert digests(whole_case(restart=False)) == digests(office)
    assert office.step.data["z"] is True
    assert office.step.data["a"] == 1
    assert office.step.data["a"] is not True


def test_the_bytes_depend_on_the_case_and_its_tasks_have_ids_of_their_own() -> None:
    one, other = whole_case(), whole_case(case_id="caso-2")
    assert set(digests(one)).isdisjoint(digests(other))


def test_the_wall_clock_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = digests(whole_case())
    falling = iter(range(10**9, 0, -1))
    monkeypatch.setattr(time, "time", lambda: float(next(falling)))
    assert digests(whole_case()) == expected


def test_hash_seeds_have_no_say() -> None:
    code = "from tests.engine.test_replay import whole_case, digests; print(digests(whole_case())[-1])"
    root = Path(__file__).parents[2]
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {digests(whole_case())[-1].encode() + b"\n"}


def test_threads_sharing_one_definition_do_not_disturb_each_other() -> None:
    expected = {case: digests(whole_case(restart=False, case_id=case)) for case in ("c0", "c1", "c2", "c3")}
    with ThreadPoolExecutor(4) as pool:
        cases = [f"c{n % 4}" for n in range(16)]
        found = pool.map(lambda case: (case, digests(whole_case(restart=False, case_id=case))), cases)
    assert all(expected[case] == got for case, got in found)


def test_the_order_of_keys_in_what_comes_in_does_not_matter() -> None:
    one, other = Office(FILES, facts={"valor": 700}), Office(FILES, facts={"valor": 700})
    one.start(ciencia=BASE, b=1, a={"x": 1, "y": 2})
    other.start(a={"y": 2, "x": 1}, b=1, ciencia=BASE)
    assert one.step.digest == other.step.digest


def shuffled(value: Any) -> Any:
    """The same JSON with the keys of every object turned round, as a database may give it back."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


def test_a_state_whose_keys_were_moved_is_still_the_same_state() -> None:
    office = whole_case_in_progress()
    moved = json.dumps(shuffled(orjson.loads(office.step.state))).encode()
    assert moved != office.step.state
    office.step = office.engine.snapshot(office.definition(), moved)
    office.complete("dentro", z=True)
    expected = whole_case_in_progress()
    expected.complete("dentro", z=True)
    assert office.step.digest == expected.step.digest


def whole_case_in_progress() -> Office:
    office = Office(FILES, facts={"valor": 700})
    office.start(ciencia=BASE, z=1)
    office.complete("notificar", y="sim")
    return office


def test_a_change_from_one_to_true_survives_being_saved() -> None:
    diagram = process("p", [start(), user("a"), user("b"), end()], "inicio > a\na > b\nb > fim")
    office = Office({"p.bpmn": diagram})
    office.start(x=1, y=0, lista=[1, 0], mapa={"k": 1})
    office.complete("a", x=True, y=False, lista=[True, False], mapa={"k": True})
    kept = office.engine.snapshot(office.definition(), office.step.state).data
    assert json.dumps(kept | {}, sort_keys=True) == (
        '{"lista": [true, false], "mapa": {"k": true}, "x": true, "y": false}'
    )


def test_a_later_value_does_not_rewrite_an_earlier_task_or_a_parallel_branch() -> None:
    diagram = process(
        "p",
        [start(), parallel("abre"), user("a"), user("b"), parallel("fecha"), user("ver"), end()],
        "inicio > abre\nabre > a\nabre > b\na > fecha\nb > fecha\nfecha > ver\nver > fim",
    )
    office = Office({"p.bpmn": diagram})
    first: dict[str, Any] = {"k": 1}
    office.start(mapa=first, lista=[1])
    before = office.step
    first["k"] = 99
    office.complete("a", mapa={"k": 2})
    assert before.data["mapa"] == {"k": 1}
    before.data["lista"].append(5)
    office.complete("b", nada=None)
    assert office.step.data["mapa"] == {"k": 2}
    assert office.step.data["lista"] == [1]


def test_a_typename_in_the_data_cannot_choose_a_class() -> None:
    office = whole_case_in_progress()
    with pytest.raises(Exception, match="resposta"):
        office.complete("dentro", typename="Task")


def test_a_state_is_refused_by_another_definition_and_when_damaged() -> None:
    office = whole_case_in_progress()
    other = Office({"p.bpmn": EVERYTHING + b"\n", "q.bpmn": CALLED}).definition()
    with pytest.raises(Broken, match="outra definição"):
        office.engine.snapshot(other, office.step.state)
    good = orjson.loads(office.step.state)
    for damage in (b"", b"{}", b"[]", b"\xff", office.step.state[:-5], orjson.dumps(good | {"flows": [{}]})):
        with pytest.raises(Broken):
            office.engine.snapshot(office.definition(), damage)
    good["flows"][0]["tasks"][1][3] = "outra_tarefa"
    with pytest.raises(Broken):
        office.engine.snapshot(office.definition(), orjson.dumps(good))


def test_a_naive_instant_is_an_error_of_the_caller() -> None:
    office = whole_case_in_progress()
    naive = datetime(2026, 3, 2)  # noqa: DTZ001
    with pytest.raises(ValueError, match="aware"):
        office.engine.expire(
            office.definition(), office.step.state, office.step.armed[0].task_id, naive, office.ask
        )


def test_a_replay_refuses_questions_in_another_order_of_another_name_or_with_other_arguments() -> None:
    asked = [Asked("pago", (), True), Asked("valor", ("I-07", 2), 700)]
    with pytest.raises(Broken):
        replaying(asked)("valor", ("I-07", 2))
    for question, args in (
        ("valor", ("I-07", 1)),
        ("valor", ("I-07", True)),
        ("valor", ("I-07",)),
        ("escolha", ()),
    ):
        answers = replaying(asked)
        assert answers("pago", ()) is True
        with pytest.raises(Broken):
            answers(question, args)
    answers = replaying(asked)
    answers("pago", ())
    with pytest.raises(Broken, match="1 resposta"):
        answers.finish()
    assert answers("valor", ["I-07", 2]) == 700  # type: ignore[arg-type]
    answers.finish()
    with pytest.raises(Broken, match="termina"):
        answers("pago", ())


def test_a_snapshot_or_a_new_date_never_asks() -> None:
    office = whole_case_in_progress()
    office.facts.clear()
    office.engine.snapshot(office.definition(), office.step.state)
    office.reschedule("pd", datetime(2026, 9, 1, tzinfo=UTC))
    assert office.step.asked == ()


def test_a_refused_command_leaves_a_state_that_still_works() -> None:
    office = whole_case_in_progress()
    state = office.step.state
    for _ in range(2):
        with pytest.raises(Conflict):
            office.engine.deliver(office.definition(), state, "nada", {}, DAY_ONE, office.ask)
    office.deliver("contestacao")
    assert LANGUAGE.orders >= {o.name for o in office.step.orders}
