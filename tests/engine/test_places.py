"""Sub-processes, called processes, lanes, errors and messages thrown."""

from tests.engine.diagrams import (
    end,
    node,
    on_message,
    on_timer,
    part,
    process,
    script,
    start,
    throw,
    user,
    xor,
)
from tests.engine.office import BASE, Office


def test_a_message_on_the_border_interrupts_a_sub_process_with_all_its_deadlines() -> None:
    body = part(
        "corpo",
        [
            start("si"),
            user("dentro"),
            on_timer("pd", "dentro", "prazo('defesa', ciencia)"),
            end("sf"),
            end("st"),
        ],
        "si > dentro\ndentro > sf\npd > st",
    )
    diagram = process(
        "p",
        [
            start(),
            body,
            on_message("desistiu", "corpo", "desistencia"),
            script("x", "desistiu = motivo"),
            end(),
            end("fd"),
        ],
        "inicio > corpo\ncorpo > fim\ndesistiu > x\nx > fd",
    )
    office = Office({"p.bpmn": diagram})
    office.start(ciencia=BASE)
    assert office.running == ["pd"]
    office.deliver("desistencia", motivo="acordo")
    assert office.step.ended
    assert office.running == []
    assert {"dentro CANCELLED", "pd CANCELLED", "corpo CANCELLED"} <= set(office.happened)
    assert office.step.data == {"ciencia": BASE, "motivo": "acordo", "desistiu": "acordo"}
    office.replay()


def test_a_call_activity_runs_a_process_of_another_file() -> None:
    main = process(
        "p",
        [start(), '<bpmn:callActivity id="chama" name="Notificar" calledElement="q"/>', user("ver"), end()],
        "inicio > chama\nchama > ver\nver > fim",
    )
    called = process(
        "q",
        [start("qi"), user("notificar", estado="NOTIFICADO"), end("qf")],
        "qi > notificar\nnotificar > qf",
        lanes={"Protocolo": "qi notificar qf"},
    )
    office = Office({"p.bpmn": main, "q.bpmn": called})
    office.start(x=1)
    assert [(t.element, t.lane) for t in office.step.tasks] == [("notificar", "Protocolo")]
    assert office.step.milestones == ("NOTIFICADO",)
    office.complete("notificar", x=2)
    assert office.step.ends == ("qf",)
    assert office.open == ["ver"]
    assert office.step.data == {"x": 2}
    assert office.definition().elements["notificar"].properties == {"estado": "NOTIFICADO"}
    office.complete("ver")
    assert office.step.ended
    office.replay()


def test_an_error_end_leaves_the_sub_process_by_its_border() -> None:
    error = '<bpmn:errorEventDefinition errorRef="e_nulo"/>'
    body = part(
        "corpo",
        [start("si"), user("a"), xor("ok"), end("sf"), end("nulo", error)],
        "si > a\na > ok\nok > sf : valido\nok > nulo : not valido",
    )
    border = f'<bpmn:boundaryEvent id="anulou" attachedToRef="corpo">{error}</bpmn:boundaryEvent>'
    diagram = process(
        "p",
        [start(), body, border, user("anular"), end(), end("fa")],
        "inicio > corpo\ncorpo > fim\nanulou > anular\nanular > fa",
        extra='<bpmn:error id="e_nulo" name="Nulidade" errorCode="NULO"/>',
    )
    office = Office({"p.bpmn": diagram})
    office.start()
    office.complete("a", valido=False)
    assert office.open == ["anular"]
    assert not office.step.ended
    office.complete("anular")
    assert office.step.ended
    office.replay()


def test_a_message_that_nobody_awaits_is_told_once() -> None:
    diagram = process("p", [start(), user("a"), throw("avisa", "aviso"), user("b"), end()],
                      "inicio > a\na > avisa\navisa > b\nb > fim")  # fmt: skip
    office = Office({"p.bpmn": diagram})
    office.start(x=1)
    assert office.complete("a").thrown == ("aviso",)
    assert office.complete("b").thrown == ()
    office.replay()


