"""What comes into an act: every argument is of the type that the act's signature says, or nothing begins.

Doors read forms and stories; whatever else calls an act may hand over anything. Here a wrong type becomes a refusal
before the case is looked for, in one place for all acts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar, cast, get_type_hints

from app.errors import Invalid
from app.values import Json, blank

Act = TypeVar("Act", bound=Callable[..., Any])
_DEEPEST = 8  # levels of lists and objects in one answer; no form has more than two


def entry(act: Act) -> Act:
    """Checks an act's arguments by their annotations.

    An annotation that nothing here reads stops the program at its start: no act has an argument that nobody checks.
    """
    signature, hints = inspect.signature(act), get_type_hints(act)
    readers = {name: _READERS[hints[name]] for name in list(signature.parameters)[1:]}

    @wraps(act)
    def checked(*args: Any, **named: Any) -> Any:
        told = signature.bind(*args, **named)
        for name in told.arguments.keys() & readers.keys():
            told.arguments[name] = readers[name](name, told.arguments[name])
        return act(*told.args, **told.kwargs)

    return cast(Act, checked)


def _exactly(kind: type) -> Callable[[str, Any], Any]:
    """A reader of values of that very type: True is no number."""

    def read(name: str, value: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(name)
        return value

    return read


def _instant(name: str, value: Any) -> datetime | None:
    if value is not None and not isinstance(value, datetime):
        raise _wrong(name)
    return value


def _answers(name: str, value: Any) -> dict[str, Json]:
    """Answers by the names of their fields; one that nobody could see is no answer."""
    if not isinstance(value, Mapping) or not _plain(dict(value), 0):
        raise _wrong(name)
    return {key: told for key, told in value.items() if not (isinstance(told, str) and blank(told))}


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(type(one) is str for one in value):
        raise _wrong(name)
    return tuple(value)


def _plain(value: Any, depth: int) -> bool:
    """Whether a value is what JSON can say. Whether it fits its field is for the form to judge."""
    if value is None or isinstance(value, bool | int | float | str):
        return True
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(isinstance(k, str) and _plain(v, depth + 1) for k, v in value.items())
    return isinstance(value, list) and all(_plain(v, depth + 1) for v in value)


def _wrong(name: str) -> Invalid:
    return Invalid(
        "O pedido traz um dado de tipo errado. Nada foi gravado.", code="argumento.tipo", argument=name
    )


_READERS: dict[Any, Callable[[str, Any], Any]] = {
    str: _exactly(str),
    int: _exactly(int),
    bool: _exactly(bool),
    bytes: _exactly(bytes),
    datetime | None: _instant,
    Mapping[str, Json]: _answers,
    Sequence[str]: _texts,
}
