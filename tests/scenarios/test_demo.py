"""The demo's past, loaded on many days: it comes out whole, audits clean and leaves work on every desk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select
from structlog.testing import capture_logs

from app import people
from app.audit.verify import verify
from app.cases.inbox import inbox
from app.cases.proof.replay import case_ids, replay
from app.clock import FixedClock
from app.demo import install
from app.law.norm import Norm
from app.scenario.past import load_once, shifted
from app.scenario.story import read_stories
from app.settings import ROOT
from app.store import INSTALLER, Store, connect
from app.store.cases_tables import cases, deadline
from app.store.registry_tables import person
from tests.databases import Databases
from tests.scenarios.reached import published

ZONE = ZoneInfo("America/Bahia")
# An ordinary day; the week of 21 April; just after New Year; Carnival; the minutes around a story's own last step.
DAYS = (
    datetime(2026, 11, 30, 8, 4, tzinfo=ZONE),
    datetime(2026, 4, 22, 9, 0, tzinfo=ZONE),
    datetime(2027, 1, 4, 8, 0, tzinfo=ZONE),
    datetime(2026, 2, 18, 12, 0, tzinfo=ZONE),
    datetime(2026, 8, 18, 11, 29, tzinfo=ZONE),
    datetime(2026, 8, 18, 11, 31, tzinfo=ZONE),
)
WAITING = {
    "fiscal": {"dar_ciencia_auto", "dar_ciencia_decisao"},
    "presidente": {"registrar_notificacao", "lavrar_auto", "lavrar_revelia", "votar", "despachar_peticao"},
    "membro1": {"registrar_notificacao", "lavrar_auto", "lavrar_revelia", "votar"},
    "membro2": {"registrar_notificacao", "lavrar_auto", "lavrar_revelia", "votar"},
    "suplente": {"votar"},
    "autuante": {"lavrar_auto", "apresentar_contrarrazoes"},
    "protocolo": {"dar_ciencia_auto", "dar_ciencia_decisao"},
    "financas": {"devolver_condenacao"},
    "secretario": {"decidir_admissibilidade", "decidir_ultima", "despachar_peticao"},
}
STATUSES = {
    "NOTIFICADO": 3,
    "AUTUADO": 2,
    "REVEL": 1,
    "EM_DEFESA": 2,
    "PARCIAL": 1,
    "AGUARDANDO_COMPROVANTE": 1,
    "EM_ADMISSIBILIDADE": 1,
    "EM_CONTRARRAZOES": 1,
    "PARA_DECISAO_FINAL": 1,
    "PROVIDO": 1,
    "ADVERTIDO_ARQUIVADO": 1,
    "IMPROCEDENTE": 1,
    "PAGO_SEM_CONTESTACAO": 1,
    "EM_DESPACHO": 1,
}


@pytest.fixture
def empty(databases: Databases) -> Iterator[Store]:
    """A database with the norm and nobody in it; the test sets its day."""
    url = databases.prepared("sqlite", published)
    database = connect(url)
    yield Store(database, FixedClock(DAYS[0]))
    database.close()
    databases.drop(url)


def on(store: Store, day: datetime) -> tuple[Store, Norm]:
    dated = Store(store.database, FixedClock(day))
    return dated, install(dated, ROOT, "jequie")


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_the_demo_leaves_each_desk_its_work_whatever_the_day(day: datetime, empty: Store) -> None:
    store, norm = on(empty, day)
    with capture_logs() as logs:
        assert load_once(store, ROOT, "jequie") is True
    assert [entry for entry in logs if entry["event"] == "demo_story"] == []
    with store.read() as reader:
        desks = {
            row["login"]: {item["element"] for item in inbox(reader, norm, row["id"]).rows}
            for row in reader.all(select(person))
        }
        statuses = Counter(row["status"] for row in reader.all(select(cases.c.status)))
        assert {login: desk for login, desk in desks.items() if desk} == WAITING
        assert statuses == STATUSES
        assert verify(reader).faults == ()
        assert [fault for case_id in case_ids(reader) for fault in replay(reader, case_id).faults] == []


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_the_terms_of_the_demo_still_run_when_it_is_loaded(day: datetime, empty: Store) -> None:
    store, _ = on(empty, day)
    load_once(store, ROOT, "jequie")
    with store.read() as reader:
        armed = reader.all(select(deadline.c.key, deadline.c.expires_at).where(deadline.c.status == "armed"))
    running = {row["key"] for row in armed if row["expires_at"] > day}
    assert running == {"defesa", "recurso1", "pagamento_decisao", "contrarrazoes"}


def test_the_demo_is_loaded_once_and_never_beside_somebody_s_own_people(empty: Store) -> None:
    store, _ = on(empty, DAYS[0])
    with store.act(INSTALLER) as tx:
        people.register(tx, "maria", "Maria Teixeira", "77")
    assert load_once(store, ROOT, "jequie") is True
    assert load_once(store, ROOT, "jequie") is False
    with store.read() as reader:
        assert reader.scalar(select(func.count()).select_from(cases)) == 0
        assert reader.scalar(select(func.count()).select_from(person)) == 1


def test_a_story_of_the_past_keeps_weekdays_and_ends_in_the_last_week() -> None:
    for path in sorted((ROOT / "bpmn" / "jequie" / "demonstracao").glob("*.yaml")):
        for story in read_stories(path, lambda _: ZONE):
            for day in DAYS:
                moved = shifted(story, day)
                age = day - max(step.at for step in moved.steps)
                assert timedelta(hours=1) <= age < timedelta(weeks=1, hours=1)
                for before, after in zip(story.steps, moved.steps, strict=True):
                    assert (after.at - before.at) % timedelta(weeks=1) == timedelta(0)
                    if told := before.answers.get("ocorrida_em"):
                        assert after.answers["ocorrida_em"] - told == after.at.date() - before.at.date()
                    if told := before.answers.get("instante"):
                        assert after.answers["instante"] - told == after.at - before.at
