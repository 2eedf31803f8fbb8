"""What an infringer was caught at before: first offence and recurrence look back on these rows.

The infringer is `transportador:<id>` or `pessoal:<id>`. Whose record a staff member's infringement enters, the
person's own or the company's, is for the norm to say (Jequié, Arts. 95, 104, 109): rows name both.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import ColumnElement, select, update

from app import audit
from app.errors import NotFound
from app.store import Reader, Row, Tx
from app.store.registry_tables import occurrence

STATUSES = ("notificada", "advertida", "autuada", "confirmada", "anulada")
_FINED = frozenset({"autuada", "confirmada"})  # an auto was drawn up and stands


def record(
    tx: Tx,
    infringer: str,
    carrier_id: str,
    grant_id: str | None,
    code: str,
    happened_on: date,
    *,
    case_id: str | None,
    status: str,
    source: str,
) -> str:
    """Adds an occurrence to the infringer's record. `source` says where it comes from, for the auditor."""
    occurrence_id = tx.new_id()
    row = {
        "case_id": case_id,
        "infringer": infringer,
        "carrier_id": carrier_id,
        "grant_id": grant_id,
        "code": code,
        "status": status,
        "source": source,
    }
    tx.add(occurrence, id=occurrence_id, happened_on=happened_on, **row)
    body = {**row, "id": occurrence_id, "happened_on": happened_on.isoformat()}
    audit.append(tx, infringer, "record_occurrence", body)
    return occurrence_id


def change_status(tx: Tx, case_id: str, status: str) -> None:
    """The occurrence of a case was warned, charged, confirmed or annulled."""
    row = of_case(tx, case_id)
    if row is None:
        raise NotFound("O processo não tem ocorrência.")
    if row["status"] == status:
        return
    tx.write(update(occurrence).where(occurrence.c.id == row["id"]).values(status=status))
    body = {"id": row["id"], "from": row["status"], "to": status, "case_id": case_id}
    audit.append(tx, row["infringer"], "change_occurrence", body)


def of_case(reader: Reader, case_id: str) -> Row | None:
    """The occurrence of a case: the newest, where an earlier one fell with the act that entered it."""
    return reader.first(
        select(occurrence).where(occurrence.c.case_id == case_id).order_by(occurrence.c.id.desc()).limit(1)
    )


def of_infringer(reader: Reader, infringer: str, *, except_case: str | None = None) -> Sequence[Row]:
    """All occurrences of one infringer that were not annulled, oldest first, without those of `except_case`."""
    return _standing(reader, occurrence.c.infringer == infringer, except_case)


def of_carrier(reader: Reader, carrier_id: str, *, except_case: str | None = None) -> Sequence[Row]:
    """The same of everything a carrier and its staff did."""
    return _standing(reader, occurrence.c.carrier_id == carrier_id, except_case)


def before_case(reader: Reader, standing: Sequence[Row], case_id: str, day: date) -> Sequence[Row]:
    """Of other cases' standing occurrences, those earlier than that of a case, which happened on `day`.

    Of several on one day the one entered first is the earlier: were each earlier than the other, nobody caught twice
    on one day would ever be a first offender.
    """
    own = of_case(reader, case_id)
    return [
        row
        for row in standing
        if row["happened_on"] < day
        or (row["happened_on"] == day and (own is None or row["case_id"] is None or row["id"] < own["id"]))
    ]


def _standing(reader: Reader, whose: ColumnElement[bool], except_case: str | None) -> Sequence[Row]:
    statement = select(occurrence).where(whose, occurrence.c.status != "anulada")
    if except_case is not None:
        statement = statement.where(occurrence.c.case_id.is_distinct_from(except_case))
    return reader.all(statement.order_by(occurrence.c.happened_on, occurrence.c.id))


def makes_recurrence(status: str, counted: str, final: bool) -> bool:
    """Whether an occurrence that stands makes the next one a recurrence, as the municipality reads the law.

    `counted` is its choice: `sim`, any that stands; `nao`, only what was fined, since a notice that awaits the Comissão
    or was archived is no fine; `so_definitivas`, only a fine against which nothing can be done any more (`final`).
    """
    if counted == "so_definitivas":
        return status == "confirmada" and final
    return counted == "sim" or status in _FINED


def whole_record_of_carrier(reader: Reader, carrier_id: str) -> Sequence[Row]:
    """All that a carrier and its staff were caught at, annulled ones included, newest first."""
    return reader.all(
        select(occurrence)
        .where(occurrence.c.carrier_id == carrier_id)
        .order_by(occurrence.c.happened_on.desc(), occurrence.c.id.desc())
    )


def record_of(reader: Reader, infringer: str) -> Sequence[Row]:
    """The whole record, annulled ones included, newest first."""
    return reader.all(
        select(occurrence)
        .where(occurrence.c.infringer == infringer)
        .order_by(occurrence.c.happened_on.desc(), occurrence.c.id.desc())
    )
