"""Every story on every kind of database, audited afterwards; and whether together they walk the whole diagrams."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.scenario.story import Story
from tests.databases import Databases, Kind
from tests.scenarios.reached import Played, all_stories, diagram, played, published

STORIES = all_stories()
PROCESSES = ("infracao", "peticao")


def told(story: Story, databases: Databases, kind: Kind) -> Played:
    url = databases.prepared(kind, published)
    try:
        return played(story, url)
    finally:
        databases.drop(url)


def never_reached(process: str, results: Sequence[Played]) -> list[str]:
    """Ends, outcomes of terms and flows of a diagram that no story walked: the table a failure shows."""
    graph = diagram("jequie", f"{process}.bpmn")
    nodes = {node for r in results for of, node in r.nodes if of == process}
    flows = {flow for r in results for of, flow in r.flows if of == process}
    missing = [f"{process}  end      {end}" for end in sorted(graph.ends - nodes)]
    for timer, others in sorted(graph.outcomes_of_timers().items()):
        missing += [f"{process}  expired  {timer}"] if timer not in nodes else []
        missing += [f"{process}  in time  {timer}"] if not others & nodes else []
    return missing + [f"{process}  flow     {flow}" for flow in sorted(set(graph.flows) - flows)]


@pytest.mark.parametrize("story", STORIES, ids=lambda s: s.name)
def test_a_story_comes_out_as_written_on_postgresql_and_its_journal_stands(
    story: Story, databases: Databases, pg_url: str
) -> None:
    del pg_url  # skips where there is no PostgreSQL
    result = told(story, databases, "postgresql")
    assert result.differences == []
    assert result.faults == []


def test_all_stories_come_out_on_sqlite_and_walk_every_end_every_outcome_of_a_term_and_every_flow(
    databases: Databases,
) -> None:
    """One test: the walk needs them all, and a worker cannot see what another has played."""
    results = {story.name: told(story, databases, "sqlite") for story in STORIES}
    wrong = [f"{name}: {line}" for name, r in results.items() for line in r.differences + r.faults]
    assert not wrong, "\n".join(wrong)
    missing = [line for process in PROCESSES for line in never_reached(process, list(results.values()))]
    assert not missing, "never reached:\n" + "\n".join(missing)


def test_no_two_stories_have_the_same_name() -> None:
    names = [story.name for story in STORIES]
    assert sorted(set(names)) == sorted(names)
