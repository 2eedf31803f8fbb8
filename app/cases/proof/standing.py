"""What stands in a case: a fold over its journal, entry by entry, with the engine's step beside each.

The rows of tasks, terms, status and charge are a cache of this. Annulling goes back to how the case stood before an
entry, so each entry's outcome is kept while folding; the audit compares the outcome of the last one with the rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.audit import Entry
from app.cases.dossier import CANCELLED, FIRST_STATUS
from app.cases.record import shape_of
from app.engine.step import OpenTask, Step
from app.values import Json, parse_instant

MOVES = frozenset({"start", "complete", "deliver", "expire"})  # commands that move the diagram
_CLOSING = {"expire": "cancelled"}  # what becomes of terms that a step takes away: others meet them


@dataclass
class Item:
    """A human task as its row should be."""

    task: OpenTask
    opened_seq: int
    opened_at: datetime
    assigned_to: str | None = None
    claimed_by: str | None = None
    status: str = "open"
    closed_seq: int | None = None
    closed_at: datetime | None = None
    closed_by: str | None = None

    @property
    def closing(self) -> tuple[object, ...]:
        return self.status, self.closed_seq, self.closed_at, self.closed_by

    @property
    def shape(self) -> dict[str, str | None]:
        return shape_of(self.task)


@dataclass
class Counted:
    """A counted term as its row should be. `task_id` while an event of the diagram waits for its end, or has waited."""

    key: str
    base: str
    expires_at: datetime
    armed_seq: int
    status: str
    task_id: str | None = None
    closed_seq: int | None = None
    noticed_at: datetime | None = None


@dataclass
class Standing:
    """How a case stands after an entry.

    Attributes:
        fallen: entries that no longer have an effect. A filing received by one of them is in the folder all the same.
        units: what the case makes somebody owe, in hundredths of the law's unit; None when it never did.
        refund: percent and centavos of a refund that was ordered.
        occurrence: what became of the infringer's occurrence, once it was entered.
        delivered: ids of filings that moved the diagram.
        dropped: ids of filings that were annulled themselves.
    """

    step: Step | None = None
    items: list[Item] = field(default_factory=list)
    terms: list[Counted] = field(default_factory=list)
    status: str = FIRST_STATUS
    closed_at: datetime | None = None
    closed_reason: str | None = None
    fallen: set[int] = field(default_factory=set)
    units: int | None = None
    refund: tuple[int, int] | None = None
    occurrence: str | None = None
    delivered: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)

    def copy(self) -> Standing:
        """One whose rows may be changed; steps and tasks are frozen and shared."""
        return replace(
            self,
            items=[replace(item) for item in self.items],
            terms=[replace(term) for term in self.terms],
            fallen=set(self.fallen),
            delivered=set(self.delivered),
            dropped=set(self.dropped),
        )


def fold(played: Iterable[tuple[Entry, Step | None]]) -> list[Standing]:
    """How the case stood before its first entry (index 0) and after each entry (index is its number)."""
    history, told = [Standing()], []
    for entry, step in played:
        told.append(entry)
        op = entry.body["command"]["op"]
        now = _back(history, told, entry) if op == "annul" else history[-1].copy()
        if op in MOVES and step is not None:
            _moved(now, entry, step)
        else:
            _beside(now, entry)
        history.append(now)
    return history


def _back(history: list[Standing], told: list[Entry], entry: Entry) -> Standing:
    """How the case stood before the entry from which everything is annulled, with what stays of the rest."""
    first: int = entry.body["command"]["from"]
    back, last = history[first - 1].copy(), history[-1]
    since = [e for e in told if first <= e.seq < entry.seq]
    back.fallen |= {e.seq for e in since if falls(e)}
    # Corrections of what stands no longer fall with it; those of the rest, notes, files and filings stay.
    # In their order: a correction of a correction falls with the one before it.
    for correction in since:
        if correction.body.get("corrects") in back.fallen:
            back.fallen.add(correction.seq)
    _keep_claims(back, last)
    back.dropped |= last.dropped | set(entry.body.get("dropped", []))
    back.fallen |= {e.seq for e in told if e.body.get("filing") in back.dropped}
    for earlier in since:
        if earlier.seq not in back.fallen:
            _meet(back, earlier)
    return back


def _keep_claims(back: Standing, last: Standing) -> None:
    """Whoever has a task keeps it when going back leaves it as it is; one that opens again is anybody's."""
    before = {(item.opened_seq, item.task.id): item for item in last.items}
    for item in back.items:
        was = before.get((item.opened_seq, item.task.id))
        same = was is not None and was.closing == item.closing
        item.claimed_by = was.claimed_by if was is not None and same else None


def falls(entry: Entry) -> bool:
    """Whether an entry has an effect to lose when the case goes back behind it. What was handed in stays handed in."""
    op = entry.body["command"]["op"]
    return op in MOVES or op == "annul" or entry.act == "cancel"


