"""Stands between the library and the closed language: evaluates, asks, records what is asked and ordered.

The only place where a diagram's text meets the outside, and the outside is one `ask` callable. No state is kept
beyond one command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from SpiffWorkflow.bpmn.script_engine import BasePythonScriptEngineEnvironment, PythonScriptEngine

from app.engine import expression
from app.engine.expression import DEADLINE, ExpressionFault, Language
from app.engine.guard import detached, flow_value
from app.engine.step import Ask, Asked, Order
from app.errors import Invalid
from app.values import Json, iso, parse_instant


class _Deny(BasePythonScriptEngineEnvironment):
    """The library calls the environment directly in places; none of them is allowed in a diagram."""

    def evaluate(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ExpressionFault("avaliação não permitida")

    execute = evaluate
    call_service = evaluate


class Interpreter(PythonScriptEngine):
    """Gives the library's evaluations to the closed language and records what is asked and ordered."""

    def __init__(self, language: Language, ask: Ask) -> None:
        super().__init__(_Deny())
        self.language, self.ask = language, ask
        self.asked: list[Asked] = []
        self.orders: list[Order] = []

    def evaluate(self, task: Any, source: str, external_context: Mapping[str, Json] | None = None) -> Json:
        scope = {**task.data, **(external_context or {})}
        with _at(task):
            return expression.condition(source, self.language).evaluate(scope, self.call)

    def execute(self, task: Any, script: str, external_context: Any = None) -> bool:
        with _at(task):
            for line in expression.script(script, self.language):
                if line.target is None:
                    args = tuple(map(_plain, line.expression.arguments(task.data, self.call)))
                    self.orders.append(Order(line.order, args, task.task_spec.bpmn_id))
                else:
                    task.data[line.target] = _plain(line.expression.evaluate(task.data, self.call))
        return True

    def arm(self, task: Any, element: str, source: str) -> dict[str, str]:
        with _at(task, element):
            found = expression.deadline(source, self.language)
            key, base = found.arguments(task.data, self.call)
            if not isinstance(key, str) or not isinstance(base, str):
                raise ExpressionFault("o prazo precisa de uma chave e de uma data de início")
            return {"deadline": key, "base": base, "expires_at": self.call(DEADLINE, (key, base))}

    def call(self, name: str, args: tuple[Json, ...]) -> Json:
        if name in self.language.pure:
            try:
                return self.language.pure[name](*map(detached, args))
            except (TypeError, ValueError, LookupError, AttributeError) as error:
                raise ExpressionFault(f"{name}: {error}") from error
        args = tuple(map(_plain, args))
        answer = _plain(self.ask(name, args))
        if name == DEADLINE:
            answer = _instant(answer)
        self.asked.append(Asked(name, args, answer))
        return detached(answer)


def _plain(value: Json) -> Json:
    try:
        return flow_value(value)
    except ValueError as error:
        raise ExpressionFault(str(error)) from error


def _instant(answer: Json) -> str:
    try:
        return iso(parse_instant(answer))
    except (TypeError, ValueError) as error:
        raise ExpressionFault(f"{answer!r} não é um instante") from error


@contextmanager
def _at(task: Any, element: str = "") -> Iterator[None]:
    """Tell the person where the diagram could not go on. Refusals of `ask` pass unchanged."""
    try:
        yield
    except ExpressionFault as error:
        where = element or task.task_spec.bpmn_id or task.task_spec.name
        raise Invalid(
            f"O diagrama não pode prosseguir em {where}: {error}.", code="fluxo.expressao", element=where
        ) from error
