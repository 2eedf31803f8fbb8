"""What came in over the counter, as documents tell it: number and stamp of a petition, payments and their receipts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import select

from app.registry import charges
from app.store import Reader, Row
from app.store.cases_tables import filing, submission
from app.values import Json, Money

Local = Callable[[datetime], str]


def filed_as(reader: Reader, kind: str, submission_id: str) -> Row | None:
    """The filing that brought a submission; None when it is no filing of that kind."""
    return reader.first(select(filing).where(filing.c.submission_id == submission_id, filing.c.kind == kind))


def told_of(row: Row, what: str, local: Local) -> Json:
    """`numero` or `carimbo` of a filing. The stamp is when it was handed in, not when it was put in the case."""
    return row["number"] if what == "numero" else local(row["stamped_at"])


def payments(reader: Reader, case_id: str, local: Local) -> str | None:
    """Each payment: amount, instant, number of its receipt and protocol, oldest first. None when nothing was paid."""
    return "; ".join(_told(reader, row, local) for row in charges.payments(reader, case_id)) or None


def _told(reader: Reader, paid: Row, local: Local) -> str:
    by = reader.first(
        select(filing.c.number, submission.c.answers)
        .join(submission, submission.c.id == filing.c.submission_id)
        .where(filing.c.id == paid["filing_id"])
    )
    receipt = by["answers"].get("guia") if by else None
    parts = [f"{Money(paid['cents'])} em {local(paid['paid_at'])}"]
    parts += [f"guia {receipt}"] if receipt else []
    parts += [f"protocolo {by['number']}"] if by else []
    return ", ".join(parts)
