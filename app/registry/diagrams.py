"""The diagrams of a norm: which files drive a process, and whether all of them may come into force.

A diagram that does not load, or names a form, an act or a status that the norm does not have, must be seen by whoever
publishes. Which words diagrams may use is given by the caller: this room neither asks nor orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.engine.definition import Definition, Element, load
from app.engine.expression import Language
from app.engine.lint import FLOW_NODES, kind, read
from app.errors import Invalid, NotFound
from app.law.norm import Norm, Process

Fault = tuple[str, str, str]  # file, key, text
MAX_ELEMENTS = 500  # drawn flow nodes of one diagram: compiling takes the square of their number
MAX_NESTED = 8  # sub-processes in sub-processes: compiling takes more than the square of it
_FORM = "formJsonSchemaFilename"
_TASKS = frozenset({"userTask", "manualTask"})


def definition_of(norm: Norm, process: Process, language: Language) -> Definition:
    """The compiled diagram of a process. Raises NotFound without a file, Invalid with every fault of the diagram."""
    if process.file not in norm.diagrams:
        raise NotFound(f"A norma não traz o diagrama {process.file}.")
    return load(process.process_id, {process.file: norm.diagrams[process.file]}, language)


def faults(norm: Norm, language: Language) -> Iterator[Fault]:
    """What keeps the norm's processes from running, by file and element. A file that is not there is told elsewhere."""
    for process in norm.processes.values():
        if process.file not in norm.diagrams:
            continue
        file = f"bpmn/{norm.slug}/{process.file}"
        if told_size := _too_large(norm.diagrams[process.file]):
            yield file, "", told_size
            continue
        try:
            definition = definition_of(norm, process, language)
        except Invalid as refused:
            told = refused.fields or {"": refused.message}
            yield from ((file, "" if key == process.file else key, text) for key, text in told.items())
        except RecursionError:
            yield file, "", "o diagrama tem elementos demais, um dentro do outro"
        else:
            for element in definition.elements.values():
                yield from ((file, element.id, text) for text in _disagreements(norm, element))


def _too_large(diagram: bytes) -> str | None:
    try:
        root = read(diagram)
    except ValueError:  # loading tells what is wrong with it
        return None
    if sum(kind(node) in FLOW_NODES for node in root.iter()) > MAX_ELEMENTS:
        return f"o diagrama tem mais de {MAX_ELEMENTS} elementos"
    deepest = max((_depth(node) for node in root.iter() if kind(node) == "subProcess"), default=0)
    return f"há mais de {MAX_NESTED} subprocessos, um dentro do outro" if deepest > MAX_NESTED else None


def _depth(node: Any) -> int:
    """In how many sub-processes a sub-process stands, itself included."""
    return 1 + sum(kind(around) == "subProcess" for around in node.iterancestors())


def _disagreements(norm: Norm, element: Element) -> Iterator[str]:
    """Where an element names what the norm does not have."""
    told = element.properties
    acts = {competence.act for competence in norm.competences}
    named: tuple[tuple[str, str, Mapping[str, object] | set[str]], ...] = (
        ("o formulário", told.get(_FORM, "").removesuffix("-schema.json"), norm.forms),
        ("o estado", told.get("estado", ""), norm.statuses),
        ("o colegiado", told.get("colegiado", ""), norm.boards),
        ("em competencias.csv, o ato", told.get("ato", ""), acts),
    )
    for what, name, among in named:
        if name and name not in among:
            yield f"{what} {name!r} não existe na norma"
    if element.kind in _TASKS:
        if not told.get(_FORM):
            yield f"falta o formulário ({_FORM})"
        if not told.get("ato") and element.id not in acts:
            yield "falta o ato que diz quem pode fazer a tarefa"
