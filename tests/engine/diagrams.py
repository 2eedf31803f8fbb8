"""Small BPMN files for the engine's tests, written as one line per element and one per flow."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
SPIFF = "http://spiffworkflow.org/bpmn/schema/1.0/core"
TIMER = "<bpmn:timerEventDefinition><bpmn:timeDate>{}</bpmn:timeDate></bpmn:timerEventDefinition>"
MESSAGE = '<bpmn:messageEventDefinition messageRef="{}"/>'


def node(tag: str, key: str, inner: str = "", *, estado: str = "", name: str = "", **attributes: str) -> str:
    more = "".join(f' {k}="{escape(v)}"' for k, v in attributes.items())
    marks = f'<spiffworkflow:property name="estado" value="{estado}"/>' if estado else ""
    extension = (
        f"<bpmn:extensionElements><spiffworkflow:properties>{marks}</spiffworkflow:properties></bpmn:extensionElements>"
        if marks
        else ""
    )
    return f'<bpmn:{tag} id="{key}" name="{escape(name or key)}"{more}>{extension}{inner}</bpmn:{tag}>'


def start(key: str = "inicio") -> str:
    return node("startEvent", key)


def end(key: str = "fim", inner: str = "", **more: str) -> str:
    return node("endEvent", key, inner, **more)


def terminate(key: str, **more: str) -> str:
    return end(key, "<bpmn:terminateEventDefinition/>", **more)


def user(key: str, inner: str = "", **more: str) -> str:
    return node("userTask", key, inner, **more)


def script(key: str, text: str, **more: str) -> str:
    return node("scriptTask", key, f"<bpmn:script>{escape(text)}</bpmn:script>", **more)


def xor(key: str, **more: str) -> str:
    return node("exclusiveGateway", key, **more)


def parallel(key: str, **more: str) -> str:
    return node("parallelGateway", key, **more)


def events(key: str, **more: str) -> str:
    return node("eventBasedGateway", key, **more)


def timer(key: str, text: str, **more: str) -> str:
    return node("intermediateCatchEvent", key, TIMER.format(escape(text)), **more)


def catch(key: str, message: str, **more: str) -> str:
    return node("intermediateCatchEvent", key, MESSAGE.format(f"m_{message}"), **more)


def throw(key: str, message: str) -> str:
    return node("intermediateThrowEvent", key, MESSAGE.format(f"m_{message}"))


def on_timer(key: str, host: str, text: str, *, interrupts: bool = True, **more: str) -> str:
    cancel = "true" if interrupts else "false"
    inner = TIMER.format(escape(text))
    return node("boundaryEvent", key, inner, attachedToRef=host, cancelActivity=cancel, **more)


def on_message(key: str, host: str, message: str, *, interrupts: bool = True, **more: str) -> str:
    cancel = "true" if interrupts else "false"
    inner = MESSAGE.format(f"m_{message}")
    return node("boundaryEvent", key, inner, attachedToRef=host, cancelActivity=cancel, **more)


def vote(key: str, until: str = "", **more: str) -> str:
    condition = f"<bpmn:completionCondition>{escape(until)}</bpmn:completionCondition>" if until else ""
    loop = (
        "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopDataInputRef>assentos</bpmn:loopDataInputRef>"
        "<bpmn:loopDataOutputRef>votos</bpmn:loopDataOutputRef>"
        '<bpmn:inputDataItem id="assento"/><bpmn:outputDataItem id="voto"/>'
        f"{condition}</bpmn:multiInstanceLoopCharacteristics>"
    )
    return user(key, loop, **more)


def flows(text: str) -> str:
    """`a > b`, `a > b : condition`, one per line."""
    lines = []
    for line in filter(None, map(str.strip, text.splitlines())):
        path, _, condition = line.partition(" : ")
        source, target = (part.strip() for part in path.split(">"))
        inner = (
            f"<bpmn:conditionExpression>{escape(condition)}</bpmn:conditionExpression>" if condition else ""
        )
        key = f"f_{source}_{target}"
        lines.append(
            f'<bpmn:sequenceFlow id="{key}" sourceRef="{source}" targetRef="{target}">{inner}</bpmn:sequenceFlow>'
        )
    return "".join(lines)


def part(key: str, nodes: list[str], path: str, **more: str) -> str:
    """An embedded sub-process."""
    return node("subProcess", key, "".join(nodes) + flows(path), **more)


def process(
    key: str,
    nodes: list[str],
    path: str,
    *,
    lanes: Mapping[str, str] | None = None,
    extra: str = "",
) -> bytes:
    """One executable process; `lanes` maps lane name -> ids separated by spaces; `extra` goes beside it."""
    body = "".join(nodes) + flows(path)
    names = sorted({ref.split('"')[0] for ref in body.split('messageRef="m_')[1:]})
    declared = "".join(f'<bpmn:message id="m_{name}" name="{name}"/>' for name in names)
    laid = "".join(
        f'<bpmn:lane id="l{i}" name="{name}">'
        + "".join(f"<bpmn:flowNodeRef>{ref}</bpmn:flowNodeRef>" for ref in refs.split())
        + "</bpmn:lane>"
        for i, (name, refs) in enumerate((lanes or {}).items())
    )
    drawn = f'<bpmn:laneSet id="ls">{laid}</bpmn:laneSet>' if laid else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><bpmn:definitions xmlns:bpmn="{BPMN}" '
        f'xmlns:spiffworkflow="{SPIFF}" id="definicoes" targetNamespace="t">{declared}{extra}'
        f'<bpmn:process id="{key}" isExecutable="true">{drawn}{body}</bpmn:process></bpmn:definitions>'
    ).encode()
