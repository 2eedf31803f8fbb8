"""Reads a drawn BPMN diagram: shapes, flows and labels with their coordinates, and what is wrong with them.

Also the one parser of the drawing tools: no entities, no network, no DOCTYPE. Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from app.engine.picture.drawing_text import Box, run
from app.errors import Invalid

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DI = "http://www.omg.org/spec/BPMN/20100524/DI"
DC = "http://www.omg.org/spec/DD/20100524/DC"
DD = "http://www.omg.org/spec/DD/20100524/DI"
EXPANDABLE = frozenset({"subProcess", "transaction", "adHocSubProcess"})
LARGEST = 5_000_000
_NODE_ENDINGS = ("Event", "Task", "task", "Gateway", "subProcess", "callActivity", "transaction")
_EDGE = 1.0


@dataclass(frozen=True)
class Shape:
    id: str
    kind: str
    name: str
    box: Box
    label: Box | None
    expanded: bool
    element: etree._Element

    @property
    def is_frame(self) -> bool:
        return self.kind in ("participant", "lane")


@dataclass(frozen=True)
class Edge:
    id: str
    name: str
    source: str
    target: str
    points: tuple[tuple[float, float], ...]
    label: Box | None


@dataclass
class Plane:
    """Everything drawn, in the order of the file, and every element that should be."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    elements: dict[str, etree._Element] = field(default_factory=dict)


def local(element: etree._Element) -> str:
    return etree.QName(element).localname


def is_node(element: etree._Element) -> bool:
    tag = element.tag
    return isinstance(tag, str) and tag.startswith(f"{{{BPMN}}}") and local(element).endswith(_NODE_ENDINGS)


