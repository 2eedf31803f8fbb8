"""What tests of copies do with them: where they lie, what they hold, what is said of one that is refused."""

from __future__ import annotations

import json
import tarfile
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.errors import Refused
from app.store import Database, connect
from app.store.backup import Place, restore
from tests.store.tools import of_the_server

NOON = datetime(2026, 5, 11, 15, 0, tzinfo=UTC)
WRITTEN = 5
sqlite_alone = pytest.mark.parametrize("prepared_url", ["sqlite"], indirect=True)
postgresql_alone = pytest.mark.parametrize("prepared_url", ["postgresql"], indirect=True)


def trusting(_database: Database) -> None:
    """Chains are looked at elsewhere."""


def place(url: str) -> Place:
    return Place(url, of_the_server())


def entries(where: Place) -> list[Any]:
    with closing(connect(where.url)) as database, database.reading() as connection:
        return list(
            connection.execute(text("SELECT stream, seq, hash FROM journal ORDER BY stream, seq")).all()
        )


def known(revision: str) -> bool:
    return revision == "0001"


def put_back(where: Place, file: Path, **more: Any) -> Any:
    return restore(where, file, trusting, **{"known": known, "now": NOON, **more})


def refusal(where: Place, file: Path, **more: Any) -> str:
    with pytest.raises(Refused) as told:
        put_back(where, file, **more)
    return told.value.code


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def rewritten(copy: Path, target: Path, change: Any) -> Path:
    """The copy with its manifest changed by hand, its data as they were."""
    with tarfile.open(copy) as old, tarfile.open(target, "w") as new:
        manifest = json.load(old.extractfile("manifesto.json"))  # type: ignore[arg-type]
        change(manifest)
        told = json.dumps(manifest).encode()
        info = tarfile.TarInfo("manifesto.json")
        info.size = len(told)
        new.addfile(info, BytesIO(told))
        new.addfile(old.getmember("dados"), old.extractfile("dados"))
    return target
