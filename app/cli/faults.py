"""Faults that are nobody's bug (a refusal, a database out of reach, a folder without permission), in plain lines.

What is not known here passes through with its traceback: an error of the program must be seen.
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import click
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError

from app.errors import Refused

_FILES = {
    errno.EACCES: "falta permissão; mude as permissões ou o caminho",
    errno.EPERM: "falta permissão; mude as permissões ou o caminho",
    errno.ENOENT: "não existe; confira o caminho",
    errno.EEXIST: "já existe um arquivo com este nome; confira o caminho",
    errno.ENOTDIR: "há um arquivo onde devia haver uma pasta; confira o caminho",
    errno.EISDIR: "é uma pasta, e se esperava um arquivo",
    errno.ENOSPC: "o disco está cheio; libere espaço e repita o comando",
    errno.EDQUOT: "a cota de disco acabou",
    errno.EROFS: "o disco só permite leitura",
    errno.ENAMETOOLONG: "o nome é longo demais",
    errno.ELOOP: "as ligações simbólicas dão voltas",
    errno.EIO: "o disco não respondeu",
    errno.EINVAL: "o nome não serve",
}
_UNREACHED = "O PostgreSQL não atende no endereço de TRAMITA_DATABASE_URL: ligue-o ou corrija o endereço."
# What a driver says in its own words, and what that means here. The first that is found counts.
_DATABASES = (
    (r"password authentication|no password", "O PostgreSQL recusou o usuário ou a senha de TRAMITA_DATABASE_URL."),
    (r'role ".*" does not exist', "O PostgreSQL não tem o usuário de TRAMITA_DATABASE_URL: crie-o ou corrija-o."),
    (r'database ".*" does not exist', "O PostgreSQL não tem o banco de TRAMITA_DATABASE_URL: crie-o ou corrija-o."),
    (r"connection refused|failed to resolve host|no such file or directory|timed? ?out", _UNREACHED),
    (r"permission denied", "O usuário do PostgreSQL não tem permissão neste banco: use o dono do banco."),
    (r"connection option", "TRAMITA_DATABASE_URL tem uma opção que o PostgreSQL não conhece: corrija-a."),
    (r"not a database", "O arquivo do banco não é do SQLite: confira TRAMITA_DATABASE_URL e TRAMITA_DATA_DIR."),
    (r"unable to open", "O arquivo do banco não abre: confira se ele e a sua pasta existem e permitem gravar."),
    (r"readonly database", "O banco de dados só permite leitura: confira as permissões do arquivo e da pasta."),
    (r"disk is full", "O disco está cheio: libere espaço e repita o comando."),
    (r"malformed", "O arquivo do banco de dados está danificado: recorra à última cópia de segurança."),
    (r"locked|lock timeout", "O banco de dados está ocupado por outro programa: repita o comando daqui a pouco."),
)  # fmt: skip
_BUG = re.compile(r"no such (table|column|function)|syntax error|too many sql variables")


class Fault(click.ClickException):
    """One sentence for the person at the terminal; the command ends with 1."""


@contextmanager
def expected() -> Iterator[None]:
    """Turns what may happen to anybody into a Fault."""
    try:
        yield
    except Refused as error:
        raise Fault(of_refusal(error)) from error
    except DBAPIError as error:
        if (sentence := _of_database(error)) is None:
            raise
        raise Fault(sentence) from error
    except OSError as error:
        if (sentence := of_file(error)) is None:
            raise
        raise Fault(sentence) from error


def of_refusal(error: Refused) -> str:
    """What was refused and, a line each, where: a norm may have many faults."""
    return "\n".join([error.message, *(f"  {where}: {told}" for where, told in error.fields.items())])


def of_file(error: OSError) -> str | None:
    """What happened to a file or an address, or None for what nobody expects."""
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return "TRAMITA_HOST não é um endereço desta máquina: use 127.0.0.1 ou 0.0.0.0."
    reason = _FILES.get(error.errno or 0)
    if reason is None or error.errno == errno.EPIPE:
        return None
    return f"{error.filename}: {reason}." if error.filename else f"Não foi possível continuar: {reason}."


def _of_database(error: DBAPIError) -> str | None:
    # The driver's words alone: SQLAlchemy's would show the values of the statement.
    told = str(error.orig).strip()
    for pattern, sentence in _DATABASES:
        if re.search(pattern, told, re.IGNORECASE):
            return sentence
    exact = type(error) in (OperationalError, InterfaceError, DatabaseError)
    if not exact or _BUG.search(told.lower()):
        return None
    return f"O banco de dados não pôde ser usado ({told.splitlines()[0] if told else 'sem explicação'})."
