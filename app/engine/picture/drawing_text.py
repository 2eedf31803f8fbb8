"""Boxes, and how much room text takes in them: shared by the layout (label bounds) and the drawing (lines).

Widths are those of a plain sans-serif face, rounded up, because the reader's font is not known here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LABEL_SIZE = 11.0
TASK_SIZE = 12.0
LEADING = 1.2
TASK_PAD = 12.0
LABEL_WIDTH, NARROW_LABEL = 92.0, 46.0

Spot = tuple[float, float]
_NARROW = frozenset("iljtfrI.,:;'!|()[] ")
_WIDE = frozenset("mwMW@%")


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def cx(self) -> float:
        return self.x + self.width / 2

    @property
    def cy(self) -> float:
        return self.y + self.height / 2

    def moved(self, dx: float, dy: float) -> Box:
        return Box(self.x + dx, self.y + dy, self.width, self.height)

    def grown(self, margin: float) -> Box:
        return Box(self.x - margin, self.y - margin, self.width + 2 * margin, self.height + 2 * margin)

    def overlap(self, other: Box) -> float:
        """Area in common; 0 when they only touch."""
        wide = min(self.right, other.right) - max(self.x, other.x)
        high = min(self.bottom, other.bottom) - max(self.y, other.y)
        return wide * high if wide > 0 and high > 0 else 0.0

    def holds(self, other: Box) -> bool:
        inside_x = self.x <= other.x and other.right <= self.right
        return inside_x and self.y <= other.y and other.bottom <= self.bottom


def run(a: tuple[float, float], b: tuple[float, float]) -> Box:
    """The thin box of a straight piece of line."""
    return Box(min(a[0], b[0]), min(a[1], b[1]), abs(a[0] - b[0]), abs(a[1] - b[1]))


def text_width(text: str, size: float) -> float:
    units = sum(0.30 if c in _NARROW else 0.90 if c in _WIDE else 0.70 if c.isupper() else 0.57 for c in text)
    return units * size


def wrap(text: str, width: float, size: float) -> list[str]:
    """Lines that fit the width, broken at spaces; a word longer than a line is cut."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        for piece in _pieces(word, width, size):
            longer = f"{line} {piece}" if line else piece
            if line and text_width(longer, size) > width:
                lines.append(line)
                line = piece
            else:
                line = longer
    return [*lines, line] if line else lines


def spaced(text: str, lines: Sequence[str]) -> list[str]:
    """Wrapped lines with the space where each was broken, so that copied and spoken words stay apart. Not drawn."""
    told, rest = [], " ".join(text.split())
    for line in lines:
        rest = rest[len(line) :]
        told.append(f"{line} " if rest.startswith(" ") else line)
        rest = rest.lstrip(" ")
    return told


def _pieces(word: str, width: float, size: float) -> Iterable[str]:
    while text_width(word, size) > width and len(word) > 1:
        cut = len(word) - 1
        while cut > 1 and text_width(word[:cut], size) > width:
            cut -= 1
        yield word[:cut]
        word = word[cut:]
    yield word


def label_size(text: str, width: float = LABEL_WIDTH) -> tuple[float, float]:
    """Width and height of a wrapped label."""
    lines = wrap(text, width, LABEL_SIZE)
    widest = max((text_width(line, LABEL_SIZE) for line in lines), default=0.0)
    return float(round(widest + 4)), float(round(len(lines) * LABEL_SIZE * LEADING + 2))


@dataclass
class Clutter:
    """What a label should not stand on, weighted: shapes and labels hide text, lines only strike it."""

    frame: Box
    solids: list[Box]
    lines: list[Box]
    borders: list[Box]

    def price(self, place: Box) -> float:
        cost = 0.0 if self.frame.holds(place.grown(3)) else 1e7
        cost += sum(1000.0 + 10 * area for s in self.solids if (area := s.overlap(place.grown(1))))
        cost += sum(400.0 for line in self.lines if line.grown(1.5).overlap(place))
        return cost + sum(150.0 for border in self.borders if border.grown(1).overlap(place))

    def settle(self, places: Sequence[Box]) -> Box:
        """The cheapest place, the first among equals; it is in the way from then on."""
        left, top = min(p.x for p in places), min(p.y for p in places)
        right, bottom = max(p.right for p in places), max(p.bottom for p in places)
        near = Box(left, top, right - left, bottom - top).grown(4)
        solids = [s for s in self.solids if s.overlap(near)]
        lines = [line for line in self.lines if line.grown(1).overlap(near)]
        around = Clutter(self.frame, solids, lines, self.borders)
        best = min(range(len(places)), key=lambda k: around.price(places[k]) + 12.0 * k)
        self.solids.append(places[best])
        return places[best]


