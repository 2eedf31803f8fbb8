"""The engine: state in, one command, one Step out. Nothing survives a call but the bytes of the Step.

A command loads a fresh workflow, checks, changes one thing, lets the automatic elements run, saves, and reads the
Step's view from what was saved. Any exception leaves nothing behind. The diagram's questions go through `ask` and
are recorded in order; replaying answers them from the record. Who may do what, and when it counts, is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from SpiffWorkflow.bpmn import BpmnEvent
from SpiffWorkflow.bpmn.specs.event_definitions import MessageEventDefinition, MultipleEventDefinition
from SpiffWorkflow.exceptions import SpiffWorkflowException
from SpiffWorkflow.util.task import TaskState

from app.engine import state as saved
from app.engine.deadline import ARMED, Deadline, expiry, waiting_timers
from app.engine.definition import Definition, Element
from app.engine.expression import Language
from app.engine.flow import LIVE, Flow, FlowTask
from app.engine.guard import detached, flow_data
from app.engine.interpreter import Interpreter
from app.engine.step import Armed, Ask, Asked, Change, OpenTask, Order, Replaying, Step, replaying
from app.engine.vote import Vote, vote_of
from app.errors import Conflict, Invalid, Refused
from app.values import Json, digest, iso, parse_instant, utc

__all__ = ["Armed", "Ask", "Asked", "Change", "Engine", "OpenTask", "Order", "Replaying", "Step", "replaying"]

MAX_STEPS = 500
MAX_DEPTH = 400
STATES = {
    TaskState.READY: "READY",
    TaskState.WAITING: "WAITING",
    TaskState.STARTED: "STARTED",
    TaskState.COMPLETED: "COMPLETED",
    TaskState.CANCELLED: "CANCELLED",
}


class Engine:
    """Runs cases of any definition with one language. Holds no case; may be shared by threads."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def start(
        self, definition: Definition, case_id: object, data: Mapping[str, Json], at: datetime, ask: Ask
    ) -> Step:
        """Open a case; `case_id` gives its tasks their ids."""
        utc(at)
        opening = flow_data(data, "abertura")
        run = _Run(definition, Interpreter(self.language, ask))
        run.flow = Flow(definition.compiled.spec, definition.compiled.parts, run.interpreter, str(case_id))

        def plant() -> None:
            run.flow.plant()
            run.flow.task_tree.data.update(opening)

        return run.perform(plant)

    def complete(
        self,
        definition: Definition,
        state: bytes,
        task_id: str,
        answers: Mapping[str, Json],
        at: datetime,
        ask: Ask,
    ) -> Step:
        """Finish an open task with its answers. Conflict `tarefa.nao_aberta`."""
        utc(at)
        answered = flow_data(answers, "resposta")
        run = self._resume(definition, state, ask)
        task = run.open_task(task_id)
        vote = vote_of(task)
        if vote is not None and vote.output_item.bpmn_id not in answered:
            name = vote.output_item.bpmn_id
            raise Invalid("Falta o voto.", code="voto.ausente", fields={name: "Informe o voto."})
        task.data.update(answered)
        return run.perform(task.run)

    def expire(self, definition: Definition, state: bytes, task_id: str, at: datetime, ask: Ask) -> Step:
        """Let a deadline's end have its effect. Conflict `prazo.nao_armado`, `prazo.ainda_corre`."""
        run = self._resume(definition, state, ask)
        task, timer = run.timer(task_id)
        if parse_instant(task.internal_data[ARMED + timer.name]["expires_at"]) > utc(at):
            raise Conflict("O prazo ainda está correndo.", code="prazo.ainda_corre")
        return run.perform(lambda: run.flow.send_event(expiry(timer, task)))

    def deliver(
        self,
        definition: Definition,
        state: bytes,
        message: str,
        payload: Mapping[str, Json],
        at: datetime,
        ask: Ask,
    ) -> Step:
        """Hand a message to every place that awaits it. Conflict `mensagem.nao_esperada`."""
        utc(at)
        content = flow_data(payload, f"mensagem {message}")
        run = self._resume(definition, state, ask)
        if message not in run.awaited():
            raise Conflict("O caso não espera esta mensagem.", code="mensagem.nao_esperada", awaited=message)
        event = BpmnEvent(MessageEventDefinition(message), payload=content)
        return run.perform(lambda: run.flow.send_event(event))

    def reschedule(
        self, definition: Definition, state: bytes, task_id: str, expires_at: datetime, at: datetime
    ) -> Step:
        """Move a running deadline's end; nothing fires here. Conflict `prazo.nao_armado`."""
        utc(at)
        run = self._resume(definition, state, replaying(()))
        task, timer = run.timer(task_id)

        def move() -> None:
            task.internal_data[ARMED + timer.name]["expires_at"] = iso(expires_at)

        return run.perform(move)

    def snapshot(self, definition: Definition, state: bytes) -> Step:
        """Where a case stands, without touching it."""
        return self._resume(definition, state, replaying(())).step(state)

    def _resume(self, definition: Definition, state: bytes, ask: Ask) -> _Run:
        run = _Run(definition, Interpreter(self.language, ask))
        run.flow = saved.load(definition, state, run.interpreter)
        run.here = frozenset(task.id for task in run.flow.tasks_in_order() if task.has_state(LIVE))
        return run