def test_lanes_are_the_innermost_ones_also_inside_a_sub_process() -> None:
    body = part("corpo", [start("si"), user("dentro"), end("sf")], "si > dentro\ndentro > sf")
    diagram = process(
        "p", [start(), body, user("fora"), end()], "inicio > corpo\ncorpo > fora\nfora > fim",
        lanes={"Comissão": "inicio corpo", "Secretário": "fora fim"},
    ).replace(  # a nested lane set inside the first lane
        b'<bpmn:lane id="l1"',
        b'<bpmn:lane id="l9" name="Presidente"><bpmn:flowNodeRef>dentro</bpmn:flowNodeRef></bpmn:lane>'
        b'<bpmn:lane id="l1"',
    )  # fmt: skip
    elements = Office({"p.bpmn": diagram}).definition().elements
    assert {key: e.lane for key, e in elements.items()} == {
        "inicio": "Comissão", "corpo": "Comissão", "si": "Comissão", "dentro": "Presidente", "sf": "Comissão",
        "fora": "Secretário", "fim": "Secretário",
    }  # fmt: skip
    assert elements["dentro"].kind == "userTask"


def test_the_start_symbol_of_a_message_does_not_hold_the_token() -> None:
    text = process("p", [start(), user("a"), end()], "inicio > a\na > fim").decode()
    event = '<bpmn:startEvent id="inicio" name="inicio"><bpmn:messageEventDefinition/></bpmn:startEvent>'
    office = Office(
        {
            "p.bpmn": text.replace(
                '<bpmn:startEvent id="inicio" name="inicio"></bpmn:startEvent>', event
            ).encode()
        }
    )
    assert "messageEventDefinition" in office.files["p.bpmn"].decode()
    office.start()
    assert office.open == ["a"]


def test_an_escalation_starts_the_border_flow_and_the_sub_process_goes_on() -> None:
    raised = '<bpmn:escalationEventDefinition escalationRef="x_aviso"/>'
    body = part(
        "corpo",
        [start("si"), node("intermediateThrowEvent", "avisar", raised), user("dentro"), end("sf")],
        "si > avisar\navisar > dentro\ndentro > sf",
    )
    border = node("boundaryEvent", "avisado", raised, attachedToRef="corpo", cancelActivity="false")
    diagram = process(
        "p",
        [start(), body, border, user("tratar"), end(), end("fa")],
        "inicio > corpo\ncorpo > fim\navisado > tratar\ntratar > fa",
        extra='<bpmn:escalation id="x_aviso" name="Aviso" escalationCode="AVISO"/>',
    )
    office = Office({"p.bpmn": diagram})
    office.start(x=1)
    assert sorted(office.open) == ["dentro", "tratar"]
    office.complete("tratar", y=2)
    office.complete("dentro", x=3)
    assert office.step.ended
    assert office.step.data == {"x": 3, "y": 2}
    office.replay()


def test_sub_processes_within_sub_processes_survive_a_restart_and_an_interruption() -> None:
    inner = part("dentro", [start("di"), user("fundo"), end("df")], "di > fundo\nfundo > df")
    outer = part(
        "fora", [start("fi"), inner, user("meio"), end("ff")], "fi > dentro\ndentro > meio\nmeio > ff"
    )
    diagram = process(
        "p",
        [start(), outer, on_message("para", "fora", "desistencia"), end(), end("f2")],
        "inicio > fora\nfora > fim\npara > f2",
    )
    office = Office({"p.bpmn": diagram})
    office.start(x=1)
    assert office.open == ["fundo"]
    office.complete("fundo", x=2)
    assert (office.open, office.step.data) == (["meio"], {"x": 2})
    office.complete("meio", x=3)
    assert (office.step.ended, office.step.data) == (True, {"x": 3})
    office.replay()
    other = Office({"p.bpmn": diagram})
    other.start(x=1)
    other.deliver("desistencia")
    assert other.step.ended
    assert other.happened.count("fundo CANCELLED") == 1
    other.replay()
