"""What the engine leans on in SpiffWorkflow, name by name: an upgrade that moves one of them is told here, readably.

Only `app/engine` touches the library, and nearly all of it is public. What is not, and what a saved state repeats of
the library (numbers of states, names of invisible tasks), stands below.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import orjson
import pytest
from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.script_engine import PythonScriptEngine
from SpiffWorkflow.bpmn.specs.mixins.events.event_types import CatchingEvent
from SpiffWorkflow.task import Task
from SpiffWorkflow.util.task import TaskState

from app.engine import deadline, definition, flow, interpreter, state, vote
from app.engine.vote import Vote
from app.settings import ROOT
from tests.engine.diagrams import end, process, start, user
from tests.engine.diagrams import vote as vote_node
from tests.engine.office import BASE, LANGUAGE, Office
from tests.engine.test_replay import FILES, digests, whole_case

# What each of our classes redefines of the library. A name that is missing there has become ours alone: nobody calls
# it any more.
REDEFINED: dict[type, set[str]] = {
    deadline.Deadline: {"catch", "catches", "has_fired", "reset"},
    deadline.DeadlineBoundaryParser: {"parse_timer_event"},
    deadline.DeadlineCatchParser: {"parse_timer_event"},
    definition._Parser: {"OVERRIDE_PARSER_CLASSES", "PROCESS_PARSER_CLASS"},
    definition._Process: {"create_spec", "get_position"},
    definition._Start: {"create_task"},
    flow.Closing: {"_run_hook", "_update_hook"},
    flow.Flow: {
        "__init__",
        "_task_removed_notify",
        "collect_log_extras",
        "create_subprocess",
        "do_engine_steps",
        "update_waiting_tasks",
    },
    flow.FlowPart: {"_task_removed_notify", "collect_log_extras", "update_waiting_tasks"},
    flow.FlowSpec: {"__init__"},
    flow.FlowTask: {"__init__", "_add_child", "_set_state", "run"},
    flow.Meeting: {"_run_hook", "_update_hook"},
    interpreter.Interpreter: {"__init__", "evaluate", "execute"},
    interpreter._Deny: {"call_service", "evaluate", "execute"},
    vote.Vote: {"check_completion_condition", "create_children"},
    vote.VoteParser: {"PARALLEL_MI_CLASS"},
}
# What is read or called on the library's objects, by the class that has it.
LEANED_ON = {
    "workflow": "event_manager get_events get_tasks refresh_timers script_engine send_event subprocess_specs "
    "subprocesses task_tree tasks top_workflow completed spec",
    "part": "parent_task_id completed_event top_workflow spec tasks task_tree completed",
    "task": "_ready _set_state _state children data has_state id internal_data last_state_change parent state "
    "task_spec triggered workflow",
    "spec": "_on_cancel _predict _update bpmn_id inputs lane manual name outputs completed_event",
    "vote": "_instances condition create_children data_output input_item merge_child output_item task_spec",
    "call": "_on_subworkflow_completed spec",
    "join": "_check_threshold_unstructured",
    "process": "start task_specs end",
}


def library(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.startswith("SpiffWorkflow")]


def ours() -> Iterator[type]:
    modules: list[ModuleType] = [deadline, definition, flow, interpreter, state, vote]
    for module in modules:
        for cls in vars(module).values():
            if inspect.isclass(cls) and cls.__module__ == module.__name__ and library(cls):
                yield cls


def defined(cls: type) -> set[str]:
    own = [base for base in cls.__mro__ if base.__module__.startswith("app.")]
    names = {name for base in own for name in vars(base) if not name.startswith("_abc")}
    return {name for name in names if not name.startswith("__") or name == "__init__"}


@pytest.mark.parametrize("cls", list(ours()), ids=lambda cls: cls.__name__)
def test_what_we_redefine_is_there_and_nothing_else_of_the_library_is_hidden_by_chance(cls: type) -> None:
    inherited = {name for name in defined(cls) if any(hasattr(base, name) for base in library(cls))}
    assert cls in REDEFINED, f"{cls.__name__} is new: list what it redefines"
    assert inherited == REDEFINED[cls]


def test_attributes_of_our_own_are_none_of_the_librarys() -> None:
    stock = BpmnWorkflow(
        Office(FILES).definition().compiled.spec, {}, script_engine=PythonScriptEngine(), deserializing=True
    )
    office = live()
    ours_of_flow = {"case", "born", "ticks", "noted", "merging"}
    assert ours_of_flow & set(dir(stock)) == set()
    assert ours_of_flow <= set(dir(office))
    assert not hasattr(Task, "ordinal")


def live() -> flow.Flow:
    """A case in the middle of everything: a call, a sub-process, timers, an event gateway."""
    office = Office(FILES, facts={"valor": 700})
    office.start(ciencia=BASE)
    office.complete("notificar")
    return state.load(office.definition(), office.step.state, interpreter.Interpreter(LANGUAGE, office.ask))


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    case = live()
    tasks = case.tasks_in_order()
    specs = case.spec.task_specs
    return {
        "workflow": case,
        "part": next(iter(case.subprocesses.values())),
        "task": tasks[-1],
        "spec": tasks[-1].task_spec,
        "vote": next(spec for spec in specs.values() if isinstance(spec, Vote)),
        "call": next(task.task_spec for task in tasks if task.id in case.subprocesses),
        "join": case.spec.end,
        "process": case.spec,
    }


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, n) for kind, names in LEANED_ON.items() for n in names.split()]
)
def test_what_we_lean_on_is_there(objects: dict[str, Any], kind: str, name: str) -> None:
    assert hasattr(objects[kind], name), f"{type(objects[kind]).__name__} has no {name} any more"


def test_waiting_events_are_kept_by_the_event_manager() -> None:
    waiting = {task.task_spec.bpmn_id for task in live().event_manager.tasks.values()}
    assert waiting >= {"alerta", "pd", "espera"}
    assert all(isinstance(task.task_spec, CatchingEvent) for task in live().event_manager.tasks.values())


def test_the_numbers_of_states_are_those_of_saved_cases() -> None:
    names = ("MAYBE", "LIKELY", "FUTURE", "WAITING", "READY", "STARTED", "COMPLETED", "ERROR", "CANCELLED")
    assert {name: getattr(TaskState, name) for name in names} == {n: 2**k for k, n in enumerate(names)}
    assert TaskState.FINISHED_MASK == TaskState.COMPLETED | TaskState.ERROR | TaskState.CANCELLED
    assert TaskState.PREDICTED_MASK == TaskState.MAYBE | TaskState.LIKELY


def test_the_names_of_invisible_tasks_are_those_of_saved_cases() -> None:
    """Rows of a saved state name the specification of their task, drawn or not."""
    compiled = Office(FILES).definition().compiled
    drawn = set(Office(FILES).definition().elements)
    invisible = {
        n for spec in (compiled.spec, *compiled.parts.values()) for n in spec.task_specs if n not in drawn
    }
    assert invisible == {
        "Start",
        "End",
        "p.EndJoin",
        "q.EndJoin",
        "corpo.EndJoin",
        "votar [child]",
        "instruir.BoundaryEventSplit",
        "instruir.BoundaryEventJoin",
        "dentro.BoundaryEventSplit",
        "dentro.BoundaryEventJoin",
    }


@pytest.mark.parametrize("shortcut", ["do_engine_steps", "update_waiting_tasks"])
def test_a_shortcut_of_ours_does_what_the_librarys_long_way_does(
    shortcut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = digests(whole_case(restart=False))
    for cls in (flow.Flow, flow._Part):
        if shortcut in vars(cls):
            monkeypatch.delattr(cls, shortcut)
    assert getattr(flow.Flow, shortcut) is getattr(BpmnWorkflow, shortcut)
    assert digests(whole_case(restart=False)) == expected


LAST_VOTE = """
import sys
from tests.engine.office import Office
from tests.engine.test_library import BALLOT