def parse(xml: bytes) -> etree._Element:
    """The root of a BPMN file; Invalid when it is not one or tries to be more than one."""
    if len(xml) > LARGEST:
        raise Invalid("O diagrama passa de 5 MB.", code="desenho.grande_demais")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(xml, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Invalid(f"O diagrama não é um XML que se possa ler: {error}", code="desenho.ilegivel") from None
    docinfo: Any = root.getroottree().docinfo
    if docinfo.doctype:
        raise Invalid("O diagrama não pode ter DOCTYPE.", code="desenho.doctype")
    if root.tag != f"{{{BPMN}}}definitions":
        raise Invalid("O arquivo não é um diagrama BPMN 2.0.", code="desenho.nao_bpmn")
    return root


def read(xml: bytes) -> Plane:
    root = parse(xml)
    plane = Plane()
    for element in root.iter(etree.Element):
        if element.get("id") and (
            is_node(element) or local(element) in ("participant", "lane", "sequenceFlow")
        ):
            plane.elements[element.get("id", "")] = element
    for drawn in root.iter(f"{{{DI}}}BPMNShape"):
        found, box = plane.elements.get(drawn.get("bpmnElement", "")), _box(drawn)
        if found is not None and box is not None:
            shape = _shape(found, drawn, box)
            plane.shapes[shape.id] = shape
    for drawn in root.iter(f"{{{DI}}}BPMNEdge"):
        found = plane.elements.get(drawn.get("bpmnElement", ""))
        if found is not None:
            edge = _edge(found, drawn)
            plane.edges[edge.id] = edge
    return plane


def _shape(element: etree._Element, drawn: etree._Element, box: Box) -> Shape:
    expanded = drawn.get("isExpanded") == "true"
    label = _label(drawn)
    return Shape(
        element.get("id", ""), local(element), element.get("name", ""), box, label, expanded, element
    )


def _edge(element: etree._Element, drawn: etree._Element) -> Edge:
    points = tuple((_float(p.get("x")), _float(p.get("y"))) for p in drawn.iterfind(f"{{{DD}}}waypoint"))
    source, target = element.get("sourceRef", ""), element.get("targetRef", "")
    return Edge(element.get("id", ""), element.get("name", ""), source, target, points, _label(drawn))


def _label(drawn: etree._Element) -> Box | None:
    label = drawn.find(f"{{{DI}}}BPMNLabel")
    return None if label is None else _box(label)


def _box(parent: etree._Element) -> Box | None:
    bounds = parent.find(f"{{{DC}}}Bounds")
    if bounds is None:
        return None
    return Box(*(_float(bounds.get(key)) for key in ("x", "y", "width", "height")))


def _float(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise Invalid(f"Coordenada que não é número: {text}", code="desenho.coordenada") from None


def faults(xml: bytes) -> list[str]:
    """What is wrong with a drawing, one Portuguese sentence each; empty when it may be committed."""
    plane = read(xml)
    checks = (
        _undrawn,
        _overlapping,
        _outside_lane,
        _outside_frame,
        _badly_attached,
        _through_shapes,
        _labels,
    )
    return [fault for check in checks for fault in check(plane)]


def _undrawn(plane: Plane) -> Iterator[str]:
    for ident, element in plane.elements.items():
        drawn: Mapping[str, object] = plane.edges if local(element) == "sequenceFlow" else plane.shapes
        if ident not in drawn:
            yield f"'{ident}' não está desenhado."


def _nodes(plane: Plane) -> list[Shape]:
    return [s for s in plane.shapes.values() if not s.is_frame]


def _inside(plane: Plane, ident: str, ancestor: str) -> bool:
    """Whether an element belongs to an expanded sub-process, however deep."""
    parent = plane.elements[ident].getparent()
    while parent is not None:
        if parent.get("id") == ancestor:
            return True
        parent = parent.getparent()
    return False


def _host(shape: Shape) -> str:
    return shape.element.get("attachedToRef", "")


def _overlapping(plane: Plane) -> Iterator[str]:
    nodes = _nodes(plane)
    for k, one in enumerate(nodes):
        for other in nodes[k + 1 :]:
            if one.id == _host(other) or other.id == _host(one):
                continue
            if _inside(plane, one.id, other.id) or _inside(plane, other.id, one.id):
                continue
            if one.box.overlap(other.box) > _EDGE:
                yield f"'{one.id}' e '{other.id}' estão um sobre o outro."


def _outside_lane(plane: Plane) -> Iterator[str]:
    for lane in plane.shapes.values():
        if lane.kind != "lane":
            continue
        for ref in lane.element.findall(f"{{{BPMN}}}flowNodeRef"):
            shape = plane.shapes.get((ref.text or "").strip())
            if shape is not None and not lane.box.holds(shape.box):
                yield f"'{shape.id}' está fora da sua raia '{lane.id}'."


def _outside_frame(plane: Plane) -> Iterator[str]:
    """Nodes within their sub-process, lanes and everything else within the pool."""
    pools = [s for s in plane.shapes.values() if s.kind == "participant"]
    for shape in plane.shapes.values():
        parent = shape.element.getparent()
        around = plane.shapes.get(parent.get("id", "")) if parent is not None else None
        frames = [around] if around is not None and around.kind in EXPANDABLE else pools
        for frame in frames:
            if shape is not frame and not frame.box.holds(shape.box):
                yield f"'{shape.id}' está fora de '{frame.id}'."


def _badly_attached(plane: Plane) -> Iterator[str]:
    for shape in _nodes(plane):
        host = plane.shapes.get(_host(shape))
        if host is not None and not _on_border((shape.box.cx, shape.box.cy), host.box):
            yield f"O evento de borda '{shape.id}' não está na borda de '{host.id}'."
    for edge in plane.edges.values():
        ends = ((edge.source, edge.points[:1]), (edge.target, edge.points[-1:]))
        for ident, point in ends:
            end = plane.shapes.get(ident)
            if end is not None and (not point or not _on_border(point[0], end.box)):
                yield f"O fluxo '{edge.id}' não toca '{ident}'."


def _on_border(point: tuple[float, float], box: Box) -> bool:
    spot = Box(*point, 0, 0)
    return box.grown(_EDGE).holds(spot) and not box.grown(-_EDGE).holds(spot)


def _through_shapes(plane: Plane) -> Iterator[str]:
    """A flow crosses no shape but the sub-processes it runs in; not even its own ends."""
    for edge in plane.edges.values():
        for shape in _nodes(plane):
            if _inside(plane, edge.id, shape.id) or edge.source not in plane.shapes:
                continue
            pieces = [run(a, b) for a, b in zip(edge.points, edge.points[1:], strict=False)]
            host = _host(plane.shapes[edge.source]) == shape.id
            if any(_pierces(p, shape.box.grown(-_EDGE)) for p in (pieces[1:] if host else pieces)):
                yield f"O fluxo '{edge.id}' passa por cima de '{shape.id}'."


def _pierces(piece: Box, box: Box) -> bool:
    wide = min(piece.right, box.right) - max(piece.x, box.x)
    high = min(piece.bottom, box.bottom) - max(piece.y, box.y)
    return wide >= 0 and high >= 0


def _labels(plane: Plane) -> Iterator[str]:
    pools = [s for s in plane.shapes.values() if s.kind == "participant"]
    owners = [(s.id, s.label) for s in plane.shapes.values()] + [
        (e.id, e.label) for e in plane.edges.values()
    ]
    labels = [(ident, label) for ident, label in owners if label is not None]
    for k, (ident, label) in enumerate(labels):
        if any(not pool.box.holds(label) for pool in pools):
            yield f"O rótulo de '{ident}' está fora da piscina."
        for shape in _nodes(plane):
            frame = shape.expanded and _inside(plane, ident, shape.id)
            if not frame and shape.box.grown(-_EDGE).overlap(label) > _EDGE:
                yield f"O rótulo de '{ident}' está sobre '{shape.id}'."
        for other, box in labels[k + 1 :]:
            if box.overlap(label) > _EDGE:
                yield f"Os rótulos de '{ident}' e '{other}' estão um sobre o outro."
