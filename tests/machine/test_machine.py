"""A random player finds nothing in the house as it is, and finds each of three defects that are put into it (R14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import update
from structlog.testing import capture_logs

from app.cases import record
from app.cases.acts import clock
from app.outbox.relay import Relay
from app.store import CLOCK, Store
from app.store.tables import message
from tests.machine.house import House, found
from tests.machine.player import Player

STEPS = 40


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Iterator[type[Player]]:
    class Here(Player):
        template = found(tmp_path_factory.mktemp("machine"))

    with capture_logs():
        yield Here


def played(player: type[Player], examples: int, *, derandomize: bool = True) -> None:
    """In the short form the same runs each time: a machine that finds something today finds it tomorrow."""
    run_state_machine_as_test(
        player,
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            derandomize=derandomize,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        ),
    )


def test_no_run_breaks_the_promise(player: type[Player]) -> None:
    played(player, 10)


@pytest.mark.long
def test_no_run_of_three_hundred_breaks_the_promise(player: type[Player]) -> None:
    played(player, 300, derandomize=False)


def test_a_term_that_nobody_checks_again_before_deciding_it_is_found(
    player: type[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard on the instant is left out wherever there is one."""
    real = clock.ENGINE

    class Unguarded:
        def expire(self, definition: Any, state: bytes, task_id: str, at: Any, ask: Any) -> Any:
            return real.expire(definition, state, task_id, at.replace(year=2099), ask)

    monkeypatch.setattr(clock, "ENGINE", Unguarded())
    monkeypatch.setattr(clock, "_overdue", lambda dossier, _: list(dossier.armed))
    finds(player, "before its instant")


def test_an_act_in_two_commits_is_found(player: type[Player], monkeypatch: pytest.MonkeyPatch) -> None:
    """What the step changed is committed, and only then the entry that tells of it."""
    append = record.audit.append

    def split(tx: Any, *args: Any) -> int:
        tx.connection.exec_driver_sql("COMMIT")
        tx.connection.exec_driver_sql("BEGIN IMMEDIATE")
        return append(tx, *args)

    class Audit:
        def __getattr__(self, name: str) -> Any:
            return split if name == "append" else getattr(real, name)

    real = record.audit
    monkeypatch.setattr(record, "audit", Audit())
    finds(player, "rows and journal tell different things")


def test_a_message_marked_before_it_is_sent_is_found(player: type[Player]) -> None:
    class Hasty(Relay):
        def _take(self) -> Any:
            taken = super()._take()
            if taken is not None:
                with self.store.silent_act(CLOCK) as tx:
                    tx.write(update(message).where(message.c.id == taken["id"]).values(sent_at=tx.now))
            return taken

    class HastyHouse(House):
        @staticmethod
        def relay_of(store: Store, send: Any) -> Relay:
            return Hasty(store, send, "https://tramita.example.org")

    class HastyPlayer(player):  # type: ignore[misc, valid-type]
        house_kind = HastyHouse

    finds(HastyPlayer, "what is marked is not out")


def finds(player: type[Player], words: str) -> None:
    with pytest.raises((AssertionError, ExceptionGroup), match=words):
        played(player, 60)
