"""Frozen settings, read once from the environment. The only file that reads it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from app.values import is_email

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Mail:
    """The mail server and who the site's messages come from. `tls`: encrypted from the first byte."""

    host: str
    port: int
    tls: bool
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class Settings:
    """How one installation runs. One municipality, one database.

    Attributes:
        database_url: SQLAlchemy URL; SQLite file or PostgreSQL (`postgresql+psycopg://`).
        data_dir: folder for the SQLite file and the key of sessions; created when missing.
        municipality: folder name under `bpmn/` and `forms/`, such as `jequie`.
        demo: demo accounts, demo clock, fixtures for values that the law leaves unset.
        secret_key: signs the web session; generated into `data_dir` when empty.
        host, port: where the web listens.
        address: where the public finds the site; printed on papers. Empty: where the web listens.
        mail: how e-mails leave; None: they wait.
        pg_bin: folder of PostgreSQL's programs; None: wherever the system finds them.
        log: `texto` or `json`; `log_addresses`: whether a request's line tells the address it came from.
    """

    database_url: str
    data_dir: Path
    municipality: str = "jequie"
    demo: bool = False
    secret_key: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    content_dir: Path = ROOT
    address: str = ""
    mail: Mail | None = None
    pg_bin: Path | None = None
    log: str = "texto"
    log_addresses: bool = False

    @property
    def folders(self) -> tuple[Path, ...]:
        """What a start writes into: the data folder and that of an SQLite file kept elsewhere."""
        url = make_url(self.database_url)
        file = url.database if url.get_backend_name() == "sqlite" else None
        return (self.data_dir, *([Path(file).parent] if file else []))

    @property
    def local_address(self) -> str:
        """The web as this machine reaches it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def public_address(self) -> str:
        return self.address or self.local_address


def from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """Reads `TRAMITA_*`; an empty variable counts as one that is not there.

    Raises ValueError, in Portuguese, naming the variable that cannot be used and what to write instead.
    """
    source = os.environ if environ is None else environ
    env = {name: value for name, value in source.items() if name.startswith("TRAMITA_") and value.strip()}
    data_dir = _folder(env, "TRAMITA_DATA_DIR", ROOT / "var")
    return Settings(
        database_url=_database(env.get("TRAMITA_DATABASE_URL", f"sqlite:///{data_dir / 'tramita.db'}")),
        data_dir=data_dir,
        municipality=_municipality(env.get("TRAMITA_MUNICIPALITY", "jequie")),
        demo=_switch(env, "TRAMITA_DEMO"),
        secret_key=env.get("TRAMITA_SECRET_KEY", ""),
        host=_host(env.get("TRAMITA_HOST", "127.0.0.1").strip()),
        port=port_number(env.get("TRAMITA_PORT", "8000"), "TRAMITA_PORT"),
        content_dir=_folder(env, "TRAMITA_CONTENT_DIR", ROOT),
        address=_address(env.get("TRAMITA_ADDRESS", "")),
        mail=_mail(env.get("TRAMITA_SMTP_URL", ""), env.get("TRAMITA_MAIL_FROM", "").strip()),
        pg_bin=_folder(env, "TRAMITA_PG_BIN", ROOT) if "TRAMITA_PG_BIN" in env else None,
        log=_log(env),
        log_addresses=_switch(env, "TRAMITA_LOG_ADDRESSES"),
    )


def port_number(text: str, told: str) -> int:
    """A port as people write it. Raises ValueError naming where it was told."""
    digits = text.strip()
    if not re.fullmatch(r"[0-9]{1,5}", digits) or not 0 < int(digits) < 65536:
        raise ValueError(f"{told}={text!r} não é um número de porta; use um de 1 a 65535, como 8000.")
    return int(digits)


def _folder(env: Mapping[str, str], name: str, default: Path) -> Path:
    text = env.get(name)
    if text is None:
        return default
    if "\x00" in text or len(os.fsencode(text)) > 4000:
        raise ValueError(f"{name} não é um nome de pasta.")
    return Path(text)


def _municipality(text: str) -> str:
    # It becomes part of paths: `..` or a slash would leave the content's folder.
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,59}", text):
        raise ValueError(
            f"TRAMITA_MUNICIPALITY={text!r} não é nome de município; use o da pasta dele em bpmn/, como jequie."
        )
    return text


def _host(text: str) -> str:
    try:
        text.encode("idna")
    except UnicodeError:
        raise ValueError(f"TRAMITA_HOST={text!r} não é um endereço; use um como 127.0.0.1.") from None
    return text


def _address(text: str) -> str:
    # It is printed on every paper and drawn as a QR code, and nobody corrects a paper.
    plain = text.strip().rstrip("/")
    if plain and (
        len(plain) > 100 or not re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:]+(/[A-Za-z0-9._~/-]*)?", plain)
    ):
        raise ValueError(
            f"TRAMITA_ADDRESS={text!r} não é um endereço público; use um como https://tramita.jequie.ba.gov.br."
        )
    return plain


_SERVER = re.compile(r"[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")


def _mail(text: str, sender: str) -> Mail | None:
    """No sentence repeats the URL: it may hold a password."""
    an_address = "um endereço de e-mail, como tramita@jequie.ba.gov.br"
    if sender and not is_email(sender):
        raise ValueError(f"TRAMITA_MAIL_FROM={sender!r} não vale: use {an_address}.")
    if not text:
        return None
    wanted = (
        "Use smtp://servidor:587 ou smtps://usuario:senha@servidor:465 (no usuário e na senha, escreva @ como %40, "
        "/ como %2F e : como %3A)."
    )
    try:
        url = urlsplit(text.strip())
        host, port, rest = url.hostname or "", url.port, url.path.strip("/") + url.query + url.fragment
    except ValueError:
        raise ValueError(f"TRAMITA_SMTP_URL não é um endereço de servidor. {wanted}") from None
    if url.scheme not in ("smtp", "smtps") or not _SERVER.fullmatch(host) or port == 0 or rest:
        raise ValueError(f"TRAMITA_SMTP_URL não é o endereço de um servidor de e-mail. {wanted}")
    user, password = unquote(url.username or ""), unquote(url.password or "")
    if bool(user) != bool(password) or not (user + password).isprintable():
        raise ValueError(f"TRAMITA_SMTP_URL precisa de usuário e senha, ou de nenhum dos dois. {wanted}")
    if not sender:
        raise ValueError(f"TRAMITA_MAIL_FROM falta: diga de onde saem os e-mails, {an_address}.")
    tls = url.scheme == "smtps"
    return Mail(host, port or (465 if tls else 587), tls, sender, user, password)


def log_form(environ: Mapping[str, str] | None = None) -> str:
    """How the log is written, before anything else is read. What cannot be used is told with the other settings."""
    try:
        return _log(os.environ if environ is None else environ)
    except ValueError:
        return "texto"


def _log(env: Mapping[str, str]) -> str:
    text = env.get("TRAMITA_LOG", "").strip() or "texto"
    if text not in ("texto", "json"):
        raise ValueError(f"TRAMITA_LOG={text!r} não vale: use texto ou json.")
    return text


def _switch(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "0").strip()
    if text not in ("0", "1"):
        raise ValueError(f"{name}={text!r} não vale: use 1 para ligar, ou 0 ou nada para desligar.")
    return text == "1"


def _database(text: str) -> str:
    """The URL as given, when it names a SQLite file or a PostgreSQL. No sentence repeats it: it may hold a password."""
    wanted = (
        "Use sqlite:////pasta/tramita.db ou postgresql+psycopg://usuario:senha@servidor:5432/banco "
        "(na senha, escreva @ como %40 e / como %2F)."
    )
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        raise ValueError(f"TRAMITA_DATABASE_URL não é um endereço de banco de dados. {wanted}") from None
    if url.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise ValueError(f"TRAMITA_DATABASE_URL começa por {url.drivername}, que não serve. {wanted}")
    if not url.database or url.database == ":memory:" or "\x00" in url.database:
        raise ValueError(f"TRAMITA_DATABASE_URL não diz qual é o arquivo ou o banco de dados. {wanted}")
    return text.strip()
