"""Personal data is sealed per subject: readable while its key lives, gone with it, and never in the journal."""

from __future__ import annotations

import hashlib

import pytest
from sqlalchemy import select

from app import audit
from app.audit import seal
from app.audit.verify import verify
from app.errors import Broken, NotFound
from app.store import INSTALLER, Tx
from app.store.tables import journal, sealed, subject_key
from tests.cases.town import Town

WORDS = {"nome": "Maria da Glória", "cpf": "111.444.777-35"}


@pytest.fixture
def subject(shared_town: Town) -> str:
    return str(shared_town.draft("fiscal", seal.new_subject))


def kept(tx: Tx, subject_id: str) -> tuple[str, str]:
    """An act that seals something and journals the digest of the ciphertext, as acts on cases do."""
    sealed_id, digest = seal.seal(tx, subject_id, WORDS)
    audit.append(tx, "teste", "seal", {"sealed": sealed_id, "digest": digest})
    return sealed_id, digest


def _flipped(kept_bytes: bytes) -> bytes:
    """The same bytes but for the last bit: altered whatever they were."""
    return bytes(kept_bytes)[:-1] + bytes([kept_bytes[-1] ^ 1])


def test_what_was_sealed_comes_back(shared_town: Town, subject: str) -> None:
    sealed_id, _ = shared_town.install(kept, subject)
    assert shared_town.read(seal.unseal, sealed_id) == WORDS


def test_nothing_was_sealed_and_an_unknown_seal_are_different_things(shared_town: Town) -> None:
    assert shared_town.read(seal.unseal, None) is None
    with pytest.raises(NotFound, match="lacrado"):
        shared_town.read(seal.unseal, "nada")


def test_neither_the_seal_nor_the_journal_shows_a_word_of_it(shared_town: Town, subject: str) -> None:
    sealed_id, digest = shared_town.install(kept, subject)
    ciphertext = bytes(shared_town.row(sealed, id=sealed_id)["ciphertext"])
    assert digest == hashlib.sha256(ciphertext).hexdigest()
    everything = ciphertext + b"".join(bytes(r["body"]) for r in shared_town.rows(journal))
    for word in WORDS.values():
        assert word.encode() not in everything


def test_the_same_words_are_never_the_same_ciphertext(shared_town: Town, subject: str) -> None:
    one, two = shared_town.install(kept, subject), shared_town.install(kept, subject)
    assert one[1] != two[1]


def test_with_the_key_destroyed_the_words_are_gone_and_the_chain_still_verifies(
    shared_town: Town, subject: str
) -> None:
    sealed_id, _ = shared_town.install(kept, subject)
    other = str(shared_town.draft("fiscal", seal.new_subject))
    spared, _ = shared_town.install(kept, other)
    shared_town.draft("fiscal", seal.destroy_key, subject)
    assert shared_town.rows(subject_key, subject_id=subject) == []
    assert shared_town.read(seal.unseal, sealed_id) is None
    assert shared_town.read(seal.unseal, spared) == WORDS
    assert shared_town.read(verify).faults == ()


def test_nothing_new_can_be_sealed_for_a_destroyed_key(shared_town: Town, subject: str) -> None:
    shared_town.draft("fiscal", seal.destroy_key, subject)
    with pytest.raises(Broken, match="destroyed"):
        shared_town.install(kept, subject)


@pytest.mark.parametrize("column", ["ciphertext", "nonce", "id", "subject_id"])
def test_an_altered_seal_is_broken_evidence_and_not_an_empty_answer(
    shared_town: Town, subject: str, column: str
) -> None:
    sealed_id, _ = shared_town.install(kept, subject)
    other = str(shared_town.draft("fiscal", seal.new_subject))
    row = shared_town.row(sealed, id=sealed_id)
    new = {
        "ciphertext": _flipped(row["ciphertext"]),
        "nonce": b"0" * 12,
        "id": "moved",
        "subject_id": other,
    }[column]
    shared_town.tamper(f"UPDATE sealed SET {column} = :v WHERE id = :i", v=new, i=sealed_id)
    with pytest.raises(Broken, match="altered"):
        shared_town.read(seal.unseal, "moved" if column == "id" else sealed_id)


def test_each_subject_has_a_key_of_its_own(shared_town: Town) -> None:
    with shared_town.store.silent_act(INSTALLER) as tx:
        ids = [seal.new_subject(tx) for _ in range(5)]
    rows = [
        r for r in shared_town.read(lambda reader: reader.all(select(subject_key))) if r["subject_id"] in ids
    ]
    assert len({bytes(r["key"]) for r in rows}) == 5
    assert all(len(bytes(r["key"])) == 32 for r in rows)


def test_what_is_hidden_for_a_while_is_shown_again_in_its_own_place_alone(
    shared_town: Town, subject: str
) -> None:
    hidden = shared_town.draft("fiscal", seal.hide, subject, WORDS, "tarefa-1")
    assert b"Maria" not in hidden
    assert shared_town.read(seal.reveal, subject, hidden, "tarefa-1") == WORDS
    for altered, place in ((hidden, "tarefa-2"), (_flipped(hidden), "tarefa-1")):
        with pytest.raises(Broken, match="altered"):
            shared_town.read(seal.reveal, subject, altered, place)


def test_what_was_hidden_is_gone_with_its_key(shared_town: Town, subject: str) -> None:
    hidden = shared_town.draft("fiscal", seal.hide, subject, WORDS, "tarefa-1")
    shared_town.draft("fiscal", seal.destroy_key, subject)
    assert shared_town.read(seal.reveal, subject, hidden, "tarefa-1") is None
    with pytest.raises(Broken, match="destroyed"):
        shared_town.draft("fiscal", seal.hide, subject, WORDS, "tarefa-1")
