"""A case's tokens as bytes and back. The specification is not in them: it is found by the definition's digest.

The library's serializer is not used: it embeds the specification, loses 1 -> True, depends on the order of keys,
lets a `typename` in the data choose a class, and shares a mutable flag between threads. Tasks are rows in order of
birth; data is what a task changed against its parent; keys are sorted, so equal states are equal bytes.

The saved state is a cache: the journal is the truth. It is never edited and never migrated, only rebuilt.
"""

from __future__ import annotations

from typing import Any

import orjson
from SpiffWorkflow.bpmn.specs.mixins.events.event_types import CatchingEvent
from SpiffWorkflow.util.task import TaskState

from app.engine.definition import Definition
from app.engine.flow import LIVE, Flow, FlowPart, FlowTask
from app.engine.guard import detached, same
from app.errors import Broken
from app.values import Json

FORMAT = 1
WITH_DATA = LIVE | TaskState.COMPLETED
SEAT = "key_or_index"


def dump(flow: Flow, definition: Definition) -> bytes:
    """Canonical bytes of a case's tokens."""
    kept: dict[str, FlowTask] = {}
    flows = []
    for part in flow.parts():
        owner = kept.get(part.parent_task_id)
        # What happened inside a finished sub-process is history: the journal has it, its result is in the owner.
        if part is not flow and (owner is None or owner.has_state(TaskState.FINISHED_MASK)):
            continue
        kept.update(part.tasks)
        tasks = sorted(part.tasks.values(), key=lambda t: t.ordinal)
        of = owner.ordinal if owner else 0
        flows.append({"of": of, "done": part.completed, "tasks": [_row(task) for task in tasks]})
    saved = {
        "format": FORMAT,
        "definition": definition.digest,
        "case": flow.case,
        "born": flow.born,
        "ticks": flow.ticks,
        "flows": flows,
    }
    return orjson.dumps(saved, option=orjson.OPT_SORT_KEYS)


def _row(task: FlowTask) -> list[Json]:
    parent = task.parent
    return [
        task.ordinal,
        parent.ordinal if parent else 0,
        task.state,
        task.task_spec.name,
        int(task.triggered),
        task.last_state_change,
        _internal(task),
        *_change(_data(task), _data(parent) if parent else {}),
    ]


def _internal(task: FlowTask) -> dict[str, Json]:
    """The library's notes about a task. A finished one needs none but the seat it voted for."""
    notes: dict[str, Json] = task.internal_data
    if task.has_state(TaskState.FINISHED_MASK):
        return {SEAT: notes[SEAT]} if SEAT in notes else {}
    return notes


def _data(task: FlowTask) -> dict[str, Json]:
    data: dict[str, Json] = task.data
    return data if task.has_state(WITH_DATA) else {}


def _change(data: dict[str, Json], base: dict[str, Json]) -> tuple[Json, Json]:
    """(what differs from the base, what is gone); null instead of everything gone."""
    if not data:
        return None, None
    updates = {key: value for key, value in data.items() if key not in base or not same(value, base[key])}
    return updates, sorted(key for key in base if key not in data)


def change(task: FlowTask, before: FlowTask | None) -> dict[str, Json]:
    """What a task changed in the data it found; empty for tasks that were not reached or are cancelled."""
    updates, _ = _change(_data(task), _data(before) if before else {})
    return updates or {}


def load(definition: Definition, state: bytes, script_engine: Any) -> Flow:
    """A fresh workflow from bytes; nothing of an earlier one is reused. Raises Broken when they do not fit."""
    try:
        saved = orjson.loads(state)
        if saved["format"] != FORMAT or saved["definition"] != definition.digest:
            raise Broken("o estado foi gravado com outra definição ou outro formato")
        flow = Flow(definition.compiled.spec, definition.compiled.parts, script_engine, saved["case"])
        tasks: dict[int, FlowTask] = {}
        for row in saved["flows"]:
            part = _part(flow, tasks[row["of"]]) if row["of"] else flow
            part.completed = row["done"]
            for record in row["tasks"]:
                _revive(part, record, tasks)
            part.task_tree = tasks[row["tasks"][0][0]]
        flow.born, flow.ticks = saved["born"], saved["ticks"]
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise Broken(f"o estado não pode ser lido: {type(error).__name__}: {error}") from error
    return flow


def _part(flow: Flow, owner: FlowTask) -> FlowPart:
    spec = flow.subprocess_specs[owner.task_spec.spec]
    part = FlowPart(spec, owner.id, flow, deserializing=True)
    part.completed_event.connect(owner.task_spec._on_subworkflow_completed, owner)
    flow.subprocesses[owner.id] = part
    return part


def _revive(part: Any, record: list[Json], tasks: dict[int, FlowTask]) -> None:
    ordinal, parent_ordinal, state, name, triggered, since, notes, updates, gone = record
    parent = tasks[parent_ordinal] if parent_ordinal else None
    task = FlowTask(part, part.spec.task_specs[name], parent, state=state, ordinal=ordinal)
    tasks[ordinal] = task
    task.triggered, task.last_state_change, task.internal_data = bool(triggered), since, notes
    if updates is not None:
        base = _data(parent) if parent else {}
        task.data = {key: detached(value) for key, value in base.items() if key not in gone} | updates
    if state == TaskState.WAITING and isinstance(task.task_spec, CatchingEvent):
        part.top_workflow.event_manager.add_task(task)
