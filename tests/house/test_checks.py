"""Style, types and the floors of the house, each by the tool that knows it best."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

CHECKS = {
    "ruff finds nothing": ["ruff", "check", "--quiet", "app", "tests", "tools"],
    "ruff would format nothing": ["ruff", "format", "--check", "--quiet", "--diff", "app", "tests", "tools"],
    "mypy finds every type sound": ["mypy"],
    "no room imports a room above it": ["lint-imports", "--no-logo", "--no-cache"],
}


@pytest.mark.parametrize("check", CHECKS)
def test_tool(check: str) -> None:
    program, *arguments = CHECKS[check]
    beside = Path(sys.executable).parent / program
    done = subprocess.run([beside, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{check}: not so\n{done.stdout}{done.stderr}"
