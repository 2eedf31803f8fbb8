"""A process as content: BPMN files in, one checked and compiled Definition out, known by its digest.

Files are read, checked as a whole (lint.py: every fault at once) and only then handed to the library's parser,
whose silence means nothing. Definitions are shared by all cases and threads and never change.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from types import MappingProxyType
from typing import Any

from lxml import etree
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.parser.event_parsers import StartEventParser
from SpiffWorkflow.bpmn.parser.ProcessParser import ProcessParser
from SpiffWorkflow.bpmn.parser.task_parsers import GatewayParser
from SpiffWorkflow.bpmn.parser.util import full_tag
from SpiffWorkflow.bpmn.specs.defaults import (
    BoundaryEvent,
    IntermediateCatchEvent,
    ManualTask,
    StartEvent,
    UserTask,
)
from SpiffWorkflow.bpmn.specs.event_definitions import NoneEventDefinition
from SpiffWorkflow.exceptions import SpiffWorkflowException

from app.engine.deadline import DeadlineBoundaryParser, DeadlineCatchParser
from app.engine.expression import Language
from app.engine.flow import FlowSpec, Meeting
from app.engine.lint import (
    BPMN,
    FLOW_NODES,
    SPIFF,
    Fault,
    faults,
    kind,
    message_names,
    read,
    refuse,
)
from app.engine.vote import VoteParser, connect_votes

KEPT = 64


@dataclass(frozen=True)
class Element:
    """A drawn flow node: `kind` is its BPMN name such as `userTask`; `lane` the innermost lane's name."""

    id: str
    kind: str
    name: str
    lane: str | None
    properties: Mapping[str, str]


@dataclass(frozen=True)
class Compiled:
    """The library's specifications. For this room only."""

    spec: Any
    parts: Mapping[str, Any]


@dataclass(frozen=True)
class Definition:
    """A process with the processes it calls, checked and compiled.

    Attributes:
        files: file name -> BPMN XML, as given.
        digest: SHA-256 over the process id and the sorted names and bytes; what a case is pinned to.
        elements: element id -> element, called processes included.
        flows: (source, target) -> id of the one sequence flow between them.
        messages: names of the messages that the process may await.
    """

    process_id: str
    files: Mapping[str, bytes]
    digest: str
    elements: Mapping[str, Element]
    flows: Mapping[tuple[str, str], str]
    messages: frozenset[str]
    compiled: Compiled = field(repr=False, compare=False)


def load(process_id: str, files: Mapping[str, bytes], language: Language) -> Definition:
    """Check and compile. Raises Invalid with every fault, `fields` keyed by element id (or file name)."""
    key = (digest_of(process_id, files), language.vocabulary)
    with _lock:
        known = _cache.get(key)
        if known is not None:
            _cache.move_to_end(key)
            return known
    made = _load(process_id, files, language, key[0])
    with _lock:
        _cache[key] = made
        while len(_cache) > KEPT:
            _cache.popitem(last=False)
    return made


_cache: OrderedDict[tuple[str, tuple[str, ...]], Definition] = OrderedDict()
_lock = Lock()


def digest_of(process_id: str, files: Mapping[str, bytes]) -> str:
    """SHA-256 over the process id and the sorted names and bytes, each with its length before it."""
    sha = hashlib.sha256()
    parts = [process_id.encode()]
    for name in sorted(files):
        parts += [name.encode(), files[name]]
    for part in parts:
        sha.update(len(part).to_bytes(8, "big") + part)
    return sha.hexdigest()


