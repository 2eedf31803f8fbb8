"""SpiffWorkflow's moving parts made deterministic: tasks, workflows and joins. Nobody outside this room sees them.

Three things of the library are replaced, by subclassing only:

* ids and times: a task's id is derived from the case and its ordinal, and `last_state_change` counts state changes of
  the case. Nothing reads a clock or draws a number, so equal commands give equal bytes;
* memory: every state change that a person could care about is noted in the order in which it happens;
* joins: the stock join lets a branch that did not touch a variable overwrite the branch that did, and in a second
  round of a loop takes arrivals of the first for its own. `Gathering` remembers who arrived and merges what each
  branch changed since the split.

No clock, no questions to the outside, no saved form (state.py) lives here.
"""

from __future__ import annotations

from abc import abstractmethod
from hashlib import sha1
from typing import Any, cast
from uuid import UUID

from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.specs.bpmn_process_spec import BpmnProcessSpec
from SpiffWorkflow.bpmn.specs.control import SimpleBpmnTask, _EndJoin
from SpiffWorkflow.bpmn.specs.defaults import ParallelGateway
from SpiffWorkflow.bpmn.specs.mixins.events.event_types import CatchingEvent
from SpiffWorkflow.bpmn.util.subworkflow import BpmnSubWorkflow
from SpiffWorkflow.task import Task
from SpiffWorkflow.util.task import TaskIterator, TaskState

from app.engine.guard import detached, same
from app.values import Json

NAMESPACE = UUID("5c0d5a2e-8f0b-5d5e-9a3c-7f2f6b1d4e10")
_SEED = NAMESPACE.bytes
LIVE = TaskState.WAITING | TaskState.READY | TaskState.STARTED
ARRIVED = "arrived"


