"""An instant is the same on both databases, also between 21:00 and midnight, when UTC is a day ahead."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import insert, literal, select
from sqlalchemy.exc import StatementError

from app.store import INSTALLER, Store
from app.store.tables import norm_version, subject
from app.store.types import Utc

BAHIA = ZoneInfo("America/Bahia")
LATE = datetime(2026, 5, 18, 22, 0, tzinfo=BAHIA)  # 22:00 of the last day: 01:00 of the 19th in UTC
END = datetime(2026, 5, 19, 0, 0, tzinfo=BAHIA)


def kept(store: Store, instant: datetime) -> None:
    with store.silent_act(INSTALLER) as tx:
        tx.write(insert(subject).values(id="s", created_at=instant))


def test_an_instant_without_zone_is_refused(store: Store) -> None:
    with pytest.raises((StatementError, ValueError), match="aware datetime"):
        kept(store, datetime(2026, 5, 18, 22, 0))  # noqa: DTZ001 (naive on purpose)
    with store.read() as reader:
        assert reader.all(select(subject)) == []


def test_an_instant_without_zone_is_refused_in_a_comparison(store: Store) -> None:
    with store.read() as reader, pytest.raises((StatementError, ValueError), match="aware datetime"):
        reader.all(select(subject).where(subject.c.created_at < datetime(2026, 5, 18)))  # noqa: DTZ001


def test_a_local_instant_comes_back_as_the_same_instant_in_utc(store: Store) -> None:
    kept(store, LATE)
    with store.read() as reader:
        (row,) = reader.all(select(subject))
    assert row["created_at"] == LATE
    assert row["created_at"].utcoffset() == timedelta(0)
    assert row["created_at"].isoformat() == "2026-05-19T01:00:00+00:00"


def test_ten_at_night_of_the_last_day_is_before_the_end_of_the_term(store: Store) -> None:
    kept(store, END)
    with store.read() as reader:
        due_at_ten = reader.all(select(subject).where(subject.c.created_at <= LATE))
        due_at_midnight = reader.all(select(subject).where(subject.c.created_at <= END))
        just_before = END - timedelta(microseconds=1)
        due_just_before = reader.all(select(subject).where(subject.c.created_at <= just_before))
    assert (due_at_ten, len(due_at_midnight), due_just_before) == ([], 1, [])


@pytest.mark.parametrize("hours", [-12, -3, 0, 14])
def test_the_offset_in_which_an_instant_is_told_changes_no_comparison(store: Store, hours: int) -> None:
    kept(store, END)
    told = END.astimezone(timezone(timedelta(hours=hours)))
    with store.read() as reader:
        assert len(reader.all(select(subject).where(subject.c.created_at <= told))) == 1
        assert reader.all(select(subject).where(subject.c.created_at < told)) == []


def test_instants_sort_by_time_with_and_without_fractions(store: Store) -> None:
    base = datetime(2026, 5, 19, 3, 0, tzinfo=UTC)
    instants = [base, base + timedelta(microseconds=1), base + timedelta(seconds=1)]
    with store.silent_act(INSTALLER) as tx:
        for number, instant in enumerate(reversed(instants)):
            tx.write(insert(subject).values(id=str(number), created_at=instant))
    with store.read() as reader:
        rows = reader.all(select(subject.c.created_at).order_by(subject.c.created_at))
    assert [r["created_at"] for r in rows] == instants


def test_no_instant_stays_no_instant(store: Store) -> None:
    with store.read() as reader:
        assert reader.scalar(select(literal(None, Utc))) is None


def test_a_day_is_a_day_and_not_an_instant(store: Store) -> None:
    with store.silent_act(INSTALLER) as tx:
        tx.write(
            insert(norm_version).values(
                digest="d",
                slug="vila",
                published_at=LATE,
                in_force_from=date(2026, 5, 18),
                approved_by="Lei 1",
            )
        )
    with store.read() as reader:
        assert reader.one(select(norm_version), "?")["in_force_from"] == date(2026, 5, 18)