def _moved(now: Standing, entry: Entry, step: Step) -> None:
    command = entry.body["command"]
    _items(now, entry, step)
    for order in entry.body.get("orders", []):
        _ordered(now, entry, order)
    _terms(now, entry, step)
    _meet(now, entry)
    if step.milestones:
        now.status = step.milestones[-1]
    if step.ended:
        now.closed_at = entry.at
        _close_windows(now, entry.seq)
    if command["op"] == "deliver":
        now.delivered.add(entry.body.get("filing") or entry.body["refiled"])
    now.step = step


def _beside(now: Standing, entry: Entry) -> None:
    """Entries that leave the diagram where it is: a payment nobody waited for, a claim, the end by a person."""
    _meet(now, entry)
    if entry.body["command"]["op"] in ("claim", "release"):
        _claim(now, entry)
    if entry.act != "cancel":
        return
    for item in now.items:
        if item.status == "open":
            _close_item(item, "cancelled", entry, entry.actor)
    for term in now.terms:
        if term.status == "armed":
            term.status, term.closed_seq = "cancelled", entry.seq
    _close_windows(now, entry.seq)
    now.status, now.closed_at, now.closed_reason = CANCELLED, entry.at, entry.body["reason"]
    if entry.body.get("charge") == "cancelada":
        now.units = 0
    if now.occurrence is not None:
        now.occurrence = "anulada"


def _claim(now: Standing, entry: Entry) -> None:
    command = entry.body["command"]
    for item in now.items:
        if item.status == "open" and item.task.id == command["task"]:
            item.claimed_by = entry.actor.removeprefix("pessoa:") if command["op"] == "claim" else None


def _items(now: Standing, entry: Entry, step: Step) -> None:
    command = entry.body["command"]
    open_now = {task.id: task for task in step.tasks}
    for item in now.items:
        if item.status == "open" and item.task.id not in open_now:
            done = command["op"] == "complete" and command["task"] == item.task.id
            author = entry.body.get("author") or entry.actor
            _close_item(item, "done" if done else "cancelled", entry, author if done else entry.actor)
    known = {item.task.id for item in now.items if item.status == "open"}
    new = [task for task in step.tasks if task.id not in known]
    now.items += [Item(task, entry.seq, entry.at, _author(now, task)) for task in new]


def _author(now: Standing, task: OpenTask) -> str | None:
    """The person whose act the task goes back to: who completed the newest task of that act."""
    act = task.properties.get("autor_de")
    done = [item for item in now.items if act and item.status == "done" and item.shape["act"] == act]
    newest = max(done, key=lambda item: item.closed_seq or 0, default=None)
    return None if newest is None else str(newest.closed_by).removeprefix("pessoa:")


def _close_item(item: Item, status: str, entry: Entry, by: str) -> None:
    item.status, item.closed_seq, item.closed_at, item.closed_by = status, entry.seq, entry.at, by


def _ordered(now: Standing, entry: Entry, order: Json) -> None:
    name, args, result = order["order"], order["args"], order["result"]
    if name == "contar":
        now.terms.append(_counted(result, entry.seq, "window"))
    elif name == "encerrar":
        _close_windows(now, entry.seq, args[0])
    elif name == "cobrar":
        now.units = args[0]
    elif name == "devolver" and result is not None:
        now.refund = (result["percent"], result["cents"])
    elif name == "registrar_ocorrencia":
        now.occurrence = "notificada"
    elif name == "ocorrencia":
        now.occurrence = args[0]


def _terms(now: Standing, entry: Entry, step: Step) -> None:
    command = entry.body["command"]
    waiting = {armed.task_id for armed in step.armed}
    for term in now.terms:
        if term.status != "armed" or term.task_id in waiting:
            continue
        fired = command["op"] == "expire" and command["task"] == term.task_id
        term.status = "expired" if fired else _CLOSING.get(command["op"], "met")
        term.closed_seq, term.noticed_at = entry.seq, entry.at if fired else None
    known = {term.task_id for term in now.terms if term.status == "armed"}
    told = {(t["term"], t["base"]): t for t in entry.body.get("terms", [])}
    for armed in step.armed:
        if armed.task_id in known:
            continue
        key = (armed.deadline, armed.base)
        shown = next((t for t in now.terms if t.status == "window" and (t.key, t.base) == key), None)
        if shown is None and key in told:
            shown = _counted(told[key], entry.seq, "armed")
            now.terms.append(shown)
        if shown is not None:
            shown.status, shown.task_id = "armed", armed.task_id


def _counted(told: Json, seq: int, status: str) -> Counted:
    return Counted(told["term"], told["base"], parse_instant(told["expires_at"]), seq, status)


def _close_windows(now: Standing, seq: int, key: str | None = None) -> None:
    for term in now.terms:
        if term.status == "window" and key in (None, term.key):
            term.status, term.closed_seq = "closed", seq


def _meet(now: Standing, entry: Entry) -> None:
    """Terms that were only shown, met by a payment that the entry tells of."""
    for key, base in entry.body.get("met", []):
        for term in now.terms:
            if term.status == "window" and (term.key, term.base) == (key, base):
                term.status, term.closed_seq = "met", entry.seq
