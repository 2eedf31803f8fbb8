"""How the case stood after one entry: tasks and who was competent, terms and how they count, papers, money, folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.cases.history import kept, moment, money
from app.cases.history.past import Past
from app.cases.proof.standing import Item
from app.law.norm import Norm, Status
from app.store import Reader
from app.values import Money
from app.web.sheets import holders
from app.web.sheets.holders import Holders
from app.web.sheets.replay.flow import Flow, Variable
from app.web.sheets.replay.held import Held, held_by
from app.web.sheets.replay.names import Names
from app.web.sheets.replay.questions import Asked, asked
from app.web.sheets.replay.steps import titled
from app.web.sheets.subject import Owed
from app.web.sheets.terms import Shown, term


@dataclass(frozen=True)
class Task:
    """An open task, who was competent for it on that day, and who had taken it."""

    name: str
    holders: Holders
    claimed_by: str


@dataclass(frozen=True)
class Paper:
    """A document issued by then."""

    id: str
    title: str
    number: str
    seq: int
    stands: bool


@dataclass(frozen=True)
class AsOf:
    """The case after an entry. `marks`: of its diagram."""

    status: str
    known: Status | None
    ended: bool
    reason: str
    marks: Mapping[str, str]
    tasks: list[Task]
    terms: list[Shown]
    papers: list[Paper]
    owed: Owed | None
    payments: list[money.Payment]
    held: Held
    asked: list[Asked]
    variables: list[Variable]


def as_of(reader: Reader, case_id: str, past: Past, seq: int, names: Names) -> AsOf:
    norm, now = names.norm, past.history[seq]
    paid = money.payments(reader, past, seq)
    return AsOf(
        status=now.status,
        known=norm.statuses.get(now.status),
        ended=now.closed_at is not None,
        reason=now.closed_reason or "",
        marks=moment.marks(past, seq),
        tasks=[_task(item, names) for item in moment.tasks(past, seq)],
        terms=_terms(reader, case_id, past, seq, norm),
        papers=[_paper(norm, paper) for paper in moment.papers(past, seq)],
        owed=_owed(past, seq, norm, paid),
        payments=paid,
        held=held_by(reader, past, seq, names),
        asked=[asked(names, told) for told in moment.answers(past, seq)],
        variables=Flow(past, names).variables(seq),
    )


def _task(item: Item, names: Names) -> Task:
    who = holders.of_item(names.reader, names.norm, {**item.shape, "assigned_to": item.assigned_to})
    return Task(item.task.name, who, names.of(f"pessoa:{item.claimed_by}") if item.claimed_by else "")


def _terms(reader: Reader, case_id: str, past: Past, seq: int, norm: Norm) -> list[Shown]:
    known = moment.terms(past, seq)
    counted = kept.countings(reader, case_id, known)
    at = past.told[seq - 1].at
    shown = [
        term(
            norm,
            {
                "id": f"{one.armed_seq}-{one.key}",
                "key": one.key,
                "due_at": one.due_at,
                "expires_at": one.expires_at,
                "status": one.status,
                "failure": None,
                "armed_seq": one.armed_seq,
            },
            at,
            counted.get(one.known_by, ()),
        )
        for one in known
    ]
    return sorted(shown, key=lambda t: (not t.running, t.expires_at, t.key))


def _paper(norm: Norm, paper: moment.Paper) -> Paper:
    return Paper(paper.id, titled(norm, paper.kind), paper.number, paper.seq, paper.stands)


def _owed(past: Past, seq: int, norm: Norm, paid: list[money.Payment]) -> Owed | None:
    due = money.due(past, seq)
    if due is None:
        return None
    total = Money(sum(payment.amount.cents for payment in paid))
    return Owed(f"{due.units} {norm.unit_name}", due.amount, total, due.refund, due.refund_percent)