office = Office({"p.bpmn": BALLOT})
office.step = office.engine.snapshot(office.definition(), sys.stdin.buffer.read())
office.complete("votar", "membro2", voto="P")
print(office.step.digest, office.open)
"""
BALLOT = process(
    "p",
    [start(), vote_node("votar", "nrOfCompletedInstances == nrOfInstances"), user("proclamar"), end()],
    "inicio > votar\nvotar > proclamar\nproclamar > fim",
)


def test_a_vote_closes_in_a_process_that_was_not_there_when_it_opened() -> None:
    office = Office({"p.bpmn": BALLOT})
    office.start(assentos={"presidente": "p", "membro1": "m", "membro2": "n"})
    office.complete("votar", "presidente", voto="P")
    office.complete("votar", "membro1", voto="I")
    command = [sys.executable, "-c", LAST_VOTE]
    told = subprocess.run(command, cwd=ROOT, input=office.step.state, capture_output=True, check=True)
    office.complete("votar", "membro2", voto="P")
    assert office.open == ["proclamar"]
    assert told.stdout.decode().strip() == f"{office.step.digest} {office.open}"


def test_in_a_saved_state_no_task_stands_before_its_parent() -> None:
    """A task's data is kept against its parent's, which has to be read by then."""
    office = Office(FILES, facts={"valor": 700})
    office.start(ciencia=BASE, z=1)
    saved = orjson.loads(office.step.state)
    for part in saved["flows"]:
        born = [row[0] for row in part["tasks"]]
        assert born == sorted(born)
        assert all(row[1] < row[0] for row in part["tasks"])


def test_every_module_of_the_library_that_we_import_is_where_it_was() -> None:
    for module in (deadline, definition, flow, interpreter, vote):
        names = [
            line.split()[1]
            for line in inspect.getsource(module).splitlines()
            if line.startswith("from Spiff")
        ]
        for name in names:
            importlib.import_module(name)
