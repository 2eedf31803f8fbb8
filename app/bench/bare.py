"""What bounds every figure: the same process in the bare library, and a transaction of the same bytes without anything.

Neither is part of the product. The library runs the diagram in memory with its own parser, its own conditions and
nothing saved in between.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from SpiffWorkflow.bpmn import BpmnWorkflow
from SpiffWorkflow.bpmn.parser import BpmnParser
from SpiffWorkflow.bpmn.script_engine import PythonScriptEngine, TaskDataEnvironment
from SpiffWorkflow.util.task import TaskState
from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, event, insert

from app.bench.figures import Figure, rate
from app.bench.town import ANSWERS, CONTENT, SLUG, Town
from app.clock import monotonic

_FAR = datetime(2099, 1, 1, tzinfo=UTC)


class Library:
    """SpiffWorkflow alone, on one of the diagrams."""

    def __init__(self, process: str) -> None:
        parser = BpmnParser()
        diagram = Path(CONTENT, "bpmn", SLUG, f"{process}.bpmn").read_bytes()
        parser.add_bpmn_io(io.BytesIO(diagram))
        self._spec, self._parts = parser.get_spec(process), parser.get_subprocess_specs(process)
        words = {"menor": min, "prazo": lambda *_: _FAR.isoformat()}
        self._engine = PythonScriptEngine(environment=TaskDataEnvironment(words))

    def play(self) -> tuple[int, float]:
        """One case from its start to its end: completed tasks, and the seconds of their completions."""
        flow: Any = BpmnWorkflow(self._spec, self._parts, script_engine=self._engine)
        flow.task_tree.data["recebido_em"] = "2026-03-02"
        flow.do_engine_steps()
        count, seconds = 0, 0.0
        while ready := flow.get_tasks(state=TaskState.READY, manual=True):
            began = monotonic()
            ready[0].data["resposta"] = ANSWERS["resposta"]
            ready[0].run()
            flow.do_engine_steps()
            seconds += monotonic() - began
            count += 1
        return count, seconds


def written(town: Town, work: Callable[[], int]) -> int:
    """The bytes that a deed hands to the database, on average over the deeds of `work`, which says how many it did."""
    total = 0

    def count(_c: Any, _cursor: Any, statement: str, values: Any, _context: Any, many: bool) -> None:
        nonlocal total
        if statement.startswith(("INSERT", "UPDATE")):
            total += sum(map(_size, values)) if many else _size(values)

    engine = town.store.database.engine
    event.listen(engine, "before_cursor_execute", count)
    try:
        deeds = work()
    finally:
        event.remove(engine, "before_cursor_execute", count)
    return total // deeds


def floor(name: str, town: Town, size: int, times: int) -> Figure:
    """Transactions of so many bytes a second, as the floor under a figure."""
    note = f"só a gravação: uma linha de {size} bytes por transação"
    return rate(name, town.dialect, times, lambda: transactions(town, size, 200), note=note)


def transactions(town: Town, size: int, count: int) -> float:
    """Transactions a second that insert one row of `size` bytes each, committed one after the other."""
    metadata = MetaData()
    table = Table("bare", metadata, Column("id", Integer, primary_key=True), Column("bytes", LargeBinary))
    database = town.store.database
    metadata.create_all(database.engine)
    statement, data = insert(table), bytes(size)
    try:
        began = monotonic()
        for _ in range(count):
            with database.writing() as connection:
                connection.execute(statement, {"bytes": data})
        return count / (monotonic() - began)
    finally:
        metadata.drop_all(database.engine)


def _size(values: Any) -> int:
    told = values.values() if isinstance(values, dict) else values
    return sum(len(v) if isinstance(v, str | bytes) else 8 for v in told)
