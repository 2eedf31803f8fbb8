"""Which entries brought a diagram to where it stands, and the marks that their changes leave on it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.audit import Entry

_WAITING = frozenset({"READY", "WAITING", "STARTED"})

Change = tuple[str, str, str]  # element, state, id of the engine's task


def path(told: Sequence[Entry], until: int | None = None) -> tuple[int, ...]:
    """Numbers of the entries on which the standing after entry `until` (the last) rests, oldest first.

    Going back to before an entry leaves out everything from there on, the annulment itself included.
    """
    by_number = {entry.seq: entry for entry in told}
    at, kept = max(by_number, default=0) if until is None else until, []
    while at > 0:
        command = by_number[at].body.get("command", {}) if at in by_number else {}
        if command.get("op") == "annul":
            at = min(command["from"], at)
        else:
            kept.append(at)
        at -= 1
    return tuple(reversed(kept))


def marked(changes: Iterable[Change]) -> dict[str, str]:
    """How each element stands after its changes: done or active; without a mark when its token was taken away."""
    states: dict[str, dict[str, str]] = {}
    for element, state, task_id in changes:
        tasks = states.setdefault(element, {})
        if state == "COMPLETED":
            # Tokens that waited at a join go on with the one that completed it; nothing else closes them.
            states[element] = tasks = {t: s for t, s in tasks.items() if s != "WAITING"}
        tasks[task_id] = state
    shown = {}
    for element, by_task in states.items():
        if _WAITING & set(by_task.values()):
            shown[element] = "active"
        elif "COMPLETED" in by_task.values():
            shown[element] = "done"
    return shown
