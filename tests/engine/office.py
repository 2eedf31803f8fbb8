"""A case in the hands of a test: runs commands, keeps a journal, can restart between commands and replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from app.engine import definition as definitions
from app.engine.definition import Definition, load
from app.engine.expression import Language
from app.engine.runner import Asked, Engine, Step, replaying
from app.values import Json, iso, parse_instant

DAY_ONE = datetime(2026, 3, 2, 12, tzinfo=UTC)
BASE = "2026-03-02T12:00:00Z"
TERMS = {"defesa": 5, "contestacao": 10, "recurso": 15, "pagamento": 30}


def majority(votes: Mapping[str, str]) -> str:
    for value in votes.values():
        if sum(1 for other in votes.values() if other == value) * 2 > len(votes):
            return value
    return ""


LANGUAGE = Language(
    pure={
        "conta": lambda votes, value: sum(1 for vote in votes.values() if vote == value),
        "maioria": majority,
    },
    facts=frozenset({"escolha", "pago", "assentos", "valor"}),
    orders=frozenset({"emitir", "cobrar"}),
)
SEATS = {"presidente": "presidente", "membro1": "membro1", "membro2": "membro2"}


@dataclass
class Office:
    """Answers, clock and journal of one test case. `restart` forgets every compiled definition between commands."""

    files: dict[str, bytes]
    process_id: str = "p"
    facts: dict[str, Json] = field(default_factory=dict)
    restart: bool = True
    case_id: str = "caso-1"
    engine: Engine = field(default_factory=lambda: Engine(LANGUAGE))
    journal: list[tuple[Callable[..., Step], tuple[Asked, ...], str]] = field(default_factory=list)
    step: Step = None  # type: ignore[assignment]

    def definition(self) -> Definition:
        if self.restart:
            definitions._cache.clear()
        return load(self.process_id, self.files, LANGUAGE)

    def ask(self, question: str, args: tuple[Json, ...]) -> Json:
        if question == "prazo":
            key, base = args
            return iso(parse_instant(base) + timedelta(days=TERMS[key]))
        if question == "assentos":
            return SEATS
        answer = self.facts[question]
        return answer(*args) if callable(answer) else answer

    def _do(self, command: Callable[..., Step]) -> Step:
        before = self.step.state if self.step else b""
        self.step = command(self.definition(), before, self.ask)
        self.journal.append((command, self.step.asked, self.step.digest))
        return self.step

    def start(self, **data: Json) -> Step:
        return self._do(lambda d, _, ask: self.engine.start(d, self.case_id, data, DAY_ONE, ask))

    def complete(self, element: str, key: Json = None, **answers: Json) -> Step:
        task = next(t.id for t in self.step.tasks if (t.element, t.key) == (element, key))
        return self._do(lambda d, s, ask: self.engine.complete(d, s, task, answers, DAY_ONE, ask))

    def expire(self, element: str, days: int = 400) -> Step:
        task = next(a.task_id for a in self.step.armed if a.element == element)
        at = DAY_ONE + timedelta(days=days)
        return self._do(lambda d, s, ask: self.engine.expire(d, s, task, at, ask))

    def deliver(self, message: str, **payload: Json) -> Step:
        return self._do(lambda d, s, ask: self.engine.deliver(d, s, message, payload, DAY_ONE, ask))

    def reschedule(self, element: str, expires_at: datetime) -> Step:
        task = next(a.task_id for a in self.step.armed if a.element == element)
        return self._do(lambda d, s, _: self.engine.reschedule(d, s, task, expires_at, DAY_ONE))

    def replay(self) -> None:
        """Do every command again from the recorded answers; every digest must be the recorded one."""
        state = b""
        for command, asked, digest in self.journal:
            answers = replaying(asked)
            step = command(self.definition(), state, answers)
            answers.finish()
            assert step.asked == asked
            assert step.digest == digest
            state = step.state
        assert state == self.step.state

    @property
    def open(self) -> list[Any]:
        return [task.element if task.key is None else (task.element, task.key) for task in self.step.tasks]

    @property
    def running(self) -> list[str]:
        return [armed.element for armed in self.step.armed]

    @property
    def happened(self) -> list[str]:
        return [f"{change.element} {change.state}" for change in self.step.changes]
