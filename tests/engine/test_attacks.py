"""Nothing that a diagram says is ever run as Python, wherever the library would evaluate it: 18 attacks x every place.

Twice: the check at publication refuses each, naming the element; and where it is left out, as if it had overlooked one,
the engine itself evaluates nothing. A control with the library's own engine shows that the places are real.
"""

from __future__ import annotations

import builtins
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.script_engine import PythonScriptEngine
from SpiffWorkflow.exceptions import SpiffWorkflowException

from app.engine import definition as definitions
from app.engine.definition import Definition, load
from app.engine.expression import ExpressionFault
from app.engine.runner import Engine
from app.errors import Invalid
from tests.engine.diagrams import end, node, process, script, start, timer, user, vote, xor
from tests.engine.office import DAY_ONE, LANGUAGE, Office

CANARY = "canario"
# As in a diagram; `{canary}` is a file that must never come into being.
ATTACKS = {
    "import": "__import__('os').system('touch {canary}')",
    "open": "open('{canary}', 'w')",
    "class walk": "[c for c in ().__class__.__base__.__subclasses__()][0]",
    "globals of a function": "conta.__globals__['__builtins__']['open']('{canary}', 'w')",
    "code of a function": "conta.__code__",
    "eval": "eval(\"open('{canary}', 'w')\")",
    "exec": "exec(\"open('{canary}', 'w')\")",
    "compile": "compile('1', '', 'eval')",
    "getattr": "getattr(votos, 'clear')()",
    "power without end": "9 ** 9 ** 9",
    "text without end": "'a' * 10 ** 12",
    "lambda": "(lambda: open('{canary}', 'w'))()",
    "comprehension": "[open('{canary}', 'w') for _ in (1,)]",
    "formatted text": 'f\'{{open("{canary}", "w")}}\'',
    "data changed in passing": "votos.update(x=1)",
    "walrus": "(votos := 1)",
    "overwriting a function": "globals().update(conta=open)",
    "unregistered function": "print(votos)",
}


def flow(condition: str) -> str:
    inner = f"<bpmn:conditionExpression>{_xml(condition)}</bpmn:conditionExpression>"
    return f'<bpmn:sequenceFlow id="alvo" sourceRef="g" targetRef="b">{inner}</bpmn:sequenceFlow>'


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def one_task(element: str, extra: str = "") -> bytes:
    return process("p", [start(), element, end()], "inicio > alvo\nalvo > fim", extra=extra)


def on_border(definition: str) -> bytes:
    event = node("boundaryEvent", "alvo", definition, attachedToRef="a")
    return process("p", [start(), user("a"), event, end(), end("f2")], "inicio > a\na > fim\nalvo > f2")


def extension(tag: str, text: str) -> str:
    return f"<bpmn:extensionElements><spiffworkflow:{tag}>{_xml(text)}</spiffworkflow:{tag}></bpmn:extensionElements>"


def timer_of(kind: str, text: str) -> str:
    return f"<bpmn:timerEventDefinition><bpmn:{kind}>{_xml(text)}</bpmn:{kind}></bpmn:timerEventDefinition>"


def cardinality(text: str) -> bytes:
    loop = (
        "<bpmn:multiInstanceLoopCharacteristics>"
        f"<bpmn:loopCardinality>{_xml(text)}</bpmn:loopCardinality>"
        "<bpmn:loopDataOutputRef>saida</bpmn:loopDataOutputRef>"
        '<bpmn:inputDataItem id="assento"/><bpmn:outputDataItem id="voto"/></bpmn:multiInstanceLoopCharacteristics>'
    )
    return one_task(user("alvo", loop))


def loop(text: str) -> bytes:
    inner = f"<bpmn:loopCondition>{_xml(text)}</bpmn:loopCondition>"
    return one_task(
        user(
            "alvo",
            f'<bpmn:standardLoopCharacteristics testBefore="true">{inner}</bpmn:standardLoopCharacteristics>',
        )
    )


def conditional(text: str) -> bytes:
    inner = f"<bpmn:condition>{_xml(text)}</bpmn:condition>"
    return on_border(f"<bpmn:conditionalEventDefinition>{inner}</bpmn:conditionalEventDefinition>")


def correlation(text: str) -> bytes:
    path = f"<bpmn:messagePath>{_xml(text)}</bpmn:messagePath>"
    retrieval = "correlationPropertyRetrievalExpression"
    told = f'<bpmn:{retrieval} messageRef="m_x">{path}</bpmn:{retrieval}>'
    extra = f'<bpmn:correlationProperty id="cp" name="cp">{told}</bpmn:correlationProperty>'
    throws = node("intermediateThrowEvent", "alvo", '<bpmn:messageEventDefinition messageRef="m_x"/>')
    return one_task(throws, extra)


def service(text: str) -> bytes:
    inner = f'<spiffworkflow:serviceTaskOperator id="x" resultVariable="{_xml(text).replace(chr(34), "&quot;")}"/>'
    return one_task(node("serviceTask", "alvo", f"<bpmn:extensionElements>{inner}</bpmn:extensionElements>"))


