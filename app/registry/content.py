"""What is proven by its own digest or its own seal: published norms, kept bytes, sealed data, the subjects they are of.

A seal whose key was destroyed shows nothing any more; the digest of its ciphertext stays in the journal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, and_, select

from app.audit import seal
from app.audit.rows import bare, kept
from app.errors import Broken
from app.law.content.raw import content_digest
from app.registry.told import Told, subjects
from app.store import Reader
from app.store.registry_tables import staff
from app.store.tables import blob, norm_file, norm_version, sealed, subject, subject_key
from app.values import Json, digest

_AT_ONCE = 50  # rows that may be large


def faults(reader: Reader, told: Told) -> Iterator[str]:
    """What is not what its digest or its seal says, in Portuguese, a line for each."""
    for row in _rows(reader, select(*bare(reader, blob))):
        if not isinstance(row["bytes"], bytes) or digest(row["bytes"]) != row["digest"]:
            yield f"o arquivo guardado {row['digest']} não é o que o seu resumo diz"
    yield from _norms(reader)
    for row in _rows(reader, _seals(reader)):
        if not _opens(row):
            yield f"o dado lacrado {row['id']} não abre com a chave da sua pessoa"
    yield from _names(reader, told)
    yield from _subjects(reader)


def _seals(reader: Reader) -> Select[Any]:
    whole = select(*bare(reader, sealed), *bare(reader, subject_key, "key"), subject.c.id.label("known"))
    with_key = whole.outerjoin(subject_key, subject_key.c.subject_id == sealed.c.subject_id)
    return with_key.outerjoin(subject, subject.c.id == sealed.c.subject_id)


def _rows(reader: Reader, query: Select[Any]) -> Iterator[Json]:
    return iter(reader.connection.execute(query, execution_options={"yield_per": _AT_ONCE}).mappings())


def _norms(reader: Reader) -> Iterator[str]:
    """A version's digest is that of its files."""
    query = select(*bare(reader, norm_file), *bare(reader, blob, "bytes")).outerjoin(
        blob, blob.c.digest == norm_file.c.blob_digest
    )
    files: dict[str, dict[str, bytes]] = {}
    for row in _rows(reader, query):
        data = row["bytes"] if isinstance(row["bytes"], bytes) else b""
        files.setdefault(str(row["norm_digest"]), {})[str(row["path"])] = data
    versions = {str(row["digest"]) for row in _rows(reader, select(*bare(reader, norm_version)))}
    for name in sorted({*files, *versions}):
        if name not in versions or content_digest(files.get(name, {})) != name:
            yield f"os arquivos da norma {name} não são os da versão publicada"


def _opens(row: Json) -> bool:
    if row["known"] is None:
        return False
    try:
        seal.Seal(row["id"], row["nonce"], row["ciphertext"], row["key"]).unsealed()
    except (Broken, TypeError, ValueError, AttributeError):
        return False
    return True


_ITS_NAME = (sealed.c.id == staff.c.name_sealed, sealed.c.subject_id == staff.c.subject_id)


def _names(reader: Reader, told: Told) -> Iterator[str]:
    """Names of traffic staff: the seal that is kept is the one that was entered."""
    query = select(staff.c.id, *bare(reader, sealed, "ciphertext")).outerjoin(sealed, and_(*_ITS_NAME))
    found = {row["id"]: row["ciphertext"] for row in _rows(reader, query)}
    for said in told.of("register_staff"):
        data = found.get(said.record)
        if not isinstance(data, bytes) or digest(data) != said.body.get("sealed_digest"):
            yield f"o nome lacrado do pessoal de tráfego {said.record} não é o registrado"


def _subjects(reader: Reader) -> Iterator[str]:
    """Each data subject that an entry tells of is kept since then. Entries of before tell of none."""
    found = {row["id"]: row["created_at"] for row in kept(reader, subject)}
    for name, since in subjects(reader).items():
        if found.get(name) != since:
            yield f"a pessoa {name}, cujos dados são lacrados, não está guardada como o histórico diz"
