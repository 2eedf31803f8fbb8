"""Every story on every kind of database, audited afterwards; and whether together they walk the whole diagrams."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.scenario.story import Story
from tests.databases import Databases
from tests.scenarios.reached import Played, all_stories, diagram, played, published

STORIES = all_stories()
PROCESSES = ("infracao", "peticao")
Tell = Callable[[Story], Played]


@pytest.fixture(scope="module")
def tell(databases: Databases) -> Tell:
    """Plays a story on SQLite, once for all who ask: the tests that share it stay on one worker."""
    told: dict[str, Played] = {}

    def ask(story: Story) -> Played:
        key = f"{story.path}:{story.name}"
        if key not in told:
            url = databases.prepared("sqlite", published)
            told[key] = played(story, url)
            databases.drop(url)
        return told[key]

    return ask


def sound(result: Played) -> None:
    assert result.differences == []
    assert result.faults == []


@pytest.mark.xdist_group("stories")
@pytest.mark.parametrize("story", STORIES, ids=lambda s: s.name)
def test_a_story_comes_out_as_written_and_its_journal_stands(story: Story, tell: Tell) -> None:
    sound(tell(story))


@pytest.mark.parametrize("story", STORIES, ids=lambda s: s.name)
def test_a_story_comes_out_the_same_on_postgresql(story: Story, databases: Databases, pg_url: str) -> None:
    del pg_url  # skips where there is no PostgreSQL
    url = databases.prepared("postgresql", published)
    try:
        sound(played(story, url))
    finally:
        databases.drop(url)


def test_no_two_stories_have_the_same_name() -> None:
    names = [story.name for story in STORIES]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.xdist_group("stories")
@pytest.mark.parametrize("process", PROCESSES)
def test_the_stories_together_reach_every_end_every_outcome_of_a_term_and_every_flow(
    process: str, tell: Tell
) -> None:
    graph = diagram("jequie", f"{process}.bpmn")
    results = [tell(story) for story in STORIES]
    nodes = {node for r in results for of, node in r.nodes if of == process}
    flows = {flow for r in results for of, flow in r.flows if of == process}
    missing = [f"end       {end}" for end in sorted(graph.ends - nodes)]
    for timer, others in sorted(graph.outcomes_of_timers().items()):
        missing += [f"expired   {timer}"] if timer not in nodes else []
        missing += [f"in time   {timer}"] if not others & nodes else []
    missing += [f"flow      {flow}" for flow in sorted(set(graph.flows) - flows)]
    assert not missing, "never reached:\n" + "\n".join(missing)
