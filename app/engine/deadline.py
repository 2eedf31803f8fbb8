"""A BPMN timer without a clock: the diagram names a deadline, the outside says when it ends, a command fires it.

The expression is evaluated once, when the timer is reached; the answer is kept in the timer's task, under the
timer's own element id so that several timers may hang on one event gateway. Nothing here reads the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from SpiffWorkflow.bpmn import BpmnEvent
from SpiffWorkflow.bpmn.parser.event_parsers import BoundaryEventParser, IntermediateCatchEventParser
from SpiffWorkflow.bpmn.parser.util import first
from SpiffWorkflow.bpmn.specs.event_definitions import MultipleEventDefinition
from SpiffWorkflow.bpmn.specs.event_definitions.timer import TimerEventDefinition

ARMED = "deadline:"
FIRED = "expired:"


class Deadline(TimerEventDefinition):
    """A timer event named after its element; fires only on an event addressed to its task."""

    def has_fired(self, my_task: Any) -> bool:
        if ARMED + self.name not in my_task.internal_data:
            armed = my_task.workflow.script_engine.arm(my_task, self.name, self.expression)
            my_task.internal_data[ARMED + self.name] = armed
        return bool(my_task.internal_data.get(FIRED + self.name, False))

    def catches(self, my_task: Any, event: Any) -> bool:
        # Equality is by class and element name; the payload says which of several tasks is meant.
        return bool(self == event.event_definition and event.payload == my_task.id)

    def catch(self, my_task: Any, event: Any = None) -> None:
        my_task.internal_data[FIRED + self.name] = True

    def reset(self, my_task: Any) -> None:
        my_task.internal_data.pop(FIRED + self.name, None)


def expiry(timer: Deadline, my_task: Any) -> Any:
    """The event that makes this one timer of this one task fire."""
    return BpmnEvent(Deadline(timer.name, ""), payload=my_task.id)


def waiting_timers(flow: Any) -> Iterator[tuple[str, Any, Deadline]]:
    """(public task id, task that waits, timer) of every armed timer, in order of birth of the waiting tasks.

    Under an event gateway one task waits for all events; the public id is that of the timer's own task, which is
    already there as a prediction and keeps its id when it fires.
    """
    for task in sorted(flow.event_manager.tasks.values(), key=lambda t: t.ordinal):
        definition = task.task_spec.event_definition
        if isinstance(definition, MultipleEventDefinition):
            own = {child.task_spec: child for child in task.children}
            for spec, event in zip(task.task_spec.outputs, definition.event_definitions, strict=True):
                if isinstance(event, Deadline):
                    yield own[spec].id, task, event
        elif isinstance(definition, Deadline):
            yield task.id, task, definition


class _TimerText:
    def parse_timer_event(self: Any, event: Any) -> Deadline:
        text = first(event.xpath("./bpmn:timeDate", namespaces=self.nsmap)).text
        return Deadline(self.node.get("id"), text.strip(), description=self.get_event_description(event))


class DeadlineBoundaryParser(_TimerText, BoundaryEventParser):
    """Boundary events whose timers are deadlines."""


class DeadlineCatchParser(_TimerText, IntermediateCatchEventParser):
    """Catch events whose timers are deadlines."""
