"""Draws a BPMN diagram: lanes, nodes, boundary events, expanded sub-processes, flows and labels.

A tool for whoever writes a diagram, never part of running a case. The same bytes in give the same bytes out,
and drawing a drawn diagram changes nothing. Two optional hints on a flow node, in the namespace
`urn:tramita:bpmn`, help where the rules choose badly: `tramita:col` (column, from 0) and `tramita:row`
(row of its lane: 0 is the main line, negative above it, positive below).
Only bytes in and out: no files, no rules about what a diagram may contain beyond what can be drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from app.engine.picture.drawing_plane import BPMN, DC, DD, DI, EXPANDABLE, faults, is_node, local, parse
from app.engine.picture.drawing_text import TASK_PAD, TASK_SIZE, Box, text_width, wrap
from app.engine.picture.layout_grid import Flow, Node
from app.engine.picture.layout_routes import BOUNDARY_PITCH
from app.engine.picture.layout_scene import Lane, Scene, arrange
from app.errors import Invalid

__all__ = ["HINTS", "faults", "layout"]

HINTS = "urn:tramita:bpmn"
HEADER = 30.0
ORIGIN = (160.0, 80.0)
SUB_PAD, SUB_TITLE = 16.0, 26.0
TASK_WIDTHS, TASK_HEIGHT, TASK_LINES = (104.0, 120.0, 140.0), 76.0, 4
_UNDRAWN = frozenset(
    {"textAnnotation", "association", "group", "dataObjectReference", "dataStoreReference", "messageFlow"}
)


@dataclass
class _Strip:
    """A lane of the file; only the leaves hold nodes, their parents frame them."""

    id: str
    name: str
    refs: tuple[str, ...]
    depth: int
    leaves: list[int] = field(default_factory=list)


def layout(xml: bytes) -> bytes:
    """The diagram with its drawing written anew.

    Raises Invalid for XML that cannot be read, for what this tool does not draw (a second pool, messages
    between pools, annotations, data objects) and for hints that contradict each other.
    """
    root = parse(xml)
    process, participant = _drawable(root)
    strips = list(_strips(process))
    leaves = [s for s in strips if s.leaves == [s.leaves[0]] and _is_leaf(s, strips)]
    lane_of = {ref: k for k, strip in enumerate(leaves) for ref in strip.refs}
    framed = [Lane(s.name) for s in leaves] or [Lane("")]
    scene = _scene(process, lane_of, framed, bare=not leaves)
    plane = _new_plane(root, process)
    _write_frames(plane, scene, strips, participant)
    _write_scene(plane, scene, root)
    diagram = plane.getparent()
    assert diagram is not None
    etree.indent(diagram, space="  ", level=1)
    return etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8").rstrip() + b"\n"


def _is_leaf(strip: _Strip, strips: list[_Strip]) -> bool:
    later = strips[strips.index(strip) + 1 :]
    return not later or later[0].depth <= strip.depth


def _drawable(root: etree._Element) -> tuple[etree._Element, etree._Element | None]:
    processes = root.findall(f"{{{BPMN}}}process")
    participants = root.findall(f"{{{BPMN}}}collaboration/{{{BPMN}}}participant")
    if len(processes) != 1 or len(participants) > 1:
        raise Invalid(
            "Só se desenha um processo por arquivo, em no máximo uma piscina.", code="desenho.um_processo"
        )
    strange = [e for e in root.iter(etree.Element) if local(e) in _UNDRAWN]
    if strange:
        names = ", ".join(f"{local(e)} '{e.get('id', '')}'" for e in strange)
        raise Invalid(
            f"Não se desenham anotações, dados nem mensagens entre piscinas: {names}.",
            code="desenho.sem_suporte",
        )
    return processes[0], participants[0] if participants else None


def _strips(process: etree._Element) -> Iterator[_Strip]:
    count = 0

    def walk(lane_set: etree._Element, depth: int) -> Iterator[_Strip]:
        nonlocal count
        for lane in lane_set.findall(f"{{{BPMN}}}lane"):
            refs = tuple((r.text or "").strip() for r in lane.findall(f"{{{BPMN}}}flowNodeRef"))
            strip = _Strip(lane.get("id", ""), lane.get("name", ""), refs, depth)
            children = lane.find(f"{{{BPMN}}}childLaneSet")
            below = list(walk(children, depth + 1)) if children is not None else []
            strip.leaves = [k for b in below if b.depth == depth + 1 for k in b.leaves]
            if not below:
                strip.leaves, count = [count], count + 1
            yield strip
            yield from below

    for lane_set in process.findall(f"{{{BPMN}}}laneSet"):
        yield from walk(lane_set, 0)


def _scene(scope: etree._Element, lane_of: dict[str, int], lanes: list[Lane], *, bare: bool) -> Scene:
    """Arranges the scope; expanded sub-processes are arranged first, because they need room."""
    inner: dict[str, Scene] = {}
    nodes = []
    for element in scope:
        if not is_node(element):
            continue
        if local(element) in EXPANDABLE and any(is_node(child) for child in element):
            inner[element.get("id", "")] = _scene(element, {}, [Lane("")], bare=True)
        nodes.append(_node(element, lane_of, inner.get(element.get("id", ""))))
    known = {n.id: n for n in nodes}
    flows = [_flow(e, known) for e in scope.findall(f"{{{BPMN}}}sequenceFlow")]
    scene = arrange(_wide_enough(nodes), flows, lanes, bare=bare)
    for name, part in inner.items():
        box = scene.boxes[name]
        scene.take(part, box.x + (box.width - part.width) / 2, box.y + SUB_TITLE)
        scene.expanded.add(name)
    return scene


def _flow(element: etree._Element, known: Mapping[str, Node]) -> Flow:
    source, target = element.get("sourceRef", ""), element.get("targetRef", "")
    if source not in known or target not in known or known[target].host is not None:
        raise Invalid(
            f"O fluxo '{element.get('id', '')}' não liga dois elementos do mesmo processo.",
            code="desenho.fluxo_solto",
        )
    return Flow(element.get("id", ""), source, target, element.get("name", ""))


def _node(element: etree._Element, lane_of: dict[str, int], inner: Scene | None) -> Node:
    kind, name, ident = local(element), element.get("name", ""), element.get("id", "")
    if inner is not None:
        width, height = inner.width + 2 * SUB_PAD, inner.height + SUB_TITLE + SUB_PAD
    elif kind.endswith("Event"):
        width = height = 36.0
    elif kind.endswith("Gateway"):
        width = height = 50.0
    else:
        width, height = next((w for w in TASK_WIDTHS if _fits(name, w)), TASK_WIDTHS[-1]), TASK_HEIGHT
    host = element.get("attachedToRef", "") if kind == "boundaryEvent" else None
    return Node(
        ident,
        kind,
        name,
        width,
        height,
        lane_of.get(ident, 0),
        host,
        _hint(element, "col"),
        _hint(element, "row"),
    )


def _fits(name: str, width: float) -> bool:
    """No word is cut and no line touches the border."""
    room = width - TASK_PAD
    whole = all(text_width(word, TASK_SIZE) <= room for word in name.split())
    return whole and len(wrap(name, room, TASK_SIZE)) <= TASK_LINES


def _hint(element: etree._Element, name: str) -> int | None:
    value = element.get(f"{{{HINTS}}}{name}")
    if value is None:
        return None
    try:
        number = int(value)
    except ValueError:
        number = -1000
    if not (-99 <= number <= 99) or (name == "col" and number < 0):
        raise Invalid(
            f"A dica tramita:{name} de '{element.get('id', '')}' não é um número de coluna ou linha: {value}.",
            code="desenho.dica_invalida",
        )
    return number


def _wide_enough(nodes: list[Node]) -> list[Node]:
    """Hosts grow until their boundary events stand side by side."""
    guests: dict[str, int] = {}
    known = {n.id for n in nodes if n.host is None}
    for node in nodes:
        if node.host is not None:
            if node.host not in known:
                raise Invalid(
                    f"O evento de borda '{node.id}' não está preso a nenhum elemento do mesmo processo.",
                    code="desenho.borda_solta",
                )
            guests[node.host] = guests.get(node.host, 0) + 1
    return [n.wider(max(n.width, BOUNDARY_PITCH * guests.get(n.id, 0) + 12)) for n in nodes]


def _new_plane(root: etree._Element, process: etree._Element) -> etree._Element:
    for old in root.findall(f"{{{DI}}}BPMNDiagram"):
        root.remove(old)
    for child in root:
        child.tail = child.tail if child.getnext() is not None else "\n  "
    diagram = etree.SubElement(
        root, f"{{{DI}}}BPMNDiagram", {"id": "BPMNDiagram_1"}, {"bpmndi": DI, "dc": DC, "di": DD}
    )
    diagram.tail = "\n"
    collaboration = root.find(f"{{{BPMN}}}collaboration")
    subject = process if collaboration is None else collaboration
    return etree.SubElement(
        diagram, f"{{{DI}}}BPMNPlane", {"id": "BPMNPlane_1", "bpmnElement": subject.get("id", "")}
    )


def _write_frames(
    plane: etree._Element, scene: Scene, strips: list[_Strip], participant: etree._Element | None
) -> None:
    levels = max((s.depth + 1 for s in strips), default=0)
    left = ORIGIN[0] - HEADER * levels
    if participant is not None:
        box = Box(left - HEADER, ORIGIN[1], scene.width + HEADER * (levels + 1), scene.height)
        _shape(plane, participant.get("id", ""), box, {"isHorizontal": "true"})
    for strip in strips:
        spans = [scene.lanes[k] for k in strip.leaves]
        top, bottom = spans[0][0], spans[-1][0] + spans[-1][1]
        x = left + HEADER * strip.depth
        box = Box(x, ORIGIN[1] + top, ORIGIN[0] + scene.width - x, bottom - top)
        _shape(plane, strip.id, box, {"isHorizontal": "true"})


def _write_scene(plane: etree._Element, scene: Scene, root: etree._Element) -> None:
    kinds = {e.get("id"): local(e) for e in root.iter(etree.Element) if is_node(e)}
    for ident, box in scene.boxes.items():
        extra = {}
        if kinds[ident] in EXPANDABLE:
            extra["isExpanded"] = "true" if ident in scene.expanded else "false"
        if kinds[ident] == "exclusiveGateway":
            extra["isMarkerVisible"] = "true"
        _labelled(_shape(plane, ident, box.moved(*ORIGIN), extra), scene.labels.get(ident))
    for ident, points in scene.edges.items():
        edge = etree.SubElement(plane, f"{{{DI}}}BPMNEdge", {"id": f"{ident}_di", "bpmnElement": ident})
        for x, y in points:
            position = {"x": _number(x + ORIGIN[0]), "y": _number(y + ORIGIN[1])}
            etree.SubElement(edge, f"{{{DD}}}waypoint", position)
        _labelled(edge, scene.labels.get(ident))


def _shape(plane: etree._Element, ident: str, box: Box, extra: dict[str, str]) -> etree._Element:
    shape = etree.SubElement(
        plane, f"{{{DI}}}BPMNShape", {"id": f"{ident}_di", "bpmnElement": ident, **extra}
    )
    _bounds(shape, box)
    return shape


def _labelled(parent: etree._Element, label: Box | None) -> None:
    if label is not None:
        _bounds(etree.SubElement(parent, f"{{{DI}}}BPMNLabel"), label.moved(*ORIGIN))


def _bounds(parent: etree._Element, box: Box) -> None:
    values = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
    etree.SubElement(parent, f"{{{DC}}}Bounds", {k: _number(v) for k, v in values.items()})


def _number(value: float) -> str:
    """Half pixels at most: enough for centres, and stable text."""
    return f"{round(value * 2) / 2:g}"
