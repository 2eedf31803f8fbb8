"""Who works in a folder: a lock that the operating system lets go when the process ends, however it ends."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

FILE = "tramita.lock"  # stays in the folder, empty: what counts is who holds it, not whether it is there


@contextmanager
def alone_in(folders: Iterable[Path], *, shared: bool = False) -> Iterator[Path | None]:
    """Holds the folders, made when missing, while the block runs. Gives the first that somebody else holds, or None.

    `shared` holds them together with others who do the same: a site's processes keep out only who must be alone.
    """
    with ExitStack() as held:
        taken = None
        # One name for each folder: two locks on one file would stand in each other's way, also within a process.
        for folder in dict.fromkeys(path.resolve() for path in folders):
            folder.mkdir(parents=True, exist_ok=True)
            if not _take(held.enter_context((folder / FILE).open("ab")), shared):
                taken = folder
                break
        yield taken


if sys.platform == "win32":
    import msvcrt

    def _take(file: BinaryIO, shared: bool) -> bool:
        if shared:  # this system has no lock that several may hold
            return True
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: BinaryIO, shared: bool) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(file.fileno(), kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
