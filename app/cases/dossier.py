"""A case laid open for one act: its locked row, the norm and diagram it is pinned to, the calendar.

Opening a dossier is how every act begins: the case row is locked before anything else, by completion and
expiry alike, so that the two never wait for each other in opposite orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, select

from app import audit
from app.cases.vocabulary import LANGUAGE
from app.engine.definition import Definition
from app.errors import Conflict
from app.law.calendar import Calendar
from app.law.counting import Due
from app.law.norm import Norm, Process
from app.law.provisions import ParameterValue
from app.registry import calendar, carriers, diagrams, norms
from app.store import Reader, Row, Tx
from app.store.cases_tables import ANNULLED, cases, deadline, filing, submission, work_item
from app.values import Json, Money, Units

FIRST_STATUS, CANCELLED = (
    "ABERTO",
    "CANCELADO",
)  # every norm has them: before its diagram says one, and by `cancel`
MISSING = "Não há processo com este número, ou você não pode vê-lo."
_CASE = select(cases).where(cases.c.id == bindparam("case_id")).with_for_update()
_FREE_CASE = select(cases).where(cases.c.id == bindparam("case_id")).with_for_update(skip_locked=True)
_CASE_OF_ITEM = (
    select(cases)
    .where(
        cases.c.id
        == select(work_item.c.case_id).where(work_item.c.id == bindparam("item_id")).scalar_subquery()
    )
    .with_for_update()
)
_OPEN_ITEMS = select(work_item).where(
    work_item.c.case_id == bindparam("case_id"), work_item.c.status == "open"
)
_ARMED = (
    select(deadline)
    .where(deadline.c.case_id == bindparam("case_id"), deadline.c.status == "armed")
    .order_by(deadline.c.expires_at, deadline.c.id)
)


@dataclass
class Dossier:
    """Everything an act on one case may need.

    `effective_at` is when the act legally happened; `counted` keeps the computation of each term that the
    diagram asked for, until its row is written; `grounds`, on what the registry's answers rest, until it is journaled.
    """

    tx: Tx
    row: Mapping[str, Any]
    norm: Norm
    process: Process
    definition: Definition
    effective_at: datetime
    seq: int
    counted: dict[tuple[str, str], Due] = field(default_factory=dict)
    grounds: list[Json] = field(default_factory=list)
    corrected_author: str | None = None
    _calendar: Calendar | None = None
    _items: Sequence[Row] | None = None
    _armed: Sequence[Row] | None = None

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def stream(self) -> str:
        return stream_of(self.id)

    @property
    def author(self) -> str:
        """Whose act this is: whoever acts, or whoever performed the act that is being corrected."""
        return self.corrected_author or str(self.tx.actor)

    @property
    def fallen(self) -> frozenset[int]:
        """Numbers of the journal entries whose content no longer stands."""
        return frozenset(self.row["fallen"])

    @property
    def today(self) -> date:
        """The local day of the act."""
        return self.local_day(self.effective_at)

    @property
    def calendar(self) -> Calendar:
        if self._calendar is None:
            self._calendar = calendar.current(self.tx)
        return self._calendar

    @property
    def open_items(self) -> Sequence[Row]:
        """The case's open tasks, as they were before this act moved them."""
        if self._items is None:
            self._items = self.tx.all(_OPEN_ITEMS, case_id=self.id)
        return self._items

    @property
    def armed(self) -> Sequence[Row]:
        """The terms that run, the next to end first, as they were before this act moved them."""
        if self._armed is None:
            self._armed = self.tx.all(_ARMED, case_id=self.id)
        return self._armed

    @property
    def registers(self) -> list[str]:
        """Chains of the register that the case writes in: its infringer's and its carrier's."""
        carrier = self.row["carrier_id"]
        return [name for name in (self.row["infringer"], carrier and carriers.stream_of(carrier)) if name]

    def moved(self) -> None:
        """Tasks and terms are no longer what they were."""
        self._items = self._armed = None

    def local_day(self, instant: datetime) -> date:
        return instant.astimezone(self.norm.zone).date()

    def choice(self, key: str, otherwise: str | None = None) -> str:
        """The option this case is pinned to; `otherwise` where the norm offers no such choice."""
        pinned: Mapping[str, str] = self.row["choices"]
        if key in pinned:
            return pinned[key]
        if key not in self.norm.choices and otherwise is not None:
            return otherwise
        return self.norm.choices[key].default

    def require_open(self) -> None:
        if self.row["closed_at"] is not None:
            status = self.norm.statuses.get(self.row["status"])
            name = status.name if status else self.row["status"]
            raise Conflict(f"O processo {self.row['number']} já terminou: {name}.", code="processo.encerrado")


def stream_of(case_id: str) -> str:
    return f"processo:{case_id}"


def open_dossier(tx: Tx, case_id: str, effective_at: datetime | None = None) -> Dossier:
    """Locks the case and lays it open. Raises NotFound when there is none."""
    return _laid_open(tx, tx.one(_CASE, MISSING, case_id=case_id), effective_at)


def open_by_item(tx: Tx, item_id: str, effective_at: datetime | None = None) -> Dossier:
    """Locks the case of a task and lays it open. Raises NotFound when there is none."""
    return _laid_open(tx, tx.one(_CASE_OF_ITEM, MISSING, item_id=item_id), effective_at)


def open_if_free(tx: Tx, case_id: str) -> Dossier | None:
    """The case for whoever can come back later: None while somebody else works on it. SQLite has one writer anyway."""
    row = tx.first(_FREE_CASE, case_id=case_id)
    return None if row is None else _laid_open(tx, row, None)


def _laid_open(tx: Tx, row: Row, effective_at: datetime | None) -> Dossier:
    norm = norms.by_digest(tx, row["norm_digest"])
    process = norm.processes[row["process"]]
    seq = audit.next_seq(tx, stream_of(row["id"]))
    definition = definition_of(norm, process)
    return Dossier(tx, row, norm, process, definition, effective_at or tx.now, seq)


def newest_term(dossier: Dossier, key: str, *which: ColumnElement[bool]) -> Row | None:
    """The term of this key that was counted last, of those that stand and that `which` lets through."""
    return dossier.tx.first(
        select(deadline)
        .where(deadline.c.case_id == dossier.id, deadline.c.key == key, deadline.c.status != ANNULLED, *which)
        .order_by(deadline.c.armed_seq.desc())
        .limit(1)
    )


def definition_of(norm: Norm, process: Process) -> Definition:
    """The compiled diagram of a process."""
    return diagrams.definition_of(norm, process, LANGUAGE)


def latest_answers(reader: Reader, case_id: str, fallen: frozenset[int] = frozenset()) -> dict[str, Row]:
    """The newest submission of each form of the case, without those of entries that no longer stand.

    What a party handed in stands although the entry that received it fell: it was put before the case again.
    """
    handed_in = select(filing.c.submission_id).where(filing.c.case_id == case_id, filing.c.dropped.is_(False))
    kept = {r["submission_id"] for r in reader.all(handed_in)} if fallen else set()
    rows = reader.all(
        select(submission).where(submission.c.case_id == case_id).order_by(submission.c.seq, submission.c.id)
    )
    return {r["form"]: r for r in rows if r["seq"] not in fallen or r["id"] in kept}


def as_number(value: ParameterValue) -> Json:
    """A norm's figure as diagrams compare it: hundredths for units, centavos for reais."""
    if isinstance(value, Units):
        return value.hundredths
    return value.cents if isinstance(value, Money) else value
