"""Forms that are sent again and again at the same moment: one effect each, one answer for all, on both databases."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from app.store.cases_tables import note as notes
from tests.cases.fixtures import at_work
from tests.cases.infringement import Infringement
from tests.cases.town import Town, found
from tests.databases import Databases
from tests.races.posting import entered, note, site

KEYS, AT_ONCE = 40, 6


@pytest.fixture(params=["sqlite", "postgresql"])
def town(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Town]:
    url = databases.prepared(request.param, found)
    yield from at_work(url)
    databases.drop(url)


@pytest.mark.parametrize("keys", [KEYS, pytest.param(10 * KEYS, marks=pytest.mark.long)])
def test_forty_forms_sent_six_times_at_once_have_forty_effects(town: Town, tmp_path: Path, keys: int) -> None:
    case = Infringement.opened(town)
    app, number = site(town.url, tmp_path, town.store), str(case.row["number"])
    together = Barrier(AT_ONCE)

    def person(_: int) -> list[tuple[int, str]]:
        client = entered(app, town.world.people["fiscal"])
        answers = []
        for key in range(keys):
            together.wait(timeout=120)
            told = note(client, number, f"chave-de-formulario-{key}", f"Ligação {key}.")
            answers.append((told.status_code, told.headers.get("Location", "")))
        return answers

    with ThreadPoolExecutor(AT_ONCE) as people:
        answered = list(people.map(person, range(AT_ONCE)))
    for key, told in enumerate(zip(*answered, strict=True)):
        assert {status for status, _ in told} == {303}, (key, told)
        assert len({where for _, where in told}) == 1, (key, told)
    texts = [row["text"] for row in town.rows(notes, case_id=case.id)]
    assert sorted(texts) == sorted(f"Ligação {key}." for key in range(keys))


def test_one_key_with_different_words_at_once_takes_one_of_them(town: Town, tmp_path: Path) -> None:
    case = Infringement.opened(town)
    app, number = site(town.url, tmp_path, town.store), str(case.row["number"])
    together = Barrier(AT_ONCE)

    def person(which: int) -> int:
        client = entered(app, town.world.people["fiscal"])
        together.wait(timeout=120)
        return int(note(client, number, "uma-chave-para-todos", f"Versão {which}.").status_code)

    with ThreadPoolExecutor(AT_ONCE) as people:
        statuses = sorted(people.map(person, range(AT_ONCE)))
    assert statuses == [303] + [422] * (AT_ONCE - 1)
    assert len(town.rows(notes, case_id=case.id)) == 1


def test_a_killed_process_leaves_the_key_free_and_nothing_written(town: Town, tmp_path: Path) -> None:
    case = Infringement.opened(town)
    number, person, key = str(case.row["number"]), town.world.people["fiscal"], "a-chave-de-quem-morreu"
    town.store.database.close()
    dying = subprocess.Popen(
        [sys.executable, "-m", "tests.races.posting", town.url, str(tmp_path), person, number, key],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert dying.stdout is not None
    assert any(line == "inside\n" for line in iter(dying.stdout.readline, "")), "it never came so far"
    dying.kill()
    dying.communicate()
    assert town.rows(notes, case_id=case.id) == []
    client = entered(site(town.url, tmp_path, town.store), person)
    answers = [note(client, number, key) for _ in range(2)]
    assert [told.status_code for told in answers] == [303, 303]
    assert len(town.rows(notes, case_id=case.id)) == 1