class _Run:
    """One command on one case: the workflow object, made for it and dropped with it. `here`: where tokens were."""

    flow: Flow
    here: frozenset[str] = frozenset()

    def __init__(self, definition: Definition, interpreter: Interpreter) -> None:
        self.definition, self.interpreter = definition, interpreter

    def open_task(self, task_id: str) -> FlowTask:
        for task in self._open():
            if task.id == task_id:
                return task
        raise Conflict("Esta tarefa não está mais aberta.", code="tarefa.nao_aberta", task=task_id)

    def timer(self, task_id: str) -> tuple[FlowTask, Deadline]:
        for public_id, task, timer in waiting_timers(self.flow):
            if public_id == task_id:
                return task, timer
        raise Conflict("Este prazo não está correndo.", code="prazo.nao_armado", task=task_id)

    def awaited(self) -> frozenset[str]:
        names = set()
        for task in self.flow.event_manager.tasks.values():
            definition = task.task_spec.event_definition
            many = isinstance(definition, MultipleEventDefinition)
            for event in definition.event_definitions if many else [definition]:
                if isinstance(event, MessageEventDefinition):
                    names.add(event.name)
        return frozenset(names)

    def perform(self, act: Callable[[], object]) -> Step:
        """Do `act`, let the automatic elements run, save."""
        left = MAX_STEPS

        def count(task: FlowTask) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Invalid(f"O diagrama não para em {task.task_spec.name}.", code="fluxo.passos")

        try:
            act()
            self.flow.do_engine_steps(will_complete_task=count)
        except SpiffWorkflowException as error:
            raise _refusal(error) from error
        # The library's list of events that nobody caught empties itself when read: once, here.
        events = [event.event_definition for event in self.flow.get_events()]
        thrown = tuple(e.name for e in events if isinstance(e, MessageEventDefinition))
        return self.step(saved.dump(self.flow, self.definition), thrown)

    def step(self, state: bytes, thrown: tuple[str, ...] = ()) -> Step:
        """The Step as read from saved bytes, so that what is shown is what was kept."""
        noted, before = self.flow.noted, self.interpreter
        self.flow = saved.load(self.definition, state, self.interpreter)
        depth = _depth(self.flow)
        if depth > MAX_DEPTH and not self.flow.completed:  # a case may always end
            raise Invalid(
                "O caso deu voltas demais no diagrama e não pode prosseguir.", code="fluxo.profundidade"
            )
        changes = [(self._element(task), self._change(task, value), task) for task, value in noted]
        return Step(
            state=state,
            digest=digest(state),
            tasks=tuple(map(self._open_task, self._open())),
            armed=tuple(self._armed()),
            awaited=self.awaited(),
            asked=tuple(before.asked),
            orders=tuple(before.orders),
            changes=tuple(change for _, change, _ in changes),
            milestones=tuple(
                e.properties["estado"] for e, change, task in changes if _reached(e, change, task)
            ),
            ended=self.flow.completed,
            ends=tuple(
                e.id for e, change, _ in changes if e.kind == "endEvent" and change.state == "COMPLETED"
            ),
            data=MappingProxyType(_data(self.flow)),
            thrown=thrown,
            depth=depth,
            flows=tuple(
                dict.fromkeys(flow for _, change, task in changes for flow in self._came(change, task))
            ),
        )

    def _element(self, task: FlowTask) -> Element:
        return self.definition.elements[task.task_spec.bpmn_id]

    def _change(self, task: FlowTask, value: int) -> Change:
        element = self._element(task)
        return Change(element.id, element.name, STATES[value], task.id, element.lane)

    def _came(self, change: Change, task: FlowTask) -> Iterator[str]:
        """The flow by which a token has reached the task. An event behind an event gateway is reached as it occurs."""
        source = task.parent
        while (
            source is not None and source.task_spec.bpmn_id is None
        ):  # what the library puts around an activity
            source = source.parent
        if source is None or vote_of(task) is not None or change.state == "CANCELLED":
            return
        before = self._element(source)
        offered = before.kind == "eventBasedGateway"
        flow = self.definition.flows.get((before.id, change.element))
        if flow and (change.state == "COMPLETED" if offered else task.id not in self.here):
            yield flow

    def _open(self) -> list[FlowTask]:
        return [t for t in self.flow.tasks_in_order() if t.state == TaskState.READY and t.task_spec.manual]

    def _open_task(self, task: FlowTask) -> OpenTask:
        element = self._element(task)
        key = task.internal_data.get(saved.SEAT) if vote_of(task) else None
        return OpenTask(task.id, element.id, element.name, element.lane, key, element.properties)

    def _armed(self) -> Iterator[Armed]:
        for public_id, task, timer in waiting_timers(self.flow):
            kept = task.internal_data[ARMED + timer.name]
            ends = parse_instant(kept["expires_at"])
            yield Armed(public_id, timer.name, kept["deadline"], kept["base"], ends)