def around(box: Box, name: str, style: str) -> Iterator[Box]:
    """Places for the label of a node, the customary first. `style`: top or bottom (border), gateway, event."""
    for width in (LABEL_WIDTH, 70.0, NARROW_LABEL, 120.0):
        w, h = label_size(name, width)
        centred, left, right = box.cx - w / 2, box.x - w - 2, box.right + 2
        if style == "top":
            spots = [(box.cx + 5, box.y - h - 1), (box.cx - w - 5, box.y - h - 1), (right, box.y - h + 16)]
        elif style == "bottom":
            spots = [(box.cx + 5, box.bottom + 1), (box.cx - w - 5, box.bottom + 1), (right, box.cy + 4)]
        elif style == "gateway":
            above, below = box.y - h - 3, box.bottom + 3
            spots = [(centred, above), (box.cx - w - 6, box.y - h + 8), (box.cx + 6, above)]
            spots += [(centred, below), (box.cx + 8, below), (box.cx - w - 8, below), (box.cx + 8, above)]
            spots += [
                (box.cx - w - 10, box.cy + 14),
                (box.cx + 12, box.cy + 14),
                (box.cx + 14, box.y - h + 10),
            ]
        else:
            spots = [(centred, box.bottom + 3), (centred, box.y - h - 3), (box.cx + 6, box.bottom + 3)]
            spots += [(left - 2, box.bottom - 6), (right + 2, box.cy - h - 2), (right + 2, box.cy + 2)]
        yield from (Box(x, y, w, h) for x, y in spots)


def along(points: Sequence[Spot], name: str, kin: Sequence[Sequence[Spot]]) -> Iterator[Box]:
    """Places for the label of a flow: near its start, but past what it shares with its siblings."""
    every = list(itertools.pairwise(points))
    own = _own_pieces(points, kin)
    for pieces in (own, every) if own != every else (every,):
        for width in (92.0, 60.0, 150.0):
            w, h = label_size(name, width)
            for piece in pieces:
                yield from _beside(*piece, w, h)


def _beside(a: Spot, b: Spot, w: float, h: float) -> Iterator[Box]:
    """Both sides of a straight piece: at its start, then in its middle, then at its end."""
    if a[1] == b[1]:
        ends = (a[0] + 12, b[0] - 14 - w) if b[0] > a[0] else (a[0] - 12 - w, b[0] + 14)
        for x in (ends[0], (a[0] + b[0] - w) / 2, ends[1]):
            yield Box(x, a[1] - h - 2, w, h)
            yield Box(x, a[1] + 3, w, h)
    else:
        ends = (a[1] + 5, b[1] - 14 - h) if b[1] > a[1] else (a[1] - 5 - h, b[1] + 14)
        for y in (ends[0], (a[1] + b[1] - h) / 2, ends[1]):
            yield Box(a[0] + 5, y, w, h)
            yield Box(a[0] - 5 - w, y, w, h)


def _own_pieces(points: Sequence[Spot], kin: Sequence[Sequence[Spot]]) -> list[tuple[Spot, Spot]]:
    """The flow from where it parts with its siblings; the whole flow when it never does."""
    longest = 0.0
    for other in kin:
        common = 0.0
        for a, b, c, d in zip(points, points[1:], other, other[1:], strict=False):
            if a != c or _heading(a, b) != _heading(c, d):
                break
            common += min(_length(a, b), _length(c, d))
            if b != d:
                break
        longest = max(longest, common)
    own = []
    for a, b in itertools.pairwise(points):
        length = _length(a, b)
        if longest < length:
            dx, dy = _heading(a, b)
            own.append(((a[0] + dx * longest, a[1] + dy * longest), b))
        longest = max(0.0, longest - length)
    return own or list(itertools.pairwise(points))


def _length(a: Spot, b: Spot) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _heading(a: Spot, b: Spot) -> tuple[int, int]:
    dx, dy = b[0] - a[0], b[1] - a[1]
    return (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)
