"""What the program says of its own work, a line for each thing: in words for people or in JSON for machines.

Nothing that a person typed, is called or owns may stand in a line. So exceptions are told by their types and places
and never by their words, which may quote a name or a number, and of a library's message only its template is told.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, TextIO, cast

import structlog

FORMS = ("texto", "json")
_PLAIN = re.compile(r"[\w./:+<>@-]+", re.ASCII)
_DEEPEST = 50  # places of one exception: one that went round in circles has a thousand
_CODES = ("sqlstate", "sqlite_errorname", "errno", "code")


def configure(form: str = FORMS[0], stream: TextIO | None = None) -> None:
    """Every line goes to `stream`, or to stderr: what is logged is not what a command answers."""
    render = _as_json if form == "json" else _as_text
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _told_apart,
            render,
        ],
        logger_factory=lambda *_: structlog.PrintLogger(cast("TextIO", _Stream(stream))),
    )
    root = logging.getLogger()
    root.handlers[:] = [_Libraries(logging.WARNING)]
    sys.excepthook, threading.excepthook = _uncaught, _uncaught_in_thread


def trace_of(error: BaseException) -> str:
    """Where an exception and what led to it came from, a line for each place, without anybody's data."""
    return "\n".join(_traced(error))


def _traced(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _traced(before)
        yield "and then"
    for frame in traceback.extract_tb(error.__traceback__, limit=-_DEEPEST):
        yield f"{frame.filename}:{frame.lineno} {frame.name}"
    kind = type(error)
    yield f"{kind.__module__}.{kind.__qualname__}{_codes(error)}"


def _codes(error: BaseException) -> str:
    """What identifies an error of the system or of a database and quotes nothing."""
    told = [(name, getattr(error, name, None)) for name in _CODES]
    told.append(("constraint", getattr(getattr(error, "diag", None), "constraint_name", None)))
    plain = [f"{name}={value}" for name, value in told if value and _PLAIN.fullmatch(str(value))]
    return f" ({', '.join(plain)})" if plain else ""


def _told_apart(_logger: Any, _method: str, event: Any) -> Any:
    info = event.pop("exc_info", None)
    error = sys.exc_info()[1] if info is True else info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event["trace"] = trace_of(error)
    return event


def _as_json(_logger: Any, _method: str, event: Any) -> str:
    # ASCII: no letter of another alphabet ends a line, moves the cursor or turns the writing around.
    return json.dumps({key: event[key] for key in _ordered(event)}, ensure_ascii=True, default=str)


def _as_text(_logger: Any, _method: str, event: Any) -> str:
    trace = event.pop("trace", None)
    head = f"{event.pop('timestamp', '-')} {event.pop('level', '-'):<7} {_word(event.pop('event', ''))}"
    line = " ".join([head, *(f"{key}={_word(event[key])}" for key in sorted(event))])
    if not trace:
        return line
    # Set in: a line of a trace cannot be taken for a line of the log.
    return "\n".join([line, *(f"    | {_word(part)}" for part in str(trace).split("\n"))])


def _ordered(event: dict[str, Any]) -> list[str]:
    first = [key for key in ("timestamp", "level", "event") if key in event]
    return first + sorted(set(event) - set(first))


def _word(value: Any) -> str:
    """Plain text that fits one line as it is; anything else quoted, with everything odd in it escaped."""
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=True)


class _Stream:
    """Where lines go. Nobody may read them any more, or the disk be full: that costs lines and no act its answer."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            (self._stream or sys.stderr).write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            (self._stream or sys.stderr).flush()


class _Libraries(logging.Handler):
    """What libraries log, by place and template: what they fill in may be anybody's data.

    A message without arguments may have been filled in by the library already, or be an exception: its place tells.
    """

    def emit(self, record: logging.LogRecord) -> None:
        told: dict[str, Any] = {"exc_info": record.exc_info} if record.exc_info else {}
        log = structlog.get_logger()
        tell = log.error if record.levelno >= logging.ERROR else log.warning
        if record.args and isinstance(record.msg, str) and "%" in record.msg:
            told["message"] = record.msg[:200]
        tell("library", logger=record.name, place=f"{record.module}:{record.lineno}", **told)


def _uncaught(_kind: type[BaseException], error: BaseException, _traceback: TracebackType | None) -> None:
    structlog.get_logger().error("uncaught", exc_info=error)


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        structlog.get_logger().error("uncaught", exc_info=args.exc_value)
