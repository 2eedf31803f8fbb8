"""Numbers: gapless per series and year, given back by a refused act, and a check digit that catches a typing error."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import select

from app import documents
from app.audit import seal
from app.documents import with_check_digit
from app.errors import Broken, Invalid, NotFound
from app.store import INSTALLER, Tx
from app.store.cases_tables import document
from app.store.tables import series, subject_key
from tests.cases.infringement import Infringement, to_decision_served
from tests.cases.town import Town


def take(town: Town, name: str, year: int) -> int:
    with town.store.silent_act(INSTALLER) as tx:
        return documents.take_number(tx, name, year)


def test_each_series_counts_from_one_in_each_year(town: Town) -> None:
    assert [take(town, "auto", 2026) for _ in range(3)] == [1, 2, 3]
    assert take(town, "auto", 2027) == 1
    assert take(town, "decisao", 2026) == 1
    assert take(town, "auto", 2026) == 4
    assert town.row(series, name="auto", year=2026)["last"] == 4


def test_a_refused_act_gives_its_number_back(town: Town) -> None:
    assert take(town, "auto", 2026) == 1

    def refused(tx: Tx) -> None:
        assert documents.take_number(tx, "auto", 2026) == 2
        assert documents.take_number(tx, "guia", 2026) == 1
        raise Invalid("o ato foi recusado")

    with pytest.raises(Invalid):
        town.install(refused)
    assert take(town, "auto", 2026) == 2
    assert town.rows(series, name="guia") == []


def test_the_papers_of_cases_are_numbered_without_gaps_in_the_year_of_their_act(town: Town) -> None:
    one = to_decision_served(town)
    two = Infringement.opened(town, when="2026-12-30 10:00", ocorrida_em="2026-12-30")
    two.registered("2026-12-31 10:00").charged("2027-01-04 10:00")
    rows = [r for r in town.rows(document) if r["kind"] in ("notificacao", "auto_de_infracao")]
    numbered = {(r["case_id"], r["kind"]): (r["series"], r["year"], r["number"]) for r in rows}
    assert numbered == {
        (one.id, "notificacao"): ("notificacao", 2026, 1),
        (two.id, "notificacao"): ("notificacao", 2026, 2),
        (one.id, "auto_de_infracao"): ("auto_de_infracao", 2026, 1),
        (two.id, "auto_de_infracao"): ("auto_de_infracao", 2027, 1),
    }
    by_series: dict[tuple[str, int], list[int]] = {}
    for row in town.rows(document):
        by_series.setdefault((row["series"], row["year"]), []).append(row["number"])
    for numbers in by_series.values():
        assert sorted(numbers) == list(range(1, len(numbers) + 1))


def test_cases_are_numbered_per_year_with_their_check_digit(town: Town) -> None:
    """00001/2026: 6·2+2·3+0·4+2·5+1·6 = 34 = 3·11+1, so 10, written 0; 00002/2026: 40 = 3·11+7, so 4."""
    first, second = Infringement.opened(town), Infringement.opened(town)
    assert [first.row["number"], second.row["number"]] == ["00001/2026-0", "00002/2026-4"]
    assert Infringement.opened(town, when="2027-01-04 09:00").row["number"].startswith("00001/2027-")


@pytest.mark.parametrize(
    ("number", "year", "shown"),
    [
        # weights 2, 3, 4… from the right; 11 minus the remainder by 11
        (1, 2026, "00001/2026-0"),  # 12+6+0+10+6 = 34, remainder 1, 10 -> 0
        (2, 2026, "00002/2026-4"),  # 40, remainder 7, 4
        (123, 2025, "00123/2025-0"),  # 10+6+0+10+18+14+8 = 66, remainder 0, 11 -> 0
        (124, 2025, "00124/2025-5"),  # 72, remainder 6, 5
        (99999, 2026, "99999/2026-8"),  # 28+9*(6+7+8+9+10) = 388, remainder 3, 8
        (100000, 2026, "100000/2026-5"),  # 28+1*11 = 39, remainder 6, 5
    ],
)
def test_the_check_digit_is_the_one_counted_by_hand(number: int, year: int, shown: str) -> None:
    assert with_check_digit(number, year) == shown


def test_one_wrong_digit_is_caught() -> None:
    """28 + 4·6 + 3·7 + 2·8 + 1·9 = 98 = 8·11+10, so 1; every other digit in every place must give another."""
    assert with_check_digit(1234, 2026) == "01234/2026-1"
    digits = "012342026"
    for place in range(9):
        for other in "0123456789".replace(digits[place], ""):
            typed = digits[:place] + other + digits[place + 1 :]
            assert not with_check_digit(int(typed[:5]), int(typed[5:])).endswith("-1")


def test_a_document_tells_its_content_until_its_subject_is_erased(town: Town) -> None:
    case = Infringement.opened(town)
    issued = town.row(document, case_id=case.id)
    told = town.read(documents.content_of, issued["id"])
    assert told["case"] == case.row["number"]
    assert {f["key"]: f["text"] for f in told["fields"]}["processo"] == case.row["number"]
    assert len(town.rows(subject_key, subject_id=case.row["subject_id"])) == 1
    town.draft("secretario", seal.destroy_key, case.row["subject_id"])
    assert town.read(documents.content_of, issued["id"]) is None
    with pytest.raises(NotFound, match="Documento"):
        town.read(documents.content_of, "nenhum")


def test_a_paper_for_an_erased_subject_is_not_numbered(town: Town) -> None:
    case = Infringement.opened(town)
    town.draft("secretario", seal.destroy_key, case.row["subject_id"])
    before = town.snapshot()
    kind = town.norm.documents["auto_de_infracao"]
    with pytest.raises(Broken), town.store.act(INSTALLER) as tx:
        documents.issue(tx, case.id, case.row["subject_id"], 2, kind, date(2026, 5, 8), {"a": "b"})
    assert town.snapshot() == before
    assert town.read(lambda reader: reader.all(select(document).where(document.c.seq == 2))) == []
