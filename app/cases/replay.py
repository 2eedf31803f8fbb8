"""Plays a case's journal again on its pinned diagram and compares: the journal is the truth, the state a cache.

Answers come from the journal, never from the registry of the day of the audit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select

from app import audit
from app.audit import Entry
from app.cases import derived
from app.cases.dossier import definition_of, stream_of
from app.cases.engines import ENGINE
from app.cases.record import shape_of
from app.engine.definition import Definition
from app.engine.runner import Asked, Step, replaying
from app.errors import Broken, Refused
from app.registry import norms
from app.store import Reader
from app.store.cases_tables import cases, deadline, submission, work_item
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
    step: Step | None = None
    for entry in told:
        try:
            step = play(definition, case_id, step, entry)
        except (Broken, Refused) as error:
            faults.append(f"registro {entry.seq} ({entry.act}): {error}")
            return Replayed(row["number"], entry.seq, tuple(faults))
    if step is None or step.state != bytes(row["state"]):
        faults.append("o estado guardado não é o que o histórico produz")
    elif row["closed_reason"] is None:
        faults += _derived(reader, case_id, step)
    faults += _submissions(reader, case_id, told)
    if step is not None:
        faults += derived.faults(reader, case_id, told, step)
    return Replayed(row["number"], len(told), tuple(faults))


def play(definition: Definition, case_id: str, before: Step | None, entry: Entry) -> Step | None:
    """One entry on top of the step before it. Raises Broken when the result is not the recorded one."""
    command = entry.body["command"]
    if command["op"] not in ("start", "complete", "deliver", "expire"):
        return before
    asked = [Asked(q, tuple(args), answer) for q, args, answer in entry.body["asked"]]
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
    if ordered != [{"order": o["order"], "args": o["args"]} for o in entry.body["orders"]]:
        raise Broken("as ordens do diagrama não são as registradas")
    return step


def case_ids(reader: Reader) -> list[str]:
    return [str(r["id"]) for r in reader.all(select(cases.c.id).order_by(cases.c.number))]


def _derived(reader: Reader, case_id: str, step: Step) -> Iterator[str]:
    items = reader.all(select(work_item).where(work_item.c.case_id == case_id, work_item.c.status == "open"))
    shapes = {task.id: shape_of(task) for task in step.tasks}
    if {r["id"]: {key: r[key] for key in shapes.get(r["id"], ())} for r in items} != shapes:
        yield "as tarefas abertas não são as que o histórico produz"
    armed = reader.all(
        select(deadline.c.task_id, deadline.c.expires_at).where(
            deadline.c.case_id == case_id, deadline.c.status == "armed"
        )
    )
    if {(r["task_id"], r["expires_at"]) for r in armed} != {(a.task_id, a.expires_at) for a in step.armed}:
        yield "os prazos armados não são os que o histórico produz"


def _submissions(reader: Reader, case_id: str, told: list[Entry]) -> Iterator[str]:
    digests: dict[str, Json] = {
        e.body["submission"]: e.body["answers"] for e in told if "submission" in e.body
    }
    for row in reader.all(select(submission).where(submission.c.case_id == case_id)):
        if digests.pop(row["id"], None) != digest(canonical(row["answers"])):
            yield f"as respostas do formulário {row['form']} não são as registradas"
    if digests:
        yield "faltam respostas que o histórico registra"
