"""The laws of the house that a grep can hold: one commit, one clock, one reader of the environment."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.source import dotted, name, python, text, tree

STORE, CLOCK, SETTINGS = "app/store/", "app/clock.py", "app/settings.py"

# Called or read, and where alone it may be.
ONLY_IN = {
    "datetime.now": (CLOCK,),
    "datetime.utcnow": (CLOCK,),
    "datetime.today": (CLOCK,),
    "datetime.datetime.now": (CLOCK,),
    "date.today": (CLOCK,),
    "datetime.date.today": (CLOCK,),
    "time.time": (CLOCK,),
    "time.monotonic": (CLOCK,),
    "time.sleep": (CLOCK,),
    "func.now": (),
    "func.current_timestamp": (),
    "os.environ": (SETTINGS,),
    "os.getenv": (SETTINGS,),
    "uuid.uuid1": (STORE,),
    "uuid.uuid4": (STORE,),
}
IMPORTED_ONLY_IN = {"random": (STORE,), "secrets": (STORE,)}


def found(path: Path, wanted: str) -> Iterator[int]:
    module, _, thing = wanted.rpartition(".")
    for node in ast.walk(tree(path)):
        read = isinstance(node, ast.Attribute) and dotted(node) == wanted
        imported = isinstance(node, ast.ImportFrom) and node.module == module
        if read or (imported and any(alias.name == thing for alias in node.names)):
            yield node.lineno


@pytest.mark.parametrize("wanted", ONLY_IN)
def test_time_environment_and_ids_are_asked_for_in_one_place(wanted: str) -> None:
    allowed = ONLY_IN[wanted]
    strays = [
        f"{name(path)}:{line}"
        for path in python()
        if not name(path).startswith(allowed or ("nowhere",))
        for line in found(path, wanted)
    ]
    assert strays == []


@pytest.mark.parametrize("module", IMPORTED_ONLY_IN)
def test_randomness_lives_on_the_floor(module: str) -> None:
    strays = []
    for path in python():
        for node in ast.walk(tree(path)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if module in names and not name(path).startswith(IMPORTED_ONLY_IN[module]):
                strays.append(f"{name(path)}:{node.lineno}")
    assert strays == []


def test_nothing_commits_but_the_store() -> None:
    strays = [
        f"{name(path)}:{node.lineno}"
        for path in python()
        if not name(path).startswith(STORE)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr in {"commit", "begin", "begin_nested"}
    ]
    assert strays == []


def test_no_file_silences_the_rules_about_time_environment_and_ids() -> None:
    silenced = [
        name(path) for path in python() if re.search(r"noqa(?!: ?[A-Z])|noqa:.*(TID251|DTZ)", text(path))
    ]
    assert silenced == []


def test_every_module_says_what_lives_in_it() -> None:
    mute = [name(p) for p in python() if text(p).strip() and not ast.get_docstring(tree(p))]
    assert mute == []


def test_names_come_from_the_field_not_from_the_trade() -> None:
    trade = re.compile(r"(Manager|Service|Helper|Util|Utils)$")
    classes = [
        f"{name(path)}: {node.name}"
        for path in python()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and trade.search(node.name)
    ]
    files = [name(path) for path in python() if re.search(r"(manager|service|helper|util)s?$", path.stem)]
    assert classes + files == []
