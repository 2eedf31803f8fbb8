"""First offence (D-09) and recurrence (D-11): what an infringer's record shows, day by day, as the articles read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from app.cases.dossier import open_dossier
from app.cases.vocabulary import facts
from app.errors import Invalid, NotFound
from app.registry import carriers, occurrences, values
from app.store import CLOCK, INSTALLER
from app.store.registry_tables import occurrence
from tests.cases.infringement import Infringement
from tests.cases.town import Town, local

DAY = date(2026, 5, 5)
NOW = "2026-12-01 09:00"  # late enough for every day below
GRANTED = date(2025, 6, 2)


def ask(town: Town, case: Infringement, fact: Callable[..., Any], *args: Any) -> Any:
    with town.store.act(CLOCK) as tx:
        return fact(open_dossier(tx, case.id), *args)


@dataclass
class Newcomer:
    """A carrier of its own for one test, permit of one line since 2025-06-02, and its only case."""

    town: Town
    carrier: str
    grant: str

    @classmethod
    def to(cls, town: Town) -> Newcomer:
        town.clock.set(max(town.clock.now(), local(NOW)))
        carrier = str(town.draft("fiscal", lambda tx: tx.new_id()))
        with town.store.act(INSTALLER) as tx:
            carrier = carriers.register_carrier(tx, "Nova Linha Ltda", carrier[-20:], GRANTED)
            grant = carriers.grant_line(tx, carrier, "L-777", "permissao", GRANTED)
        return cls(town, carrier, grant)

    @property
    def infringer(self) -> str:
        return f"transportador:{self.carrier}"

    def noticed(self, code: str = "I-14", day: date = DAY) -> Infringement:
        told = {"transportador": self.carrier, "outorga": self.grant}
        return Infringement.opened(self.town, when=None, codigo=code, ocorrida_em=str(day), **told)

    def caught(self, day: date, code: str = "I-14", status: str = "confirmada", who: str = "") -> None:
        told = (who or self.infringer, self.carrier, None, code, day)
        source = "registro anterior"
        self.town.install(occurrences.record, *told, case_id=None, status=status, source=source)

    def first(self, case: Infringement, *, line: bool = True, day: date = DAY) -> bool:
        grant = self.grant if line else None
        answer: bool = ask(self.town, case, facts.primario, self.infringer, grant, str(day))
        return answer

    def factor(self, case: Infringement, code: str = "I-14", day: date = DAY) -> int:
        return int(ask(self.town, case, facts.fator_reincidencia, self.infringer, code, str(day)))


@pytest.fixture
def newcomer(shared_town: Town) -> Newcomer:
    return Newcomer.to(shared_town)


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
    newcomer: Newcomer, day: date, code: str, status: str, expected: bool
) -> None:
    newcomer.caught(day, code, status)
    assert newcomer.first(newcomer.noticed()) is expected


def test_who_was_never_noticed_is_a_first_offender(newcomer: Newcomer) -> None:
    case = newcomer.noticed()
    assert newcomer.first(case) is True
    assert newcomer.first(case, line=False) is True


def test_of_two_notices_of_one_day_only_the_second_finds_an_earlier_one(newcomer: Newcomer) -> None:
    """Were each earlier than the other, nobody caught twice on one day would ever be a first offender."""
    town = newcomer.town
    one = newcomer.noticed()
    town.clock.set(town.clock.now() + timedelta(seconds=1))
    told = {"transportador": newcomer.carrier, "outorga": newcomer.grant}
    two = Infringement.opened(town, when=None, **told)
    assert (newcomer.first(one), newcomer.first(two)) == (True, False)


def test_without_a_grant_that_runs_on_the_day_nobody_is_a_first_offender(town: Town) -> None:
    newcomer = Newcomer.to(town)
    case, before = newcomer.noticed(), GRANTED - timedelta(days=1)
    assert newcomer.first(case, line=False, day=before) is False
    assert newcomer.first(case, day=before) is False
    told = (newcomer.carrier, "L-900", "autorizacao", date(2026, 1, 5), date(2026, 5, 4))
    ended = town.install(carriers.grant_line, *told)
    assert ask(town, case, facts.primario, newcomer.infringer, ended, "2026-05-04") is True
    assert ask(town, case, facts.primario, newcomer.infringer, ended, "2026-05-05") is False


def test_a_driver_has_a_record_of_his_own_under_the_employers_grant(town: Town) -> None:
    jose = f"pessoal:{town.world.staff['jose']}"
    told = {"pessoa": town.world.staff["jose"], "codigo": "II-05"}
    case = Infringement.opened(town, **told)
    assert ask(town, case, facts.primario, jose, None, str(DAY)) is True
    Newcomer(town, town.world.carriers["ES"], "").caught(DAY - timedelta(days=10), "II-18", "advertida", jose)
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
    newcomer: Newcomer, days: int, code: str, status: str, expected: int
) -> None:
    newcomer.caught(DAY - timedelta(days=days), code, status)
    assert newcomer.factor(newcomer.noticed()) == expected


@pytest.mark.parametrize(
    ("again", "code", "expected"),
    [
        (date(2026, 10, 2), "I-13", 2),  # 60 days after Monday 3 August
        (date(2026, 10, 3), "I-13", 1),  # Saturday, day 61: a window is not extended
        (date(2026, 9, 15), "I-14", 1),
    ],
)
def test_the_window_of_recurrence_as_the_story_of_august_counts_it(
    newcomer: Newcomer, again: date, code: str, expected: int
) -> None:
    newcomer.caught(date(2026, 8, 3), "I-13")
    assert newcomer.factor(newcomer.noticed(code, again), code, again) == expected


def test_a_third_time_is_double_and_never_more(newcomer: Newcomer) -> None:
    for days in (10, 20, 40):
        newcomer.caught(DAY - timedelta(days=days))
    assert newcomer.factor(newcomer.noticed()) == 2


def test_an_archived_notice_counts_or_not_as_the_case_is_pinned(town: Town) -> None:
    """Art. 111, § 3: the municipality may read that only fines count; open cases keep the reading they began with."""
    newcomer = Newcomer.to(town)
    newcomer.caught(DAY - timedelta(days=30), status="advertida")
    before, key = newcomer.noticed(), "reincidencia.conta_advertencia"
    town.install(values.record, town.norm, key, "nao", date(2026, 12, 1), "Portaria 3/2026")
    after = newcomer.noticed("I-03")
    assert (newcomer.factor(before), newcomer.factor(after)) == (2, 1)
    newcomer.caught(DAY - timedelta(days=15), status="autuada")
    assert newcomer.factor(after) == 2


def test_the_record_of_an_infringer_is_kept_by_acts_in_its_own_stream(newcomer: Newcomer) -> None:
    town, who = newcomer.town, newcomer.infringer
    case = newcomer.noticed()
    assert [e.act for e in town.entries(who)] == ["register_carrier", "grant_line", "record_occurrence"]
    town.install(occurrences.change_status, case.id, "autuada")
    town.install(occurrences.change_status, case.id, "anulada")
    told = town.entries(who)[-1].body
    assert (told["from"], told["to"], told["case_id"]) == ("autuada", "anulada", case.id)
    assert town.read(occurrences.of_infringer, who) == []
    assert [r["status"] for r in town.read(occurrences.record_of, who)] == ["anulada"]
    assert town.row(occurrence, case_id=case.id)["source"] == f"processo {case.row['number']}"


def test_a_status_that_is_the_same_is_no_new_entry(newcomer: Newcomer) -> None:
    town, case = newcomer.town, newcomer.noticed()
    before = town.snapshot()
    with town.store.act(CLOCK) as tx:
        occurrences.change_status(tx, case.id, "notificada")
    assert town.snapshot() == before
    with pytest.raises(NotFound, match="ocorrência"):
        town.install(occurrences.change_status, "nenhum", "autuada")


def test_the_record_lists_oldest_first_and_whole_newest_first(newcomer: Newcomer) -> None:
    town, who = newcomer.town, newcomer.infringer
    for day in (date(2026, 4, 2), date(2026, 3, 2), date(2026, 5, 2)):
        newcomer.caught(day)
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
def test_who_answers_for_a_code_must_be_told(
    newcomer: Newcomer, args: Any, code: str, field: str | None
) -> None:
    case = newcomer.noticed()
    with pytest.raises(Invalid) as refused:
        ask(newcomer.town, case, facts.infrator, *args)
    assert (refused.value.code, list(refused.value.fields)) == (code, [field] if field else [])
