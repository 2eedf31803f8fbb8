"""Speaks SMTP with the installation's mail server. Knows no database; one letter, one connection.

A letter is a function of its row and the settings, so that the same message sent again is the same bytes. What goes
wrong is told without the address, which is somebody's data, and without what the server says, which may repeat it.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from app.settings import Mail
from app.values import is_email

SECONDS = 60  # for one letter, from the first byte to the last
_ANSWER = 20  # for one answer of the server
_AGAIN = 0.2


class Undelivered(Exception):
    """The letter did not go; the sentence says why, in Portuguese and without personal data.

    `closed`: no other letter would have gone either.
    """

    def __init__(self, reason: str, *, closed: bool = False) -> None:
        super().__init__(reason)
        self.closed = closed


@dataclass(frozen=True)
class Letter:
    """One message to one address."""

    message_id: str
    to: str
    subject: str
    text: str
    at: datetime


def written(letter: Letter, sender: str) -> EmailMessage:
    """The letter as it travels. Raises Undelivered for an address that could say more than one address."""
    if not is_email(letter.to):
        raise Undelivered("o endereço da pessoa não pode ser usado")
    made = EmailMessage(policy=SMTP)
    made["From"] = Address("Tramita", addr_spec=sender)
    made["To"] = Address(addr_spec=letter.to)
    made["Subject"] = letter.subject
    made["Date"] = letter.at
    made["Message-ID"] = letter.message_id
    made["Auto-Submitted"] = "auto-generated"  # so that no absence answers it (RFC 3834)
    made.set_content(letter.text, cte="quoted-printable")
    return made


@dataclass(frozen=True)
class Post:
    """The way to one mail server."""

    mail: Mail
    seconds: float = SECONDS

    def send(self, letter: Letter) -> None:
        """Gives back when the server has taken the letter. Raises Undelivered."""
        made = written(letter, self.mail.sender)
        mail, context = self.mail, ssl.create_default_context()
        server = smtplib.SMTP(timeout=_ANSWER)
        if mail.tls:
            server = smtplib.SMTP_SSL(timeout=_ANSWER, context=context)
        # A server that answers drop by drop keeps within each answer's time, not within the letter's.
        over = threading.Event()
        threading.Thread(target=_cut_when_late, args=(server, over, self.seconds), daemon=True).start()
        try:
            self._enter(server, context)
            server.send_message(made, from_addr=mail.sender, to_addrs=[letter.to])
        except smtplib.SMTPRecipientsRefused as error:
            codes = sorted(str(code) for code, _ in error.recipients.values())
            raise Undelivered(f"o servidor de e-mail recusou o destinatário ({', '.join(codes)})") from None
        except (smtplib.SMTPSenderRefused, smtplib.SMTPAuthenticationError) as error:
            raise Undelivered(
                f"o servidor de e-mail não aceita este remetente ({error.smtp_code})", closed=True
            ) from None
        except smtplib.SMTPDataError as error:
            raise Undelivered(f"o servidor de e-mail recusou a mensagem ({error.smtp_code})") from None
        except (smtplib.SMTPException, OSError) as error:
            raise Undelivered(
                f"o servidor de e-mail não respondeu ({type(error).__name__})", closed=True
            ) from None
        finally:
            over.set()
            server.close()  # without a QUIT: the letter is taken, and its answer could only raise doubts

    def _enter(self, server: smtplib.SMTP, context: ssl.SSLContext) -> None:
        """Ready for a letter: encrypted where it can be, and always before a password is told."""
        mail = self.mail
        # What a certificate must name: only the constructor that connects at once would set it.
        server._host = mail.host  # type: ignore[attr-defined]
        server.connect(mail.host, mail.port)
        server.ehlo_or_helo_if_needed()
        if not mail.tls and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
        if mail.user:
            if not isinstance(server.sock, ssl.SSLSocket):
                raise Undelivered("o servidor de e-mail não cifra a conexão", closed=True)
            server.login(mail.user, mail.password)


def _cut_when_late(server: smtplib.SMTP, over: threading.Event, seconds: float) -> None:
    """Again and again until it is over: the connection may not be made yet, or be handed to TLS at that moment."""
    late = not over.wait(seconds)
    while late:
        _cut(server)
        late = not over.wait(_AGAIN)


def _cut(server: smtplib.SMTP) -> None:
    connection = server.sock
    if connection is not None:
        with suppress(OSError):  # closed meanwhile
            # The bare connection's: that of TLS takes itself apart under whoever reads from it.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
