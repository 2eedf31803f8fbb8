"""What refusals may say, read from the source: each sentence with a hole for each value, `{name}`.

A message is followed through f-strings, sums, alternatives, names assigned in the same function or module, and
functions of the same module. A message that cannot be followed is reported by `unread`, so that nobody adds one unseen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from app.settings import ROOT

FOLDERS = ("cases", "people", "registry", "documents", "demo", "web")
FLOOR = "store/__init__.py"  # what an act may be refused with before it begins
KINDS = {"Refused", "NotFound", "Forbidden", "Conflict", "Invalid", "TooLate", "Busy", "Unreached"}
# Functions whose answers become the words of a refusal, or of a warning, somewhere else.
ANSWERS = {
    "app/cases/forms.py": {"_message", "_unkeepable", "_registry_fault", "_future_fault"},
    "app/cases/access.py": {"warnings"},
}
# They name a line of the demonstration's own file to whoever runs a command; no page shows them.
CONSOLE = {"app/demo/shapes.py"}
_HOLE = re.compile(r"\{\w+\}")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sentences(root: Path = ROOT) -> set[str]:
    floor = root / "app" / FLOOR
    under = [Source(f"app/{FLOOR}", ast.parse(floor.read_text("utf-8")))] if floor.exists() else []
    return {text for source in (*_sources(root), *under) for text in source.sentences()}


def unread(root: Path = ROOT) -> set[str]:
    """Messages of refusals that could not be followed to their words, as `file: expression`."""
    return {line for source in _sources(root) for line in source.unread()}


def _sources(root: Path) -> Iterator[Source]:
    for folder in FOLDERS:
        for path in sorted((root / "app" / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if name not in CONSOLE:
                yield Source(name, ast.parse(path.read_text("utf-8")))


@dataclass
class Source:
    """One module, with the function around each of its expressions."""

    name: str
    tree: ast.Module

    @cached_property
    def functions(self) -> dict[str, Function]:
        return {n.name: n for n in ast.walk(self.tree) if isinstance(n, Function)}

    def sentences(self) -> Iterator[str]:
        for message, around in self._messages():
            for text in self._texts(message, around) or ():
                yield from _pieces(text)

    def unread(self) -> Iterator[str]:
        for call, _around in self._calls():
            message = call.args[0] if call.args else None
            if message is not None and self._texts(message, _around) is None and not _marked(message):
                yield f"{self.name}: {ast.unparse(message)}"

    def _calls(self) -> Iterator[tuple[ast.Call, Function | None]]:
        """Every refusal made, with the innermost function around it."""
        around: dict[ast.AST, Function] = {}
        for function in self.functions.values():  # an outer function comes before those in it
            around.update(dict.fromkeys(ast.walk(function), function))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
                yield node, around.get(node)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "refuse":
                yield ast.Call(node.func, [], [ast.keyword("fields", a) for a in node.args]), around.get(node)

    def _messages(self) -> Iterator[tuple[ast.expr, Function | None]]:
        for call, around in self._calls():
            if call.args and not _marked(call.args[0]):
                yield call.args[0], around
            for keyword in call.keywords:
                if keyword.arg == "fields" and isinstance(keyword.value, ast.Dict):
                    yield from ((value, around) for value in keyword.value.values if not _marked(value))
        for name in ANSWERS.get(self.name, ()):
            yield from ((answer, self.functions[name]) for answer in _answers(self.functions[name]))

    def _texts(self, node: ast.expr, around: Function | None) -> list[str] | None:
        """What an expression may say; a sum has its parts apart by NUL. None when it has no words of its own."""
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.JoinedStr(values=parts):
                return ["".join(told) for told in product(*(self._part(part, around) for part in parts))]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                both = self._texts(left, around), self._texts(right, around)
                return ["\0".join(told) for told in product(*(side or [""] for side in both))]
            case ast.IfExp(body=body, orelse=orelse):
                either = [self._texts(body, around), self._texts(orelse, around)]
                return [text for side in either for text in side or ()] or None
            case ast.Name(id=name):
                here = list(_assigned(ast.walk(around), name)) if around else []
                return self._all(iter(here or _assigned(self.tree.body, name)), around)
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                return self._all(_answers(self.functions[name]), self.functions[name])
        return None

    def _all(self, nodes: Iterator[ast.expr], around: Function | None) -> list[str] | None:
        found = [text for node in nodes for text in self._texts(node, around) or ()]
        return found if any(_has_words(text) for text in found) else None

    def _part(self, part: ast.expr, around: Function | None) -> list[str]:
        if not isinstance(part, ast.FormattedValue):
            return self._texts(part, around) or [""]
        constant = isinstance(part.value, ast.Name) and part.value.id.isupper()
        worded = None if part.format_spec or constant else self._texts(part.value, around)
        return worded or ["{" + _called(part.value) + "}"]


def _pieces(text: str) -> Iterator[str]:
    """The parts of a sum, with holes of one name told apart."""
    for piece in text.split("\0"):
        seen: dict[str, int] = {}

        def told(hole: re.Match[str], seen: dict[str, int] = seen) -> str:
            name = hole.group()[1:-1]
            seen[name] = seen.get(name, 0) + 1
            return "{" + name + (str(seen[name]) if seen[name] > 1 else "") + "}"

        if _has_words(piece):
            yield _HOLE.sub(told, piece.strip())


def _answers(function: Function) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from node.value.elts if isinstance(node.value, ast.List) else [node.value]


def _assigned(nodes: Iterable[ast.AST], name: str) -> Iterator[ast.expr]:
    for node in nodes:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in node.targets
        ):
            yield node.value


def _called(node: ast.expr) -> str:
    """A name for a hole, after the value in it."""
    match node:
        case (
            ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name)))
        ):
            return re.sub(r"\W", "_", name).strip("_")
    return "value"


def _marked(node: ast.expr) -> bool:
    """Marked for the catalogue where it is written, and collected with the pages."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("N_", "_")


def _has_words(text: str) -> bool:
    return any(c.isalpha() for c in _HOLE.sub("", text))
