"""A case's journal played again from its own bytes: how the case stood after each entry that can be believed.

Norm, diagram and answers are those that the journal names; of the rows of the day nothing is taken but the journal
itself, and that only where its chain holds. What was played is kept for the next look: playing is the dear part.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock

import orjson
from sqlalchemy import select

from app.audit import GENESIS, Entry
from app.audit.verify import wrong
from app.cases.dossier import definition_of, stream_of
from app.cases.history.shape import whole
from app.cases.proof.replay import steps
from app.cases.proof.standing import Standing, fold
from app.engine.definition import Definition
from app.engine.step import Step
from app.errors import Broken, Refused
from app.law.norm import Norm, Process
from app.registry import norms
from app.store import Reader, Row
from app.store.tables import journal, stream

KEPT = 64  # cases; a long one takes some 50 kB
_SHAPELESS = "o registro não tem a forma que deveria ter"


@dataclass(frozen=True)
class Fault:
    """The first entry that cannot be believed, and why, in Portuguese."""

    seq: int
    reason: str


@dataclass(frozen=True)
class Pinned:
    """What the case is bound to, as its first entry says."""

    norm: Norm
    process: Process
    definition: Definition


@dataclass(frozen=True)
class Past:
    """A case's journal and what follows from it.

    Attributes:
        told: every entry there is, also those from the fault on.
        history: how the case stood before its first entry (index 0) and after each one that can be believed.
    """

    told: tuple[Entry, ...]
    history: tuple[Standing, ...]
    pinned: Pinned | None
    fault: Fault | None

    @property
    def believed(self) -> int:
        """Number of the last entry that can be believed; 0 when none can."""
        return len(self.history) - 1

    def entry(self, seq: int) -> Entry | None:
        return next((entry for entry in self.told if entry.seq == seq), None)


def read(reader: Reader, case_id: str) -> Past:
    """Checks the chain of a case's journal and plays it again. A fault is told, never raised."""
    name = stream_of(case_id)
    rows = reader.all(select(journal).where(journal.c.stream == name).order_by(journal.c.seq))
    told = tuple(_entry(row) for row in rows)
    sound, fault = _sound(rows, reader.first(select(stream).where(stream.c.name == name)))
    if not sound:
        return Past(told, (Standing(),), None, fault or Fault(1, "o histórico do processo não existe"))
    try:
        pinned = _pinned(reader, told[0])
    except (Broken, Refused, LookupError, TypeError) as error:
        return Past(told, (Standing(),), None, Fault(1, _reason(error)))
    history, stopped = _played(pinned.definition, case_id, told[:sound])
    return Past(told, history, pinned, stopped or fault)


def _entry(row: Row) -> Entry:
    try:
        body = orjson.loads(row["body"])["body"]
    except (ValueError, LookupError, TypeError):  # the chain says what is wrong with it
        body = None
    told = {name: row[name] for name in ("stream", "seq", "at", "effective_at", "actor", "act", "hash")}
    return Entry(**told, body=body if isinstance(body, dict) else {})


def _sound(rows: Sequence[Row], head: Row | None) -> tuple[int, Fault | None]:
    """How many entries the chain vouches for, and what is wrong after them."""
    prev = GENESIS
    for count, row in enumerate(rows):
        reason = wrong(row, count, prev)
        if reason:
            return count, Fault(count + 1, reason)
        prev = row["hash"]
    if head is None or (head["seq"], head["head"]) != (len(rows), prev):
        return len(rows), Fault(len(rows) + 1, "o fim da cadeia não confere: falta ou sobra registro")
    return len(rows), None


def _pinned(reader: Reader, opened: Entry) -> Pinned:
    norm = norms.by_digest(reader, opened.body["norm"])
    process = norm.processes[opened.body["process"]]
    definition = definition_of(norm, process)
    if (norm.digest, definition.digest) != (opened.body["norm"], opened.body["definition"]):
        raise Broken("o diagrama guardado não é aquele a que o processo está preso")
    return Pinned(norm, process, definition)


def _played(
    definition: Definition, case_id: str, told: Sequence[Entry]
) -> tuple[tuple[Standing, ...], Fault | None]:
    hashes = tuple(entry.hash for entry in told)
    before = _recall(case_id, hashes)
    if len(before) == len(told) + 1:
        return before, None
    known = [standing.step for standing in before[1:]]
    played: list[tuple[Entry, Step | None]] = list(zip(told, known, strict=False))
    fault = None
    try:
        for entry, step in steps(definition, case_id, told[len(known) :], known):
            if not whole(entry):
                raise Broken(_SHAPELESS)
            played.append((entry, step))
    except Exception as error:  # an entry made by somebody else's hand may break the engine anywhere
        fault = Fault(
            told[len(played)].seq, str(error) if isinstance(error, Broken | Refused) else _SHAPELESS
        )
    history, misshapen = _folded(played)
    _keep(case_id, hashes[: len(history) - 1], history)
    return history, misshapen or fault


def _folded(played: list[tuple[Entry, Step | None]]) -> tuple[tuple[Standing, ...], Fault | None]:
    taken: list[int] = []

    def taking() -> Iterator[tuple[Entry, Step | None]]:
        for pair in played:
            taken.append(pair[0].seq)
            yield pair

    try:
        return tuple(fold(taking())), None
    except (LookupError, TypeError, ValueError, AttributeError):
        return tuple(fold(played[: len(taken) - 1])), Fault(taken[-1], _SHAPELESS)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, Broken | Refused) else _SHAPELESS


_plays: OrderedDict[str, tuple[tuple[str, ...], tuple[Standing, ...]]] = OrderedDict()
_lock = Lock()


def _recall(case_id: str, hashes: tuple[str, ...]) -> tuple[Standing, ...]:
    """What was played before of the same entries: a hash stands for its entry and for all before it."""
    with _lock:
        kept, history = _plays.get(case_id, ((), (Standing(),)))
        if kept:
            _plays.move_to_end(case_id)
    common = next((n for n in range(min(len(kept), len(hashes)), 0, -1) if kept[n - 1] == hashes[n - 1]), 0)
    return history[: common + 1]


def _keep(case_id: str, hashes: tuple[str, ...], history: tuple[Standing, ...]) -> None:
    with _lock:
        _plays[case_id] = (hashes, history)
        _plays.move_to_end(case_id)
        while len(_plays) > KEPT:
            _plays.popitem(last=False)
