"""A case of any earlier day is proven by today's program: same chain, same states, same orders, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache

import orjson
import pytest

from app.audit import GENESIS, link
from app.cases.proof.replay import steps
from app.cases.proof.standing import MOVES
from app.engine.definition import Definition
from app.engine.step import Step
from app.errors import Broken
from app.settings import ROOT
from app.values import Json, canonical
from tests.histories.kept import DIAGRAMS, HERE, History, Line, histories

KEPT = histories()


# Compiling a diagram takes far longer than a step: most histories share one compilation, two get one for every step.
LONGEST = sorted(KEPT, key=lambda history: len(history.lines))[-2:]


@cache
def compiled(digest: str) -> Definition:
    return next(h for h in KEPT if h.head["definition"] == digest).definition()


def replayed(history: History, *, restarts: bool = False) -> list[Step | None]:
    """The steps after each entry. `restarts`: everything compiled is forgotten before each one."""
    after: list[Step | None] = []
    for entry in history.entries:
        definition = history.definition() if restarts else compiled(history.head["definition"])
        ((_, step),) = steps(definition, history.head["case"], [entry], after)
        after.append(step)
    return after


@pytest.mark.parametrize("history", KEPT, ids=lambda history: history.name)
def test_the_chain_of_a_history_is_whole_and_its_bytes_are_canonical(history: History) -> None:
    prev = GENESIS
    for number, line in enumerate(history.lines, 1):
        told = orjson.loads(line.body)
        assert (told["stream"], told["seq"]) == (f"processo:{history.head['case']}", number)
        assert line.prev == prev
        assert line.hash == link(prev, line.body)
        assert canonical(told) == line.body
        prev = line.hash


@pytest.mark.parametrize("history", KEPT, ids=lambda history: history.name)
def test_a_history_gives_the_same_states_orders_and_ends(history: History) -> None:
    for entry, step in zip(history.entries, replayed(history), strict=True):
        if entry.body["command"]["op"] not in MOVES:
            continue
        assert step is not None
        told = {
            "state": step.digest,
            "asked": [[a.question, list(a.args), a.answer] for a in step.asked],
            "orders": [[o.name, list(o.args)] for o in step.orders],
            "milestones": list(step.milestones),
            "ends": list(step.ends),
            "ended": step.ended,
        }
        assert told == _kept(entry.body), f"entry {entry.seq}, {entry.act}"


@pytest.mark.parametrize("history", LONGEST, ids=lambda history: history.name)
def test_a_history_replays_with_a_restart_after_every_step(history: History) -> None:
    told = [step.digest if step else None for step in replayed(history, restarts=True)]
    assert told == [step.digest if step else None for step in replayed(history)]


def _kept(body: Json) -> dict[str, Json]:
    orders = [[order["order"], order["args"]] for order in body["orders"]]
    return {**{key: body[key] for key in ("state", "asked", "milestones", "ends", "ended")}, "orders": orders}


def test_histories_are_pinned_to_the_bytes_of_their_diagrams() -> None:
    pinned = {history.head["definition"] for history in KEPT}
    assert {compiled(digest).digest for digest in pinned} == pinned
    assert {path.name for path in DIAGRAMS.iterdir()} == pinned


def test_what_is_kept_shows_every_way_back_and_a_dozen_ends() -> None:
    shown = {what for history in KEPT for _, what in history.shows()}
    assert {"act annul", "act set_aside", "act correct", "act cancel", "act expire", "act file"} <= shown
    assert len({what for what in shown if what.startswith("end ")}) >= 12


def test_a_history_that_differs_in_one_answer_one_order_or_one_state_does_not_pass() -> None:
    history = next(h for h in KEPT if any(e.body.get("orders") and e.body["asked"] for e in h.entries))
    place = next(n for n, e in enumerate(history.entries) if e.body.get("orders") and e.body["asked"])

    def changed(body: Json, what: str) -> Json:
        if what == "asked":
            return {**body, "asked": [[*body["asked"][0][:2], "outra"], *body["asked"][1:]]}
        if what == "orders":
            return {**body, "orders": body["orders"][1:]}
        return {**body, "state": "0" * 64}

    for what in ("asked", "orders", "state"):
        line = history.lines[place]
        told = orjson.loads(line.body)
        other = Line(line.prev, line.hash, orjson.dumps({**told, "body": changed(told["body"], what)}))
        lines = (*history.lines[:place], other, *history.lines[place + 1 :])
        with pytest.raises((Broken, ValueError)):
            replayed(replace(history, lines=lines))


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    """Nothing may rest on the order of a set, which each process has its own of."""
    code = (
        "from tests.histories.test_replay import KEPT, replayed\n"
        "print([[step and step.digest for step in replayed(history)] for history in KEPT])"
    )
    here = str([[step and step.digest for step in replayed(history)] for history in KEPT])
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, check=True)
    assert told.stdout.decode().strip() == here


def test_saved_files_are_in_place() -> None:
    assert len(KEPT) >= 12
    assert {path.suffix for path in HERE.iterdir() if path.is_file()} == {".py", ".history"}
