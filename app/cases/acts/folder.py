"""What anybody with an office may add to a case's folder: a note, a file. The diagram does not move."""

from __future__ import annotations

import re
import unicodedata

from app import audit
from app.audit import seal
from app.cases import access
from app.cases.acts.entry import entry
from app.cases.acts.limits import text
from app.cases.dossier import open_dossier
from app.errors import Invalid
from app.store import Tx, blobs
from app.store.cases_tables import attachment, note
from app.values import blank, canonical, composed, digest

LONGEST_NOTE = 4_000
LARGEST_FILE = 20 * 1024 * 1024
LONGEST_NAME = 600  # letters of a file's name that are looked at
_TAIL = 100  # of these the last, with the ending
# What may be handed in: kinds that every reader shows and that carry no program, by media type. First bytes, endings.
KINDS = {
    "application/pdf": (b"%PDF-", (".pdf",)),
    "image/png": (b"\x89PNG\r\n\x1a\n", (".png",)),
    "image/jpeg": (b"\xff\xd8\xff", (".jpg", ".jpeg")),
}
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")  # `.exe`; not the `.2026` of a numbered letter


@entry
def annotate(tx: Tx, case_id: str, words: str) -> None:
    """Adds a note to the folder. Notes are kept whole; the journal holds their digest."""
    dossier = open_dossier(tx, case_id)
    access.require(tx, dossier.norm, "anotar")
    kept = text(words, "Anotação", LONGEST_NOTE)
    note_id = tx.new_id()
    tx.add(note, id=note_id, case_id=dossier.id, seq=dossier.seq, text=kept, by=str(tx.actor), at=tx.now)
    body = {"command": {"op": "none"}, "note": note_id, "text": digest(canonical(kept))}
    audit.append(tx, dossier.stream, "annotate", body)


@entry
def attach(tx: Tx, case_id: str, name: str, media_type: str, data: bytes) -> str:
    """Adds a file to the folder, by digest, and gives its id. PDF, PNG or JPEG, at most 20 MiB.

    Its name ends as its content does: what is kept as a picture is not taken for a program when it is saved.
    """
    dossier = open_dossier(tx, case_id)
    access.require(tx, dossier.norm, "anexar")
    if not data or len(data) > LARGEST_FILE:
        raise Invalid("O arquivo está vazio ou passa de 20 MB.", code="arquivo.tamanho")
    kind = kind_of(data, media_type)
    shown = named_as(clean_name(name), kind)
    attachment_id, stored = tx.new_id(), blobs.keep(tx, data)
    row = {"id": attachment_id, "name": shown, "media_type": kind, "size": len(data)}
    tx.add(
        attachment,
        **row,
        case_id=dossier.id,
        seq=dossier.seq,
        blob_digest=stored,
        by=str(tx.actor),
        at=tx.now,
    )
    body = {"command": {"op": "none"}, "attachment": attachment_id, "size": len(data), "digest": stored}
    body |= {"media_type": kind, "name": seal.veiled(shown, data)}
    audit.append(tx, dossier.stream, "attach", body)
    return attachment_id


def kind_of(data: bytes, declared: str) -> str:
    """The media type that the content is of, whatever name a browser has for it.

    Raises Invalid for any other content, and for one that is declared as another of our kinds.
    """
    found = next((media for media, (magic, _) in KINDS.items() if data.startswith(magic)), None)
    if found is None or declared in KINDS.keys() - {found}:
        raise Invalid("Só PDF, PNG ou JPEG, e o conteúdo deve ser do tipo declarado.", code="arquivo.tipo")
    return found


def clean_name(name: str) -> str:
    """A file name without path, control or direction characters, at most 120 characters, never empty."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    if len(last) > LONGEST_NAME:
        last = last[: LONGEST_NAME - _TAIL] + last[-_TAIL:]
    visible = "".join(c for c in composed(last) if unicodedata.category(c)[0] not in "C")
    stem, dot, ending = visible.strip(" .").rpartition(".")
    short = f"{stem[:110]}{dot}{ending[:9]}" if dot else ending[:120]
    return "arquivo" if blank(short) else short


def named_as(name: str, media_type: str) -> str:
    """The name with an ending of its media type; another kind's ending gives way to it."""
    fitting = KINDS[media_type][1]
    stem = _ENDING.sub("", name) or "arquivo"
    named = next((n for n in (name, stem) if n.lower().endswith(fitting)), None)
    return named or stem[:110] + fitting[0]
