"""Has one paper set by a process of its own, within a time. Where there is none it says why, but no text of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

from app.values import Json

SECONDS = 30
SCRIPT = Path(__file__).with_name(
    "typesetter.py"
)  # never imported here: typst is not for a process that serves
FAILED = 3  # its exit code when a template does not compile
TYPST = version("typst")
# What typst says may repeat the text it could not set, which is somebody's data: in quotes, or after a colon.
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
_PLAIN = re.compile(r"unknown variable: [\w-]+|PDF/[^:]*: .*|[^:]*")

Typeset = Callable[[Mapping[str, Json]], bytes]


class Unprintable(Exception):
    """There is no PDF; the sentence says why, in Portuguese and without personal data."""


def typeset(order: Mapping[str, Json], script: Path = SCRIPT, seconds: float = SECONDS) -> bytes:
    """The PDF of an order (see `typesetter.py`). Raises Unprintable."""
    # An empty folder to stand in: a template reads no file. Its own session: Ctrl+C is not for the paper in hand.
    with tempfile.TemporaryDirectory(prefix="tramita-") as empty:
        try:
            done = subprocess.run(  # noqa: S603 (our own interpreter and script)
                [sys.executable, "-I", str(script)],
                input=json.dumps(order).encode(),
                capture_output=True,
                timeout=seconds,
                cwd=empty,
                env={"RAYON_NUM_THREADS": "1"},
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Unprintable(f"o documento não ficou pronto em {seconds:g} segundos") from None
    if done.returncode == 0 and done.stdout.startswith(b"%PDF-"):
        return done.stdout
    if done.returncode == FAILED:
        raise Unprintable(f"o modelo não compila: {_without_data(done.stderr)}")
    if done.returncode < 0:
        raise Unprintable(f"o processo que prepara o documento foi encerrado (sinal {-done.returncode})")
    raise Unprintable(f"o processo que prepara o documento falhou (código {done.returncode})")


def _without_data(told: bytes) -> str:
    first = _QUOTED.sub("…", told.decode("utf-8", "replace")).strip().partition("\n")[0]
    plain = _PLAIN.match(first)
    return plain[0][:300] if plain else ""
