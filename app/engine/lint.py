"""What a diagram may be made of. Every fault is found before the library sees the file; all are told at once.

Reading comes first (no DOCTYPE, no entities, no network, bounded size), then an allow-list of elements, then the
structure that the library takes on trust: ids, flows, events, expressions, votes, calls. Whether a process is sound
or agrees with a norm is not judged here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from app.engine.expression import ExpressionFault, Language, condition, deadline, script
from app.errors import Invalid

MAX_BYTES = 2_000_000
BPMN = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"
SPIFF = "{http://spiffworkflow.org/bpmn/schema/1.0/core}"
DRAWING = (
    "{http://www.omg.org/spec/BPMN/20100524/DI}",
    "{http://www.omg.org/spec/DD/20100524/DC}",
    "{http://www.omg.org/spec/DD/20100524/DI}",
    "{http://bpmn.io/schema/bpmn/biocolor/1.0}",
)
ACTIVITIES = frozenset({"userTask", "manualTask", "scriptTask", "callActivity", "subProcess"})
GATEWAYS = frozenset({"exclusiveGateway", "parallelGateway", "eventBasedGateway"})
# Which event definitions each event may carry; "" is none.
EVENTS: Mapping[str, frozenset[str]] = {
    "startEvent": frozenset({"", "message"}),
    "endEvent": frozenset({"", "terminate", "error", "escalation", "message"}),
    "boundaryEvent": frozenset({"timer", "message", "error", "escalation"}),
    "intermediateCatchEvent": frozenset({"timer", "message"}),
    "intermediateThrowEvent": frozenset({"", "message", "escalation"}),
}
FLOW_NODES = ACTIVITIES | GATEWAYS | frozenset(EVENTS)
OTHERS = frozenset(
    {
        "definitions", "process", "collaboration", "participant", "messageFlow", "laneSet", "childLaneSet", "lane",
        "flowNodeRef", "sequenceFlow", "conditionExpression", "incoming", "outgoing", "extensionElements",
        "documentation", "textAnnotation", "text", "association", "group", "category", "categoryValue", "message",
        "error", "escalation", "timerEventDefinition", "messageEventDefinition", "errorEventDefinition",
        "escalationEventDefinition", "terminateEventDefinition", "timeDate", "script",
        "multiInstanceLoopCharacteristics", "loopDataInputRef", "loopDataOutputRef", "inputDataItem",
        "outputDataItem", "completionCondition",
    }
)  # fmt: skip
REFERENCES = {"message": "messageRef", "error": "errorRef", "escalation": "escalationRef"}
# Names under which the library keeps its own notes beside the payload of a message.
TAKEN = frozenset({"event_fired", "seen_events", "merged", "arrived", "key_or_index", "item", "typename"})
RESERVED_IDS = frozenset({"Start", "End", "Root"})


@dataclass(frozen=True)
class Fault:
    """One thing wrong: stable code, file, element id (or "") and a Portuguese sentence."""

    code: str
    file: str
    element: str
    message: str


def refuse(found: Iterable[Fault]) -> None:
    """Raise Invalid with all faults, or nothing when there are none."""
    faults_ = list(found)
    if not faults_:
        return
    fields: dict[str, str] = {}
    for fault in faults_:
        key = fault.element or fault.file
        fields[key] = f"{fields[key]}; {fault.message}" if key in fields else fault.message
    codes = {fault.code for fault in faults_}
    code = codes.pop() if len(codes) == 1 else "definicao.invalida"
    raise Invalid("O diagrama não pode ser usado.", code=code, fields=fields)


def read(data: bytes) -> etree._Element:
    """The root of a BPMN file. Raises ValueError `code: reason`; nothing outside the bytes is ever opened."""
    if len(data) > MAX_BYTES:
        raise ValueError("definicao.tamanho: o arquivo passa de 2 MB")
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        raise ValueError(f"definicao.xml: o arquivo não é XML bem formado ({error})") from None
    # Asked of the parsed document and not of the bytes: those may be in any encoding.
    if root.getroottree().docinfo.internalDTD is not None:
        raise ValueError("definicao.doctype: DOCTYPE e entidades não são permitidos")
    if root.tag != BPMN + "definitions":
        raise ValueError("definicao.raiz: o arquivo não é um diagrama BPMN 2.0")
    return root


def kind(node: etree._Element) -> str:
    """Local name of a BPMN element; "" for anything else, comments included."""
    tag = node.tag
    return tag[len(BPMN) :] if isinstance(tag, str) and tag.startswith(BPMN) else ""


def event_kinds(node: etree._Element) -> list[str]:
    """`timer`, `message`, ... for each event definition of an event."""
    return [k.removesuffix("EventDefinition") for k in map(kind, node) if k.endswith("EventDefinition")]


def message_names(nodes: Iterable[etree._Element]) -> frozenset[str]:
    """Names of the messages caught by the given flow nodes."""
    refs = {
        (node.getroottree().getroot(), ref)
        for node in nodes
        if kind(node) in ("boundaryEvent", "intermediateCatchEvent")
        for ref in (d.get("messageRef") for d in node.iterfind(BPMN + "messageEventDefinition"))
    }
    return frozenset(
        message.get("name", "")
        for root, ref in refs
        for message in root.iterfind(BPMN + "message")
        if message.get("id") == ref
    )


def faults(process_id: str, roots: Mapping[str, etree._Element], language: Language) -> list[Fault]:
    """Everything wrong with the files, in order of file and element."""
    found: list[Fault] = []
    drawn = FLOW_NODES | {"process"}
    seen = Counter(
        node.get("id", "") for root in roots.values() for node in root.iter() if kind(node) in drawn
    )
    for name, root in roots.items():
        check = _Check(name, root, language, found, seen)
        check.elements()
        for process in root.iterfind(BPMN + "process"):
            if process.get("isExecutable") == "true":
                check.scope(process)
    found.extend(_calls(process_id, roots))
    return found


def _calls(process_id: str, roots: Mapping[str, etree._Element]) -> Iterator[Fault]:
    """Faults of the call graph: the process itself, missing targets, circles."""
    calls: dict[str, list[tuple[str, str, str]]] = {}
    for name, root in roots.items():
        for process in root.iterfind(BPMN + "process"):
            if process.get("isExecutable") == "true":
                made = [
                    (c.get("calledElement", ""), name, c.get("id", ""))
                    for c in process.iter(BPMN + "callActivity")
                ]
                calls[process.get("id", "")] = made
    if process_id not in calls:
        yield Fault("definicao.processo", process_id, "", f"não há processo executável {process_id}")
    for caller, made in calls.items():
        for target, name, element in made:
            if target not in calls:
                yield Fault("definicao.chamada", name, element, f"o processo chamado {target!r} não existe")
            elif _reaches(calls, target, caller):
                yield Fault("definicao.chamada", name, element, "a chamada volta ao próprio processo")


def _reaches(calls: Mapping[str, list[tuple[str, str, str]]], start: str, goal: str) -> bool:
    seen: set[str] = set()
    todo = [start]
    while todo:
        process = todo.pop()
        if process == goal:
            return True
        if process not in seen:
            seen.add(process)
            todo += [target for target, _, _ in calls.get(process, [])]
    return False


class _Check:
    """The checks of one file; each adds to the common list."""

    def __init__(
        self,
        name: str,
        root: etree._Element,
        language: Language,
        found: list[Fault],
        ids: Counter[str],
    ) -> None:
        self.name, self.root, self.language, self.found, self.ids = name, root, language, found, ids
        self.own_ids = Counter(node.get("id", "") for node in root.iter() if kind(node))
        self.declared = {
            what: {e.get("id", ""): e for e in root.iterfind(BPMN + what)} for what in REFERENCES
        }
        self.caught = Counter(self._codes("boundaryEvent"))

    def fault(self, code: str, node: etree._Element, message: str) -> None:
        self.found.append(Fault(f"definicao.{code}", self.name, node.get("id", ""), message))

    def elements(self) -> None:
        for node in self.root.iter():
            if not isinstance(node.tag, str) or node.tag.startswith(DRAWING):
                continue
            name = kind(node)
            if name and name not in FLOW_NODES | OTHERS:
                self.fault("elemento", node, f"{name} não é permitido")
            elif not name and not _is_property(node):
                # Foreign extensions (listeners, scripts of other engines) would promise what never happens.
                self.fault(
                    "extensao", _bpmn_owner(node), f"extensão não permitida: {etree.QName(node).localname}"
                )
            if name in FLOW_NODES | {"process", "sequenceFlow"}:
                self._id(node)

    def _id(self, node: etree._Element) -> None:
        key = node.get("id", "")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", key):
            self.fault("id", node, f"{kind(node)} com id ausente ou com caracteres não permitidos: {key!r}")
        elif key in RESERVED_IDS:
            self.fault("id", node, f"o id {key} é reservado")
        elif self.ids[key] > 1 or self.own_ids[key] > 1:
            self.fault("id", node, f"o id {key} aparece mais de uma vez")

    def scope(self, process: etree._Element) -> None:
        nodes = {n.get("id", ""): n for n in process if kind(n) in FLOW_NODES}
        flows = [f for f in process if kind(f) == "sequenceFlow"]
        self._ends(process, nodes)
        out: dict[str, list[etree._Element]] = {key: [] for key in nodes}
        into: dict[str, list[etree._Element]] = {key: [] for key in nodes}
        for flow in flows:
            source, target = flow.get("sourceRef", ""), flow.get("targetRef", "")
            if source not in nodes or target not in nodes:
                self.fault(
                    "fluxo", flow, f"o fluxo não liga dois elementos do mesmo processo: {source} → {target}"
                )
                continue
            if any(other.get("targetRef") == target for other in out[source]):
                self.fault("fluxo", flow, f"já existe um fluxo de {source} para {target}")
            out[source].append(flow)
            into[target].append(flow)
        for key, node in nodes.items():
            self._degrees(node, len(into[key]), len(out[key]))
            self._conditions(node, out[key])
            self._node(node, nodes, out[key])

    def _ends(self, process: etree._Element, nodes: Mapping[str, etree._Element]) -> None:
        kinds = Counter(map(kind, nodes.values()))
        if kinds["startEvent"] != 1:
            self.fault(
                "inicio", process, f"é preciso exatamente um evento de início; há {kinds['startEvent']}"
            )
        if not kinds["endEvent"]:
            self.fault("fim", process, "falta um evento de fim")

    def _degrees(self, node: etree._Element, into: int, out: int) -> None:
        what = kind(node)
        starts = what in ("startEvent", "boundaryEvent")
        if starts and into:
            self.fault("fluxo", node, "um evento de início ou de borda não recebe fluxo")
        if not starts and not into:
            self.fault("fluxo", node, "nenhum fluxo chega a este elemento")
        if what == "endEvent" and out:
            self.fault("fluxo", node, "nada pode sair de um evento de fim")
        if what != "endEvent" and not out:
            self.fault("fluxo", node, "nenhum fluxo sai deste elemento")
        if what not in GATEWAYS and out > 1:
            self.fault("fluxo", node, "só um gateway pode ter mais de uma saída")

    def _conditions(self, node: etree._Element, out: list[etree._Element]) -> None:
        choice = kind(node) == "exclusiveGateway"
        default = node.get("default")
        if default is not None and default not in [flow.get("id") for flow in out]:
            self.fault("condicao", node, f"a saída padrão {default} não sai deste elemento")
        for flow in out:
            found = flow.find(BPMN + "conditionExpression")
            if not choice or flow.get("id") == default:
                if found is not None:
                    self.fault("condicao", flow, "este fluxo não pode ter condição")
            elif found is not None:
                self._expression(flow, found.text, condition)
            elif len(out) > 1:
                self.fault("condicao", flow, "falta a condição desta saída")

    def _expression(
        self,
        node: etree._Element,
        text: str | None,
        compiler: Callable[[str, Language], object],
        code: str = "condicao",
    ) -> None:
        try:
            compiler(text or "", self.language)
        except ExpressionFault as error:
            self.fault(code, node, str(error))

    def _node(
        self, node: etree._Element, nodes: Mapping[str, etree._Element], out: list[etree._Element]
    ) -> None:
        what = kind(node)
        if what in EVENTS:
            self._event(node, nodes)
        elif what == "eventBasedGateway":
            self._event_gateway(node, [nodes[flow.get("targetRef", "")] for flow in out])
        elif what == "scriptTask":
            self._expression(node, node.findtext(BPMN + "script"), script, "roteiro")
        elif what == "subProcess":
            if node.get("triggeredByEvent", "false") != "false":
                self.fault("elemento", node, "subprocesso de evento não é permitido")
            self.scope(node)
        if node.get("isForCompensation", "false") != "false":
            self.fault("elemento", node, "compensação não é permitida")
        self._vote(node)

    def _event(self, node: etree._Element, nodes: Mapping[str, etree._Element]) -> None:
        what, kinds = kind(node), event_kinds(node)
        carried = kinds[0] if kinds else ""
        if len(kinds) > 1 or carried not in EVENTS[what]:
            self.fault("evento", node, f"{what} não pode ter {' e '.join(kinds) or 'definição vazia'}")
            return
        if carried == "timer":
            date = node.find(f"{BPMN}timerEventDefinition/{BPMN}timeDate")
            self._expression(node, None if date is None else date.text, deadline, "prazo")
        if carried in REFERENCES and what != "startEvent":
            self._reference(node, carried)
        if what == "boundaryEvent" and kind(nodes.get(node.get("attachedToRef", ""), node)) not in ACTIVITIES:
            self.fault("evento", node, "o evento de borda não está preso a uma tarefa deste processo")

    def _reference(self, node: etree._Element, carried: str) -> None:
        ref = node.find(f"{BPMN}{carried}EventDefinition")
        target = None if ref is None else self.declared[carried].get(ref.get(REFERENCES[carried], ""))
        if target is None:
            self.fault("evento", node, f"falta indicar {carried}")
        elif not _fit(name := target.get("name", ""), carried):
            self.fault("evento", node, f"nome não permitido: {name!r}")
        elif (
            carried != "message"
            and kind(node) != "boundaryEvent"
            and self.caught[_code(carried, target)] != 1
        ):
            # Uncaught, the library goes on as if nothing had happened; caught twice, it cancels both places.
            self.fault("evento", node, f"exatamente um evento de borda precisa capturar este {carried}")

    def _codes(self, where: str) -> Iterator[str]:
        for event in self.root.iter(BPMN + where):
            for carried in ("error", "escalation"):
                for ref in event.iterfind(f"{BPMN}{carried}EventDefinition"):
                    target = self.declared[carried].get(ref.get(REFERENCES[carried], ""))
                    if target is not None:
                        yield _code(carried, target)

    def _event_gateway(self, node: etree._Element, targets: list[etree._Element]) -> None:
        if any(kind(target) != "intermediateCatchEvent" for target in targets):
            self.fault("gateway", node, "só eventos de captura podem vir depois de um gateway de eventos")
        kept = (node.get("eventGatewayType", "Exclusive"), node.get("instantiate", "false"))
        if kept != ("Exclusive", "false"):
            self.fault("gateway", node, "o gateway de eventos precisa ser exclusivo e não iniciar o processo")
        known = self.declared["message"]
        refs = [
            ref.get("messageRef", "") for t in targets for ref in t.iterfind(BPMN + "messageEventDefinition")
        ]
        names = [known[ref].get("name") for ref in refs if ref in known]
        if len(names) != len(set(names)):
            self.fault("gateway", node, "dois eventos deste gateway esperam a mesma mensagem")

    def _vote(self, node: etree._Element) -> None:
        loop = node.find(BPMN + "multiInstanceLoopCharacteristics")
        if loop is None:
            return
        if kind(node) != "userTask" or loop.get("isSequential", "false") != "false":
            self.fault("votacao", node, "só uma tarefa de usuário pode ter várias instâncias, e em paralelo")
        names = [loop.findtext(BPMN + ref) for ref in ("loopDataInputRef", "loopDataOutputRef")]
        items = [loop.find(BPMN + item) for item in ("inputDataItem", "outputDataItem")]
        names += [None if item is None else item.get("id") for item in items]
        if not all(name and name.isidentifier() for name in names) or len(set(names)) != len(names):
            self.fault(
                "votacao", node, "a votação precisa de quatro variáveis: entrada, saída e o item de cada uma"
            )
        until = loop.find(BPMN + "completionCondition")
        if until is not None:
            self._expression(node, until.text, condition, "votacao")


def _fit(name: str, carried: str) -> bool:
    """Whether an event may have this name: a message is spoken to by name, and the library's own notes are taken."""
    spoken = name.isidentifier() and not name.startswith("_")
    return name not in TAKEN and (spoken or carried != "message")


def _code(carried: str, target: etree._Element) -> str:
    return f"{carried}:{target.get('errorCode') or target.get('escalationCode') or target.get('id')}"


def _is_property(node: etree._Element) -> bool:
    """`spiffworkflow:properties` of `extensionElements`, and `property` within: the only extensions read."""
    parent = node.getparent()
    if node.tag == SPIFF + "properties":
        return parent is not None and kind(parent) == "extensionElements"
    return node.tag == SPIFF + "property" and parent is not None and parent.tag == SPIFF + "properties"


def _bpmn_owner(node: etree._Element) -> etree._Element:
    return next((a for a in node.iterancestors() if kind(a) and kind(a) != "extensionElements"), node)
