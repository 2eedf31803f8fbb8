"""A drawn BPMN diagram as one standalone SVG: for pages without scripts, thumbnails and documents.

Reads coordinates, never invents them (the layout does). The picture carries no ids and no styles, so any
number of them may stand on one page under a strict content policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import NamedTuple

from lxml import etree

from app.engine.picture import drawing_symbols as symbols
from app.engine.picture.drawing_plane import BPMN, EXPANDABLE, Edge, Plane, Shape, local, read
from app.engine.picture.drawing_symbols import FONT, INK, PAPER, tag
from app.engine.picture.drawing_text import (
    LABEL_SIZE,
    LEADING,
    TASK_PAD,
    TASK_SIZE,
    Box,
    spaced,
    text_width,
    wrap,
)
from app.errors import Invalid

MARGIN = 12.0
HEADER = 30.0
AROUND = (900.0, 420.0)  # as much of a diagram as is read at a glance around one element


class _Look(NamedTuple):
    fill: str
    ink: str
    extra: float
    words: str


_PLAIN = _Look(PAPER, INK, 0.0, "")
_LOOKS: Mapping[str, _Look] = {
    "done": _Look("#e3f1e4", "#0e6b16", 0.6, "concluída"),
    "active": _Look("#fff5c2", "#1351b4", 2.0, "em andamento"),
    "late": _Look("#fde0db", "#b50909", 2.0, "prazo vencido"),
    "ended": _Look("#fff5c2", "#1351b4", 3.0, "terminou aqui"),
}


def svg(
    xml: bytes, marks: Mapping[str, str] | None = None, title: str = "Diagrama do processo", around: str = ""
) -> str:
    """The picture. `marks`: element or flow id -> `done`, `active`, `late` or `ended`; other ids are ignored.

    `around`: an element that the picture shows with what is near it, in whatever room there is; else all is shown.
    Raises Invalid when the diagram has no drawing.
    """
    plane = read(xml)
    if not plane.shapes:
        raise Invalid(
            "O diagrama não tem desenho: gere-o com `tramita process layout`.", code="desenho.sem_coordenadas"
        )
    chosen = marks or {}
    frames = [s for s in plane.shapes.values() if s.is_frame]
    # Flows under nodes, sub-processes under what they hold, boundary events over their hosts.
    nodes = sorted(
        (s for s in plane.shapes.values() if not s.is_frame),
        key=lambda s: (not s.expanded, -s.box.width * s.box.height if s.expanded else 0, bool(_host(s))),
    )
    parts = [_frame(s) for s in frames]
    parts += [_node(s, chosen.get(s.id, "")) for s in nodes if s.expanded]
    # Ways that were taken lie over those that were not.
    edges = sorted(
        (e for e in plane.edges.values() if len(e.points) > 1), key=lambda e: chosen.get(e.id) in _LOOKS
    )
    parts += [_flow(e, plane, chosen.get(e.id, "")) for e in edges]
    parts += [_node(s, chosen.get(s.id, "")) for s in nodes if not s.expanded]
    return _document(plane, "".join(parts), title, plane.shapes.get(around))


def _document(plane: Plane, content: str, title: str, centre: Shape | None) -> str:
    boxes = [s.box for s in plane.shapes.values()] + [s.label for s in plane.shapes.values() if s.label]
    boxes += [e.label for e in plane.edges.values() if e.label]
    boxes += [Box(x, y, 0, 0) for e in plane.edges.values() for x, y in e.points]
    left, top = min(b.x for b in boxes) - MARGIN, min(b.y for b in boxes) - MARGIN
    width, height = max(b.right for b in boxes) + MARGIN - left, max(b.bottom for b in boxes) + MARGIN - top
    if centre is not None:
        width, height = min(width, AROUND[0]), min(height, AROUND[1])
        left, top = centre.box.cx - width / 2, centre.box.cy - height / 2
    return tag(
        "svg",
        f"<title>{escape(title)}</title>{content}",
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=title,
        viewBox=f"{left:g} {top:g} {width:g} {height:g}",
        width=width,
        height=height,
        preserveAspectRatio="xMidYMid slice" if centre is not None else None,
        font_family=FONT,
    )


def _host(shape: Shape) -> str:
    return shape.element.get("attachedToRef", "")


def _group(ident: str, kind: str, name: str, mark: str, content: str) -> str:
    words = _LOOKS[mark].words if mark in _LOOKS else ""
    if words and kind == "sequenceFlow":
        words = "percorrido"
    label = name or symbols.KINDS.get(kind, "Tarefa")
    text = f"{label}: {words}" if words else label
    return tag(
        "g", f"<title>{escape(text)}</title>{content}", data_element=ident, data_mark=mark if words else None
    )


def _frame(shape: Shape) -> str:
    box = shape.box
    border = tag(
        "rect",
        x=box.x,
        y=box.y,
        width=box.width,
        height=box.height,
        fill=PAPER if shape.kind == "participant" else "none",
        stroke=INK,
        stroke_width=1.5 if shape.kind == "participant" else 1.0,
    )
    x = box.x + HEADER
    rule = tag("path", d=f"M{x:g} {box.y:g}V{box.bottom:g}", stroke=INK, stroke_width=1.0)
    lines = spaced(shape.name, wrap(shape.name, box.height - 12, TASK_SIZE))
    turned = tag(
        "g",
        _text(lines, box.x + HEADER / 2, box.cy, TASK_SIZE, bold=shape.kind == "participant"),
        transform=f"rotate(-90 {box.x + HEADER / 2:g} {box.cy:g})",
    )
    return _group(shape.id, shape.kind, shape.name, "", border + rule + turned)


def _text(
    lines: list[str], x: float, y: float, size: float, *, bold: bool = False, halo: bool = False
) -> str:
    """Lines centred around a point. The halo keeps a label readable on top of a line."""
    first = y - (len(lines) - 1) * size * LEADING / 2 + size * 0.35
    return "".join(
        tag(
            "text",
            escape(line, quote=False),
            x=x,
            y=round(first + k * size * LEADING, 1),
            text_anchor="middle",
            font_size=size,
            font_weight="bold" if bold else None,
            fill=INK,
            stroke=PAPER if halo else None,
            stroke_width=3.0 if halo else None,
            stroke_linejoin="round" if halo else None,
            paint_order="stroke" if halo else None,
        )
        for k, line in enumerate(lines)
    )


def _label(name: str, box: Box | None) -> str:
    if not name or box is None:
        return ""
    # Two pixels of grace: other tools measure their labels with other fonts.
    lines = spaced(name, wrap(name, max(box.width, 30.0) + 2, LABEL_SIZE))
    return _text(lines, box.cx, box.cy, LABEL_SIZE, halo=True)


def _node(shape: Shape, mark: str) -> str:
    look = _LOOKS.get(mark, _PLAIN)
    if shape.kind.endswith("Event"):
        body = _event(shape, look) + _label(shape.name, shape.label)
    elif shape.kind.endswith("Gateway"):
        body = _gateway(shape, look) + _label(shape.name, shape.label)
    else:
        body = _activity(shape, look)
    if mark in _LOOKS:
        x, y = _badge_spot(shape)
        body += symbols.badge(mark, x, y, look.ink)
    return _group(shape.id, shape.kind, shape.name, mark, body)


def _badge_spot(shape: Shape) -> tuple[float, float]:
    """The upper right corner, out of the way of the sign inside."""
    away = {True: 1.0, False: 4.0}[shape.kind.endswith("Event")]
    away = 9.0 if shape.kind.endswith("Gateway") else away
    return shape.box.right - away, shape.box.y + away


def _event(shape: Shape, look: _Look) -> str:
    box, kind = shape.box, shape.kind
    start, end = kind == "startEvent", kind == "endEvent"
    calm = shape.element.get("cancelActivity") == "false" or shape.element.get("isInterrupting") == "false"
    width = (3.4 if end else 1.6) + look.extra
    radius = box.width / 2
    body = tag(
        "circle",
        cx=box.cx,
        cy=box.cy,
        r=radius - (1.0 if end else 0.0),
        fill=look.fill,
        stroke=look.ink,
        stroke_width=width,
        stroke_dasharray="5 3" if calm else None,
    )
    if not start and not end:
        body += tag(
            "circle",
            cx=box.cx,
            cy=box.cy,
            r=radius - 3.2 - look.extra / 2,
            fill="none",
            stroke=look.ink,
            stroke_width=1.3,
            stroke_dasharray="5 3" if calm else None,
        )
    definitions = [local(e) for e in shape.element if isinstance(e.tag, str) and _defines(e)]
    throws = kind in ("endEvent", "intermediateThrowEvent")
    sign = symbols.event_sign(definitions[0], box, throws=throws, ink=look.ink) if definitions else ""
    return body + sign


def _defines(element: etree._Element) -> bool:
    return local(element).endswith("EventDefinition")


def _gateway(shape: Shape, look: _Look) -> str:
    box = shape.box
    half_w, half_h = box.width / 2, box.height / 2
    d = f"M{box.cx:g} {box.y:g}l{half_w:g} {half_h:g}l{-half_w:g} {half_h:g}l{-half_w:g} {-half_h:g}Z"
    body = tag("path", d=d, fill=look.fill, stroke=look.ink, stroke_width=1.6 + look.extra)
    return body + symbols.gateway_sign(shape.kind, box, ink=look.ink)


def _activity(shape: Shape, look: _Look) -> str:
    box = shape.box
    thick = 2.6 if shape.kind == "callActivity" else 0.0
    body = tag(
        "rect",
        x=box.x,
        y=box.y,
        width=box.width,
        height=box.height,
        rx=10.0,
        fill=PAPER if shape.expanded and look is _PLAIN else look.fill,
        stroke=look.ink,
        stroke_width=1.6 + look.extra + thick,
    )
    body += symbols.task_sign(shape.kind, box, ink=look.ink)
    feet = list(_feet(shape))
    for sign in feet:
        body += symbols.foot_sign(sign, box, ink=look.ink)
    lines = spaced(shape.name, wrap(shape.name, box.width - TASK_PAD, TASK_SIZE))
    if shape.expanded:
        return body + _text(lines[:1], box.cx, box.y + 14, TASK_SIZE, bold=True)
    return body + _text(lines, box.cx, _text_middle(shape, lines, sign=bool(feet)), TASK_SIZE)


def _text_middle(shape: Shape, lines: list[str], *, sign: bool) -> float:
    """The middle of the box, moved just enough to leave the sign in the corner free."""
    box = shape.box
    middle = box.cy - (6.0 if sign else 0.0)
    if not lines or not symbols.has_sign(shape.kind):
        return middle
    corner_right, corner_bottom = box.x + 26.0, box.y + 27.0
    lack = corner_bottom - (middle - len(lines) * TASK_SIZE * LEADING / 2)
    touches = box.cx - text_width(lines[0], TASK_SIZE) / 2 < corner_right
    return middle + (min(lack, 11.0) if touches and lack > 0 else 0.0)


def _feet(shape: Shape) -> Iterator[str]:
    several = shape.element.find(f"{{{BPMN}}}multiInstanceLoopCharacteristics")
    if several is not None:
        yield "sequential" if several.get("isSequential") == "true" else "parallel"
    elif shape.element.find(f"{{{BPMN}}}standardLoopCharacteristics") is not None:
        yield "loop"
    elif shape.kind in EXPANDABLE and not shape.expanded:
        yield "collapsed"


def _flow(edge: Edge, plane: Plane, mark: str) -> str:
    look = _LOOKS.get(mark, _PLAIN)
    trail = " ".join(f"{x:g},{y:g}" for x, y in edge.points)
    body = tag(
        "polyline",
        points=trail,
        fill="none",
        stroke=look.ink,
        stroke_width=2.8 if mark in _LOOKS else 1.4,
        stroke_linejoin="round",
    )
    body += symbols.arrow(edge.points, look.ink)
    source = plane.elements.get(edge.source)
    if source is not None and source.get("default") == edge.id:
        body += _slash(edge, look.ink)
    name = edge.name or _between(edge, plane)
    return _group(edge.id, "sequenceFlow", name, mark, body + _label(edge.name, edge.label))


def _slash(edge: Edge, ink: str) -> str:
    """The small stroke of the way taken when no condition holds."""
    (x0, y0), (x1, y1) = edge.points[0], edge.points[1]
    length = abs(x1 - x0) + abs(y1 - y0) or 1.0
    x, y = x0 + 9 * (x1 - x0) / length, y0 + 9 * (y1 - y0) / length
    return symbols.path("M-4 5L4 -5", x, y, ink=ink)


def _between(edge: Edge, plane: Plane) -> str:
    ends = (plane.elements.get(i) for i in (edge.source, edge.target))
    names = [(e.get("name") or symbols.KINDS.get(local(e), "Tarefa")) if e is not None else "?" for e in ends]
    return f"De {names[0]} a {names[1]}"
