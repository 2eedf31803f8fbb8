"""Holds the rooms that must not be wrong to a bar of covered branches: `coverage_bar.py coverage.json`.

Prints one line per room and fails when law, engine, cases or audit is below the bar. A room without code is
left out; a room with code and no test counts as 0 %.
"""

import json
import sys
from collections import Counter
from pathlib import Path

BAR = 95.0
HELD = ("law", "engine", "cases", "audit")


def main(report: str) -> int:
    rooms: dict[str, Counter[str]] = {}
    for name, file in json.loads(Path(report).read_text(encoding="utf-8"))["files"].items():
        parts = Path(name).parts
        room = parts[1] if len(parts) > 2 else "app"
        rooms.setdefault(room, Counter()).update(
            {k: v for k, v in file["summary"].items() if isinstance(v, int)}
        )
    low = []
    print(f"{'room':<12}{'lines':>8}{'covered':>10}{'branches':>10}{'covered':>10}")
    for room, sums in sorted(rooms.items()):
        lines = percent(sums["covered_lines"], sums["num_statements"])
        branches = percent(sums["covered_branches"], sums["num_branches"])
        mark = ""
        if room in HELD:
            below = min(lines, branches) < BAR
            mark = f"  below {BAR:.0f} %" if below else "  held"
            low += [room] if below else []
        counts = f"{sums['num_statements']:>8}{lines:>9.1f}%{sums['num_branches']:>10}{branches:>9.1f}%"
        print(f"{room:<12}{counts}{mark}")
    if low:
        print(f"coverage: {', '.join(low)} below {BAR:.0f} % of lines and branches")
    return 1 if low else 0


def percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 100.0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"coverage: no report to read: {error!r}")
