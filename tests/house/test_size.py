"""Small files, small functions, small folders: a reader finds the whole of a thing on one screen or two."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.house.source import name, published, python, text, tree

FILE, MEDIAN, FUNCTION, FOLDER = 400, 100, 40, 12


def lines(source: str) -> int:
    return len(source.splitlines())


def code(*folders: str) -> Iterator[Path]:
    """Without migrations: what a tool wrote once and nobody edits again."""
    return (path for path in python(*folders) if "versions" not in path.parts)


def test_no_file_of_code_is_longer_than_400_lines() -> None:
    browser = [path for path in published() if path.suffix in {".js", ".mjs", ".css"}]
    files = [*code("app", "tests", "tools"), *browser]
    assert [(name(p), lines(text(p))) for p in files if lines(text(p)) > FILE] == []


def test_half_of_the_files_of_the_product_are_at_most_100_lines_long() -> None:
    assert median(lines(text(p)) for p in code() if text(p).strip()) <= MEDIAN


def test_no_function_is_longer_than_40_lines() -> None:
    long = [
        f"{name(path)}:{node.lineno} {node.name}"
        for path in code("app", "tests", "tools")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION
    ]
    assert long == []


def test_no_folder_of_code_holds_more_than_12_files() -> None:
    folders = Counter(name(path.parent) for path in code("app", "tools"))
    assert {folder: count for folder, count in folders.items() if count > FOLDER} == {}
