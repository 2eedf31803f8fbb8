"""Reads YAML as lawyers write it: every mapping knows its lines, no key twice, no trap of numbers, nothing endless.

Knows nothing of what a story says; `story.py` does.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from app.demo.shapes import shown
from app.errors import Invalid
from app.values import NotUtf8, utf8

LARGEST = 1_000_000  # bytes of a file
DEEPEST = 30  # blocks within blocks
MOST = 50_000  # values, those repeated by `*name` counted each time


class Lined(dict[Any, Any]):
    """A mapping with the line on which it begins and the line of each key."""

    line: int
    lines: dict[Any, int]


def read_yaml(path: Path) -> Any:
    """What a file says. Raises Invalid, with the line, for what is no YAML or not of this kind."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Invalid("o arquivo tem mais de 1 MB; divida-o em vários")
    try:
        told = utf8(data)
    except NotUtf8 as error:
        raise Invalid(
            f"linha {error.line}: o arquivo não está em UTF-8; grave-o de novo com essa codificação"
        ) from None
    try:
        return yaml.load(told, Loader=_Loader)  # noqa: S506 (a SafeLoader with more checks)
    except yaml.reader.ReaderError as error:
        line = told[: error.position].count("\n") + 1
        raise Invalid(f"linha {line}: não é YAML: há um caractere de controle, que não se vê") from None
    except yaml.MarkedYAMLError as error:
        raise Invalid(_unreadable(error)) from None


# What the parser says, and what a person has to look for.
_PROBLEMS = (
    ("mapping values are not allowed", "há dois-pontos no meio de um texto: ponha o texto entre aspas"),
    ("cannot start any token", "há uma tabulação, @, % ou crase: use espaços no recuo, ou ponha o texto entre aspas"),
    ("expected <block end>", "o recuo não é o das linhas de cima, ou falta um hífen"),
    ("could not find expected ':'", "falta dois-pontos depois de uma chave, ou aspas em torno de um texto"),
    ("unexpected end of stream", "as aspas abertas não se fecham"),
    ("expected ',' or", "falta uma vírgula, ou fechar [ ou {"),
    ("undefined alias", "chama-se por * um trecho a que ninguém deu nome com &"),
    ("constructor", "há uma marca (! ou <<) que as histórias não têm"),
    ("another document", "só pode haver uma história por arquivo, sem ---"),
)  # fmt: skip


def _unreadable(error: yaml.MarkedYAMLError) -> str:
    mark, said = error.problem_mark or error.context_mark, error.problem or ""
    where = f"linha {mark.line + 1}, coluna {mark.column + 1}: " if mark else ""
    known = (meaning for sign, meaning in _PROBLEMS if sign in said)
    return f"{where}não é YAML: {next(known, 'confira recuos, dois-pontos e aspas perto daí')}"


class _Loader(yaml.SafeLoader):
    """Refuses what YAML would let pass in silence, and what would never end."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = self._count = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        repeated = self.check_event(yaml.AliasEvent)
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        self._depth += 1
        before = self._count
        if self._depth > DEEPEST:
            raise _fault(mark, f"há mais de {DEEPEST} blocos um dentro do outro")
        node = super().compose_node(parent, index)
        self._depth -= 1
        if repeated and id(node) not in self._sizes:
            raise _fault(mark, "um trecho com nome (&) chama a si mesmo (*)")
        self._count += self._sizes[id(node)] if repeated else 1
        self._sizes[id(node)] = self._count - before
        if self._count > MOST:
            raise _fault(mark, f"há mais de {MOST} valores no arquivo; confira os trechos repetidos (*)")
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError):
            raise _fault(node.start_mark, f"valor ilegível: {shown(node.value)}") from None


def _fault(mark: yaml.Mark, sentence: str) -> Invalid:
    return Invalid(f"linha {mark.line + 1}: {sentence}")


def _mapping(loader: _Loader, node: yaml.MappingNode) -> Lined:
    told = Lined()
    told.line, told.lines = node.start_mark.line + 1, {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise _fault(key_node.start_mark, "uma chave tem de ser um texto")
        key = loader.construct_object(key_node, deep=True)
        if key in told:
            raise _fault(key_node.start_mark, f"chave repetida: {shown(key)}")
        told[key] = loader.construct_object(value_node, deep=True)
        told.lines[key] = key_node.start_mark.line + 1
    return told


def _minute(loader: _Loader, node: yaml.ScalarNode) -> datetime:
    return datetime.fromisoformat(str(loader.construct_scalar(node)))


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int | str:
    """YAML makes 750 of `12:30` and 8 of `010`; a number is only what everybody reads as one."""
    told = str(loader.construct_scalar(node))
    return int(told) if re.fullmatch(r"-?(0|[1-9][0-9]{0,14})", told) else told


def _decimal(loader: _Loader, node: yaml.ScalarNode) -> float | str:
    told = str(loader.construct_scalar(node))
    return float(told) if re.fullmatch(r"-?[0-9]{1,12}\.[0-9]{1,6}", told) else told


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Loader.add_constructor("tag:yaml.org,2002:int", _integer)
_Loader.add_constructor("tag:yaml.org,2002:float", _decimal)
# YAML knows instants with seconds only; people write `2026-05-18 16:30`, and it must be an instant everywhere.
_Loader.add_implicit_resolver("!minuto", re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d$"), list("0123456789"))
_Loader.add_constructor("!minuto", _minute)
