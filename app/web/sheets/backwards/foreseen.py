"""What going back would do, in words: lines that lose their effect, papers, tasks, terms, money, filings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from app.cases.history import Folder
from app.cases.preview import Foreseen, Refiled
from app.cases.proof.standing import Standing
from app.law.norm import Norm
from app.registry import charges
from app.store import Reader, Row
from app.values import Money, Units
from app.web.language import N_
from app.web.sheets.terms import Shown, terms
from app.web.sheets.timeline import Line


@dataclass(frozen=True)
class Change:
    """One thing that is otherwise afterwards: what, how it is, how it would be."""

    what: str
    before: str
    after: str


@dataclass(frozen=True)
class Outlook:
    """A preview as a page shows it, oldest first."""

    falls: list[Line]
    back: list[Line]
    void: list[Row]
    valid: list[Row]
    tasks_gone: list[str]
    tasks_back: list[str]
    gone: list[Shown]
    running: list[Shown]
    filings: list[tuple[Refiled, str]]
    changes: list[Change]


def outlook(reader: Reader, norm: Norm, folder: Folder, lines: Iterable[Line], told: Foreseen) -> Outlook:
    """`lines`: the timeline of the case, from which those are told that fall or come back."""
    by_seq = {line.seq: line for line in lines}
    return Outlook(
        [by_seq[e.seq] for e in told.falls],
        [by_seq[e.seq] for e in told.back],
        list(told.void),
        list(told.valid),
        _counted(told.tasks_gone),
        _counted(told.tasks_back),
        terms(norm, told.gone, reader.now),
        terms(norm, [{**row, "status": "armed"} for row in told.running], reader.now),
        [(one, norm.filings[one.row["kind"]].name) for one in told.filings],
        _changes(reader, norm, folder, told),
    )


def _counted(names: Iterable[str]) -> list[str]:
    """Each name once: the seats of a vote are several tasks of one name."""
    return [name if count == 1 else f"{name} ({count})" for name, count in Counter(names).items()]


def _changes(reader: Reader, norm: Norm, folder: Folder, told: Foreseen) -> list[Change]:
    def status(standing: Standing) -> str:
        found = norm.statuses.get(standing.status)
        return found.name if found else standing.status

    def charge(standing: Standing) -> str:
        owed = charges.of_case(reader, folder.case["id"])
        if owed is None or not standing.units:
            return N_("nada")
        units = Units(standing.units)
        return f"{units} {norm.unit_name}, {units.at(owed.unit_value)}"

    def refund(standing: Standing) -> str:
        return f"{Money(standing.refund[1])} ({standing.refund[0]}%)" if standing.refund else N_("nada")

    def occurrence(standing: Standing) -> str:
        return standing.occurrence or N_("anulada")

    pairs = {
        N_("Situação"): status,
        N_("Cobrança"): charge,
        N_("Devolução"): refund,
        N_("Ocorrência no registro do infrator"): occurrence,
    }
    if told.before.occurrence is None and told.after.occurrence is None:
        del pairs[N_("Ocorrência no registro do infrator")]
    changes = [Change(what, say(told.before), say(told.after)) for what, say in pairs.items()]
    return [one for one in changes if one.before != one.after]