def gateway(text: str) -> bytes:
    told = process("p", [start(), xor("g", default="f_g_c"), user("b"), user("c"), end(), end("f2")], _WAYS)
    return told.replace(b"</bpmn:process>", flow(text).encode() + b"</bpmn:process>")


_WAYS = "inicio > g\ng > c\nb > fim\nc > f2"

PLACES: dict[str, Callable[[str], bytes]] = {
    "condition of a flow": gateway,
    "script": lambda text: one_task(script("alvo", f"x = {text}")),
    "bare script": lambda text: one_task(script("alvo", text)),
    "end of a term": lambda text: one_task(timer("alvo", text)),
    "end of a term on a border": lambda text: on_border(timer_of("timeDate", text)),
    "duration": lambda text: on_border(timer_of("timeDuration", text)),
    "cycle": lambda text: on_border(timer_of("timeCycle", text)),
    "end of a vote": lambda text: one_task(vote("alvo", text)),
    "number of instances": cardinality,
    "condition of a loop": loop,
    "conditional event": conditional,
    "correlation of a message": correlation,
    "script before a task": lambda text: one_task(user("alvo", extension("preScript", text))),
    "script after a task": lambda text: one_task(user("alvo", extension("postScript", text))),
    "parameter of a service": service,
}


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the library or the engine hands to Python while the test runs: many an attack would leave no other mark."""
    seen: list[str] = []

    def counted(name: str) -> Callable[..., Any]:
        def call(*told: Any, **more: Any) -> Any:
            seen.append(f"{name}: {told[0]!r}")
            return getattr(builtins, name)(*told, **more)

        return call

    stand_ins = {name: counted(name) for name in ("eval", "exec", "compile")}
    for module, loaded in list(sys.modules.items()):
        if module.split(".")[0] == "SpiffWorkflow" or module.startswith("app.engine"):
            for name, stand_in in stand_ins.items():
                monkeypatch.setattr(loaded, name, stand_in, raising=False)
    return seen


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where an attack would leave its mark; one that runs without end is cut off."""
    monkeypatch.chdir(tmp_path)

    def too_long(*_: Any) -> None:
        raise AssertionError("evaluated, and without end")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, 20)
    try:
        yield tmp_path / CANARY
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def unchecked(diagram: bytes) -> Definition:
    """The diagram compiled without any check, its elements as the engine needs them."""
    root = etree.fromstring(diagram)
    drawn = list(definitions._nodes({"p.bpmn": root}, {"p"}, {*definitions.FLOW_NODES, "serviceTask"}))
    elements = {e.get("id", ""): definitions._element(e) for e in drawn}
    compiled = definitions._compile("p", {"p.bpmn": root})
    return Definition("p", {}, "0" * 64, elements, {}, frozenset(), compiled)


def run_unchecked(diagram: bytes) -> None:
    """Start and, where a task opens, finish it."""
    engine, office = Engine(LANGUAGE), Office({})
    definition = unchecked(diagram)
    opening = {"votos": {"a": "P"}, "assentos": {"a": "A"}}
    step = engine.start(definition, "caso", opening, DAY_ONE, office.ask)
    for task in step.tasks:
        engine.complete(definition, step.state, task.id, {"voto": "P"}, DAY_ONE, office.ask)
    assert step.data["votos"] == {"a": "P"}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("place", PLACES)
def test_an_attack_is_refused_at_publication_naming_the_element(
    place: str, attack: str, canary: Path
) -> None:
    text = ATTACKS[attack].replace("{canary}", str(canary))
    with pytest.raises(Invalid) as refused:
        load("p", {"p.bpmn": PLACES[place](text)}, LANGUAGE)
    assert set(refused.value.fields) & {"alvo", "a", "cp", "p.bpmn"}
    assert not canary.exists()


# Places where the library's own engine runs the text of a bare diagram: were none left, the matrix would prove nothing.
EVALUATED = (
    "condition of a flow",
    "script",
    "bare script",
    "end of a term",
    "number of instances",
    "conditional event",
    "correlation of a message",
)


@pytest.mark.parametrize("place", EVALUATED)
def test_the_librarys_own_engine_does_evaluate_there(place: str, canary: Path, evaluated: list[str]) -> None:
    parser = BpmnParser()
    attack = f"__import__('pathlib').Path({str(canary)!r}).touch()"
    parser.add_bpmn_xml(etree.fromstring(PLACES[place](attack)))
    flow_of = BpmnWorkflow(parser.get_spec("p"), script_engine=PythonScriptEngine())
    flow_of.task_tree.data.update(votos={"a": "P"})
    with contextlib.suppress(Exception):
        flow_of.do_engine_steps()
    assert canary.exists()
    assert any(CANARY in text for text in evaluated)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("place", PLACES)
def test_an_attack_that_the_check_overlooked_is_not_evaluated(
    place: str, attack: str, canary: Path, evaluated: list[str]
) -> None:
    text = ATTACKS[attack].replace("{canary}", str(canary))
    if place in EVALUATED:
        with pytest.raises((Invalid, ExpressionFault)):
            run_unchecked(PLACES[place](text))
    else:
        with contextlib.suppress(Invalid, SpiffWorkflowException, TypeError, AttributeError, IndexError):
            run_unchecked(PLACES[place](text))
    assert not canary.exists()
    assert evaluated == []
