"""A process that forks others: they begin at once, with everything imported, and share nothing with the tests.

Alone on its stdin and stdout it takes orders and gives answers, both pickled. When the tests end, so do its children.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.settings import ROOT


@dataclass(frozen=True)
class Ended:
    """How a child ended: by which signal, or with what answer."""

    signal: int = 0
    told: Any = None


@dataclass
class Nursery:
    """The tests' side of it. `log` is where children write what they have to say."""

    log: Path
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        command = [sys.executable, "-m", "tests.crash.nursery", str(self.log)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, bufsize=0)

    def start(self, what: Callable[..., Any], *told: Any) -> int:
        """A child that goes on by itself; its process id."""
        return int(self._ask("start", what, told))

    def run(self, what: Callable[..., Any], *told: Any) -> Ended:
        """A child that is waited for."""
        ended: Ended = self._ask("run", what, told)
        return ended

    def stop(self, what: Callable[..., Any], *told: Any) -> int:
        """A child that stops itself, when it has stopped; its process id."""
        return int(self._ask("stop", what, told))

    def warm(self, what: Callable[..., Any], *told: Any) -> None:
        """Done before anybody is forked, so that those who are find norms and diagrams read; leaves nothing open."""
        self._ask("warm", what, told)

    def living(self) -> set[int]:
        """Those that were started and have not ended."""
        living: set[int] = self._ask("living", None, ())
        return living

    def end(self, pid: int) -> None:
        """A child is killed, if it has not ended, and gone when this returns."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        while pid in self.living():
            time.sleep(0.005)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _ask(self, kind: str, what: Callable[..., Any] | None, told: tuple[Any, ...]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(pickle.dumps((kind, what, told)))
        answer = pickle.load(self._process.stdout)
        if isinstance(answer, Exception):
            raise answer
        return answer


def _serve(log: str) -> None:
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    living: set[int] = set()
    try:
        while True:
            try:
                kind, what, told = pickle.load(orders)
            except EOFError:
                return
            living -= {pid for pid in living if os.waitpid(pid, os.WNOHANG) != (0, 0)}
            if kind == "living":
                answer: Any = living
            elif kind == "warm":
                answer = _answer(what, told)
            elif kind in ("start", "stop"):
                answer = _fork(what, told, None)
                living.add(answer)
                if kind == "stop":
                    os.waitpid(answer, os.WUNTRACED)
            else:
                answer = _awaited(what, told)
            answers.write(pickle.dumps(answer))
    finally:
        for pid in living:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _awaited(what: Callable[..., Any], told: tuple[Any, ...]) -> Any:
    ours, theirs = os.pipe()
    pid = _fork(what, told, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb") as answers:
        said = answers.read()
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return Ended(signal=os.WTERMSIG(status))
    answer = pickle.loads(said)
    return answer if isinstance(answer, Exception) else Ended(told=answer)


def _fork(what: Callable[..., Any], told: tuple[Any, ...], answers: int | None) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        said = _answer(what, told)
        if answers is not None:
            os.write(answers, pickle.dumps(said))
    finally:
        os._exit(0)


def _answer(what: Callable[..., Any], told: tuple[Any, ...]) -> Any:
    try:
        return what(*told)
    except Exception as error:
        print(repr(error), file=sys.stderr, flush=True)
        return RuntimeError(f"{what.__name__}: {error!r}")


def _warm() -> None:
    """Norm and diagrams are read and compiled once, before anybody is forked; no connection is left open."""
    from app import logs
    from app.store import connect
    from tests.crash.hamlet import found, play_once

    logs.configure()  # as a worker's: what libraries draw of an exception otherwise takes seconds
    with tempfile.TemporaryDirectory() as folder:
        found(f"sqlite:///{folder}/warm.db")
        play_once(f"sqlite:///{folder}/warm.db")
    connect("postgresql+psycopg://")  # the driver is loaded; nobody is asked anything


if __name__ == "__main__":
    import tests.crash.children  # noqa: F401  (whoever is forked has it)
    from tests.crash import nursery

    _warm()
    nursery._serve(sys.argv[1])