def _uuid5(name: str) -> str:
    """`str(uuid.uuid5(NAMESPACE, name))`, written out: every task of a case gets its id each time the case is read."""
    digest = bytearray(sha1(_SEED + name.encode(), usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50  # version 5
    digest[8] = digest[8] & 0x3F | 0x80  # the variant of RFC 9562
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class FlowTask(Task):
    """A task whose id and time of change come from the case, and which tells the case what happens to it."""

    def __init__(
        self,
        workflow: Any,
        task_spec: Any,
        parent: Any = None,
        state: int = TaskState.MAYBE,
        ordinal: int | None = None,
    ) -> None:
        case: Flow = workflow.top_workflow
        self.ordinal = ordinal or case.next_ordinal()
        super().__init__(workflow, task_spec, parent, state=state, id=case.task_id(self.ordinal))
        self.last_state_change = case.tick()

    def _add_child(self, task_spec: Any, state: int = TaskState.MAYBE) -> FlowTask:
        return FlowTask(self.workflow, task_spec, self, state=state)

    def _set_state(self, value: int) -> None:
        if value != self._state:
            before: int = self._state
            self._state: int = value
            case: Flow = self.workflow.top_workflow
            self.last_state_change = case.tick()
            case.note(self, before)

    def run(self) -> bool | None:
        # The engine walks a list made before the walk: a terminate event met on the way cancels tasks that are still
        # in it, and the stock `run` would bring them back to life.
        return cast("bool | None", super().run()) if self._state == TaskState.READY else None


class _Part:
    """What the case's own workflow and the workflows of its sub-processes have in common."""

    def plant(self) -> None:
        """Create the root task; the library's constructor would make it with a random id."""
        flow = cast("Any", self)
        flow.task_tree = FlowTask(flow, flow.spec.start, state=TaskState.FUTURE)
        flow.task_tree.task_spec._predict(flow.task_tree, mask=TaskState.NOT_FINISHED_MASK)
        flow.task_tree._ready()

    def collect_log_extras(self, dct: dict[str, Any] | None = None) -> dict[str, Any]:
        return dct or {}  # the stock method walks the whole tree for a log line that nobody reads

    def update_waiting_tasks(self) -> None:
        """Gives what waits another chance, after each task; the tree is walked only for the order among several."""
        flow = cast("Any", self)
        waiting = [task for task in flow.tasks.values() if task.state == TaskState.WAITING]
        if len(waiting) > 1:
            waiting = TaskIterator(flow.task_tree, state=TaskState.WAITING)
        for task in waiting:
            task.task_spec._update(task)

    def _task_removed_notify(self, task: FlowTask) -> None:
        # Votes and timers that are pruned with a cancelled parent get no cancellation of their own: without this
        # they would vanish unrecorded, and timers stay armed in the event manager.
        if task.has_state(LIVE):
            task._set_state(TaskState.CANCELLED)
            task.task_spec._on_cancel(task)


class FlowPart(_Part, BpmnSubWorkflow):
    """The workflow of one sub-process or call activity."""


class Flow(_Part, BpmnWorkflow):
    """The workflow of a case. Lives for one command; what remains is its saved state.

    Attributes:
        case: the caller's id of the case, as text.
        noted: (task, state) in the order of happening, for elements drawn in a diagram.
    """

    def __init__(self, spec: Any, parts: Any, script_engine: Any, case: str) -> None:
        self.case = case
        self.born = 0
        self.ticks = 0
        self.noted: list[tuple[FlowTask, int]] = []
        self.merging = False
        super().__init__(spec, parts, script_engine=script_engine, deserializing=True)

    def next_ordinal(self) -> int:
        self.born += 1
        return self.born

    def task_id(self, ordinal: int) -> str:
        return _uuid5(f"{self.case}/{ordinal}")

    def tick(self) -> int:
        self.ticks += 1
        return self.ticks

    def create_subprocess(self, my_task: FlowTask, spec_name: str) -> FlowPart:
        part = FlowPart(self.subprocess_specs[spec_name], my_task.id, self, deserializing=True)
        self.subprocesses[my_task.id] = part
        part.plant()
        return part

    def do_engine_steps(self, will_complete_task: Any = None, did_complete_task: Any = None) -> None:
        """The library's loop, without its walks through the whole tree while the case has no sub-process.

        With one automatic task at a time, as nearly always, there is no order to be asked of the tree.
        """
        while not self.subprocesses:
            ready = [t for t in self.tasks.values() if t.state == TaskState.READY and not t.task_spec.manual]
            if not ready:
                self.refresh_timers()
                return
            if len(ready) > 1:
                ready = [t for t in self.get_tasks(state=TaskState.READY) if not t.task_spec.manual]
            for task in ready:
                if will_complete_task is not None:
                    will_complete_task(task)
                task.run()
        super().do_engine_steps(will_complete_task, did_complete_task)

    def note(self, task: FlowTask, before: int) -> None:
        """Keep a state change if a person could care about it."""
        spec, state = task.task_spec, task.state
        if spec.bpmn_id is None:
            return
        wanted = {
            TaskState.READY: spec.manual,
            TaskState.WAITING: isinstance(spec, CatchingEvent | Meeting),
            TaskState.STARTED: True,
            TaskState.COMPLETED: True,
            TaskState.CANCELLED: bool(before & LIVE) and not self.merging,
        }
        if wanted.get(state, False):
            self.noted.append((task, state))

    def parts(self) -> list[Any]:
        """The case's workflow and those of its sub-processes, outer ones first."""
        return [self, *self.subprocesses.values()]

    def tasks_in_order(self) -> list[FlowTask]:
        """Every task of the case, in order of birth."""
        return sorted((t for part in self.parts() for t in part.tasks.values()), key=lambda t: t.ordinal)


class Gathering:
    """A join that remembers its arrivals and merges what each branch changed since the split."""

    @abstractmethod
    def all_here(self, my_task: FlowTask, arrived: list[str]) -> bool:
        """Whether nobody else is to be waited for; `arrived` are ids of the last task of each branch."""

    def _update_hook(self, my_task: FlowTask) -> bool:
        arrived: list[str] = my_task.internal_data.setdefault(ARRIVED, [my_task.parent.id])
        case: Flow = my_task.workflow.top_workflow
        for other in list(my_task.workflow.tasks.values()):
            if other.task_spec is self and other is not my_task and other.state == TaskState.WAITING:
                # Only the latest arrival waits; it takes over the arrivals of the one before.
                arrived[:0] = other.internal_data[ARRIVED]
                case.merging = True
                other.cancel()
                case.merging = False
        complete = self.all_here(my_task, arrived)
        if not complete:
            my_task._set_state(TaskState.WAITING)
        return complete

    def _run_hook(self, my_task: FlowTask) -> bool:
        tasks = my_task.workflow.tasks
        my_task.data = merged([tasks[key] for key in my_task.internal_data[ARRIVED]])
        return True


class Meeting(Gathering, ParallelGateway):
    """A parallel gateway: goes on when every incoming flow has brought a token in this round."""

    def all_here(self, my_task: FlowTask, arrived: list[str]) -> bool:
        tasks = my_task.workflow.tasks
        here = {tasks[key].task_spec.name for key in arrived}
        return here.issuperset(spec.name for spec in self.inputs)


class Closing(Gathering, _EndJoin):
    """The invisible end of a process: goes on when no token is left elsewhere."""

    def all_here(self, my_task: FlowTask, arrived: list[str]) -> bool:
        return bool(self._check_threshold_unstructured(my_task))


class FlowSpec(BpmnProcessSpec):
    """A process whose invisible end merges data like the visible joins do."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.task_specs = {"Start": self.start}
        self.end: Any = Closing(self, f"{self.name}.EndJoin")
        self.end.connect(SimpleBpmnTask(self, "End"))


def merged(branches: list[FlowTask]) -> dict[str, Json]:
    """Data after a join: the split's data, then what each branch changed since, in order of arrival."""
    base = _split(branches).data
    data: dict[str, Json] = {key: detached(value) for key, value in base.items()}
    for branch in branches:
        for key, value in branch.data.items():
            if key not in base or not same(value, base[key]):
                data[key] = detached(value)
    return data


def _split(branches: list[FlowTask]) -> FlowTask:
    """The nearest task from which all branches come."""
    common = {task.id for task in _line(branches[0])}
    for branch in branches[1:]:
        common &= {task.id for task in _line(branch)}
    return next(task for task in _line(branches[0]) if task.id in common)


def _line(task: FlowTask) -> list[FlowTask]:
    line = [task]
    while line[-1].parent is not None:
        line.append(line[-1].parent)
    return line
