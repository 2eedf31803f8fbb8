"""A case played on beyond its journal, in memory: what would follow, by the engine and the same fold, unwritten.

Facts are those of this moment: the registry is asked as an act would ask it now, and orders are not carried out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from app.audit import Entry
from app.cases.acts.annulment import to_be
from app.cases.dossier import Dossier
from app.cases.engines import ENGINE
from app.cases.proof.standing import Standing, fold
from app.cases.vocabulary.facts import ask_of
from app.cases.vocabulary.terms import count_term, told
from app.engine.definition import Definition
from app.engine.runner import Ask
from app.engine.step import Order, Step
from app.law.counting import Due
from app.values import Json


class Trial:
    """Begins where `played` ends. A Refused of the engine or of a fact comes out, and leaves the trial as it was."""

    def __init__(self, dossier: Dossier, played: Sequence[tuple[Entry, Step | None]]) -> None:
        self._dossier = replace(dossier, counted={}, seq=len(played) + 1)
        self._played = list(played)
        self.standing: Standing = fold(self._played)[-1]

    @property
    def open(self) -> bool:
        return self.standing.step is not None and self.standing.closed_at is None

    @property
    def awaited(self) -> frozenset[str]:
        return self.standing.step.awaited if self.open and self.standing.step else frozenset()

    def due(self, key: str, base: str) -> Due:
        """How a term was counted on the way."""
        return count_term(self._dossier, key, base)

    def start(self, flow: Mapping[str, Json], at: datetime) -> None:
        dossier = self._dossier
        step = ENGINE.start(dossier.definition, dossier.id, dict(flow), dossier.tx.now, self._ask(at))
        self._add({"op": "start", "data": dict(flow)}, step, {})

    def complete(self, task: str, flow: Mapping[str, Json], at: datetime) -> None:
        definition, state, now = self._here()
        step = ENGINE.complete(definition, state, task, dict(flow), now, self._ask(at))
        self._add({"op": "complete", "task": task, "data": dict(flow)}, step, {})

    def deliver(self, message: str, payload: Mapping[str, Json], filing_id: str, at: datetime) -> None:
        definition, state, now = self._here()
        step = ENGINE.deliver(definition, state, message, dict(payload), now, self._ask(at))
        self._add({"op": "deliver", "message": message, "data": dict(payload)}, step, {"refiled": filing_id})

    def run_out(self, before: datetime) -> None:
        """Terms that ended by an instant run out, in order."""
        while self.open and self.standing.step is not None:
            due = [one for one in self.standing.step.armed if one.expires_at <= before]
            if not due:
                return
            first = min(due, key=lambda one: one.expires_at)
            definition, state, now = self._here()
            step = ENGINE.expire(definition, state, first.task_id, now, self._ask(first.expires_at))
            self._add({"op": "expire", "task": first.task_id}, step, {})

    def _here(self) -> tuple[Definition, bytes, datetime]:
        assert self.standing.step is not None
        return self._dossier.definition, self.standing.step.state, self._dossier.tx.now

    def _ask(self, at: datetime) -> Ask:
        return ask_of(replace(self._dossier, effective_at=at))

    def _add(self, command: Json, step: Step, extra: Mapping[str, Json]) -> None:
        counted = self._dossier.counted
        terms = [
            told(one.deadline, one.base, counted[(one.deadline, one.base)])
            for one in step.armed
            if (one.deadline, one.base) in counted
        ]
        orders = [{"order": o.name, "args": list(o.args), "result": self._result(o)} for o in step.orders]
        entry = to_be(self._dossier, "trial", {"command": command, "orders": orders, "terms": terms, **extra})
        self._played.append((entry, step))
        self._dossier = replace(self._dossier, seq=self._dossier.seq + 1)
        self.standing = fold(self._played)[-1]

    def _result(self, order: Order) -> Json:
        """What an order would give, as far as the fold reads it: the term that is shown from now on."""
        if order.name != "contar":
            return None
        key, base = str(order.args[0]), str(order.args[1])
        return told(key, base, self.due(key, base))
