"""A collegiate vote: one task per seat, and a completion condition that sees the votes cast so far.

The library's parallel multi-instance evaluates the condition in the data of the last voter, where the votes are
not, knows none of BPMN's counters, and refuses a second round because the output is still there. Majority and
quorum are the diagram's business, not this file's.
"""

from __future__ import annotations

from typing import Any

from SpiffWorkflow.bpmn.parser.TaskParser import TaskParser
from SpiffWorkflow.bpmn.specs.defaults import ParallelMultiInstanceTask
from SpiffWorkflow.util.task import TaskState


class Vote(ParallelMultiInstanceTask):
    """A multi-instance user task over a dict of seats; the output dict is keyed by seat."""

    def create_children(self, my_task: Any) -> None:
        # A round starts with an empty box: the votes of an earlier round stay in the journal, not in the flow.
        my_task.data.pop(self.data_output.bpmn_id, None)
        my_task.data.pop(self.output_item.bpmn_id, None)
        my_task.data.pop(self.input_item.bpmn_id, None)
        super().create_children(my_task)

    def check_completion_condition(self, my_task: Any) -> Any:
        if self.condition is None:
            return None
        seats = list(self._instances(my_task))
        done = sum(1 for seat in seats if seat.state == TaskState.COMPLETED)
        counters = {
            "nrOfInstances": len(seats),
            "nrOfCompletedInstances": done,
            "nrOfActiveInstances": len(seats) - done,
        }
        return my_task.workflow.script_engine.evaluate(my_task, self.condition, external_context=counters)


class VoteParser(TaskParser):
    """User and manual tasks; the multi-instance ones are votes."""

    PARALLEL_MI_CLASS = Vote


def connect_votes(spec: Any) -> None:
    """Make finished children report to their vote.

    The library connects them when a vote opens, so a specification parsed afresh after a restart would let every
    seat vote and never close. Done once per parsed specification, before threads share it.
    """
    for vote in list(spec.task_specs.values()):
        if isinstance(vote, Vote):
            spec.task_specs[vote.task_spec].completed_event.connect(vote.merge_child)


def vote_of(task: Any) -> Vote | None:
    """The vote that a task is a seat of, if any."""
    parent = task.parent.task_spec if task.parent is not None else None
    return parent if isinstance(parent, Vote) and parent.task_spec == task.task_spec.name else None
