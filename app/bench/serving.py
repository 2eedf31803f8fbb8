"""The processes that a measure watches from outside: `tramita web` and `tramita worker`, as they run in an office."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from app.bench.town import CONTENT, SLUG
from app.clock import monotonic

_COMMAND = "import sys; from app.cli import main; main(sys.argv[1:])"
_PATIENCE = 60.0  # seconds for a process to start, on a busy machine


@contextmanager
def web(url: str, folder: Path) -> Iterator[int]:
    """A web server with demo accounts on a free port of this machine. Gives the port once somebody answers there."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with _running(["web", "--port", str(port)], {**_settings(url, folder), "TRAMITA_DEMO": "1"}) as process:
        _answering(port, process)
        yield port


@contextmanager
def worker(url: str, folder: Path) -> Iterator[None]:
    """A worker that watches the deadlines."""
    with _running(["worker"], _settings(url, folder)):
        yield


def _settings(url: str, folder: Path) -> dict[str, str]:
    return {
        "TRAMITA_DATABASE_URL": url,
        "TRAMITA_DATA_DIR": str(folder),
        "TRAMITA_MUNICIPALITY": SLUG,
        "TRAMITA_CONTENT_DIR": str(CONTENT),
    }


@contextmanager
def _running(words: list[str], settings: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    # This very program, with nothing but these words and settings: nobody's input comes near them.
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", _COMMAND, *words],
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _answering(port: int, process: subprocess.Popen[bytes]) -> None:
    patience = monotonic() + _PATIENCE
    while monotonic() < patience and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            Event().wait(0.05)
        else:
            return
    raise RuntimeError("the web server of the measure did not start")