def _reached(element: Element, change: Change, task: FlowTask) -> bool:
    """Whether a change is the moment from which the element's `estado` holds."""
    if "estado" not in element.properties:
        return False
    if isinstance(task.task_spec, Vote):
        return change.state == "STARTED"
    if vote_of(task) is not None:
        return False
    if element.kind in ("userTask", "manualTask"):
        return change.state == "READY"
    if element.kind == "eventBasedGateway":
        return change.state == "WAITING"
    return change.state == "COMPLETED"


def _refusal(error: SpiffWorkflowException) -> Exception:
    """The refusal that the library wrapped, or one of our own that names the element."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, Refused):
            return cause
        cause = cause.__cause__ or cause.__context__
    where = getattr(getattr(error, "task_spec", None), "name", "?")
    return Invalid(f"O diagrama não pode prosseguir em {where}: {error}", code="fluxo.parado", element=where)


def _depth(flow: Flow) -> int:
    """The longest line from the root to a task that was reached, sub-processes counted within their owners."""
    depths: dict[str, int] = {}
    deepest = 0
    for task in flow.tasks_in_order():
        parent = task.parent
        above = parent.id if parent is not None else task.workflow.parent_task_id
        depths[task.id] = depths.get(above, 0) + 1
        if not task.has_state(TaskState.PREDICTED_MASK | TaskState.FUTURE):
            deepest = max(deepest, depths[task.id])
    return deepest


def _data(flow: Flow) -> dict[str, Json]:
    """The case's flow data: what every reached task changed, in the order of change.

    Parallel branches each have their own data; this is the one view of them all. What happened inside an
    interrupted sub-process is not part of it, as it is lost to the flow as well; a seat's own data is only its vote.
    """
    data: dict[str, Json] = {}
    tasks = {task.id: task for task in flow.tasks_in_order()}
    for task in sorted(tasks.values(), key=lambda t: t.last_state_change):
        if vote_of(task) is None:
            data.update(saved.change(task, task.parent or tasks.get(task.workflow.parent_task_id)))
    return {key: detached(data[key]) for key in sorted(data)}
