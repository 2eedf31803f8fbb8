"""Plays a case's journal again on its pinned diagram and compares: the journal is the truth, the state a cache.

Answers come from the journal, never from the registry of the day of the audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import select

from app import audit
from app.audit import Entry
from app.cases.dossier import definition_of, stream_of
from app.cases.engines import ENGINE
from app.cases.proof import derived
from app.cases.proof.standing import MOVES, fold
from app.engine.definition import Definition
from app.engine.runner import Asked, Step, replaying
from app.errors import Broken, Refused
from app.registry import norms
from app.store import Reader
from app.store.cases_tables import cases, submission
from app.values import Json, canonical, digest


@dataclass(frozen=True)
class Replayed:
    """Outcome of a replay: how many entries were played and what did not match, in Portuguese."""

    number: str
    entries: int
    faults: tuple[str, ...]


def replay(reader: Reader, case_id: str) -> Replayed:
    """Replays one case from its first entry and compares every state, the last bytes and the derived rows."""
    row = reader.one(select(cases).where(cases.c.id == case_id), "Processo não encontrado.")
    norm = norms.by_digest(reader, row["norm_digest"])
    definition = definition_of(norm, norm.processes[row["process"]])
    told = audit.entries(reader, stream_of(case_id))
    faults: list[str] = []
    if definition.digest != row["definition_digest"]:
        faults.append("o diagrama guardado não é aquele a que o processo está preso")
    played: list[tuple[Entry, Step | None]] = []
    try:
        for pair in steps(definition, case_id, told):
            played.append(pair)
    except (Broken, Refused) as error:
        at_fault = told[len(played)]
        faults.append(f"registro {at_fault.seq} ({at_fault.act}): {error}")
        return Replayed(row["number"], at_fault.seq, tuple(faults))
    history = fold(played)
    if history[-1].step is None or history[-1].step.state != bytes(row["state"]):
        faults.append("o estado guardado não é o que o histórico produz")
    faults += _submissions(reader, case_id, told)
    faults += derived.faults(reader, case_id, told, history[-1])
    return Replayed(row["number"], len(told), tuple(faults))


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


def _submissions(reader: Reader, case_id: str, told: list[Entry]) -> Iterator[str]:
    digests: dict[str, Json] = {
        e.body["submission"]: e.body["answers"] for e in told if "submission" in e.body
    }
    for row in reader.all(select(submission).where(submission.c.case_id == case_id)):
        if digests.pop(row["id"], None) != digest(canonical(row["answers"])):
            yield f"as respostas do formulário {row['form']} não são as registradas"
    if digests:
        yield "faltam respostas que o histórico registra"
