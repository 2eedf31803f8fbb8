"""The files of the house, as git would publish them, for the tests of its rules."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRUNED = {".git", ".venv", ".venv-node", "node_modules", "__pycache__", "build", "var"}


@cache
def published() -> tuple[Path, ...]:
    """Files under version control or about to be; without git (an unpacked archive), all that are not built."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        paths = [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [p for p in ROOT.rglob("*") if not PRUNED & set(p.relative_to(ROOT).parts)]
    return tuple(sorted(path for path in paths if path.is_file()))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python(*folders: str) -> Iterator[Path]:
    """Python files below the given folders, `app` when none is given."""
    for path in published():
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in (folders or ("app",)):
            yield path


@cache
def text(path: Path) -> str:
    """The file as text; empty for what is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path), filename=name(path))


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a chain of names, or an empty string."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])
