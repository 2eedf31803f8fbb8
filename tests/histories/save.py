"""Plays every story and keeps the cases that show an act or an end that no kept history shows yet.

    python -m tests.histories.save            adds what is missing, the fewest cases that will do
    python -m tests.histories.save STORY...   adds every case of these stories

A diagram that has changed is another definition, of which nothing is kept: run this once it is in force.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator

from sqlalchemy import select

from app.clock import FixedClock
from app.registry import norms
from app.scenario.play import play
from app.scenario.story import Story
from app.settings import ROOT
from app.store import Reader, Store, connect
from app.store.cases_tables import cases
from app.store.tables import journal
from tests.histories.kept import History, Line, histories, write
from tests.scenarios.reached import LATER, all_stories, published

Told = tuple[History, dict[str, bytes]]


def main(*wanted: str) -> None:
    stories = [story for story in all_stories() if not wanted or story.name in wanted]
    told = [case for story in stories for case in played(story)]
    kept = {what for history in histories() for what in history.shows()}
    for history, files in told if wanted else fewest(told, kept):
        print(write(history, files).name)


def played(story: Story) -> Iterator[Told]:
    """The cases of a story, each with the files of its diagram."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/story.db"
        published(url)
        if differences := play(story, url, ROOT).differences:
            raise SystemExit(f"{story.name}: {differences}")
        database = connect(url)
        with Store(database, FixedClock(LATER)).read() as reader:
            yield from _cases(reader, story)
        database.close()


def _cases(reader: Reader, story: Story) -> Iterator[Told]:
    for number, row in enumerate(reader.all(select(cases).order_by(cases.c.number)), 1):
        norm = norms.by_digest(reader, row["norm_digest"])
        stream = select(journal).where(journal.c.stream == f"processo:{row['id']}").order_by(journal.c.seq)
        lines = tuple(Line(r["prev"], r["hash"], bytes(r["body"])) for r in reader.all(stream))
        process = norm.processes[row["process"]]
        files = {process.file: norm.diagrams[process.file]}
        head = {
            "story": f"{story.name}: {story.title}",
            "process": process.process_id,
            "definition": row["definition_digest"],
            "case": row["id"],
        }
        yield History(f"{story.name}.{number}", head, lines), files


def fewest(told: list[Told], known: set[tuple[str, str]]) -> Iterator[Told]:
    """Whichever case shows most of what is still missing, again and again."""
    missing = {what for history, _ in told for what in history.shows()} - known
    while missing:
        best = max(told, key=lambda case: (len(case[0].shows() & missing), -len(case[0].lines)))
        missing -= best[0].shows()
        yield best


if __name__ == "__main__":
    main(*sys.argv[1:])
