"""Personal data, encrypted per data subject. The journal holds the digest of the ciphertext, never the text.

Destroying a subject's key erases what was sealed for it, and every chain still verifies (LGPD, Art. 16).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import bindparam, delete, select

from app.errors import Broken, NotFound
from app.store import Reader, Tx
from app.store.tables import sealed, subject, subject_key
from app.values import Json, canonical

_NONCE = 12  # bytes, as AES-GCM wants
_KEY = select(subject_key.c.key).where(subject_key.c.subject_id == bindparam("subject_id"))


@dataclass(frozen=True)
class Seal:
    """What was sealed, as it is kept. `key` is None once it was destroyed."""

    id: str
    nonce: bytes
    ciphertext: bytes
    key: bytes | None

    def unsealed(self) -> bytes | None:
        """The bytes, or None when the key has been destroyed. Raises Broken for what was altered."""
        if self.key is None:
            return None
        try:
            return AESGCM(self.key).decrypt(self.nonce, self.ciphertext, self.id.encode())
        except InvalidTag as error:
            raise Broken(f"seal {self.id} was altered") from error


def new_subject(tx: Tx) -> str:
    """A data subject with a fresh key; the id is random and says nothing about the person."""
    subject_id, key = tx.new_id(), tx.random_bytes(32)
    tx.add(subject, id=subject_id, created_at=tx.now)
    tx.add(subject_key, subject_id=subject_id, key=key)
    _known(tx)[subject_id] = key
    return subject_id


def seal(tx: Tx, subject_id: str, value: Json) -> tuple[str, str]:
    """Encrypts a JSON value for the subject. Gives the seal's id and the SHA-256 of the ciphertext."""
    return seal_bytes(tx, subject_id, canonical(value))


def seal_bytes(tx: Tx, subject_id: str, data: bytes) -> tuple[str, str]:
    """Encrypts a file for the subject, such as a PDF. Gives the seal's id and the SHA-256 of the ciphertext."""
    key = _key(tx, subject_id)
    if key is None:
        raise Broken(f"the key of subject {subject_id} has been destroyed")
    sealed_id, nonce = tx.new_id(), tx.random_bytes(_NONCE)
    ciphertext = AESGCM(key).encrypt(nonce, data, sealed_id.encode())
    tx.add(sealed, id=sealed_id, subject_id=subject_id, nonce=nonce, ciphertext=ciphertext)
    return sealed_id, hashlib.sha256(ciphertext).hexdigest()


def unseal(reader: Reader, sealed_id: str | None) -> Json:
    """What was sealed, or None when there was nothing or the key has been destroyed."""
    data = None if sealed_id is None else unseal_bytes(reader, sealed_id)
    return None if data is None else orjson.loads(data)


def unseal_bytes(reader: Reader, sealed_id: str) -> bytes | None:
    """The file that was sealed, or None when the key has been destroyed."""
    kept = seals(reader, [sealed_id]).get(sealed_id)
    if kept is None:
        raise NotFound("Dado lacrado inexistente.")
    return kept.unsealed()


def seals(reader: Reader, sealed_ids: Collection[str]) -> dict[str, Seal]:
    """Several at once, by id, in one statement; those that are not kept are not in it."""
    kept = select(sealed, subject_key.c.key).outerjoin(
        subject_key, subject_key.c.subject_id == sealed.c.subject_id
    )
    rows = reader.all(kept.where(sealed.c.id.in_(sorted(sealed_ids))))
    return {
        row["id"]: Seal(
            row["id"],
            bytes(row["nonce"]),
            bytes(row["ciphertext"]),
            None if row["key"] is None else bytes(row["key"]),
        )
        for row in rows
    }


def veiled(text: str, by: bytes) -> str:
    """Digest of a short text, such as a name: only whoever has the bytes beside it could try likely ones.

    The text comes first: the digest of the bytes alone may be known, and could be prolonged by what follows it.
    """
    return hashlib.sha256(canonical(text) + b"\0" + by).hexdigest()


def hide(tx: Tx, subject_id: str, value: Json, context: str) -> bytes:
    """Encrypts a value that is kept for a while and then deleted, such as a draft; `context` names its row."""
    key = _key(tx, subject_id)
    if key is None:
        raise Broken(f"the key of subject {subject_id} has been destroyed")
    nonce = tx.random_bytes(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, canonical(value), context.encode())


def reveal(reader: Reader, subject_id: str, hidden: bytes, context: str) -> Json:
    """What `hide` took, or None when the key has been destroyed."""
    key = _key(reader, subject_id)
    if key is None:
        return None
    try:
        return orjson.loads(AESGCM(key).decrypt(hidden[:_NONCE], hidden[_NONCE:], context.encode()))
    except InvalidTag as error:
        raise Broken(f"what was hidden for {context} was altered") from error


def destroy_key(tx: Tx, subject_id: str) -> None:
    """Erases everything sealed for the subject, for ever. The act that orders it is the caller's."""
    tx.write(delete(subject_key).where(subject_key.c.subject_id == subject_id))
    _known(tx).pop(subject_id, None)


def erased(reader: Reader, subject_id: str) -> bool:
    """Whether the key of a data subject was destroyed: nothing sealed for it can be read, nor anything new sealed."""
    return _key(reader, subject_id) is None


def _key(reader: Reader, subject_id: str) -> bytes | None:
    """The subject's key. An act looks for it once."""
    known = _known(reader)
    if subject_id not in known:
        row = reader.first(_KEY, subject_id=subject_id)
        known[subject_id] = None if row is None else bytes(row["key"])
    return known[subject_id]


def _known(reader: Reader) -> dict[str, bytes | None]:
    keys: dict[str, bytes | None] = reader.scratch.setdefault("keys", {}) if isinstance(reader, Tx) else {}
    return keys
