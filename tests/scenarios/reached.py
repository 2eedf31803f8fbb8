"""What a played story leaves behind for judging it: its differences, the audit's faults, the paths it walked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from app.audit.verify import verify
from app.cases.proof import whole
from app.cases.proof.replay import case_ids, replay
from app.clock import FixedClock
from app.demo import install
from app.scenario.play import play
from app.scenario.story import Story, read_stories
from app.settings import ROOT
from app.store import Reader, Row, Store, connect
from app.store.cases_tables import cases, element_log
from app.store.migrate import migrate
from tests.cases.town import database_at

HERE = Path(__file__).parent
BPMN = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"
ZONE = ZoneInfo("America/Bahia")
BEFORE = datetime(2025, 1, 2, 12, tzinfo=UTC)
LATER = datetime(2030, 1, 1, tzinfo=UTC)


def all_stories() -> list[Story]:
    return [s for path in sorted(HERE.rglob("*.yaml")) for s in read_stories(path, lambda _: ZONE)]


@dataclass(frozen=True)
class Diagram:
    """A BPMN file as a graph: kind of each node, targets of each flow, what each boundary event is attached to."""

    kinds: dict[str, str]
    flows: dict[str, tuple[str, str]]
    hosts: dict[str, str]

    def targets(self, node: str) -> dict[str, str]:
        """Flow by target, of the flows that leave a node."""
        return {target: flow for flow, (source, target) in self.flows.items() if source == node}

    @property
    def ends(self) -> set[str]:
        return {node for node, kind in self.kinds.items() if kind == "endEvent"}

    def outcomes_of_timers(self) -> dict[str, set[str]]:
        """For each timer event, the events or tasks one of which happens when it does not."""
        found = {}
        for node in (n for n, kind in self.kinds.items() if kind.endswith("Event:timer")):
            if node in self.hosts:
                found[node] = {self.hosts[node]}
                continue
            gateway = next(source for source, target in self.flows.values() if target == node)
            found[node] = set(self.targets(gateway)) - {node}
        return found


@cache
def diagram(slug: str, file: str) -> Diagram:
    kinds, flows, hosts = {}, {}, {}
    for process in ElementTree.parse(ROOT / "bpmn" / slug / file).getroot().iter(f"{BPMN}process"):
        for node in process:
            kind = node.tag.removeprefix(BPMN)
            if kind == "sequenceFlow":
                flows[node.attrib["id"]] = (node.attrib["sourceRef"], node.attrib["targetRef"])
            elif "id" in node.attrib and kind != "laneSet":
                timer = node.find(f"{BPMN}timerEventDefinition") is not None
                kinds[node.attrib["id"]] = f"{kind}:timer" if timer else kind
            if host := node.get("attachedToRef"):
                hosts[node.attrib["id"]] = host
    return Diagram(kinds, flows, hosts)


@dataclass
class Played:
    """One story after its end."""

    differences: list[str]
    faults: list[str] = field(default_factory=list)
    nodes: set[tuple[str, str]] = field(default_factory=set)
    flows: set[tuple[str, str]] = field(default_factory=set)


def published(url: str) -> None:
    """A database with tables and norm, as every story finds them: what would take most of a short story's time."""
    database = connect(url)
    try:
        migrate(database)
        install(Store(database, FixedClock(BEFORE)), ROOT, "jequie")
    finally:
        database.close()


def played(story: Story, url: str) -> Played:
    """Plays a story on a database that has no case yet, verifies the journal, replays every case, reads its path."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("app.scenario.play.connect", lambda url: database_at(url, "story"))
        result = Played(play(story, url, ROOT).differences)
    database = database_at(url, "story")
    try:
        with Store(database, FixedClock(LATER)).read() as reader:
            result.faults += [f"{f.stream}, {f.seq}: {f.reason}" for f in verify(reader).faults]
            result.faults += whole.faults(reader)
            for case_id in case_ids(reader):
                result.faults += replay(reader, case_id).faults
                _walk(reader, story.municipality, case_id, result)
    finally:
        database.close()
    return result


def _walk(reader: Reader, slug: str, case_id: str, result: Played) -> None:
    process = reader.one(select(cases.c.process).where(cases.c.id == case_id), "")["process"]
    graph = diagram(slug, f"{process}.bpmn")
    query = select(element_log).where(element_log.c.case_id == case_id).order_by(element_log.c.seq)
    told = [change for row in reader.all(query) for change in row["changes"]]
    rows: list[Row] = [{"element": element, "state": state} for element, state, _ in told]
    for place, row in enumerate(rows):
        if row["state"] == "COMPLETED":
            result.nodes.add((process, row["element"]))
            for flow in _taken(graph, row["element"], rows[place + 1 :]):
                result.flows.add((process, flow))


def _taken(graph: Diagram, node: str, later: Sequence[Row]) -> Iterator[str]:
    """Flows that a completed node's token went on by: the log names nodes, so the next target seen tells."""
    targets, kind = graph.targets(node), graph.kinds.get(node, "")
    if kind == "eventBasedGateway":
        seen = [r["element"] for r in later if r["element"] in targets and r["state"] == "COMPLETED"]
    else:
        seen = [r["element"] for r in later if r["element"] in targets]
    if kind in ("eventBasedGateway", "exclusiveGateway"):
        seen = seen[:1]
    yield from (targets[element] for element in set(seen))
