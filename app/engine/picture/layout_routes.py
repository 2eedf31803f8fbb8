"""How each flow runs between the nodes: a search over the lines of the grid, crossings and bends as cost.

Lines are columns' centres, rows' centres and the channels between them. A flow may use a cell only when it
is empty, so it never crosses a foreign shape. No coordinates in the answer: those need the tracks first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.engine.picture.layout_grid import Cell, Flow, Node

RIGHT, DOWN, LEFT, UP = range(4)
STEP = ((1, 0), (0, 1), (-1, 0), (0, -1))
BEND, CROSSING, OVERLAP, SHARED_CHANNEL, MIXED_PORT = 45.0, 60.0, 900.0, 10.0, 500.0
# What leaving or entering a side costs: flows read from left to right.
LEAVE = {"gateway": (0.0, 4.0, 160.0, 6.0), "other": (0.0, 55.0, 220.0, 60.0)}
ENTER = {"gateway": (0.0, 8.0, 160.0, 8.0), "other": (0.0, 40.0, 220.0, 35.0)}

BOUNDARY_PITCH = 58.0

Point = tuple[int, int]


@dataclass(frozen=True)
class Line:
    """A vertical (`across` = column) or horizontal (`across` = global row) line of the grid.

    `channel` lines lie between cells and may carry several tracks; the others are fixed to a centre,
    moved by `offset` for boundary events.
    """

    channel: bool
    across: int
    offset: float = 0.0
    lane: int = 0


@dataclass
class Board:
    """The lines of a scope and what stands on them."""

    verticals: list[Line]
    horizontals: list[Line]
    cells: dict[str, Cell]
    nodes: dict[str, Node]
    rows: dict[tuple[int, int], int]
    stands: dict[tuple[int, int], str]
    boundary_side: dict[str, int]
    boundary_offset: dict[str, float]
    xs: list[float] = field(default_factory=list)
    ys: list[float] = field(default_factory=list)

    def row_of(self, node: str) -> int:
        cell = self.cells[node]
        return self.rows[cell.lane, cell.row]

    def vertical(self, col: int, offset: float | None) -> int:
        """Index of the gutter left of `col` (offset None) or of a line inside the column."""
        for k, line in enumerate(self.verticals):
            if line.across == col and line.channel == (offset is None) and line.offset == (offset or 0.0):
                return k
        raise KeyError((col, offset))

    def horizontal(self, row: int) -> int:
        return next(k for k, line in enumerate(self.horizontals) if not line.channel and line.across == row)

    def blocked(self, point: Point) -> bool:
        x, y = self.verticals[point[0]], self.horizontals[point[1]]
        return not x.channel and not y.channel and (x.across, y.across) in self.stands

    def port(self, node: str, side: int) -> Point | None:
        """The first point of the grid outside the side of a node; None where no flow may attach."""
        here = self.nodes[node]
        if here.host is not None:
            if side != self.boundary_side[node]:
                return None
            col, row = self.cells[here.host].col, self.row_of(here.host)
            x = self.vertical(col, self.boundary_offset[node])
        else:
            col, row = self.cells[node].col, self.row_of(node)
            x = self.vertical(col, 0.0)
            if side in (UP, DOWN) and self._covered(node, side):
                return None
        y = self.horizontal(row)
        if side == RIGHT:
            return self.vertical(col + 1, None), y
        if side == LEFT:
            return self.vertical(col, None), y
        return (x, y + 1) if side == DOWN else (x, y - 1)

    def _covered(self, node: str, side: int) -> bool:
        return any(
            self.nodes[b].host == node and s == side and abs(self.boundary_offset[b]) < 26
            for b, s in self.boundary_side.items()
        )


def board_of(
    nodes: Sequence[Node], flows: Sequence[Flow], cells: Mapping[str, Cell], lane_count: int
) -> Board:
    by_id = {n.id: n for n in nodes}
    depth = [1 + max((c.row for c in cells.values() if c.lane == k), default=0) for k in range(lane_count)]
    rows: dict[tuple[int, int], int] = {}
    horizontals: list[Line] = []
    for lane, count in enumerate(depth):
        horizontals.append(Line(True, len(rows), lane=lane))
        for row in range(count):
            rows[lane, row] = len(rows)
            horizontals.append(Line(False, rows[lane, row], lane=lane))
            horizontals.append(Line(True, len(rows), lane=lane))
    side, offset = _boundaries(by_id, flows, cells, rows)
    verticals: list[Line] = []
    for col in range(1 + max((c.col for c in cells.values()), default=0)):
        inside = {o for b, o in offset.items() if cells[by_id[b].host or ""].col == col}
        verticals.append(Line(True, col))
        verticals.extend(Line(False, col, o) for o in sorted(inside | {0.0}))
    verticals.append(Line(True, 1 + verticals[-1].across if verticals else 0))
    stands = {(c.col, rows[c.lane, c.row]): i for i, c in cells.items()}
    return Board(verticals, horizontals, dict(cells), by_id, rows, stands, side, offset)


def _boundaries(
    nodes: Mapping[str, Node],
    flows: Sequence[Flow],
    cells: Mapping[str, Cell],
    rows: Mapping[tuple[int, int], int],
) -> tuple[dict[str, int], dict[str, float]]:
    """Which edge of its host a boundary event sits on and how far from the middle.

    The rightmost goes to the nearest row, so that the flows of several events nest instead of crossing.
    """
    guests: dict[tuple[str, int], list[tuple[float, str]]] = {}
    side: dict[str, int] = {}
    for node in nodes.values():
        if node.host is None:
            continue
        home = cells[node.host]
        here = rows[home.lane, home.row]
        targets = [cells[f.target] for f in flows if f.source == node.id and f.target in cells]
        away = [rows[c.lane, c.row] - here for c in targets]
        side[node.id] = UP if away and max(away) < 0 else DOWN
        backwards = any(c.col < home.col for c in targets)
        far = max((abs(a) for a in away), default=0) + (100 if backwards else 0)
        guests.setdefault((node.host, side[node.id]), []).append((far, node.id))
    offset: dict[str, float] = {}
    for (host, _), found in guests.items():
        first = nodes[host].width / 2 - 24
        for k, (_, ident) in enumerate(sorted(found, key=lambda g: g[0])):
            offset[ident] = first - BOUNDARY_PITCH * k
    return side, offset


@dataclass(frozen=True)
class Path:
    """`points` are grid points; `sides` the side left at the source and entered at the target."""

    flow: Flow
    points: tuple[Point, ...]
    leave: int
    enter: int

    def moves(self) -> Iterator[tuple[Point, int, int]]:
        """Each point with the direction of arrival and of departure."""
        arriving = self.leave
        for here, following in zip(self.points, self.points[1:], strict=False):
            departing = _direction(here, following)
            yield here, arriving, departing
            arriving = departing
        yield self.points[-1], arriving, (self.enter + 2) % 4


def _direction(here: Point, there: Point) -> int:
    return STEP.index((_sign(there[0] - here[0]), _sign(there[1] - here[1])))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _unit(here: Point, direction: int) -> tuple[Point, bool]:
    """The piece of line left in a direction, the same from both of its ends."""
    dx, dy = STEP[direction]
    return min(here, (here[0] + dx, here[1] + dy)), dx != 0


class Routes:
    """The paths found so far, and what they occupy."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.paths: dict[str, Path] = {}
        self.pieces: dict[tuple[Point, bool], list[Flow]] = {}
        self.passing: dict[tuple[Point, bool], list[Flow]] = {}
        self.leaving: dict[tuple[str, int], list[Flow]] = {}
        self.entering: dict[tuple[str, int], list[Flow]] = {}

    def find_all(self, flows: Sequence[Flow]) -> dict[str, Path]:
        """Short flows first; then every flow is drawn again knowing where the others run, twice."""
        order = sorted(flows, key=self._distance)
        for flow in order:
            self._add(self._search(flow))
        for _ in range(2):
            for flow in order:
                self._remove(self.paths[flow.id])
                self._add(self._search(flow))
        return {f.id: self.paths[f.id] for f in flows}

    def _distance(self, flow: Flow) -> tuple[float, float]:
        nodes = self.board.nodes
        source = nodes[flow.source].host or flow.source
        a, b = self.board.cells[source], self.board.cells[flow.target]
        rows = abs(self.board.row_of(source) - self.board.row_of(flow.target))
        if source == flow.source and a.col == b.col:
            return 0.0, a.col
        return rows * 2 + abs(a.col - b.col) + (100 if b.col < a.col else 0), a.col

    def _add(self, path: Path) -> None:
        self.paths[path.flow.id] = path
        for users in self._used_by(path):
            users.append(path.flow)

    def _remove(self, path: Path) -> None:
        for users in self._used_by(path):
            users.remove(path.flow)

    def _used_by(self, path: Path) -> Iterator[list[Flow]]:
        """The users of everything the path occupies."""
        yield self.leaving.setdefault((path.flow.source, path.leave), [])
        yield self.entering.setdefault((path.flow.target, path.enter), [])
        for k, (here, arriving, departing) in enumerate(path.moves()):
            if k < len(path.points) - 1:
                yield self.pieces.setdefault(_unit(here, departing), [])
            if arriving == departing:
                yield self.passing.setdefault((here, departing in (RIGHT, LEFT)), [])

    def _search(self, flow: Flow) -> Path:
        goals = self._goals(flow)
        heap: list[tuple[float, float, Point, int, int, tuple[Point, ...]]] = []
        for side in (RIGHT, DOWN, LEFT, UP):
            point = self.board.port(flow.source, side)
            if point is not None and not self.board.blocked(point):
                cost = self._leave_cost(flow, side)
                heapq.heappush(heap, (cost, cost, point, side, side, (point,)))
        done: set[tuple[Point, int, int]] = set()
        while heap:
            _, cost, here, arriving, leave, points = heapq.heappop(heap)
            if arriving < 0:
                return Path(flow, points, leave, -arriving - 1)
            if (here, arriving, leave) in done:
                continue
            done.add((here, arriving, leave))
            for side, extra in goals.get(here, ()):
                if side != arriving:
                    total = cost + extra + self._turn(flow, here, arriving, (side + 2) % 4)
                    heapq.heappush(heap, (total, total, here, -side - 1, leave, points))
            for departing in range(4):
                step = self._step(flow, here, arriving, departing)
                if step is not None:
                    there, price = step
                    guess = cost + price + self._guess(there, goals)
                    heapq.heappush(heap, (guess, cost + price, there, departing, leave, (*points, there)))
        raise AssertionError(f"no way for flow {flow.id}: every channel is free, so this cannot happen")

    def _goals(self, flow: Flow) -> dict[Point, list[tuple[int, float]]]:
        goals: dict[Point, list[tuple[int, float]]] = {}
        costs = ENTER["gateway" if self.board.nodes[flow.target].is_gateway else "other"]
        for side in range(4):
            point = self.board.port(flow.target, side)
            if point is not None and not self.board.blocked(point):
                mixed = MIXED_PORT * len(self.leaving.get((flow.target, side), ()))
                goals.setdefault(point, []).append((side, costs[(side + 2) % 4] + mixed))
        return goals

    def _leave_cost(self, flow: Flow, side: int) -> float:
        node = self.board.nodes[flow.source]
        if node.host is not None:
            return 0.0
        cost = LEAVE["gateway" if node.is_gateway else "other"][side]
        cost += MIXED_PORT * len(self.entering.get((flow.source, side), ()))
        # The ways out of a gateway are told apart more easily when each has its own corner.
        if not node.is_gateway or not self.leaving.get((flow.source, side)):
            return cost
        return cost + (20.0 if node.kind == "eventBasedGateway" else 80.0)

    def _step(self, flow: Flow, here: Point, arriving: int, departing: int) -> tuple[Point, float] | None:
        if departing == (arriving + 2) % 4:
            return None
        there = here[0] + STEP[departing][0], here[1] + STEP[departing][1]
        if not (0 <= there[0] < len(self.board.xs) and 0 <= there[1] < len(self.board.ys)):
            return None
        if self.board.blocked(there):
            return None
        length = abs(self.board.xs[there[0]] - self.board.xs[here[0]])
        length += abs(self.board.ys[there[1]] - self.board.ys[here[1]])
        return there, length + self._turn(flow, here, arriving, departing) + self._piece(
            flow, here, departing
        )

    def _turn(self, flow: Flow, here: Point, arriving: int, departing: int) -> float:
        flat = departing in (RIGHT, LEFT)
        if arriving != departing:
            touched = self._strangers(flow, self.passing.get((here, not flat), ()))
            touched += self._strangers(flow, self.passing.get((here, flat), ()))
            return BEND + 8.0 * touched
        return CROSSING * self._strangers(flow, self.passing.get((here, not flat), ()))

    def _piece(self, flow: Flow, here: Point, departing: int) -> float:
        flat = departing in (RIGHT, LEFT)
        line = self.board.horizontals[here[1]] if flat else self.board.verticals[here[0]]
        strangers = self._strangers(flow, self.pieces.get(_unit(here, departing), ()))
        return strangers * (SHARED_CHANNEL if line.channel else OVERLAP)

    @staticmethod
    def _strangers(flow: Flow, others: Sequence[Flow]) -> int:
        return sum(1 for o in others if o.source != flow.source and o.target != flow.target)

    def _guess(self, here: Point, goals: Mapping[Point, object]) -> float:
        xs, ys = self.board.xs, self.board.ys
        return min(abs(xs[here[0]] - xs[g[0]]) + abs(ys[here[1]] - ys[g[1]]) for g in goals)
