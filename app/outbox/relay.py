"""Takes messages that wait, one at a time, has them sent and marks them.

Rows decide, so several relays may run at once and one may die at any moment: a message is taken for a while, sent, and
only then marked. A relay that dies in between leaves it to be sent again, under the same Message-ID: at least once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import Select, or_, select, update

from app.outbox.post import SECONDS, Letter, Undelivered
from app.store import Actor, Reader, Row, Store
from app.store.registry_tables import person
from app.store.tables import message

LEASE = timedelta(seconds=2 * SECONDS)  # longer than a letter may take, connection included
_RETRY = (
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(days=1),
)
_CLOSED = timedelta(minutes=10)  # the longest pause when it is the server that is away
_RELAY = Actor(None, "correio")
_FOOT = "Mensagem automática do Tramita: não é preciso responder."

log = structlog.get_logger()


@dataclass(frozen=True)
class Relay:
    """Sends for one site.

    Attributes:
        send: hands one letter to the mail server, or raises Undelivered.
        address: where people find this site; a message's page follows it.
    """

    store: Store
    send: Callable[[Letter], None]
    address: str

    def send_next(self) -> bool:
        """Sends the message that has waited longest. False when none waits that may go now."""
        taken = self._take()
        if taken is None:
            return False
        if not taken["email"] or not taken["active"]:
            self._give_up(taken, "a pessoa não tem endereço ou já não trabalha aqui")
            return True
        try:
            self.send(self._letter(taken))
        except Undelivered as problem:
            self._postpone(taken, str(problem), closed=problem.closed)
            return not problem.closed
        except Exception as error:
            log.exception("message_failed", message=taken["id"])
            self._postpone(taken, type(error).__name__, closed=False)
            return True
        self._mark(taken)
        return True

    def _take(self) -> Row | None:
        """The message with its person's address, taken for a while so that no other relay sends it meanwhile."""
        with self.store.read() as reader:  # an idle relay must not hold the one lock that SQLite has
            if reader.first(_waiting(reader)) is None:
                return None
        with self.store.silent_act(_RELAY) as tx:
            row = tx.first(_waiting(tx).with_for_update(of=message, skip_locked=True))
            if row is None:
                return None
            until = tx.now + LEASE
            free = (
                message.c.sent_at.is_(None),
                message.c.taken_until.is_not_distinct_from(row["taken_until"]),
            )
            taken = tx.write(
                update(message).where(message.c.id == row["id"], *free).values(taken_until=until)
            )
            return {**row, "taken_until": until} if taken == 1 else None

    def _letter(self, row: Row) -> Letter:
        foot = [self.address + row["page"], ""] if row["page"] else []
        text = "\n".join([row["text"], "", *foot, _FOOT, ""])
        return Letter(row["message_id"], row["email"], row["subject"], text, row["queued_at"])

    def _mark(self, row: Row) -> None:
        """After the sending, never before: what is marked is out."""
        with self.store.silent_act(_RELAY) as tx:
            sent = update(message).where(message.c.id == row["id"], message.c.sent_at.is_(None))
            tx.write(sent.values(sent_at=tx.now, taken_until=None, failure=None))

    def _give_up(self, row: Row, reason: str) -> None:
        """What has nobody to go to is not tried again; its row stays, with why."""
        log.warning("message_given_up", message=row["id"], reason=reason)
        with self.store.silent_act(_RELAY) as tx:
            held = (message.c.id == row["id"], message.c.taken_until == row["taken_until"])
            given_up = update(message).where(*held)
            tx.write(given_up.values(taken_until=None, given_up_at=tx.now, failure=reason))

    def _postpone(self, row: Row, reason: str, *, closed: bool) -> None:
        """What could not go is tried again later and less and less often; whoever holds it by now keeps it."""
        log.warning("message_waits", message=row["id"], failures=row["failures"] + 1, reason=reason)
        pause = _RETRY[min(row["failures"], len(_RETRY) - 1)]
        with self.store.silent_act(_RELAY) as tx:
            tx.write(
                update(message)
                .where(message.c.id == row["id"], message.c.taken_until == row["taken_until"])
                .values(
                    taken_until=None,
                    not_before=tx.now + (min(pause, _CLOSED) if closed else pause),
                    failures=message.c.failures + 1,
                    failure=reason,
                )
            )


def _waiting(reader: Reader) -> Select[Any]:
    """The next message that nobody holds and that was not put off."""
    return (
        select(message, person.c.email, person.c.active)
        .join(person, person.c.id == message.c.person_id)
        .where(message.c.sent_at.is_(None), message.c.given_up_at.is_(None))
        .where(or_(message.c.not_before.is_(None), message.c.not_before <= reader.now))
        .where(or_(message.c.taken_until.is_(None), message.c.taken_until <= reader.now))
        .order_by(message.c.queued_at, message.c.id)
        .limit(1)
    )
