"""First offence (D-09) and recurrence (D-11): what an infringer's record shows, day by day, as the articles read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from app.cases.dossier import open_dossier
from app.cases.vocabulary import facts
from app.errors import Invalid, NotFound
from app.registry import carriers, occurrences, values
from app.store import CLOCK
from app.store.registry_tables import occurrence
from tests.cases.infringement import Infringement
from tests.cases.town import Town

DAY = date(2026, 5, 5)
GRANTED = date(2025, 6, 2)


def ask(town: Town, case: Infringement, fact: Callable[..., Any], *args: Any) -> Any:
    with town.store.act(CLOCK) as tx:
        return fact(open_dossier(tx, case.id), *args)


def transcidade(town: Town, code: str = "I-14", day: date = DAY, **changes: Any) -> Infringement:
    """A case about a carrier without a past, permit of line L-102 since 2025-06-02."""
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"], **changes}
    case = Infringement.opened(
        town, when=f"{day + timedelta(days=1)} 09:00", codigo=code, ocorrida_em=str(day), **told
    )
    assert case.status == "NOTIFICADO"
    return case


def caught(town: Town, day: date, code: str = "I-14", status: str = "confirmada", who: str = "") -> str:
    carrier = town.world.carriers["TC"]
    infringer = who or f"transportador:{carrier}"
    return str(
        town.install(
            occurrences.record,
            infringer,
            carrier,
            None,
            code,
            day,
            case_id=None,
            status=status,
            source="registro anterior",
        )
    )


def first(town: Town, case: Infringement, *, line: bool = True, day: date = DAY) -> bool:
    infringer = f"transportador:{town.world.carriers['TC']}"
    grant = town.world.grants["L-102"] if line else None
    answer: bool = ask(town, case, facts.primario, infringer, grant, str(day))
    return answer


def factor(town: Town, case: Infringement, code: str = "I-14", day: date = DAY) -> int:
    infringer = f"transportador:{town.world.carriers['TC']}"
    return int(ask(town, case, facts.fator_reincidencia, infringer, code, str(day)))


@pytest.mark.parametrize(
    ("day", "code", "status", "expected"),
    [
        (GRANTED, "I-14", "advertida", False),  # on the first day of the grant
        (GRANTED - timedelta(days=1), "I-14", "advertida", True),  # under the grant before
        (DAY - timedelta(days=1), "I-14", "notificada", False),
        (DAY - timedelta(days=1), "I-03", "autuada", False),  # any code counts
        (DAY - timedelta(days=300), "I-14", "confirmada", False),  # no window: since the grant began
        (DAY - timedelta(days=1), "I-14", "anulada", True),
        (DAY + timedelta(days=1), "I-14", "autuada", True),  # later, typed before
    ],
)
def test_who_was_noticed_before_under_the_grant_is_no_first_offender(
    town: Town, day: date, code: str, status: str, expected: bool
) -> None:
    caught(town, day, code, status)
    assert first(town, transcidade(town)) is expected


def test_who_was_never_noticed_is_a_first_offender(town: Town) -> None:
    case = transcidade(town)
    assert first(town, case) is True
    assert first(town, case, line=False) is True


def test_of_two_notices_of_one_day_only_the_second_finds_an_earlier_one(town: Town) -> None:
    one = transcidade(town)
    town.clock.set(town.clock.now() + timedelta(minutes=5))
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    two = Infringement.opened(town, when="2026-05-06 09:30", **told)
    assert (first(town, one), first(town, two)) == (True, False)


def test_without_a_grant_that_runs_on_the_day_nobody_is_a_first_offender(town: Town) -> None:
    case = transcidade(town)
    before = GRANTED - timedelta(days=1)
    assert first(town, case, line=False, day=before) is False
    assert first(town, case, day=before) is False
    ended = town.install(
        carriers.grant_line,
        town.world.carriers["TC"],
        "L-900",
        "autorizacao",
        date(2026, 1, 5),
        date(2026, 5, 4),
    )
    who = f"transportador:{town.world.carriers['TC']}"
    assert ask(town, case, facts.primario, who, ended, "2026-05-04") is True
    assert ask(town, case, facts.primario, who, ended, "2026-05-05") is False


def test_a_driver_has_a_record_of_his_own_under_the_employers_grant(town: Town) -> None:
    jose = f"pessoal:{town.world.staff['jose']}"
    told = {"pessoa": town.world.staff["jose"], "codigo": "II-05"}
    case = Infringement.opened(town, **told)
    assert ask(town, case, facts.primario, jose, None, str(DAY)) is True
    caught(town, DAY - timedelta(days=10), "II-18", "advertida", jose)
    assert ask(town, case, facts.primario, jose, None, str(DAY)) is False
    # The company, warned in February, is not a first offender whatever its driver did.
    company = f"transportador:{town.world.carriers['ES']}"
    assert ask(town, case, facts.primario, company, town.world.grants["L-110"], str(DAY)) is False


@pytest.mark.parametrize(
    ("days", "code", "status", "expected"),
    [
        (0, "I-14", "confirmada", 1),  # the same day is another occurrence, not a recurrence
        (1, "I-14", "confirmada", 2),
        (60, "I-14", "confirmada", 2),
        (61, "I-14", "confirmada", 1),
        (-1, "I-14", "confirmada", 1),  # a later one looks not back
        (30, "I-13", "confirmada", 1),
        (30, "I-14", "anulada", 1),
        (30, "I-14", "autuada", 2),
        (30, "I-14", "notificada", 2),
        (30, "I-14", "advertida", 2),  # Art. 102, I: the archived notice is a penalty
    ],
)
def test_the_same_fault_within_sixty_days_is_fined_double(
    town: Town, days: int, code: str, status: str, expected: int
) -> None:
    caught(town, DAY - timedelta(days=days), code, status)
    assert factor(town, transcidade(town)) == expected


@pytest.mark.parametrize(
    ("again", "code", "expected"),
    [
        (date(2026, 10, 2), "I-13", 2),  # 60 days after Monday 3 August
        (date(2026, 10, 3), "I-13", 1),  # Saturday, day 61: a window is not extended
        (date(2026, 9, 15), "I-14", 1),
    ],
)
def test_the_window_of_recurrence_as_the_story_of_august_counts_it(
    town: Town, again: date, code: str, expected: int
) -> None:
    caught(town, date(2026, 8, 3), "I-13")
    assert factor(town, transcidade(town, code, again), code, again) == expected


def test_a_third_time_is_double_and_never_more(town: Town) -> None:
    for days in (10, 20, 40):
        caught(town, DAY - timedelta(days=days))
    assert factor(town, transcidade(town)) == 2


def test_an_archived_notice_counts_or_not_as_the_case_is_pinned(town: Town) -> None:
    """Art. 111, § 3: the municipality may read that only fines count; open cases keep the reading they began with."""
    caught(town, DAY - timedelta(days=30), status="advertida")
    before = transcidade(town)
    town.install(
        values.record, town.norm, "reincidencia.conta_advertencia", "nao", date(2026, 5, 6), "Portaria 3/2026"
    )
    after = transcidade(town)
    caught(town, DAY - timedelta(days=20), "I-15", "advertida")
    assert (factor(town, before), factor(town, after)) == (2, 1)
    caught(town, DAY - timedelta(days=15), status="autuada")
    assert factor(town, after) == 2


def test_the_record_of_an_infringer_is_kept_by_acts_in_its_own_stream(town: Town) -> None:
    case = transcidade(town)
    who = f"transportador:{town.world.carriers['TC']}"
    assert [e.act for e in town.entries(who)][-1] == "record_occurrence"
    town.install(occurrences.change_status, case.id, "autuada")
    town.install(occurrences.change_status, case.id, "anulada")
    told = town.entries(who)[-1].body
    assert (told["from"], told["to"], told["case_id"]) == ("autuada", "anulada", case.id)
    assert town.read(occurrences.of_infringer, who) == []
    assert [r["status"] for r in town.read(occurrences.record_of, who)] == ["anulada"]
    assert town.row(occurrence, case_id=case.id)["source"] == f"processo {case.row['number']}"


def test_a_status_that_is_the_same_is_no_new_entry(town: Town) -> None:
    case = transcidade(town)
    before = town.snapshot()
    with town.store.act(CLOCK) as tx:
        occurrences.change_status(tx, case.id, "notificada")
    assert town.snapshot() == before
    with pytest.raises(NotFound, match="ocorrência"):
        town.install(occurrences.change_status, "nenhum", "autuada")


def test_the_record_lists_oldest_first_and_whole_newest_first(town: Town) -> None:
    who = f"transportador:{town.world.carriers['TC']}"
    for day in (date(2026, 4, 2), date(2026, 3, 2), date(2026, 5, 2)):
        caught(town, day)
    days = [r["happened_on"] for r in town.read(occurrences.of_infringer, who)]
    assert days == [date(2026, 3, 2), date(2026, 4, 2), date(2026, 5, 2)]
    assert [r["happened_on"] for r in town.read(occurrences.record_of, who)] == days[::-1]


@pytest.mark.parametrize(
    ("args", "code", "field"),
    [
        (("multas", "II-05", "T", None), "infrator.pessoa_ausente", "pessoa"),
        (("multas", "I-14", None, None), "infrator.transportador_ausente", "transportador"),
        (("multas", "X-1", "T", None), "tabela.codigo_desconhecido", None),
    ],
)
def test_who_answers_for_a_code_must_be_told(town: Town, args: Any, code: str, field: str | None) -> None:
    case = transcidade(town)
    with pytest.raises(Invalid) as refused:
        ask(town, case, facts.infrator, *args)
    assert (refused.value.code, list(refused.value.fields)) == (code, [field] if field else [])
