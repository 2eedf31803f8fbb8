"""The measures measure what they say, on small numbers: how fast it is here is nobody's business in a test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.bench import acts, audit, deadlines, inbox, pages
from app.bench.bare import Library
from app.bench.figures import Figure, as_lines, percentile, rate
from app.bench.town import Occupied, founded
from app.cases.proof.replay import case_ids
from app.cli import main
from app.store import connect
from app.store.migrate import is_empty


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for room, name, value in (
        (acts, "_WARM", 1),
        (acts, "_STORED", 2),
        (audit, "ENTRIES", 100),
        (audit, "_PLAYED", 1),
        (deadlines, "_BACKLOG", 3),
        (inbox, "TASKS", 60),
        (inbox, "_LOOKS", 2),
        (pages, "_CLIENTS", 2),
        (pages, "_EACH", 8),
        (pages, "_THINKING", 0.0),
        (pages, "_BETWEEN", 0.0),
        (pages, "_OVERDUE", 24),
    ):
        monkeypatch.setattr(room, name, value)


def test_the_invented_case_has_thirty_elements_and_eight_tasks(database_url: str) -> None:
    with founded(database_url) as town:
        assert len(town.play("longo")) == 8
        with town.store.read() as reader:
            assert len(case_ids(reader)) == 1
    diagram = Path(acts.__file__).parent / "content/bpmn/medida/longo.bpmn"
    assert diagram.read_text().count("Shape id=") - 3 == 30  # without the pool and its two lanes


def test_the_bare_library_plays_the_same_eight_tasks() -> None:
    assert Library("longo").play()[0] == 8


def test_every_measure_gives_its_figures_and_leaves_the_database_empty(database_url: str) -> None:
    kind = database_url.partition(":")[0].partition("+")[0]
    told = [*acts.measure(database_url, 1), *deadlines.measure(database_url, 1)]
    told += [*inbox.measure(database_url, 1), *audit.measure(database_url)]
    assert [figure.name for figure in told] == [
        "acts.completions",
        "acts.completion_p95",
        "acts.bare_transactions",
        "acts.loop_80_to_10",
        "acts.storage_per_case",
        "deadlines.bare_transactions",
        "deadlines.decided",
        "inbox.first_page_p95",
        "audit.replayed",
        "audit.verified",
    ]
    assert {figure.database for figure in told} == {kind}
    assert all(figure.value > 0 for figure in told if figure.name != "acts.storage_per_case")
    database = connect(database_url)
    assert is_empty(database)
    database.close()


def test_people_and_a_worker_are_measured_from_outside(database_url: str) -> None:
    (eight,) = pages.eight_people(database_url)
    (drained,) = pages.while_draining(database_url)
    assert (eight.name, drained.name) == ("acts.http_p95", "deadlines.web_p99")
    assert drained.note.partition(" ")[0].isdigit()


def test_a_database_with_anything_in_it_is_not_touched(database_url: str) -> None:
    database = connect(database_url)
    with database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE somebodys (what TEXT)")
    with pytest.raises(Occupied), founded(database_url):
        pass
    with database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM somebodys").scalar_one() == 0
    database.close()


def test_figures_are_told_to_people_and_to_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [
        Figure("acts.completions", "sqlite", 120.4, "/s", 100.0, at_least=True, low=99.0, high=130.0),
        Figure("audit.verified", "sqlite", 6.25, "s", 5.0, note="100280 registros"),
    ]
    monkeypatch.setattr("app.cli.measuring.measured", lambda *_: iter(told))
    answer = CliRunner().invoke(main, ["bench", "all", "--json"])
    assert [figure["held"] for figure in json.loads(answer.stdout)] == [True, False]
    assert answer.exit_code == 1
    lines = list(as_lines(told))
    assert "120 /s" in lines[1]
    assert "não alcançou" not in lines[1]
    assert "6,25 s" in lines[2]
    assert lines[2].endswith("100280 registros  não alcançou")


def test_a_repeated_measure_is_told_by_its_median_and_a_percentile_by_rank() -> None:
    values = iter([3.0, 1.0, 2.0])
    figure = rate("x", "", 3, lambda: next(values))
    assert (figure.value, figure.low, figure.high) == (2.0, 1.0, 3.0)
    assert percentile([5.0, 1.0, 4.0, 2.0, 3.0], 0.8) == 5.0
    assert percentile([1.0], 0.99) == 1.0
