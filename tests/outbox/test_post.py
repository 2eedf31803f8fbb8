"""A letter goes to one address, whole, the same bytes each time, and a password never in clear."""

from __future__ import annotations

import smtplib
import socket
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.clock import monotonic
from app.outbox import post
from app.outbox.post import Letter, Post, Undelivered
from tests.outbox.mailbox import SENDER, Mailbox, certificate, opened

TEXT = "Processo 00001/2026-5\n\nO prazo “Defesa” terminou.\n.\n..fim\n"
LETTER = Letter(
    "<a1@tramita.mensagem>",
    "paulo@example.org",
    "Processo 00001/2026-5: terminou um prazo, até já",
    TEXT,
    datetime(2026, 5, 19, 3, 0, tzinfo=UTC),
)


def problem(post: Post, letter: Letter = LETTER) -> Undelivered:
    with pytest.raises(Undelivered) as caught:
        post.send(letter)
    assert letter.to not in str(caught.value)
    return caught.value


def test_a_letter_arrives_as_it_was_written(mailbox: Mailbox) -> None:
    Post(mailbox.mail()).send(LETTER)
    (received,) = mailbox.letters
    letter = received.letter
    assert (received.sender, received.to) == (SENDER, ("paulo@example.org",))
    assert letter["Subject"] == LETTER.subject
    assert letter["From"] == f"Tramita <{SENDER}>"
    assert letter["To"] == "paulo@example.org"
    assert letter["Message-ID"] == "<a1@tramita.mensagem>"
    assert letter["Date"].datetime == LETTER.at
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content().splitlines() == TEXT.splitlines()
    assert received.data.isascii()


def test_a_letter_sent_again_is_the_same_bytes(mailbox: Mailbox) -> None:
    for _ in range(2):
        Post(mailbox.mail()).send(LETTER)
    first, second = mailbox.letters
    assert first.data == second.data


@pytest.mark.parametrize(
    "address",
    [
        "",
        "paulo",
        "paulo@example.org\r\nRCPT TO:<outro@example.org>",
        "paulo@example.org\nBcc: outro@example.org",
        "paulo@example.org>, <outro@example.org",
        "paulo@example.org,outro@example.org",
        "Paulo <paulo@example.org>",
        "paulo@exämple.org",
        "pau..lo@example.org",
        "a" * 65 + "@example.org",
    ],
)
def test_an_address_that_is_more_than_one_address_is_written_to_nobody(
    mailbox: Mailbox, address: str
) -> None:
    with pytest.raises(Undelivered) as caught:
        Post(mailbox.mail()).send(replace(LETTER, to=address))
    assert not caught.value.closed
    assert (mailbox.letters, mailbox.heard) == ([], [])


def test_a_header_that_would_end_early_is_never_sent(mailbox: Mailbox) -> None:
    with pytest.raises(ValueError, match="linefeed"):
        Post(mailbox.mail()).send(replace(LETTER, subject="Olá\r\nBcc: outro@example.org"))
    assert mailbox.letters == []


def test_who_is_refused_is_told_by_number_and_others_may_be_written_to(mailbox: Mailbox) -> None:
    mailbox.refused.add(LETTER.to)
    refusal = problem(Post(mailbox.mail()))
    assert "550" in str(refusal)
    assert not refusal.closed
    Post(mailbox.mail()).send(replace(LETTER, to="marta@example.org"))
    assert len(mailbox.letters) == 1


def test_a_server_that_is_away_is_closed_for_every_letter() -> None:
    with opened() as box:
        mail = box.mail()
    assert problem(Post(mail)).closed


def test_a_letter_taken_without_an_answer_counts_as_not_sent(mailbox: Mailbox) -> None:
    mailbox.hangs_up = True
    assert problem(Post(mailbox.mail())).closed
    assert len(mailbox.letters) == 1


def test_a_server_that_answers_drop_by_drop_is_cut_off(mailbox: Mailbox) -> None:
    mailbox.drips = True
    assert problem(Post(mailbox.mail(), seconds=0.2)).closed


def test_a_letter_whose_time_is_over_before_there_is_a_connection_is_cut_off(
    mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox.drips = True
    tried, cut, connect = threading.Event(), post._cut, socket.create_connection

    def first(server: smtplib.SMTP) -> None:
        cut(server)
        tried.set()

    def slow(*told: Any, **more: Any) -> socket.socket:
        assert tried.wait(10)
        return connect(*told, **more)

    monkeypatch.setattr(post, "_cut", first)
    monkeypatch.setattr(socket, "create_connection", slow)
    began = monotonic()
    assert problem(Post(mailbox.mail(), seconds=0.0)).closed
    assert monotonic() - began < 10


@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_the_way_is_encrypted_and_the_password_goes_that_way_only(
    tls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    with opened(tls=tls, certificate=pem) as box:
        Post(box.mail("caixa", "segredo")).send(LETTER)
    (received,) = box.letters
    assert received.encrypted
    assert received.login == ("caixa", "segredo")
    assert not any(line.upper().startswith("AUTH") for line in box.heard)


@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_a_server_that_cannot_prove_who_it_is_gets_nothing(tls: str, tmp_path: Path) -> None:
    with opened(tls=tls, certificate=certificate(tmp_path)) as box:
        assert problem(Post(box.mail("caixa", "segredo"))).closed
    assert box.letters == []
    assert not any(line.upper().startswith(("AUTH", "MAIL")) for line in box.heard)


def test_a_password_is_not_told_in_clear(mailbox: Mailbox) -> None:
    refusal = problem(Post(mailbox.mail("caixa", "segredo")))
    assert refusal.closed
    assert "cifra" in str(refusal)
    assert not any(line.upper().startswith(("AUTH", "MAIL")) for line in mailbox.heard)


def test_a_wrong_password_is_no_fault_of_the_letter(tmp_path: Path, monkeypatch: Any) -> None:
    pem = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    with opened(tls="starttls", certificate=pem) as box:
        refusal = problem(Post(box.mail("caixa", "outra")))
    assert refusal.closed
    assert "535" in str(refusal)
    assert "outra" not in str(refusal)