def _load(process_id: str, files: Mapping[str, bytes], language: Language, digest: str) -> Definition:
    roots: dict[str, etree._Element] = {}
    found: list[Fault] = []
    for name in sorted(files):
        try:
            roots[name] = read(files[name])
        except ValueError as error:
            code, _, message = str(error).partition(": ")
            found.append(Fault(code, name, "", message))
    if not found:
        found = faults(process_id, roots, language)
    refuse(found)
    compiled = _compile(process_id, roots)
    used = {compiled.spec.name, *compiled.parts}
    nodes = list(_nodes(roots, used, FLOW_NODES))
    flows = _nodes(roots, used, {"sequenceFlow"})
    return Definition(
        process_id,
        MappingProxyType(dict(files)),
        digest,
        MappingProxyType({node.get("id", ""): _element(node) for node in nodes}),
        MappingProxyType({(f.get("sourceRef", ""), f.get("targetRef", "")): f.get("id", "") for f in flows}),
        message_names(nodes),
        compiled,
    )


def _nodes(
    roots: Mapping[str, etree._Element], used: set[str], kinds: Container[str]
) -> Iterable[etree._Element]:
    """What the processes in use hold of some kinds, embedded sub-processes included, in document order."""
    for root in roots.values():
        for process in root.iter(BPMN + "process"):
            if process.get("id") in used:
                yield from (node for node in process.iter() if kind(node) in kinds)


def _element(node: etree._Element) -> Element:
    pairs = node.iterfind(f"{BPMN}extensionElements/{SPIFF}properties/{SPIFF}property")
    properties = {p.get("name", ""): p.get("value", "") for p in pairs}
    name = " ".join((node.get("name") or "").split())
    return Element(node.get("id", ""), kind(node), name, _lane(node), MappingProxyType(properties))


def _lane(node: etree._Element) -> str | None:
    """The innermost lane that lists the node or, failing that, the sub-process it is drawn in."""
    place: etree._Element | None = node
    while place is not None and kind(place) != "process":
        for scope in place.iterancestors(BPMN + "process", BPMN + "subProcess"):
            lanes = [
                lane
                for lane in scope.iter(BPMN + "lane")
                if any(
                    (ref.text or "").strip() == place.get("id") for ref in lane.iterfind(BPMN + "flowNodeRef")
                )
            ]
            if lanes:
                return lanes[-1].get("name")
        place = place.getparent()
    return None


class _Start(StartEventParser):
    """A start event's symbol is drawing: what starts a case is an act, so the token is never kept waiting there."""

    def create_task(self) -> Any:
        task = self._create_task(NoneEventDefinition(description="Default"))
        self.spec.start.connect(task)
        return task


class _Process(ProcessParser):
    def create_spec(self) -> FlowSpec:
        return FlowSpec(name=self.bpmn_id, description=self.get_name(), filename=self.filename)

    def get_position(self, node_id: str) -> dict[str, float]:
        # The library orders branches and conditions by how high they are drawn. Moving a box must not change a
        # decision: all heights are equal here, so the order of the flows in the file stands.
        return {"x": 0.0, "y": 0.0}


class _Parser(BpmnParser):
    PROCESS_PARSER_CLASS = _Process
    OVERRIDE_PARSER_CLASSES = {  # noqa: RUF012 (read by the base class as it is)
        full_tag("startEvent"): (_Start, StartEvent),
        full_tag("userTask"): (VoteParser, UserTask),
        full_tag("manualTask"): (VoteParser, ManualTask),
        full_tag("parallelGateway"): (GatewayParser, Meeting),
        full_tag("boundaryEvent"): (DeadlineBoundaryParser, BoundaryEvent),
        full_tag("intermediateCatchEvent"): (DeadlineCatchParser, IntermediateCatchEvent),
    }


def _compile(process_id: str, roots: Mapping[str, etree._Element]) -> Compiled:
    parser = _Parser()
    try:
        for name, root in roots.items():
            parser.add_bpmn_xml(root, filename=name)
        spec = parser.get_spec(process_id)
        parts = parser.get_subprocess_specs(process_id)
    except SpiffWorkflowException as error:  # pragma: no cover (lint should have seen it; the message helps)
        refuse(
            [
                Fault(
                    "definicao.elemento",
                    getattr(error, "file_name", ""),
                    getattr(error, "id", ""),
                    str(error),
                )
            ]
        )
        raise
    for each in (spec, *parts.values()):
        connect_votes(each)
    return Compiled(spec, MappingProxyType(parts))
