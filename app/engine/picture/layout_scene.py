"""From cells and routes to coordinates: tracks in the channels, widths of columns and rows, places of labels.

Flows that share a channel run side by side, ordered so that they cross as little as possible; those that leave
one node together, or arrive together, keep one common track until they part.
Everything is relative to the top left corner of the scope; the caller moves it. No XML here.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.engine.picture.drawing_text import (
    LABEL_WIDTH,
    NARROW_LABEL,
    TASK_SIZE,
    Box,
    Clutter,
    Spot,
    along,
    around,
    label_size,
    run,
    wrap,
)
from app.engine.picture.layout_grid import Flow, Node, place
from app.engine.picture.layout_routes import DOWN, RIGHT, UP, Board, Path, Point, Routes, board_of

GUTTER, GAP, TRACK = 38.0, 24.0, 11.0
LANE_PAD, LANE_MIN = 20.0, 120.0
EVENT_LABEL_ROOM = 70.0


@dataclass(frozen=True)
class Lane:
    name: str

    @property
    def least(self) -> float:
        """High enough for its rotated title on at most two lines."""
        if not self.name:
            return 0.0
        height = LANE_MIN
        while len(wrap(self.name, height - 12, TASK_SIZE)) > 2:
            height += 10
        return height


@dataclass
class Scene:
    """A drawn scope. `lanes` are (top, height)."""

    width: float
    height: float
    lanes: list[Spot]
    boxes: dict[str, Box] = field(default_factory=dict)
    edges: dict[str, list[Spot]] = field(default_factory=dict)
    labels: dict[str, Box] = field(default_factory=dict)
    expanded: set[str] = field(default_factory=set)

    def take(self, part: Scene, dx: float, dy: float) -> None:
        """Puts an inner scene (an expanded sub-process) into this one."""
        self.boxes.update({i: b.moved(dx, dy) for i, b in part.boxes.items()})
        self.labels.update({i: b.moved(dx, dy) for i, b in part.labels.items()})
        self.edges.update({i: [(x + dx, y + dy) for x, y in p] for i, p in part.edges.items()})
        self.expanded |= part.expanded


def arrange(nodes: Sequence[Node], flows: Sequence[Flow], lanes: Sequence[Lane], *, bare: bool) -> Scene:
    """Draws one scope. `bare`: it has no lane borders that labels should avoid."""
    board = board_of(nodes, flows, place(nodes, flows), len(lanes))
    sizes = _Sizes(board, lanes)
    sizes.settle(None, {})
    board.xs, board.ys = sizes.xs, sizes.ys
    paths = Routes(board).find_all(flows)
    tracks = _assign(board, paths)
    sizes.settle(tracks, paths)
    scene = Scene(sizes.width, sizes.height, sizes.lanes)
    for node in nodes:
        scene.boxes[node.id] = sizes.box(node)
    for ident, path in paths.items():
        scene.edges[ident] = sizes.points(path, tracks)
    _place_labels(scene, board, paths, bare=bare)
    return scene


class _Sizes:
    """Widths of columns and channels, and the coordinates that follow from them."""

    def __init__(self, board: Board, lanes: Sequence[Lane]) -> None:
        self.board = board
        self.least = [lane.least for lane in lanes]
        self.lanes: list[Spot] = []
        self.width = self.height = 0.0
        self.xs: list[float] = []
        self.ys: list[float] = []

    def settle(self, tracks: _Tracks | None, paths: Mapping[str, Path]) -> None:
        self._columns(tracks, self._wanted(paths))
        self._rows(tracks)

    def _wanted(self, paths: Mapping[str, Path]) -> dict[int, float]:
        """Room that named flows want in the gutter right of the gateway they leave sideways."""
        wanted: dict[int, float] = {}
        for path in paths.values():
            if path.flow.name and path.leave == RIGHT:
                source = self.board.nodes[path.flow.source]
                col = self.board.cells[source.id].col + 1
                slack = (self._column_width(col - 1) - source.width) / 2
                room = label_size(path.flow.name)[0] + 22 - slack
                wanted[col] = max(wanted.get(col, 0.0), room)
        return wanted

    def _column_width(self, col: int) -> float:
        inside = [self.board.nodes[i] for i, c in self.board.cells.items() if c.col == col]
        rooms = [max(n.width, EVENT_LABEL_ROOM if n.name and n.width < 60 else 0) for n in inside]
        return max(rooms, default=0.0)

    def _columns(self, tracks: _Tracks | None, wanted: Mapping[int, float]) -> None:
        self.xs, x = [], 0.0
        last = self.board.verticals[-1].across
        for k, line in enumerate(self.board.verticals):
            if line.channel:
                count = tracks.count.get((True, k), 0) if tracks else 0
                base = 24.0 if line.across in (0, last) else max(GUTTER, wanted.get(line.across, 0.0))
                wide = max(base, base + (count - 1) * TRACK)
                self.xs.append(x + wide / 2)
                x += wide + self._column_width(line.across)
            else:
                middle = x - self._column_width(line.across) / 2
                self.xs.append(middle + line.offset)
        self.width = x

    def _rows(self, tracks: _Tracks | None) -> None:
        self.ys, self.lanes, y, top = [], [], 0.0, 0.0
        lines = self.board.horizontals
        for k, line in enumerate(lines):
            opens = k == 0 or lines[k - 1].lane != line.lane
            closes = k == len(lines) - 1 or lines[k + 1].lane != line.lane
            if opens:
                top = y
            if line.channel:
                count = tracks.count.get((False, k), 0) if tracks else 0
                base = LANE_PAD if opens or closes else GAP
                high = base + max(0, count - 1) * TRACK
                self.ys.append(y + high / 2)
                y += high
            else:
                above, below = self._extent(line.across)
                self.ys.append(y + above)
                y += above + below
            if closes:
                y = self._close(top, y, line.lane)
        self.height = y

    def _close(self, top: float, bottom: float, lane: int) -> float:
        """Ends a lane, stretching it evenly when its title needs more height than its nodes."""
        lack = max(0.0, self.least[lane] - (bottom - top))
        for k in range(len(self.ys)):
            if self.board.horizontals[k].lane == lane:
                self.ys[k] += lack / 2
        self.lanes.append((top, bottom + lack - top))
        return bottom + lack

    def _extent(self, row: int) -> Spot:
        """How much a row reaches above and below its centre, labels and boundary events included."""
        above = below = 25.0
        for (_, at), ident in self.board.stands.items():
            if at != row:
                continue
            node = self.board.nodes[ident]
            text = label_size(node.name)[1] + 4 if node.name and node.width < 60 else 0.0
            above = max(above, node.height / 2 + (text if node.is_gateway else 0.0))
            below = max(below, node.height / 2 + (text if node.is_event else 0.0))
            guests = [g for g in self.board.boundary_side if self.board.nodes[g].host == ident]
            for guest in guests:
                width = LABEL_WIDTH if len(guests) == 1 else NARROW_LABEL
                text = label_size(self.board.nodes[guest].name, width)[1]
                reach = node.height / 2 + max(22.0, 4 + text)
                if self.board.boundary_side[guest] == UP:
                    above = max(above, reach)
                else:
                    below = max(below, reach)
        return above, below

    def box(self, node: Node) -> Box:
        board = self.board
        home = node.host or node.id
        x = self.xs[board.vertical(board.cells[home].col, 0.0)]
        y = self.ys[board.horizontal(board.row_of(home))]
        if node.host is not None:
            x += board.boundary_offset[node.id]
            half = board.nodes[home].height / 2
            y += half if board.boundary_side[node.id] == DOWN else -half
        return Box(x - node.width / 2, y - node.height / 2, node.width, node.height)

    def points(self, path: Path, tracks: _Tracks) -> list[Spot]:
        start = _middle(self.box(self.board.nodes[path.flow.source]), path.leave)
        end = _middle(self.box(self.board.nodes[path.flow.target]), path.enter)
        at = []
        for segment in tracks.segments[path.flow.id]:
            line = (self.xs if segment.upright else self.ys)[segment.line]
            at.append(line + TRACK * tracks.place.get((path.flow.id, segment.number), 0.0))
        points = [start]
        for k in range(len(at) - 1):
            upright = tracks.segments[path.flow.id][k].upright
            points.append((at[k], at[k + 1]) if upright else (at[k + 1], at[k]))
        return [*points, end]


def _middle(box: Box, side: int) -> Spot:
    return ((box.right, box.cy), (box.cx, box.bottom), (box.x, box.cy), (box.cx, box.y))[side]


def _place_labels(scene: Scene, board: Board, paths: Mapping[str, Path], *, bare: bool) -> None:
    """Gateways, then events, then flows: the first have the fewest good places."""
    borders = [] if bare else [Box(0, top, scene.width, 0) for top, _ in scene.lanes[1:]]
    lines = [run(a, b) for points in scene.edges.values() for a, b in itertools.pairwise(points)]
    frame = Box(0, 0, scene.width, scene.height)
    clutter = Clutter(frame, list(scene.boxes.values()), lines, borders)
    named = [n for n in board.nodes.values() if n.name and (n.is_gateway or n.is_event)]
    for node in sorted(named, key=lambda n: (n.is_event, n.host is None)):
        style = {UP: "top", DOWN: "bottom"}.get(board.boundary_side.get(node.id, -1), "event")
        places = around(scene.boxes[node.id], node.name, "gateway" if node.is_gateway else style)
        scene.labels[node.id] = clutter.settle(list(places))
    for flow in (p.flow for p in paths.values() if p.flow.name):
        kin = [i for i, p in paths.items() if p.flow.source == flow.source and i != flow.id]
        places = along(scene.edges[flow.id], flow.name, [scene.edges[i] for i in kin])
        scene.labels[flow.id] = clutter.settle(list(places))


@dataclass(eq=False)
class _Segment:
    """A straight piece of a path. `ends`: at which crossing lines it turns and to which side."""

    path: Path
    number: int
    upright: bool
    line: int
    ends: tuple[tuple[float, int], ...]


@dataclass(eq=False)
class _Bundle:
    segments: list[_Segment]
    low: float = 0.0
    high: float = 0.0
    ends: list[tuple[float, int]] = field(default_factory=list)

    def measure(self, shift: Mapping[tuple[str, int], float]) -> None:
        """Takes the ends again, moved by what the crossing channels already decided."""
        ends: set[tuple[float, int]] = set()
        for segment in self.segments:
            neighbours = (segment.number - 1, segment.number + 1)
            for (at, side), number in zip(segment.ends, neighbours, strict=True):
                ends.add((at + shift.get((segment.path.flow.id, number), 0.0), side))
        self.ends = sorted(ends)
        self.low, self.high = self.ends[0][0], self.ends[-1][0]

    def meets(self, other: _Bundle) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass
class _Tracks:
    """`place[flow, segment]` counts tracks from the middle of the channel; `count` is how many a channel holds."""

    segments: dict[str, list[_Segment]]
    place: dict[tuple[str, int], float]
    count: dict[tuple[bool, int], int]


def _assign(board: Board, paths: Mapping[str, Path]) -> _Tracks:
    segments = {i: _segments(p) for i, p in paths.items()}
    tracks = _Tracks(segments, {}, {})
    shift: dict[tuple[str, int], float] = {}
    for upright in (True, False):
        lines = board.verticals if upright else board.horizontals
        for line in (k for k, found in enumerate(lines) if found.channel):
            here = [s for each in segments.values() for s in each if s.upright == upright and s.line == line]
            bundles = _bundles(here, segments)
            for bundle in bundles:
                bundle.measure(shift)
            positions, count = _positions(_ordered(bundles))
            tracks.count[upright, line] = count
            for bundle, position in positions:
                for segment in bundle.segments:
                    tracks.place[segment.path.flow.id, segment.number] = position - (count - 1) / 2
        # Gaps are ordered with the gutters' tracks known: a hundredth of a line per track keeps line order.
        shift = {key: 0.01 * value for key, value in tracks.place.items()}
    return tracks


def _segments(path: Path) -> list[_Segment]:
    runs: list[tuple[int, list[Point]]] = [(path.leave, [path.points[0]])]
    for here, arriving, departing in path.moves():
        runs[-1][1].append(here)
        if departing != arriving:
            runs.append((departing, [here]))
    found = []
    for number, (direction, points) in enumerate(runs):
        upright = direction in (UP, DOWN)
        along = 1 if upright else 0
        ends = []
        if number:
            ends.append((float(points[0][along]), _side(runs[number - 1][0], leaving=False)))
        if number < len(runs) - 1:
            ends.append((float(points[-1][along]), _side(runs[number + 1][0], leaving=True)))
        found.append(_Segment(path, number, upright, points[0][1 - along], tuple(ends)))
    return found


def _side(direction: int, *, leaving: bool) -> int:
    """On which side of a segment (-1 left or above, 1 right or below) its neighbour lies."""
    towards = 1 if direction in (RIGHT, DOWN) else -1
    return towards if leaving else -towards


def _bundles(segments: Sequence[_Segment], every: Mapping[str, list[_Segment]]) -> list[_Bundle]:
    bundles: list[_Bundle] = []
    for segment in segments:
        for bundle in bundles:
            if all(_together(segment, other, every) for other in bundle.segments):
                bundle.segments.append(segment)
                break
        else:
            bundles.append(_Bundle([segment]))
    return bundles


def _together(one: _Segment, other: _Segment, every: Mapping[str, list[_Segment]]) -> bool:
    """Both are reached by the same way from the same source, or lead by the same way to the same target."""
    a, b = one.path, other.path
    if a.flow.source == b.flow.source and one.number == other.number and a.leave == b.leave:
        first, second = every[a.flow.id], every[b.flow.id]
        return _same(first[: one.number], second[: one.number])
    if a.flow.target == b.flow.target and a.enter == b.enter:
        first, second = every[a.flow.id][one.number + 1 :], every[b.flow.id][other.number + 1 :]
        return len(first) == len(second) and _same(first[::-1], second[::-1])
    return False


def _same(first: Sequence[_Segment], second: Sequence[_Segment]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(a.line == b.line and a.upright == b.upright for a, b in pairs)


def _price(left: _Bundle, right: _Bundle) -> float:
    """Crossings that come of drawing `left` before `right`; overlaps weigh much more."""
    if not left.meets(right):
        return 0.0
    price = 0.0
    for at, side in right.ends:
        if side < 0 and left.low < at < left.high:
            price += 1.0
    for at, side in left.ends:
        if side > 0 and right.low < at < right.high:
            price += 1.0
        if side > 0 and (at, -1) in right.ends:
            price += 50.0
        if (at, side) in right.ends:
            price += 0.5
    return price


def _ordered(bundles: Sequence[_Bundle]) -> list[_Bundle]:
    order = sorted(bundles, key=lambda b: (sum(side for _, side in b.ends), b.low, b.high))
    improved = True
    while improved:
        improved = False
        for k in range(len(order)):
            for j in range(len(order)):
                other = [*order[:k], *order[k + 1 :]]
                other.insert(j, order[k])
                if _total(other) < _total(order) - 1e-9:
                    order, improved = other, True
    return order


def _total(order: Sequence[_Bundle]) -> float:
    return sum(_price(a, b) for k, a in enumerate(order) for b in order[k + 1 :])


def _positions(order: Sequence[_Bundle]) -> tuple[list[tuple[_Bundle, float]], int]:
    """Half way between as far left and as far right as the order allows: lonely flows run in the middle."""
    before = [0] * len(order)
    behind = [0] * len(order)
    for k, bundle in enumerate(order):
        before[k] = max((before[j] + 1 for j in range(k) if order[j].meets(bundle)), default=0)
    for k in reversed(range(len(order))):
        later = range(k + 1, len(order))
        behind[k] = max((behind[j] + 1 for j in later if order[j].meets(order[k])), default=0)
    count = max((b + a + 1 for b, a in zip(before, behind, strict=True)), default=0)
    positions = [(b, (before[k] + count - 1 - behind[k]) / 2) for k, b in enumerate(order)]
    return positions, count
