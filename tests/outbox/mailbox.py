"""A small mail server on loopback that keeps what it is given, and misbehaves when told to."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.settings import Mail

SENDER = "tramita@example.org"


@dataclass(frozen=True)
class Received:
    """One letter as it came over the wire; `login`: who had signed in, and with which password."""

    sender: str
    to: tuple[str, ...]
    data: bytes
    encrypted: bool
    login: tuple[str, str] | None

    @property
    def letter(self) -> EmailMessage:
        return cast(EmailMessage, message_from_bytes(self.data, policy=policy.default))


@dataclass
class Mailbox:
    """The server's face. `heard` is every line that came in clear, so that a test can look for a password there."""

    port: int = 0
    tls: str = ""  # "", "starttls" or "implicit"
    certificate: Path | None = None
    refused: set[str] = field(default_factory=set)
    hangs_up: bool = False  # takes the letter and ends the connection without an answer
    drips: bool = False  # answers with one byte after the other and never an end
    letters: list[Received] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def mail(self, user: str = "", password: str = "") -> Mail:
        return Mail("127.0.0.1", self.port, self.tls == "implicit", SENDER, user, password)

    def context(self) -> ssl.SSLContext:
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(str(self.certificate))
        return made


@contextmanager
def opened(**told: Any) -> Iterator[Mailbox]:
    """The server while the block runs."""
    box = Mailbox(**told)

    class Conversation(_Conversation):
        mailbox = box

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that goes away in the middle is what some tests are about."""

    with Server(("127.0.0.1", 0), Conversation) as server:
        box.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield box
        finally:
            box.stopped.set()
            server.shutdown()


class _Conversation(socketserver.StreamRequestHandler):
    mailbox: Mailbox

    def handle(self) -> None:
        self.encrypted, self.login = False, None
        if self.mailbox.tls == "implicit":
            self._encrypt()
        self._say("220 caixa")
        while line := self.rfile.readline():
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if not self.encrypted:
                self.mailbox.heard.append(text)
            verb, _, rest = text.partition(" ")
            if verb.upper() == "QUIT" or not getattr(self, f"_{verb.lower()}", self._unknown)(rest):
                return

    def finish(self) -> None:
        super().finish()
        if self.encrypted:
            self.request.close()  # the server knows of the bare connection only

    def _say(self, line: str) -> bool:
        self.wfile.write(line.encode() + b"\r\n")
        return True

    def _unknown(self, _: str) -> bool:
        return self._say("502 o que?")

    def _encrypt(self) -> None:
        self.request = self.mailbox.context().wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", 0)
        self.encrypted = True

    def _ehlo(self, _: str) -> bool:
        while self.mailbox.drips and not self.mailbox.stopped.wait(0.02):
            self.wfile.write(b"2")
        offered = ["caixa"]
        if self.mailbox.tls == "starttls" and not self.encrypted:
            offered.append("STARTTLS")
        return self._say("\r\n".join(f"250-{one}" for one in offered) + "\r\n250 AUTH PLAIN")

    def _starttls(self, _: str) -> bool:
        self._say("220 agora")
        self._encrypt()
        return True

    def _auth(self, told: str) -> bool:
        _, user, password = base64.b64decode(told.partition(" ")[2]).decode().split("\0")
        self.login = (user, password)
        return self._say("235 pois" if password == "segredo" else "535 quem?")

    def _mail(self, told: str) -> bool:
        self.sender, self.to = told.partition("<")[2].partition(">")[0], list[str]()
        return self._say("250 sim")

    def _rcpt(self, told: str) -> bool:
        to = told.partition("<")[2].rpartition(">")[0]
        if to in self.mailbox.refused:
            return self._say(f"550 <{to}> aqui nao mora")
        self.to.append(to)
        return self._say("250 sim")

    def _rset(self, _: str) -> bool:
        return self._say("250 sim")

    def _data(self, _: str) -> bool:
        self._say("354 diga")
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line[1:] if line.startswith(b"..") else line)
        told = b"".join(lines)
        self.mailbox.letters.append(Received(self.sender, tuple(self.to), told, self.encrypted, self.login))
        return not self.mailbox.hangs_up and self._say("250 guardada")


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 with its key, signed by itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "caixa")])
    day = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(day)
        .not_valid_after(day.replace(year=2120))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "caixa.pem"
    plain = serialization.NoEncryption()
    kind = serialization.PrivateFormat.PKCS8
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, kind, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path
