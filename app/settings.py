"""Frozen settings, read once from the environment. The only file that reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Settings:
    """How one installation runs. One municipality, one database.

    Attributes:
        database_url: SQLAlchemy URL; SQLite file or PostgreSQL (`postgresql+psycopg://`).
        data_dir: folder for the SQLite file, generated keys and stored files; created when missing.
        municipality: folder name under `bpmn/` and `forms/`, such as `jequie`.
        demo: demo accounts, demo clock, fixtures for values that the law leaves unset.
        secret_key: signs the web session; generated into `data_dir` when empty.
        host, port: where the web listens.
    """

    database_url: str
    data_dir: Path
    municipality: str = "jequie"
    demo: bool = False
    secret_key: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    content_dir: Path = ROOT


def from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """Reads `TRAMITA_*`. Raises ValueError naming the variable that cannot be used."""
    env = os.environ if environ is None else environ
    data_dir = Path(env.get("TRAMITA_DATA_DIR", ROOT / "var"))
    port = env.get("TRAMITA_PORT", "8000")
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(f"TRAMITA_PORT={port!r} não é um número de porta")
    return Settings(
        database_url=env.get("TRAMITA_DATABASE_URL", f"sqlite:///{data_dir / 'tramita.db'}"),
        data_dir=data_dir,
        municipality=env.get("TRAMITA_MUNICIPALITY", "jequie"),
        demo=env.get("TRAMITA_DEMO", "") == "1",
        secret_key=env.get("TRAMITA_SECRET_KEY", ""),
        host=env.get("TRAMITA_HOST", "127.0.0.1"),
        port=int(port),
        content_dir=Path(env.get("TRAMITA_CONTENT_DIR", ROOT)),
    )
