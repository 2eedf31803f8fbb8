"""Lists of a municipality with very many open tasks: they ask as much for three as for three hundred; counts stop.

The tasks are copies of real cases of the municipality that is invented to be measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import event, func, select

from app.bench.crowd import crowd
from app.bench.town import Town, founded
from app.cases import acts, inbox
from app.cases.finding import browsing, overview, tasks
from app.cases.finding.risk import Risk, horizon
from app.store import Reader
from app.store.cases_tables import work_item


@pytest.fixture
def town(database_url: str) -> Iterator[Town]:
    with founded(database_url) as town:
        yield town


def box(town: Town, login: str = "servidor", page: int = 1, **wanted: Any) -> inbox.Inbox:
    with town.store.read() as reader:
        return inbox.inbox(reader, town.norm, town.people[login], inbox.Wanted(**wanted), page=page)


def looks(town: Town) -> dict[str, Callable[[Reader], Any]]:
    """Whatever lists a page shows, as a page asks for them."""
    norm, who = town.norm, town.people["servidor"]
    found: dict[str, Callable[[Reader], Any]] = {
        "waiting": lambda reader: inbox.count(reader, norm, who),
        "cases by term": lambda reader: browsing.browse(reader, norm, browsing.Wanted(risk="depois")),
        "cases": lambda reader: browsing.browse(reader, norm, browsing.Wanted(person=who, status="ABERTO")),
        "steps": tasks.all_names,
        "ends": lambda reader: overview.ends(reader, Risk.WEEK, horizon(reader, norm)),
        "terms": lambda reader: overview.by_term(reader, norm, horizon(reader, norm)),
        "states": lambda reader: overview.by_status(reader, norm),
        "queues": lambda reader: overview.by_office(reader, norm),
        "tasks": overview.by_task,
        "stalled": overview.stalled,
    }
    for wanted in (
        {},
        {"risk": "depois"},
        {"task": "decidir"},
        {"status": "ABERTO"},
        {"text": "1000"},
        {"mine": True},
        {"begun": True},
    ):
        found[f"inbox {wanted}"] = lambda reader, wanted=wanted: inbox.inbox(
            reader, norm, who, inbox.Wanted(**wanted)
        )
    return found


def statements(town: Town) -> dict[str, int]:
    asked: list[str] = []

    def note(*told: Any) -> None:
        asked.append(told[2])

    event.listen(town.store.database.engine, "before_cursor_execute", note)
    counts = {}
    for name, look in looks(town).items():
        with town.store.read() as reader:
            asked.clear()
            look(reader)
            counts[name] = len(asked)
    event.remove(town.store.database.engine, "before_cursor_execute", note)
    return counts


def test_lists_ask_as_much_for_three_tasks_as_for_three_hundred_and_never_load_a_diagram(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd(town.store, town.norm, 3)
    few = statements(town)  # whatever is read once per process has been read by now
    crowd(town.store, town.norm, 297)

    def loaded(*_: object, **__: object) -> None:
        raise AssertionError("a diagram was loaded")

    for name in ("app.engine.state.load", "app.registry.diagrams.definition_of"):
        monkeypatch.setattr(name, loaded)
    assert statements(town) == few
    assert few["inbox {}"] <= 12


def test_a_count_stops_and_pages_go_on(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "MOST", 20)
    crowd(town.store, town.norm, 60)
    with town.store.read() as reader:
        assert inbox.count(reader, town.norm, town.people["servidor"]) == 21
        waiting = reader.scalar(
            select(func.count()).where(work_item.c.status == "open", work_item.c.act == "instruir")
        )
    monkeypatch.setattr(inbox, "PAGE", 10)
    first = box(town)
    assert (first.total, first.page, first.pages, first.more, len(first.rows)) == (21, 1, None, True, 10)
    assert first.by_risk[Risk.NONE] == 21
    seen: list[str] = []
    page = 0
    more = True
    while more:
        page += 1
        looked = box(town, page=page)
        seen += [row["id"] for row in looked.rows]
        more = looked.more
    assert (len(seen), len(set(seen))) == (waiting, waiting)
    assert box(town, page=999).page == 2  # as far as was counted
    few = box(town, task="responder")
    assert (few.total, few.pages, few.more) == (len(few.rows), 1, False)


def test_the_order_is_by_the_next_end_then_by_age_over_all_kinds(town: Town) -> None:
    crowd(town.store, town.norm, 120)
    rows = [row for page in (1, 2, 3) for row in box(town, page=page).rows]
    told = [(row["next_end"] is None, row["next_end"] or 0, row["opened_at"], row["id"]) for row in rows]
    assert len(rows) > 100
    assert told == sorted(told)
    assert len({row["element"] for row in rows[:50]}) > 1


def test_very_many_kinds_of_tasks_are_listed_together(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    crowd(town.store, town.norm, 120)
    whole = [row["id"] for row in box(town).rows]
    monkeypatch.setattr(tasks, "_TOGETHER", 2)
    looked = box(town)
    assert [row["id"] for row in looked.rows] == whole
    assert len(looked.tasks) > 4


def test_each_finds_what_waits_for_them_alone(town: Town) -> None:
    """Of copies, the first waits for the counter and the five hundredth is one person's own."""
    crowd(town.store, town.norm, 700)
    with town.store.read() as reader:
        first = select(work_item).where(work_item.c.status == "open")
        rare = reader.one(first.where(work_item.c.act == "receber"), "")
        own = reader.one(first.where(work_item.c.assigned_to.is_not(None)), "")
    assert [row["id"] for row in box(town, "protocolo").rows] == [rare["id"]]
    seen = {login: ids(town, login, task=own["element"]) for login in ("servidor", "servidora")}
    assert [login for login in seen if own["id"] in seen[login]] == [
        login for login in seen if town.people[login] == own["assigned_to"]
    ]
    assert {own["id"]} == seen["servidora"] ^ seen["servidor"]
    assert rare["id"] not in seen["servidor"] | seen["servidora"]


def ids(town: Town, login: str, **wanted: Any) -> set[str]:
    """All that wait for somebody, page by page."""
    pages = box(town, login, **wanted).pages
    assert pages is not None
    return {row["id"] for n in range(pages) for row in box(town, login, n + 1, **wanted).rows}


def test_what_somebody_has_claimed_is_found_by_that(town: Town) -> None:
    crowd(town.store, town.norm, 10)
    mine = box(town).rows[3]
    with town.store.act(town.actor("servidor")) as tx:
        acts.claim(tx, mine["id"], mine["version"])
    assert [row["id"] for row in box(town, mine=True).rows if row["id"] == mine["id"]] == [mine["id"]]
    assert {row["claimed_by"] for row in box(town, mine=True).rows} == {town.people["servidor"]}
