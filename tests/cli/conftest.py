"""The command as somebody types it: arguments and environment in, what stands on the two outputs and the code out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from tests.cases.fixtures import prepare_database, town

__all__ = ["Tramita", "prepare_database", "town", "tramita"]

Tramita = Callable[..., Result]


@pytest.fixture
def tramita(tmp_path: Path) -> Tramita:
    """Runs a command with its data in a folder of the test; `env` adds to the environment or changes it."""

    def run(*arguments: str, **env: str) -> Result:
        told = {
            "TRAMITA_DATA_DIR": str(tmp_path / "data"),
            **dict.fromkeys(("TRAMITA_DATABASE_URL", "TRAMITA_MUNICIPALITY", "TRAMITA_CONTENT_DIR"), ""),
            **dict.fromkeys(("TRAMITA_PORT", "TRAMITA_HOST", "TRAMITA_DEMO", "TRAMITA_ADDRESS"), ""),
            **dict.fromkeys(("TRAMITA_PG_BIN", "TRAMITA_LOG", "TRAMITA_LOG_ADDRESSES"), ""),
            **dict.fromkeys(("TRAMITA_SMTP_URL", "TRAMITA_MAIL_FROM"), ""),
            **env,
        }
        return CliRunner(env=told).invoke(main, arguments)

    return run


def refused(result: Result) -> str:
    """The one sentence on stderr of a command that ended in order, without a traceback."""
    assert isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    (sentence,) = result.stderr.splitlines()
    return sentence
