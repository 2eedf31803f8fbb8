"""The record that a decision looks back on, in figures: first offence, recurrence, what else is owed.

The figures are those of the facts that the diagram asks for (`app.cases.vocabulary.facts`), on the day of the fault.
Nobody is named: whoever wants more follows the link, to a page with rules of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.cases.dossier import Dossier
from app.cases.vocabulary import facts
from app.errors import Invalid
from app.registry import charges, occurrences
from app.store import Row
from app.values import Json, Money


@dataclass(frozen=True)
class Record:
    """`staff_id` when a person's record is looked at; the charges are always the carrier's.

    Attributes:
        since: where first offence looks back to; None for nobody's grant.
        earlier: occurrences since then; None where the law or the want of a grant makes counting idle.
        days, recurring: the term of recurrence and what was found in it; None where no fine of the kind doubles.
        owing, owed: other cases of the carrier that still ask for money, and how much.
    """

    carrier_id: str
    staff_id: str
    since: date | None
    earlier: int | None
    days: Json
    recurring: int | None
    owing: int
    owed: Money


def record(asking: Dossier) -> Record | None:
    """The record behind a case about an occurrence; None for a case about none."""
    row = occurrences.of_case(asking.tx, asking.id)
    if row is None:
        return None
    infringer, grant, day = row["infringer"], row["grant_id"], row["happened_on"]
    since, earlier, known = None, None, asking.norm.questions
    if "primario" in known:
        since = facts.grant_start(asking, infringer, grant, day)
        against = facts.against_first_offence(asking, infringer, grant, day, row["code"])
        earlier = None if against is None else len(against)
    days, recurring = _recurring(asking, row) if "fator_reincidencia" in known else (None, None)
    kind, _, who = infringer.partition(":")
    owing, owed = charges.open_of(asking.tx, row["carrier_id"], except_case=asking.id)
    staff_id = who if kind == "pessoal" else ""
    return Record(row["carrier_id"], staff_id, since, earlier, days, recurring, owing, owed)


def _recurring(asking: Dossier, row: Row) -> tuple[Json, int | None]:
    """The days of the term and the occurrences in it; nothing where the law's figure has not been set."""
    try:
        found = facts.recurring(asking, row["infringer"], row["code"], row["happened_on"])
        return facts.parametro(asking, "reincidencia.dias"), None if found is None else sum(1 for _ in found)
    except Invalid:
        return None, None
