"""Random diagrams, walked at random: what is kept is what stood there, and our shortcuts take the library's way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import flow
from tests.engine.diagrams import end, on_timer, parallel, part, process, script, start, user, xor
from tests.engine.office import BASE, Office

COMMANDS = 30  # a walk is given up after so many
VARIABLES = ("v0", "v1", "v2")
Block = Any  # ("user", variable) or ("script", variable, value), or a kind with the blocks it holds

LEAVES = st.one_of(
    st.tuples(st.just("user"), st.sampled_from(VARIABLES)),
    st.tuples(st.just("term"), st.sampled_from(VARIABLES)),
    st.tuples(st.just("script"), st.sampled_from(VARIABLES), st.integers(0, 2)),
)
BLOCKS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.just("all"), st.lists(inner, min_size=2, max_size=3)),
        st.tuples(st.just("either"), st.sampled_from(VARIABLES), inner, inner),
        st.tuples(st.just("after"), st.lists(inner, min_size=2, max_size=3)),
        st.tuples(st.just("inside"), inner),
        st.tuples(st.just("again"), st.sampled_from(VARIABLES), inner),
    ),
    max_leaves=9,
)


@dataclass
class Drawing:
    """Nodes and flows of one scope, while it is drawn; `ids` counts over all scopes."""

    ids: list[int]
    nodes: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)

    def new(self, kind: str) -> str:
        self.ids[0] += 1
        return f"{kind}{self.ids[0]}"

    def flow(self, source: str, target: str, condition: str = "") -> None:
        self.path.append(f"{source} > {target}" + (f" : {condition}" if condition else ""))

    def block(self, block: Block) -> tuple[str, str]:
        """Draws a block; gives the element that a token comes to and the one that it leaves by."""
        return getattr(self, f"_{block[0]}")(*block[1:])  # type: ignore[no-any-return]

    def _user(self, variable: str) -> tuple[str, str]:
        key = self.new(f"faz_{variable}_")
        self.nodes.append(user(key))
        return key, key

    def _term(self, variable: str) -> tuple[str, str]:
        """A task whose term ends it another way, or tells of its end and leaves it open."""
        key, meets = self.new(f"faz_{variable}_"), self.new("x")
        self.nodes += [user(key), on_timer(f"t_{key}", key, "prazo('defesa', ciencia)"), xor(meets)]
        self.flow(key, meets)
        self.flow(f"t_{key}", meets)
        return key, meets

    def _script(self, variable: str, value: int) -> tuple[str, str]:
        key = self.new("s")
        self.nodes.append(script(key, f"{variable} = {value}\nemitir('{key}')"))
        return key, key

    def _all(self, blocks: Sequence[Block]) -> tuple[str, str]:
        opens, closes = self.new("abre"), self.new("fecha")
        self.nodes += [parallel(opens), parallel(closes)]
        for block in blocks:
            first, last = self.block(block)
            self.flow(opens, first)
            self.flow(last, closes)
        return opens, closes

    def _either(self, variable: str, one: Block, other: Block) -> tuple[str, str]:
        opens, closes = self.new("ou"), self.new("x")
        self.nodes += [xor(opens), xor(closes)]
        for condition, block in ((f"{variable} == 0", one), (f"{variable} != 0", other)):
            first, last = self.block(block)
            self.flow(opens, first, condition)
            self.flow(last, closes)
        return opens, closes

    def _after(self, blocks: Sequence[Block]) -> tuple[str, str]:
        drawn = [self.block(block) for block in blocks]
        for (_, last), (first, _) in pairwise(drawn):
            self.flow(last, first)
        return drawn[0][0], drawn[-1][1]

    def _again(self, variable: str, block: Block) -> tuple[str, str]:
        """A task and what follows it, again and again while its answer is 0."""
        opens, asks, closes = self.new("volta"), self.new(f"faz_{variable}_"), self.new("ou")
        self.nodes += [xor(opens), user(asks), xor(closes)]
        first, last = self.block(block)
        for source, target in ((opens, asks), (asks, first), (last, closes)):
            self.flow(source, target)
        self.flow(closes, opens, f"{variable} == 0")
        leaves = self.new("x")
        self.nodes.append(xor(leaves))
        self.flow(closes, leaves, f"{variable} != 0")
        return opens, leaves

    def _inside(self, block: Block) -> tuple[str, str]:
        key, inner = self.new("corpo"), Drawing(self.ids)
        begins, ends = self.new("i"), self.new("f")
        first, last = inner.block(block)
        inner.flow(begins, first)
        inner.flow(last, ends)
        self.nodes.append(part(key, [start(begins), *inner.nodes, end(ends)], "\n".join(inner.path)))
        return key, key


def drawn(block: Block) -> bytes:
    drawing = Drawing([0])
    first, last = drawing.block(block)
    drawing.flow("inicio", first)
    drawing.flow(last, "fim")
    return process("p", [start(), *drawing.nodes, end()], "\n".join(drawing.path))


def walked(block: Block, choices: Sequence[int]) -> Office:
    """Completes or lets expire whatever the next number says, until the case has ended."""
    office = Office({"p.bpmn": drawn(block)}, restart=False)
    office.start(ciencia=BASE, **dict.fromkeys(VARIABLES, 0))
    for choice in choices:
        ways = [*office.running, *(task.element for task in office.step.tasks)]
        if not ways:
            break
        element = ways[choice % len(ways)]
        if element in office.running:
            office.expire(element)
        else:
            office.complete(element, **{element.split("_")[1]: choice % 3})
        kept = office.engine.snapshot(office.definition(), office.step.state)
        assert (kept.digest, kept.tasks, kept.armed, kept.data) == (
            office.step.digest,
            office.step.tasks,
            office.step.armed,
            office.step.data,
        )
    assert office.step.ended == (not office.step.tasks)
    return office


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(block=BLOCKS, choices=st.lists(st.integers(0, 59), min_size=COMMANDS, max_size=COMMANDS))
def test_a_walk_replays_the_same_by_our_way_and_by_the_librarys(block: Block, choices: list[int]) -> None:
    office = walked(block, choices)
    office.replay()
    with pytest.MonkeyPatch.context() as patch:
        for cls in (flow.Flow, flow._Part):
            for shortcut in ("do_engine_steps", "update_waiting_tasks"):
                if shortcut in vars(cls):
                    patch.delattr(cls, shortcut)
        office.replay()


@pytest.mark.long
@settings(max_examples=2000, deadline=None, database=None)
@given(block=BLOCKS, choices=st.lists(st.integers(0, 59), min_size=COMMANDS, max_size=COMMANDS))
def test_two_thousand_walks_replay_the_same(block: Block, choices: list[int]) -> None:
    test_a_walk_replays_the_same_by_our_way_and_by_the_librarys.hypothesis.inner_test(block, choices)  # type: ignore[attr-defined]
