"""Plays a case's journal again on its pinned diagram and compares: the journal is the truth, the state a cache.

Answers come from the journal, never from the registry of the day of the audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import select

from app.audit import Entry
from app.audit.rows import kept
from app.audit.verify import read, verify
from app.cases.dossier import MISSING, definition_of, stream_of
from app.cases.engines import ENGINE
from app.cases.proof import derived
from app.cases.proof.proof import UNREAD, Proof
from app.cases.proof.standing import MOVES, fold
from app.engine.definition import Definition
from app.engine.runner import Asked, Step, replaying
from app.errors import Broken, NotFound, Refused
from app.registry import norms
from app.store import Reader
from app.store.cases_tables import cases
from app.store.tables import journal
from app.values import Json, parse_instant


@dataclass(frozen=True)
class Replayed:
    """Outcome of a replay: how many entries were played and what did not match, in Portuguese."""

    number: str
    entries: int
    faults: tuple[str, ...]


def replay(reader: Reader, case_id: str) -> Replayed:
    """Replays one case from its first entry and compares every state, the last bytes and the derived rows."""
    row = next(iter(kept(reader, cases, cases.c.id == case_id)), None)
    if row is None:
        raise NotFound("Processo não encontrado.")
    number = str(row["number"])
    told = _readable(reader, case_id)
    if told is None:
        broken = verify(reader, stream_of(case_id)).faults
        said = [f"registro {fault.seq}: {fault.reason}" for fault in broken]
        return Replayed(number, 0, tuple(said or ["um registro do histórico não pode ser lido"]))
    if not told:
        return Replayed(number, 0, ("o histórico do processo não existe",))
    try:
        norm = norms.by_digest(reader, row["norm_digest"])
        definition = definition_of(norm, norm.processes[row["process"]])
    except (Refused, *UNREAD):
        return Replayed(number, 0, ("a norma ou o procedimento a que o processo está preso não se acha",))
    faults: list[str] = []
    if definition.digest != row["definition_digest"]:
        faults.append("o diagrama guardado não é aquele a que o processo está preso")
    played: list[tuple[Entry, Step | None]] = []
    try:
        for pair in steps(definition, case_id, told):
            played.append(pair)
        history = fold(played)
    except (Broken, Refused, *UNREAD) as error:
        at_fault = told[min(len(played), len(told) - 1)]
        why = str(error) if isinstance(error, Broken | Refused) else "o registro não diz o que devia"
        faults.append(f"registro {at_fault.seq} ({at_fault.act}): {why}")
        return Replayed(number, at_fault.seq, tuple(faults))
    if history[-1].step is None or history[-1].step.state != row["state"]:
        faults.append("o estado guardado não é o que o histórico produz")
    proof = Proof(reader, row, norm, told, [step for _, step in played], history)
    return Replayed(number, len(told), (*faults, *derived.faults(proof)))


def _readable(reader: Reader, case_id: str) -> list[Entry] | None:
    """The case's journal; None when an entry of it cannot be read."""
    rows = kept(reader, journal, journal.c.stream == stream_of(case_id))
    try:
        return sorted(map(_entry, rows), key=lambda entry: entry.seq)
    except UNREAD:
        return None


def _entry(row: Mapping[str, Json]) -> Entry:
    """Raises one of UNREAD for what is no entry."""
    told = read(row["body"])
    if told is None:
        raise ValueError("no entry")
    at, happened = parse_instant(row["at"]), parse_instant(row["effective_at"])
    return Entry(row["stream"], row["seq"], at, happened, row["actor"], row["act"], told["body"], row["hash"])


def steps(
    definition: Definition, case_id: str, told: Iterable[Entry], known: Iterable[Step | None] = ()
) -> Iterator[tuple[Entry, Step | None]]:
    """Each entry with the step after it. Raises Broken or Refused at the first that gives not what was recorded.

    Args:
        known: the steps after the entries before `told`, where those have been played already.
    """
    after: list[Step | None] = [None, *known]
    for entry in told:
        command = entry.body["command"]
        if command["op"] == "annul":
            step = after[command["from"] - 1]
            if entry.body["state"] != (step.digest if step else None):
                raise Broken("o estado não confere")
        elif command["op"] in MOVES:
            step = play(definition, case_id, after[-1], entry)
        else:
            step = after[-1]
        after.append(step)
        yield entry, step


def play(definition: Definition, case_id: str, before: Step | None, entry: Entry) -> Step:
    """One entry on top of the step before it. Raises Broken when the result is not the recorded one."""
    command = entry.body["command"]
    asked = [Asked(q, tuple(args), answer) for q, args, answer in entry.body.get("asked", [])]
    ask = replaying(asked)
    if command["op"] == "start":
        step = ENGINE.start(definition, case_id, command["data"], entry.at, ask)
    elif before is None:
        raise Broken("o histórico não começa pela abertura")
    elif command["op"] == "complete":
        step = ENGINE.complete(definition, before.state, command["task"], command["data"], entry.at, ask)
    elif command["op"] == "deliver":
        step = ENGINE.deliver(definition, before.state, command["message"], command["data"], entry.at, ask)
    else:
        step = ENGINE.expire(definition, before.state, command["task"], entry.at, ask)
    if len(step.asked) != len(asked):
        raise Broken("o diagrama fez menos perguntas do que o registrado")
    if step.digest != entry.body["state"]:
        raise Broken("o estado não confere")
    ordered = [{"order": o.name, "args": list(o.args)} for o in step.orders]
    if ordered != [{"order": o["order"], "args": o["args"]} for o in entry.body.get("orders", [])]:
        raise Broken("as ordens do diagrama não são as registradas")
    return step


def case_ids(reader: Reader) -> list[str]:
    return [str(r["id"]) for r in reader.all(select(cases.c.id).order_by(cases.c.number))]


def id_of(reader: Reader, number: str) -> str:
    """Id of the case with a number. Raises NotFound."""
    return str(reader.one(select(cases.c.id).where(cases.c.number == number), MISSING)["id"])
