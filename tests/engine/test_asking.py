"""Questions, scripts, orders and conditions: what the diagram asks and how refusals come out."""

import pytest
from SpiffWorkflow.bpmn.script_engine import PythonScriptEngine

from app.engine import interpreter
from app.engine.expression import ExpressionFault
from app.errors import Invalid, TooLate
from tests.engine.diagrams import end, process, script, start, timer, user, xor
from tests.engine.office import BASE, LANGUAGE, Office


def test_a_gateway_asks_facts_in_order_and_records_them() -> None:
    diagram = process(
        "p",
        [start(), xor("exige"), user("pagar"), user("julgar"), end()],
        """
        inicio > exige
        exige > pagar : escolha('pagamento.previo') == 'exigir' and not pago()
        exige > julgar : escolha('pagamento.previo') in ('decidir', 'dispensar') or pago()
        pagar > fim
        julgar > fim
        """,
    )
    office = Office({"p.bpmn": diagram}, facts={"escolha": "exigir", "pago": True})
    office.start()
    assert office.open == ["julgar"]
    assert [(a.question, a.args, a.answer) for a in office.step.asked] == [
        ("escolha", ("pagamento.previo",), "exigir"),
        ("pago", (), True),
        ("escolha", ("pagamento.previo",), "exigir"),
        ("pago", (), True),
    ]
    office.replay()


def test_conditions_are_tried_in_the_order_of_the_file_not_of_the_drawing() -> None:
    text = process(
        "p",
        [start(), xor("g"), user("um"), user("dois"), end()],
        "inicio > g\ng > um : True\ng > dois : True\num > fim\ndois > fim",
    ).decode()
    plane = "".join(
        f'<di:BPMNShape xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" bpmnElement="{key}">'
        f'<dc:Bounds xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" x="0" y="{y}" width="1" height="1"/>'
        "</di:BPMNShape>"
        for key, y in (("um", 500), ("dois", 10))
    )
    drawn = f'<bpmndi:BPMNDiagram xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI">{plane}</bpmndi:BPMNDiagram>'
    office = Office({"p.bpmn": text.replace("</bpmn:definitions>", f"{drawn}</bpmn:definitions>").encode()})
    office.start()
    assert office.open == ["um"]


def test_script_lines_set_variables_from_facts_and_give_orders_in_order() -> None:
    diagram = process(
        "p",
        [
            start(),
            script(
                "multar",
                "\n    ufp = valor('I-07', 2)\n  # observação\n  emitir('auto')\n  cobrar(ufp)\n",
                estado="MULTADO",
            ),
            user("ver"),
            end(),
        ],
        "inicio > multar\nmultar > ver\nver > fim",
    )
    office = Office({"p.bpmn": diagram}, facts={"valor": lambda code, factor: factor * 350})
    office.start()
    assert office.step.data == {"ufp": 700}
    assert [(o.name, o.args, o.element) for o in office.step.orders] == [
        ("emitir", ("auto",), "multar"),
        ("cobrar", (700,), "multar"),
    ]
    assert office.step.milestones == ("MULTADO",)


def asking(where: str) -> bytes:
    nodes = {
        "script": (script("pergunta", "x = valor('a', 1)"), ""),
        "gateway": (xor("pergunta"), " : valor('a', 1) > 0"),
        "timer": (timer("pergunta", "prazo(valor('a', 1), ciencia)"), ""),
        "base": (timer("pergunta", "prazo('defesa', valor('a', 1))"), ""),
    }
    element, condition = nodes[where]
    more = "pergunta > outro : True\noutro > fim" if where == "gateway" else ""
    extra = [user("outro")] if where == "gateway" else []
    return process(
        "p",
        [start(), user("antes"), element, user("depois"), end(), *extra],
        f"inicio > antes\nantes > pergunta\npergunta > depois{condition}\ndepois > fim\n{more}",
    )


@pytest.mark.parametrize("where", ["script", "gateway", "timer", "base"])
def test_a_refusal_of_ask_comes_out_unchanged_and_the_state_is_still_good(where: str) -> None:
    refusal = TooLate("Valor não confirmado.", code="multa.valor_nao_confirmado")

    def refuse(*_: object) -> None:
        raise refusal

    office = Office({"p.bpmn": asking(where)}, facts={"valor": refuse})
    before = office.start(ciencia=BASE)
    with pytest.raises(TooLate) as caught:
        office.complete("antes")
    assert caught.value is refusal
    office.facts["valor"] = {"timer": "defesa", "base": BASE}.get(where, 5)
    assert office.step is before
    office.complete("antes")
    assert len(office.step.asked) == (2 if where in ("timer", "base") else 1)
    office.replay()


