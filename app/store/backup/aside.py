"""Where a copy grows before it is whole: a folder beside its place, for its owner only, gone afterwards."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.store.alone import FILE, alone_in

_PREFIX = ".tramita-parte-"


@contextmanager
def workplace(beside: Path) -> Iterator[Path]:
    """A folder next to `beside`, on the same disk. What killed processes left there before is swept away."""
    beside.parent.mkdir(parents=True, exist_ok=True)
    for left in beside.parent.glob(f"{_PREFIX}*"):
        _sweep(left)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=beside.parent))  # made with mode 0700
    try:
        with alone_in([folder]):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put(part: Path, target: Path) -> None:
    """Moves a whole file to its place, over what is there; on the disk before it has the name, for its owner only."""
    part.chmod(0o600)
    with part.open("rb") as opened:
        os.fsync(opened.fileno())
    part.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _sweep(left: Path) -> None:
    """Whoever works in such a folder holds it; one that nobody holds belongs to a process that died."""
    if not (left / FILE).exists():
        return
    with alone_in([left]) as taken:
        if taken is None:
            shutil.rmtree(left, ignore_errors=True)
