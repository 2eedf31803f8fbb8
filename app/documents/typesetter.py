"""Sets one paper and ends: an order as JSON on the standard input, the PDF on the standard output.

Runs as a script in a process of its own, so that no text can take the program's memory, time or files. It knows only
typst: no database, no settings, nothing of the house. The order has `template`, `data` and `timestamp` (seconds).
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

import typst

FAILED = 3  # exit code: the template did not compile
_CPU_SECONDS = 30
_MEMORY = 2 * 1024**3  # bytes of address space; a paper takes less than 100 MB of memory


def typeset(order: dict[str, Any]) -> bytes:
    """The PDF/A-2a and PDF/UA-1; typst itself refuses what does not keep to them. Raises `typst.TypstError`.

    The same order gives the same bytes: no font of the system, no clock.
    """
    data = {"dados": json.dumps(order["data"])}
    compiler = typst.Compiler(order["template"].encode(), root=".", ignore_system_fonts=True, sys_inputs=data)
    made = compiler.compile(format="pdf", pdf_standards=["a-2a", "ua-1"], timestamp=order["timestamp"])
    assert isinstance(made, bytes)
    return made


def limit() -> None:
    """Bounds this process where the system can: processor seconds, memory, no core file."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        for which, most in (
            (resource.RLIMIT_CPU, _CPU_SECONDS),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_AS, _MEMORY),
        ):
            resource.setrlimit(which, (most, most))


def main() -> int:
    try:
        pdf = typeset(json.load(sys.stdin.buffer))
    except typst.TypstError as error:
        print(error.message, file=sys.stderr)
        return FAILED
    sys.stdout.buffer.write(pdf)
    return 0


if __name__ == "__main__":
    limit()
    sys.exit(main())
