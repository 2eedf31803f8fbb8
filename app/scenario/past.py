"""Gives a demo a past: the municipality's own stories, told as if they had happened in the last weeks.

They are played once, through the same acts, with a clock that stands in the past; the journal they leave verifies and
replays like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import select

from app.clock import FixedClock
from app.demo import World, demo_world, furnish, install
from app.errors import Refused
from app.law.norm import Norm
from app.scenario.play import Stage, advance, perform
from app.scenario.story import Story, read_stories
from app.store import INSTALLER, Store
from app.store.registry_tables import person
from app.store.tables import installation

_MARK = "demo"
log = structlog.get_logger()


def load_once(store: Store, content_dir: Path, slug: str) -> bool:
    """Furnishes the demo and plays its stories unless this database already has them. True when it did.

    A database that already has people but no mark is somebody's own: nothing invented is added to it.
    """
    norm = install(store, content_dir, slug)
    with store.read() as reader:
        if reader.first(select(installation.c.key).where(installation.c.key == _MARK)):
            return False
        begun = reader.first(select(person.c.id).limit(1)) is not None
    if not begun:
        world = furnish(store, norm, demo_world(content_dir, slug))
        _tell(store, norm, world, content_dir / "bpmn" / slug / "demonstracao")
    with store.silent_act(INSTALLER) as tx:
        tx.add(installation, key=_MARK, value=True)
    return True


def _tell(store: Store, norm: Norm, world: World, folder: Path) -> None:
    """Plays all stories of a folder together, act by act in the order of their dates."""
    today = store.clock.now()
    stories = [
        shifted(story, today)
        for path in sorted(folder.glob("*.yaml"))
        for story in read_stories(path, lambda _: norm.zone)
    ]
    steps = sorted(((s.at, story.name, s) for story in stories for s in story.steps), key=lambda one: one[0])
    if not steps:
        return
    clock = FixedClock(steps[0][0] - timedelta(hours=1))
    past = Store(store.database, clock)
    for story in stories:
        furnish(past, norm, story.given, world)
    stages = {story.name: Stage(past, clock, norm, world) for story in stories}
    stopped: set[str] = set()
    for instant, name, step in steps:
        advance(stages[name], instant)
        if name in stopped:
            continue
        try:
            differences = perform(stages[name], step)
        except Refused as error:  # one story that cannot go on must not keep the demo from starting
            differences = [f"a história para aqui: {error}"]
            stopped.add(name)
        for difference in differences:
            log.warning("demo_story", story=name, difference=difference)


def shifted(story: Story, now: datetime) -> Story:
    """The story moved by whole weeks, so that its last step is the newest one that is past. Weekdays stay."""
    last = max(step.at for step in story.steps)
    weeks = (now - timedelta(hours=1) - last) // timedelta(weeks=1)
    by = timedelta(weeks=weeks)
    return replace(
        story,
        steps=tuple(
            replace(
                step,
                at=step.at + by,
                stamp=step.stamp + by if step.stamp else None,
                answers=_moved(step.answers, by),
                then={},
            )
            for step in story.steps
        ),
        given=_moved(story.given, by),
    )


def _moved(values: Mapping[str, Any], by: timedelta) -> dict[str, Any]:
    def move(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: move(v) for k, v in value.items()}
        if isinstance(value, list):
            return [move(v) for v in value]
        return value + by if isinstance(value, date) else value

    return {key: move(value) for key, value in values.items()}
