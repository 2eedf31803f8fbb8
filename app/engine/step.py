"""What one command did and where the case then stands: the only things that leave this room, and the replay of answers.

Plain frozen values, readable without knowing the engine behind them. Nothing is decided or computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from app.engine.guard import flow_value, same
from app.errors import Broken
from app.values import Json

Ask = Callable[[str, tuple[Json, ...]], Json]


@dataclass(frozen=True)
class OpenTask:
    """A task that waits for a person; `key` is the seat when it is one vote of several."""

    id: str
    element: str
    name: str
    lane: str | None
    key: Json
    properties: Mapping[str, str]


@dataclass(frozen=True)
class Armed:
    """A running deadline: its key in the norm, the instant it is counted from, the first late instant."""

    task_id: str
    element: str
    deadline: str
    base: str
    expires_at: datetime


@dataclass(frozen=True)
class Asked:
    """One question of the diagram and the answer it got."""

    question: str
    args: tuple[Json, ...]
    answer: Json


@dataclass(frozen=True)
class Order:
    """Something the diagram wants done, for the caller to carry out."""

    name: str
    args: tuple[Json, ...]
    element: str


@dataclass(frozen=True)
class Change:
    """An element's task changed state; `state` in READY, WAITING, STARTED, COMPLETED, CANCELLED."""

    element: str
    name: str
    state: str
    task_id: str
    lane: str | None


@dataclass(frozen=True)
class Step:
    """What one command did and where the case now stands.

    Attributes:
        state: bytes to keep; `digest` is their SHA-256.
        tasks, armed, awaited, data, ended: where the case stands.
        asked, orders, changes, milestones, ends, thrown, flows: what this command did, in order; empty in a snapshot.
        milestones: values of the property `estado` of the elements reached.
        ends: ids of the end events reached. thrown: messages sent that nobody in the case awaited.
        flows: ids of the sequence flows that tokens went along, each once.
        depth: length of the longest history; a command that exceeds 400 is refused, so warn early.
    """

    state: bytes = field(repr=False)
    digest: str
    tasks: tuple[OpenTask, ...]
    armed: tuple[Armed, ...]
    awaited: frozenset[str]
    asked: tuple[Asked, ...]
    orders: tuple[Order, ...]
    changes: tuple[Change, ...]
    milestones: tuple[str, ...]
    ended: bool
    ends: tuple[str, ...]
    data: Mapping[str, Json]
    thrown: tuple[str, ...] = ()
    depth: int = 0
    flows: tuple[str, ...] = ()


class Replaying:
    """An `ask` that answers from the record. Raises Broken for any question that is not the next one recorded."""

    def __init__(self, asked: Iterable[Asked]) -> None:
        self._left = list(asked)[::-1]

    def __call__(self, question: str, args: tuple[Json, ...]) -> Json:
        if not self._left:
            raise Broken(f"o registro termina antes de {question}{args}")
        kept = self._left.pop()
        if kept.question != question or not same([*map(flow_value, kept.args)], [*map(flow_value, args)]):
            raise Broken(
                f"o registro traz {kept.question}{tuple(kept.args)}, o diagrama pergunta {question}{args}"
            )
        return kept.answer

    def finish(self) -> None:
        """Raises Broken when answers are left that nobody asked for."""
        if self._left:
            raise Broken(f"o registro tem {len(self._left)} respostas que o diagrama não pediu")


def replaying(asked: Iterable[Asked]) -> Replaying:
    """Answers for a replay; call `finish()` on it after the command."""
    return Replaying(asked)
