"""Official documents: numbered per series and year, gapless, in the act that issues them.

Content of a document is data, sealed for the case's subject. Rendering to paper happens after the act (`press.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sqlalchemy import select, update

from app.audit import seal
from app.documents.codes import new_code
from app.law.norm import DocumentKind
from app.store import Reader, Row, Tx
from app.store.cases_tables import document, rendition, unprinted
from app.store.tables import series
from app.values import Json

CASES, FILINGS = "processo", "protocolo"  # the series of what is numbered besides documents
NUMBER = "{number:05d}/{year}"  # how a document's number is written, in its series


@dataclass(frozen=True)
class Issued:
    """What the journal keeps of a document."""

    id: str
    number: str
    content_digest: str
    code: str


def take_number(tx: Tx, name: str, year: int) -> int:
    """The next number of a series in a year, from 1; a refused act gives it back."""
    this = (series.c.name == name) & (series.c.year == year)
    held = select(series.c.last).where(this).with_for_update()
    row = tx.first(held)
    if row is None:
        # The first number of a year may be wanted twice at once: whoever comes second waits and takes the next.
        tx.ensure(series, name=name, year=year, last=0)
        row = tx.one(held, name)
    number = int(row["last"]) + 1
    tx.write(update(series).where(this).values(last=number))
    return number


def case_number(tx: Tx, year: int) -> str:
    """`NNNNN/AAAA-D`, the municipality's own numbering with a check digit."""
    return with_check_digit(take_number(tx, CASES, year), year)


def with_check_digit(number: int, year: int) -> str:
    """Weights 2, 3, 4… from the right over number and year; 11 minus the remainder by 11, with 10 and 11 as 0.

    It catches any single wrong digit but those that give 10 or 11, and most swaps of neighbours.
    """
    digits = f"{number:05d}{year:04d}"
    total = sum(int(d) * w for d, w in zip(reversed(digits), range(2, len(digits) + 2), strict=True))
    check = 11 - total % 11
    return f"{number:05d}/{year:04d}-{0 if check > 9 else check}"


def issue(
    tx: Tx, case_id: str, subject_id: str, seq: int, kind: DocumentKind, today: date, content: Json
) -> Issued:
    """Numbers a document, seals its content and lays it before the press. `today` is the local day of the act."""
    number = take_number(tx, kind.series, today.year)
    sealed_id, digest = seal.seal(tx, subject_id, content)
    document_id, code = tx.new_id(), new_code(tx)
    tx.add(
        document,
        id=document_id,
        case_id=case_id,
        seq=seq,
        kind=kind.key,
        series=kind.series,
        year=today.year,
        number=number,
        title=kind.title,
        sealed_id=sealed_id,
        issued_at=tx.now,
        issued_by=str(tx.actor),
        code=code,
    )
    tx.add(unprinted, document_id=document_id)
    return Issued(document_id, NUMBER.format(number=number, year=today.year), digest, code)


def content_of(reader: Reader, document_id: str) -> Json:
    """The content of an issued document, or None when its subject was erased."""
    row = reader.one(
        select(document.c.sealed_id).where(document.c.id == document_id), "Documento não encontrado."
    )
    return seal.unseal(reader, row["sealed_id"])


def number_of(row: Row) -> str:
    """A document's number as it is written, `00012/2026`."""
    return NUMBER.format(number=row["number"], year=row["year"])


def rendition_of(reader: Reader, document_id: str) -> Row | None:
    """What is known of a document's PDF; None while the press has not made it."""
    return reader.first(select(rendition).where(rendition.c.document_id == document_id))


def pdf_of(reader: Reader, document_id: str) -> bytes | None:
    """The PDF; None while there is none and after its subject was erased."""
    row = rendition_of(reader, document_id)
    return seal.unseal_bytes(reader, row["sealed_id"]) if row else None


def waiting(reader: Reader, document_id: str) -> Row | None:
    """How a document stands before the press: `failures`, `failure`, `not_before`. None when it does not wait."""
    return reader.first(select(unprinted).where(unprinted.c.document_id == document_id))
