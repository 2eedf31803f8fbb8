"""The symbols of BPMN as SVG fragments: event and gateway signs, task markers, badges of state, arrow heads.

Presentation attributes only, never `style`: pages are served without `unsafe-inline`.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from app.engine.picture.drawing_text import Box

INK, PAPER = "#22242a", "#ffffff"
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"

KINDS: Mapping[str, str] = {
    "startEvent": "Início",
    "endEvent": "Fim",
    "intermediateCatchEvent": "Espera",
    "intermediateThrowEvent": "Marco",
    "boundaryEvent": "Evento de borda",
    "exclusiveGateway": "Desvio exclusivo",
    "parallelGateway": "Desvio paralelo",
    "eventBasedGateway": "Espera pelo primeiro evento",
    "inclusiveGateway": "Desvio inclusivo",
    "complexGateway": "Desvio complexo",
    "subProcess": "Subprocesso",
    "callActivity": "Chamada de processo",
    "sequenceFlow": "Fluxo",
    "participant": "Processo",
    "lane": "Raia",
}


def tag(name: str, content: str = "", **attributes: object) -> str:
    """An element; `stroke_width` becomes `stroke-width`, numbers lose useless zeros, None is left out."""
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            text = f"{value:g}" if isinstance(value, float) else str(value)
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{escape(text)}"')
    head = " ".join(parts)
    return f"<{head}>{content}</{name}>" if content else f"<{head}/>"


def path(d: str, x: float, y: float, *, fill: str = "none", ink: str = INK, width: float = 1.4) -> str:
    place = f"translate({x:g} {y:g})"
    return tag(
        "path",
        d=d,
        transform=place,
        fill=fill,
        stroke=ink,
        stroke_width=width,
        stroke_linejoin="round",
        stroke_linecap="round",
    )


# Drawn around 0,0. The second member says whether a thrown event fills the sign.
_EVENT_SIGNS: Mapping[str, tuple[str, bool]] = {
    "messageEventDefinition": ("M-9 -6H9V6H-9ZL0 1L9 -6", True),
    "timerEventDefinition": (
        "M-10 0A10 10 0 1 0 10 0A10 10 0 1 0 -10 0M0 -10V-7.5M0 10V7.5M-10 0H-7.5M10 0H7.5M1.5 -6L0 0L4.5 1.5",
        False,
    ),
    "errorEventDefinition": ("M-9 8L-3 -7L3 1L9 -8L4 8L-2 0Z", True),
    "escalationEventDefinition": ("M0 -9L7 8L0 2L-7 8Z", True),
    "signalEventDefinition": ("M0 -9L9 7H-9Z", True),
    "conditionalEventDefinition": ("M-7 -9H7V9H-7ZM-4 -5H4M-4 -1.5H4M-4 2H4M-4 5.5H4", False),
    "linkEventDefinition": ("M-9 -4H2V-8L10 0L2 8V4H-9Z", True),
    "compensateEventDefinition": ("M0 -7V7L-9 0ZM9 -7V7L0 0Z", True),
}

_TASK_SIGNS: Mapping[str, str] = {
    "userTask": "M-3.5 -4A3.5 3.5 0 1 1 3.5 -4A3.5 3.5 0 1 1 -3.5 -4M-8 8V5Q-8 0.5 -3 0.5H3Q8 0.5 8 5V8Z",
    "scriptTask": "M-4 -8H7Q2 -4 5 0T4 8H-7Q-2 4 -5 0T-4 -8M-2 -4.5H3M-2.5 -1.5H2.5M-1.5 1.5H3.5M-2 4.5H3.5",
    "manualTask": (
        "M-8 1Q-8 -3 -4 -5L1 -7.5Q3 -7 1.5 -5L-1 -3.5H7Q9 -2.5 7 -1.5H2H8Q9.5 0 8 1H2H7Q8.5 2.5 7 3.5H2"
        "H5.5Q6.5 5 5 6H-3Q-8 6 -8 1Z"
    ),
    "serviceTask": (
        "M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0M-6 0A6 6 0 1 0 6 0A6 6 0 1 0 -6 0"
        "M0 -8.5V-6M0 6V8.5M-8.5 0H-6M6 0H8.5M-6 -6L-4.2 -4.2M6 6L4.2 4.2M6 -6L4.2 -4.2M-6 6L-4.2 4.2"
    ),
    "sendTask": "M-9 -6H9V6H-9ZL0 1L9 -6",
    "receiveTask": "M-9 -6H9V6H-9ZL0 1L9 -6",
    "businessRuleTask": "M-9 -7H9V7H-9ZM-9 -3H9M-9 2H9M-4 -3V7",
}

_GATEWAY_SIGNS: Mapping[str, tuple[str, float]] = {
    "exclusiveGateway": ("M-7 -8L7 8M7 -8L-7 8", 3.0),
    "parallelGateway": ("M-12 0H12M0 -12V12", 3.0),
    "inclusiveGateway": ("M-11 0A11 11 0 1 0 11 0A11 11 0 1 0 -11 0", 2.6),
    "complexGateway": ("M-12 0H12M0 -12V12M-8 -8L8 8M8 -8L-8 8", 3.0),
    "eventBasedGateway": (
        "M-13 0A13 13 0 1 0 13 0A13 13 0 1 0 -13 0M-10.5 0A10.5 10.5 0 1 0 10.5 0A10.5 10.5 0 1 0 -10.5 0"
        "M0 -6L5.7 -1.9L3.5 4.9H-3.5L-5.7 -1.9Z",
        1.2,
    ),
}


def event_sign(definition: str, box: Box, *, throws: bool, ink: str) -> str:
    if definition == "terminateEventDefinition":
        return tag("circle", cx=box.cx, cy=box.cy, r=box.width / 2 - 7, fill=ink)
    if definition not in _EVENT_SIGNS:
        return ""
    d, filled = _EVENT_SIGNS[definition]
    if not (throws and filled):
        return path(d, box.cx, box.cy, ink=ink, width=1.2)
    # A filled envelope still has to show its flap.
    return path(d, box.cx, box.cy, fill=ink, ink=PAPER, width=1.0)


def gateway_sign(kind: str, box: Box, *, ink: str) -> str:
    if kind not in _GATEWAY_SIGNS:
        return ""
    d, width = _GATEWAY_SIGNS[kind]
    return path(d, box.cx, box.cy, ink=ink, width=width)


def task_sign(kind: str, box: Box, *, ink: str) -> str:
    if kind not in _TASK_SIGNS:
        return ""
    fill, line = (ink, PAPER) if kind == "sendTask" else ("none", ink)
    return path(_TASK_SIGNS[kind], box.x + 15, box.y + 15, fill=fill, ink=line, width=1.1)


def has_sign(kind: str) -> bool:
    return kind in _TASK_SIGNS


def foot_sign(sign: str, box: Box, *, ink: str) -> str:
    """Markers at the bottom of an activity: several at once, one after another, collapsed."""
    x, y = box.cx, box.bottom - 10
    shapes = {
        "parallel": ("M-5 -6V6M0 -6V6M5 -6V6", 2.4),
        "sequential": ("M-6 -5H6M-6 0H6M-6 5H6", 2.4),
        "loop": ("M-3 5.5A6 6 0 1 1 3 5.5M-3 5.5L-4.5 1M-3 5.5L-7 6.5", 1.6),
        "collapsed": ("M-7 -7H7V7H-7ZM-4 0H4M0 -4V4", 1.4),
    }
    d, width = shapes[sign]
    return path(d, x, y, ink=ink, width=width)


def badge(mark: str, x: float, y: float, ink: str) -> str:
    """The state as a sign, for whoever does not see the colour."""
    signs = {
        "done": "M-4.5 0.5L-1.5 3.5L4.5 -3.5",
        "active": "M-2.5 -4.5L4.5 0L-2.5 4.5Z",
        "late": "M0 -5V1.5M0 4.6V4.8",
        "ended": "M-3 -3H3V3H-3Z",
    }
    disc = tag("circle", cx=x, cy=y, r=8.0, fill=ink, stroke=PAPER, stroke_width=1.5)
    filled = PAPER if mark in ("active", "ended") else "none"
    return disc + path(signs[mark], x, y, fill=filled, ink=PAPER, width=2.2)


def arrow(points: tuple[tuple[float, float], ...], ink: str) -> str:
    """The head at the end of a flow. A shape of its own: a marker would need an id, unique in the page."""
    (x0, y0), (x, y) = points[-2], points[-1]
    length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5 or 1.0
    ux, uy = (x - x0) / length, (y - y0) / length
    bx, by = x - 10 * ux, y - 10 * uy
    d = f"M{x:g} {y:g}L{bx - 4.5 * uy:g} {by + 4.5 * ux:g}L{bx + 4.5 * uy:g} {by - 4.5 * ux:g}Z"
    return tag("path", d=d, fill=ink, stroke="none")
