"""A case as of one entry of its journal: marks of the diagram, tasks, terms, papers, answers. All from what was played.

`seq` is always the number of an entry that can be believed, or 0 for the time before the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from app.cases.history.past import Past
from app.cases.history.trail import marked, path
from app.cases.proof.standing import MOVES, Item
from app.engine.step import Step
from app.store.cases_tables import ANNULLED
from app.values import Json, parse_instant

RUNNING = ("armed", "window")


@dataclass(frozen=True)
class Term:
    """A counted term. `status` as in the rows, or `annulled`; `trace` is the digest of its counting."""

    key: str
    base: str
    due_at: datetime
    expires_at: datetime
    status: str
    armed_seq: int
    closed_seq: int | None
    trace: str

    @property
    def known_by(self) -> tuple[int, str, str]:
        return self.armed_seq, self.key, self.base


@dataclass(frozen=True)
class Paper:
    """An issued document; `stands` unless the entry that issued it had fallen."""

    id: str
    kind: str
    number: str
    seq: int
    stands: bool


@dataclass(frozen=True)
class Answer:
    """A question of the diagram, its answer and the entry that keeps both."""

    seq: int
    question: str
    args: tuple[Json, ...]
    answer: Json


def marks(past: Past, seq: int) -> dict[str, str]:
    """The drawing's marks: done, active, or late where a term ran out, noticed or not. Flows are done once passed."""
    entries = [past.told[number - 1] for number in path(past.told[:seq]) if _moved(past, number)]
    shown = marked(
        (change.element, change.state, change.task_id)
        for entry in entries
        for change in _step(past, entry.seq).changes
    )
    for entry in entries:
        if entry.body["command"]["op"] == "expire":
            for armed in _step(past, entry.seq - 1).armed:
                if armed.task_id == entry.body["command"]["task"] and shown.get(armed.element) == "done":
                    shown[armed.element] = "late"
    now = past.history[seq]
    if now.step is not None and now.closed_at is None:
        shown |= {a.element: "late" for a in now.step.armed if a.expires_at <= past.told[seq - 1].at}
    return {flow: "done" for entry in entries for flow in _step(past, entry.seq).flows} | shown


def tasks(past: Past, seq: int) -> list[Item]:
    """The tasks that were open, in the order in which they had opened."""
    return [item for item in past.history[seq].items if item.status == "open"]


def terms(past: Past, seq: int) -> list[Term]:
    """Every term counted by then, those of annulled entries too, in the order in which they began."""
    standing = {(t.armed_seq, t.key, t.base): t for t in past.history[seq].terms}
    found = []
    for number, told in _counted(past, seq):
        key, base = told["term"], told["base"]
        due_at, end = parse_instant(told["due_at"]), parse_instant(told["expires_at"])
        kept = standing.get((number, key, base))
        status, closed = (kept.status, kept.closed_seq) if kept else (ANNULLED, None)
        found.append(Term(key, base, due_at, end, status, number, closed, told["trace"]))
    return found


def papers(past: Past, seq: int) -> list[Paper]:
    """Every document issued by then, oldest first."""
    fallen = past.history[seq].fallen
    return [
        Paper(
            order["result"]["document"],
            order["args"][0],
            order["result"]["number"],
            number,
            number not in fallen,
        )
        for number, order in _orders(past, seq)
        if order["order"] == "emitir"
    ]


def answers(past: Past, seq: int) -> list[Answer]:
    """What the diagram asked and was told, in the entries on which the standing rests."""
    return [
        Answer(number, question, tuple(args), answer)
        for number in path(past.told[:seq])
        for question, args, answer in past.told[number - 1].body.get("asked", [])
    ]


def felled(past: Past) -> dict[int, int]:
    """Entries without effect today, each with the entry that took it away.

    Going back behind an annulment undoes it: what an earlier one had taken stays taken by that one.
    """
    taken: list[dict[int, int]] = [{}]
    for entry, standing in zip(past.told, past.history[1:], strict=False):
        command = entry.body["command"]
        first = command["from"] if command["op"] == "annul" else entry.seq
        before = {**taken[-1], **taken[first - 1]}
        taken.append({seq: before.get(seq, entry.seq) for seq in standing.fallen})
    return taken[-1]


def secret(past: Past) -> frozenset[int]:
    """Votes of a round that is still open today: nobody sees a vote before all are in, not even looking back."""
    voting = {
        (item.task.element, item.opened_seq)
        for item in past.history[-1].items
        if item.shape["seat"] and item.status == "open"
    }
    return frozenset(
        entry.seq
        for entry in past.told[: past.believed]
        if entry.body["command"]["op"] == "complete"
        for item in past.history[entry.seq - 1].items
        if item.status == "open"
        and item.task.id == entry.body["command"]["task"]
        and item.shape["seat"]
        and (item.task.element, item.opened_seq) in voting
    )


def _moved(past: Past, seq: int) -> bool:
    return past.told[seq - 1].body["command"]["op"] in MOVES


def _step(past: Past, seq: int) -> Step:
    step = past.history[seq].step
    assert step is not None  # of an entry that moved the diagram, and of the one before an expiry
    return step


def _orders(past: Past, seq: int) -> Iterator[tuple[int, Json]]:
    for entry in past.told[:seq]:
        for order in entry.body.get("orders", []):
            yield entry.seq, order


def _counted(past: Past, seq: int) -> Iterator[tuple[int, Json]]:
    for entry in past.told[:seq]:
        shown = [o["result"] for o in entry.body.get("orders", []) if o["order"] == "contar"]
        for told in [*shown, *entry.body.get("terms", [])]:
            yield entry.seq, told