def test_a_bug_of_ask_is_not_dressed_up_as_a_refusal() -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    office = Office({"p.bpmn": asking("script")}, facts={"valor": broken})
    office.start()
    with pytest.raises(ZeroDivisionError):
        office.complete("antes")


def test_what_the_diagram_cannot_evaluate_is_refused_naming_the_element() -> None:
    office = Office({"p.bpmn": asking("gateway")}, facts={"valor": "texto"})
    office.start()
    with pytest.raises(Invalid, match="pergunta") as refused:
        office.complete("antes")
    assert refused.value.code == "fluxo.expressao"


def test_a_timer_without_base_or_with_a_bad_answer_is_refused() -> None:
    office = Office({"p.bpmn": asking("base")}, facts={"valor": None})
    office.start()
    with pytest.raises(Invalid, match="data de início"):
        office.complete("antes")
    office.ask = lambda question, args: "amanhã" if question == "prazo" else BASE  # type: ignore[method-assign]
    with pytest.raises(Invalid, match="não é um instante"):
        office.complete("antes")


def test_no_true_condition_and_no_default_is_refused_naming_the_gateway() -> None:
    office = Office(
        {
            "p.bpmn": process(
                "p",
                [start(), user("a"), xor("decide"), end(), end("f2")],
                "inicio > a\na > decide\ndecide > fim : x == 1\ndecide > f2 : x == 2",
            )
        }
    )
    office.start(x=3)
    with pytest.raises(Invalid, match="decide") as refused:
        office.complete("a")
    assert refused.value.code == "fluxo.parado"


def test_a_default_flow_is_taken_when_no_condition_holds() -> None:
    text = process(
        "p", [start(), xor("decide"), user("a"), user("b"), end()],
        "inicio > decide\ndecide > a : x == 1\ndecide > b\na > fim\nb > fim",
    ).decode().replace('id="decide"', 'id="decide" default="f_decide_b"')  # fmt: skip
    office = Office({"p.bpmn": text.encode()})
    office.start(x=3)
    assert office.open == ["b"]


def asks_once(text: str) -> Office:
    return Office(
        {"p.bpmn": process("p", [start(), script("s", text), user("a"), end()], "inicio > s\ns > a\na > fim")}
    )


@pytest.mark.parametrize(
    "text", ["x = conta(1, 2)", "x = valor('a', 1)", "x = conta('abc')", "emitir(pago())"]
)
def test_a_function_that_fails_or_answers_what_the_flow_cannot_hold_is_refused(text: str) -> None:
    office = asks_once(text)
    office.facts = {"valor": 1.5, "pago": {"a": {"b": 1}}}
    with pytest.raises(Invalid, match="em s:") as refused:
        office.start()
    assert refused.value.code == "fluxo.expressao"
    assert refused.value.context["element"] == "s"


def test_an_answer_with_a_dict_is_kept_flat_and_detached() -> None:
    seats = {"b": "2", "a": "1"}
    office = asks_once("x = valor('a', 1)")
    office.facts = {"valor": seats}
    office.start()
    seats["a"] = "9"
    assert office.step.asked[0].answer == {"a": "1", "b": "2"}
    assert office.step.data["x"] == {"a": "1", "b": "2"}


def test_a_refusal_is_found_even_if_the_library_wraps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = TooLate("Fora do prazo.")

    def wrapped(*_: object) -> None:
        raise refusal

    monkeypatch.setattr(interpreter.Interpreter, "evaluate", PythonScriptEngine.evaluate)
    monkeypatch.setattr(interpreter._Deny, "evaluate", wrapped)
    office = Office({"p.bpmn": asking("gateway")})
    office.start()
    with pytest.raises(TooLate) as caught:
        office.complete("antes")
    assert caught.value is refusal


def test_the_library_cannot_evaluate_anything_behind_our_back() -> None:
    environment = interpreter.Interpreter(LANGUAGE, Office({}).ask).environment
    for attempt in (environment.evaluate, environment.execute, environment.call_service):
        with pytest.raises(ExpressionFault):
            attempt("1", {})
