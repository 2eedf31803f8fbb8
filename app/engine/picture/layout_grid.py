"""Where each node of a scope goes on the grid: a column, a lane and a row of that lane.

Columns follow the flow (longest path, loops ignored). Rows keep the longest path of each lane straight
on row 0; side branches take the nearest free row below or above it. No coordinates and no XML here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from app.errors import Invalid


@dataclass(frozen=True)
class Node:
    """What the layout must know of a flow node. `host` is set on boundary events only."""

    id: str
    kind: str
    name: str
    width: float
    height: float
    lane: int = 0
    host: str | None = None
    col: int | None = None
    row: int | None = None

    def wider(self, width: float) -> Node:
        return replace(self, width=width)

    @property
    def is_gateway(self) -> bool:
        return self.kind.endswith("Gateway")

    @property
    def is_event(self) -> bool:
        return self.kind.endswith("Event")


@dataclass(frozen=True)
class Flow:
    id: str
    source: str
    target: str
    name: str = ""


@dataclass(frozen=True, order=True)
class Cell:
    """`row` is relative to the lane: 0 is its main line, negative above it."""

    col: int
    lane: int
    row: int


@dataclass
class _Graph:
    """The scope without boundary events: their flows leave from the host."""

    nodes: Mapping[str, Node]
    order: dict[str, int] = field(default_factory=dict)
    after: dict[str, list[str]] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    topological: list[str] = field(default_factory=list)


def place(nodes: Sequence[Node], flows: Sequence[Flow]) -> dict[str, Cell]:
    """The cell of every node that is not a boundary event. Same input, same answer.

    Raises Invalid when two nodes are hinted to the same column, lane and row.
    """
    graph = _acyclic(nodes, flows)
    level: set[tuple[str, str]] = set()
    while True:
        cells = _placed(graph, level)
        stuck = [pair for pair in _drops_of(graph, cells) if _obstructed(cells, *pair)]
        if not stuck:
            return _squeezed(cells)
        # The way down is not free: draw the target further right, like inside a lane, and try again.
        level.add(stuck[0])


def _placed(graph: _Graph, level: Set[tuple[str, str]]) -> dict[str, Cell]:
    rows = _Rows(graph, _columns(graph, level))
    rows.take_hints()
    chains = list(_chains(graph))
    for chain in chains:
        rows.take_chain(chain, spine=chain is chains[0])
    return _drawn_near(graph, rows.cells, set(chains[0]) if chains else set())


def _drops_of(graph: _Graph, cells: Mapping[str, Cell]) -> Iterator[tuple[str, str]]:
    """Flows between lanes within one column, in an order that does not depend on the rows."""
    for source in graph.topological:
        for target in graph.after[source]:
            if cells[source].col == cells[target].col and graph.nodes[target].col is None:
                yield source, target


def _obstructed(cells: Mapping[str, Cell], source: str, target: str) -> bool:
    low, high = sorted((cells[source], cells[target]), key=lambda c: (c.lane, c.row))
    between = (c for c in cells.values() if c.col == low.col)
    return any((low.lane, low.row) < (c.lane, c.row) < (high.lane, high.row) for c in between)


def _acyclic(nodes: Sequence[Node], flows: Sequence[Flow]) -> _Graph:
    main = {n.id: n for n in nodes if n.host is None}
    host = {n.id: n.host for n in nodes if n.host is not None}
    graph = _Graph(main, {i: k for k, i in enumerate(main)})
    graph.after = {i: [] for i in main}
    graph.before = {i: [] for i in main}
    ahead: dict[str, list[str]] = {i: [] for i in main}
    entered = set()
    # Flows of the node itself before those of its boundary events: the regular way is the main one.
    for flow in sorted(flows, key=lambda f: f.source in host):
        source = host.get(flow.source, flow.source)
        if source in main and flow.target in main and flow.target not in ahead[source]:
            ahead[source].append(flow.target)
            entered.add(flow.target)
    roots = [i for i in main if i not in entered] + list(main)
    finished, back = _depth_first(roots, ahead)
    graph.topological = finished[::-1]
    for source, targets in ahead.items():
        for target in targets:
            if (source, target) not in back:
                graph.after[source].append(target)
                graph.before[target].append(source)
    return graph


def _depth_first(
    roots: Iterable[str], ahead: Mapping[str, Sequence[str]]
) -> tuple[list[str], set[tuple[str, str]]]:
    """Nodes in order of finishing, and the flows that close a loop."""
    finished: list[str] = []
    back: set[tuple[str, str]] = set()
    state: dict[str, str] = {}
    for root in roots:
        if root in state:
            continue
        state[root] = "open"
        stack = [(root, iter(ahead[root]))]
        while stack:
            node, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                state[node] = "closed"
                finished.append(node)
                stack.pop()
            elif target not in state:
                state[target] = "open"
                stack.append((target, iter(ahead[target])))
            elif state[target] == "open":
                back.add((node, target))
    return finished, back


def _columns(graph: _Graph, level: Set[tuple[str, str]]) -> dict[str, int]:
    """One column further than what comes before, in the same one when the flow drops into another lane.

    A node never shares a column with what led to it in its own lane, or the flow would seem to turn back.
    """
    columns: dict[str, int] = {}
    behind: dict[str, dict[int, int]] = {}
    for node in graph.topological:
        lane, hint = graph.nodes[node].lane, graph.nodes[node].col
        led: dict[int, int] = {}
        for before in graph.before[node]:
            for other, col in behind[before].items():
                led[other] = max(led.get(other, col), col)
        steps = (
            columns[p] + (0 if _drops(graph, p, node) and (p, node) not in level else 1)
            for p in graph.before[node]
        )
        reached = max(max(steps, default=0), led.get(lane, -1) + 1)
        columns[node] = reached if hint is None else hint
        behind[node] = {**led, lane: columns[node]}
    return columns


def _drops(graph: _Graph, source: str, target: str) -> bool:
    """Whether the target may stand right above or below its source: one per side, the first of the file."""
    home, lane = graph.nodes[source].lane, graph.nodes[target].lane
    same_side = [t for t in graph.after[source] if (graph.nodes[t].lane - home) * (lane - home) > 0]
    return lane != home and same_side[0] == target


def _chains(graph: _Graph) -> Iterable[list[str]]:
    """Longest chain first, until every node is in one. The first chain is the main path."""
    left = set(graph.nodes)
    while left:
        length: dict[str, int] = {}
        for node in reversed(graph.topological):
            if node in left:
                length[node] = 1 + max((length[t] for t in graph.after[node] if t in left), default=0)
        # A branch is drawn right where it leaves a chain already drawn, hence the columns as tie-break.
        node = min(length, key=lambda i: (-length[i], graph.order[i]))
        chain = []
        while node:
            chain.append(node)
            following = [t for t in graph.after[node] if t in left]
            node = max(following, key=lambda i: length[i], default="")
        left.difference_update(chain)
        yield chain


class _Rows:
    """Rows being handed out. `taken` holds cells with a node, `crossed` cells that a straight flow passes."""

    def __init__(self, graph: _Graph, columns: Mapping[str, int]) -> None:
        self.graph = graph
        self.columns = columns
        self.cells: dict[str, Cell] = {}
        self.taken: dict[Cell, str] = {}
        self.crossed: set[Cell] = set()
        self.limits: dict[int, tuple[int, int]] = {}

    def take_hints(self) -> None:
        for node in self.graph.nodes.values():
            if node.row is None:
                continue
            cell = Cell(self.columns[node.id], node.lane, node.row)
            if cell in self.taken:
                raise Invalid(
                    f"As dicas de posição de '{node.id}' e '{self.taken[cell]}' apontam o mesmo lugar: "
                    "mude tramita:col ou tramita:row de um deles.",
                    code="desenho.dica_repetida",
                )
            self._settle(node.id, cell)

    def take_chain(self, chain: Sequence[str], *, spine: bool) -> None:
        for run in self._runs(chain):
            lane = self.graph.nodes[run[0]].lane
            row = 0 if spine and self._fits(run, lane, 0) else self._best_row(run, lane)
            for node in run:
                self._settle(node, Cell(self.columns[node], lane, row))
            self._cross(run[0], run[-1], lane, row)
        self._cross_joints(chain)

    def _runs(self, chain: Sequence[str]) -> list[list[str]]:
        """Pieces of the chain that can share a row: same lane, growing columns, not hinted."""
        runs: list[list[str]] = []
        last: str | None = None
        for node in chain:
            if node in self.cells:
                last = None
                continue
            same = (
                last is not None
                and self.graph.nodes[last].lane == self.graph.nodes[node].lane
                and self.columns[last] < self.columns[node]
            )
            if same:
                runs[-1].append(node)
            else:
                runs.append([node])
            last = node
        return runs

    def _fits(self, run: Sequence[str], lane: int, row: int) -> bool:
        span = range(self.columns[run[0]], self.columns[run[-1]] + 1)
        here = (Cell(col, lane, row) for col in span)
        return not any(cell in self.taken or cell in self.crossed for cell in here)

    def _best_row(self, run: Sequence[str], lane: int) -> int:
        low, high = self.limits.get(lane, (0, 0))
        reach = high - low + 2
        candidates = [r for r in range(low - reach, high + reach + 1) if self._fits(run, lane, r)]
        return min(candidates, key=lambda r: (self._cost(run, lane, r), abs(r), -r))

    def _cost(self, run: Sequence[str], lane: int, row: int) -> float:
        low, high = self.limits.get(lane, (0, 0))
        outside = max(low - row, row - high, 0) if lane in self.limits else abs(row)
        cost = 1.5 * outside
        for other in self.graph.before[run[0]]:
            cost += self._pull(other, lane, row, 2.0, self.columns[run[0]])
        for node in run[-1:]:
            for other in self.graph.after[node]:
                cost += self._pull(other, lane, row, 1.0, self.columns[run[-1]])
        return cost

    def _pull(self, other: str, lane: int, row: int, weight: float, col: int) -> float:
        cell = self.cells.get(other)
        if cell is None:
            return 0.0
        low, high = self.limits.get(lane, (0, 0))
        if cell.lane != lane:
            away = row - low if cell.lane < lane else high - row
            between = range(low, row) if cell.lane < lane else range(row + 1, high + 1)
            blocked = cell.col == col and any(Cell(col, lane, r) in self.taken for r in between)
            return weight * (0.3 * away + (1.0 if blocked else 0.0))
        first, last = sorted((cell.col, col))
        busy = any(Cell(c, lane, row) in self.taken for c in range(first + 1, last))
        taken = self._entered_from(other, row - cell.row)
        return weight * (abs(row - cell.row) + (2.0 if busy else 0.0) + (1.0 if taken else 0.0))

    def _entered_from(self, node: str, side: int) -> bool:
        """Whether a flow drops into the node from above (`side` negative) or below: that corner is taken."""
        cell = self.cells[node]
        before = (self.cells[b] for b in self.graph.before[node] if b in self.cells)
        return any(b.col == cell.col and (b.lane - cell.lane) * side > 0 for b in before)

    def _settle(self, node: str, cell: Cell) -> None:
        self.cells[node] = cell
        self.taken[cell] = node
        low, high = self.limits.get(cell.lane, (cell.row, cell.row))
        self.limits[cell.lane] = (min(low, cell.row), max(high, cell.row))

    def _cross(self, first: str, last: str, lane: int, row: int) -> None:
        for col in range(self.columns[first] + 1, self.columns[last]):
            self.crossed.add(Cell(col, lane, row))

    def _cross_joints(self, chain: Sequence[str]) -> None:
        """Keeps free the way between the chain and the nodes of its row that it comes from or goes to."""
        for node in (chain[0], chain[-1]):
            for other in (*self.graph.before[node], *self.graph.after[node]):
                cell, here = self.cells.get(other), self.cells[node]
                if cell and (cell.lane, cell.row) == (here.lane, here.row):
                    first, last = sorted((other, node), key=lambda i: self.columns[i])
                    self._cross(first, last, here.lane, here.row)


def _drawn_near(graph: _Graph, cells: dict[str, Cell], spine: Set[str]) -> dict[str, Cell]:
    """Moves side groups of a lane up or down to be closer to the lanes that their flows go to."""
    limits: dict[int, tuple[int, int]] = {}
    for cell in cells.values():
        low, high = limits.get(cell.lane, (cell.row, cell.row))
        limits[cell.lane] = (min(low, cell.row), max(high, cell.row))
    for group in _groups(graph):
        if any(i in spine or graph.nodes[i].row is not None for i in group):
            continue
        lane = cells[group[0]].lane
        low, high = limits[lane]
        others = [c for i, c in cells.items() if c.lane == lane and i not in group]
        rows = [cells[i].row for i in group]
        moves = [
            d
            for d in range(low - min(rows), high - max(rows) + 1)
            if not _collides([cells[i] for i in group], d, others)
        ]
        best = min(moves, key=lambda d: (_distance(graph, cells, group, d, limits[lane]), abs(d)), default=0)
        for ident in group:
            cells[ident] = replace(cells[ident], row=cells[ident].row + best)
    return cells


def _groups(graph: _Graph) -> list[list[str]]:
    """Nodes of a lane that its own flows connect."""
    group: dict[str, list[str]] = {i: [i] for i in graph.nodes}
    for source, targets in graph.after.items():
        for target in targets:
            one, other = group[source], group[target]
            if one is not other and graph.nodes[source].lane == graph.nodes[target].lane:
                one.extend(other)
                group.update(dict.fromkeys(other, one))
    return [g for i, g in group.items() if g[0] == i]


def _collides(group: Sequence[Cell], move: int, others: Sequence[Cell]) -> bool:
    left, right = min(c.col for c in group), max(c.col for c in group)
    top, bottom = min(c.row for c in group) + move, max(c.row for c in group) + move
    return any(left <= c.col <= right and top <= c.row <= bottom for c in others)


def _distance(
    graph: _Graph, cells: Mapping[str, Cell], group: Sequence[str], move: int, limits: tuple[int, int]
) -> int:
    total = 0
    for ident in group:
        here = cells[ident]
        for other in (*graph.before[ident], *graph.after[ident]):
            if cells[other].lane < here.lane:
                total += here.row + move - limits[0]
            elif cells[other].lane > here.lane:
                total += limits[1] - here.row - move
    return total


def _squeezed(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """The same cells without empty columns and with rows counted from 0 in each lane."""
    cols = {col: k for k, col in enumerate(sorted({c.col for c in cells.values()}))}
    lanes: dict[int, set[int]] = {}
    for cell in cells.values():
        lanes.setdefault(cell.lane, set()).add(cell.row)
    rows = {(lane, row): k for lane, used in lanes.items() for k, row in enumerate(sorted(used))}
    return {i: Cell(cols[c.col], c.lane, rows[c.lane, c.row]) for i, c in cells.items()}
