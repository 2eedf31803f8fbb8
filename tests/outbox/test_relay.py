"""Every message leaves at least once and is recognised when it comes again; none is marked before it is out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from structlog.typing import EventDict

from app import outbox, people
from app.outbox.post import Letter, Post, Undelivered
from app.outbox.relay import LEASE, Relay
from app.store import CLOCK, INSTALLER, Tx
from app.store.registry_tables import person
from app.store.tables import message
from tests.cases.town import Town
from tests.outbox.mailbox import Mailbox, opened

SITE = "https://tramita.example.org"


class Killed(BaseException):
    """The process ends here."""


def write(town: Town, login: str, subject: str = "Prazo", text: str = "Terminou.", page: str = "") -> None:
    """Gives the person an address and queues one message for them, in one act."""
    with town.store.act(INSTALLER) as tx:
        people.set_email(tx, login, f"{login}@example.org")
        outbox.queue(tx, town.world.people[login], subject, text, page)


def relay(town: Town, send: Callable[[Letter], None]) -> Relay:
    return Relay(town.store, send, SITE)


def by_post(town: Town, box: Mailbox) -> Relay:
    return relay(town, Post(box.mail()).send)


def wait(town: Town, pause: timedelta) -> None:
    town.clock.set(town.clock.now() + pause)


def closed(_: Letter) -> None:
    raise Undelivered("o servidor não respondeu", closed=True)


def test_a_message_is_sent_once_to_its_person_and_says_where_to_look(town: Town, mailbox: Mailbox) -> None:
    write(town, "presidente", page="/caixa")
    assert by_post(town, mailbox).send_next()
    assert not by_post(town, mailbox).send_next()
    (received,) = mailbox.letters
    assert received.to == ("presidente@example.org",)
    assert received.letter.get_content().splitlines() == [
        "Terminou.",
        "",
        f"{SITE}/caixa",
        "",
        "Mensagem automática do Tramita: não é preciso responder.",
    ]
    row = town.row(message)
    assert received.letter["Message-ID"] == row["message_id"]
    assert row["sent_at"] == town.clock.now()


def test_an_act_that_is_rolled_back_leaves_no_message(town: Town) -> None:
    def fails(tx: Tx) -> None:
        people.set_email(tx, "fiscal", "fiscal@example.org")
        outbox.queue(tx, town.world.people["fiscal"], "Prazo", "Terminou.")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        town.install(fails)
    assert town.rows(message) == []
    assert not relay(town, closed).send_next()


def test_no_relay_sends_what_another_holds_and_any_may_after_the_lease(town: Town, mailbox: Mailbox) -> None:
    write(town, "presidente")
    rival = by_post(town, mailbox)

    def meanwhile(letter: Letter) -> None:
        assert not rival.send_next()
        wait(town, LEASE)
        assert rival.send_next()
        Post(mailbox.mail()).send(letter)

    assert relay(town, meanwhile).send_next()
    assert [r.letter["Message-ID"] for r in mailbox.letters] == [town.row(message)["message_id"]] * 2
    assert not rival.send_next()


def test_a_relay_that_dies_between_sending_and_marking_sends_the_same_bytes_again(
    town: Town, mailbox: Mailbox
) -> None:
    write(town, "presidente")

    def dies(letter: Letter) -> None:
        Post(mailbox.mail()).send(letter)
        raise Killed

    with pytest.raises(Killed):
        relay(town, dies).send_next()
    assert town.row(message)["sent_at"] is None
    assert not by_post(town, mailbox).send_next()
    wait(town, LEASE)
    assert by_post(town, mailbox).send_next()
    first, second = mailbox.letters
    assert first.data == second.data
    assert town.row(message)["sent_at"] is not None


def test_what_a_relay_that_lost_its_lease_could_not_send_is_not_taken_from_the_next(town: Town) -> None:
    write(town, "presidente")
    held: list[Any] = []

    def next_holds(_: Letter) -> None:
        held.append(town.row(message)["taken_until"])
        raise Killed

    def stalls(_: Letter) -> None:
        wait(town, LEASE)
        with pytest.raises(Killed):
            relay(town, next_holds).send_next()
        raise Undelivered("tarde demais")

    relay(town, stalls).send_next()
    assert town.row(message)["taken_until"] == held[0]


def test_a_server_that_is_away_is_tried_again_with_growing_pauses_of_ten_minutes_at_most(town: Town) -> None:
    write(town, "presidente")
    pauses = []
    for _ in range(4):
        assert not relay(town, closed).send_next()
        row = town.row(message)
        pauses.append(row["not_before"] - town.clock.now())
        wait(town, pauses[-1] - timedelta(seconds=1))
        assert not relay(town, closed).send_next()
        assert town.row(message)["failures"] == row["failures"]
        wait(town, timedelta(seconds=1))
    assert pauses == [timedelta(minutes=minutes) for minutes in (1, 10, 10, 10)]
    with opened() as box:
        assert by_post(town, box).send_next()
    assert len(box.letters) == 1
    assert town.row(message)["failure"] is None


def test_a_poisoned_address_holds_nobody_up_and_is_tried_less_and_less_often(
    town: Town, mailbox: Mailbox, logs: list[EventDict]
) -> None:
    write(town, "fiscal")
    write(town, "presidente")
    poison = "fiscal@example.org\r\nRCPT TO:<outro@example.org>"
    with town.store.silent_act(CLOCK) as tx:
        tx.write(update(person).where(person.c.login == "fiscal").values(email=poison))
    post = by_post(town, mailbox)
    assert [post.send_next(), post.send_next(), post.send_next()] == [True, True, False]
    assert [r.to for r in mailbox.letters] == [("presidente@example.org",)]
    pauses = []
    for _ in range(6):
        row = town.row(message, person_id=town.world.people["fiscal"])
        pauses.append(row["not_before"] - town.clock.now())
        wait(town, pauses[-1])
        assert post.send_next()
    hours = [pause / timedelta(hours=1) for pause in pauses]
    assert hours == pytest.approx([1 / 60, 1 / 6, 1, 6, 24, 24])
    assert row["failure"] == "o endereço da pessoa não pode ser usado"
    assert "example.org" not in str(logs)


def test_a_refused_recipient_is_told_without_the_address(town: Town, mailbox: Mailbox) -> None:
    write(town, "presidente")
    mailbox.refused.add("presidente@example.org")
    assert by_post(town, mailbox).send_next()
    row = town.row(message)
    assert row["failure"] == "o servidor de e-mail recusou o destinatário (550)"
    assert (row["sent_at"], row["taken_until"], row["failures"]) == (None, None, 1)


@pytest.mark.parametrize("change", [{"email": None}, {"active": False}])
def test_a_message_to_who_has_left_or_has_no_address_is_given_up_with_its_reason(
    town: Town, mailbox: Mailbox, change: dict[str, Any]
) -> None:
    write(town, "presidente")
    with town.store.silent_act(CLOCK) as tx:
        tx.write(update(person).where(person.c.login == "presidente").values(**change))
    assert by_post(town, mailbox).send_next()
    row = town.row(message)
    assert (row["sent_at"], row["taken_until"], row["given_up_at"]) == (None, None, town.clock.now())
    assert row["failure"] == "a pessoa não tem endereço ou já não trabalha aqui"
    wait(town, timedelta(days=30))
    assert not by_post(town, mailbox).send_next()
    assert mailbox.letters == []


def test_a_message_goes_to_the_address_of_the_day_it_leaves(town: Town, mailbox: Mailbox) -> None:
    write(town, "presidente")
    town.install(people.set_email, "presidente", "paulo@example.net")
    by_post(town, mailbox).send_next()
    assert mailbox.letters[0].to == ("paulo@example.net",)


def test_messages_leave_in_the_order_of_their_acts(town: Town, mailbox: Mailbox) -> None:
    for number in range(3):
        write(town, "presidente", subject=f"n. {number}")
        wait(town, timedelta(seconds=1))
    post = by_post(town, mailbox)
    while post.send_next():
        pass
    assert [r.letter["Subject"] for r in mailbox.letters] == ["n. 0", "n. 1", "n. 2"]
    assert len({r.letter["Message-ID"] for r in mailbox.letters}) == 3


def test_an_error_of_ours_is_told_in_the_log_and_postpones_one_message(
    town: Town, logs: list[EventDict]
) -> None:
    write(town, "presidente")

    def broken(_: Letter) -> None:
        raise KeyError("presidente@example.org")

    assert relay(town, broken).send_next()
    assert [e["event"] for e in logs] == ["message_failed", "message_waits"]
    assert town.row(message)["failure"] == "KeyError"


HOSTILE = {
    "Prazo\r\nBcc: todos@example.org": "Prazo Bcc: todos@example.org",
    "Prazo\nX: 1": "Prazo X: 1",
    "Prazo\x00\x1b[31m": "Prazo[31m",
    "Prazo\u2028\u2029\x85\x0b fim": "Prazo fim",
    "\u202eozarP": "ozarP",
    "Prazo \ud800": "Prazo ",
    "á" * 500: "á" * 200,
    "=?utf-8?q?Bcc=3A_x?=": "=?utf-8?q?Bcc=3A_x?=",
}


@pytest.mark.parametrize("subject", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_subject_is_one_line_and_no_header(town: Town, mailbox: Mailbox, subject: str) -> None:
    write(town, "presidente", subject=subject, text=f"Um\x00 texto {subject}\r\n.\r\nQUIT")
    assert by_post(town, mailbox).send_next()
    (received,) = mailbox.letters
    assert received.to == ("presidente@example.org",)
    assert town.row(message)["subject"] == HOSTILE[subject]
    assert received.letter["Bcc"] is None
    assert received.letter["X"] is None
    assert "QUIT" in received.letter.get_content()
