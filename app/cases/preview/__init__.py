"""What going back would do to a case, told before anybody does it: read from the fold and the engine, never written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app import audit
from app.audit import Entry, seal
from app.cases.acts.annulment import entry_of, filings_since, going_back
from app.cases.dossier import Dossier, definition_of
from app.cases.forms import Answers, split
from app.cases.preview.trial import Trial
from app.cases.proof.standing import Counted, Item, Standing, fold
from app.errors import Refused
from app.law.norm import Norm
from app.store import Row, Tx
from app.store.cases_tables import deadline, document, submission
from app.values import Json, iso, parse_instant

_RUNNING = ("armed", "window")
_Key = tuple[int, str, str]  # of a term: number of the entry that armed it, key, base


@dataclass(frozen=True)
class Refiled:
    """What becomes of a filing.

    `fate`: `dropped` (annulled too), `kept` (it moved the case before what falls), `delivered` (it moves the case
    again, to `status`), `waits` (nobody awaits it where the case would stand: it stays in the folder).
    """

    row: Row
    fate: str
    status: str = ""


@dataclass(frozen=True)
class Foreseen:
    """The difference between how a case stands and how it would stand, filings put before it again.

    Attributes:
        falls, back: journal entries that lose their effect, and those that have it again.
        tasks_gone, tasks_back: names of open tasks that fall, and of those that are open then.
        void, valid: documents of the entries that fall or are back. Their numbers stay.
        gone, running: rows of the terms that no longer run, and of those that run then.
        before, after: the two standings, for status, charge, refund and occurrence.
    """

    falls: tuple[Entry, ...]
    back: tuple[Entry, ...]
    tasks_gone: tuple[str, ...]
    tasks_back: tuple[str, ...]
    void: tuple[Row, ...]
    valid: tuple[Row, ...]
    gone: tuple[Row, ...]
    running: tuple[Row, ...]
    filings: tuple[Refiled, ...]
    before: Standing
    after: Standing


def laid_open(tx: Tx, case: Row, norm: Norm, told: Sequence[Entry]) -> Dossier:
    """The case as acts see it, without its lock: for questions only. `told`: its journal."""
    process = norm.processes[case["process"]]
    return Dossier(tx, case, norm, process, definition_of(norm, process), tx.now, len(told) + 1)


def foresee(
    dossier: Dossier, seq: int, dropped: Collection[str] = (), redo: Answers | None = None
) -> Foreseen:
    """What going back before entry `seq` would do.

    Args:
        dropped: the filings that would be annulled too.
        redo: answers with which the entry is done again, for a correction.
    Raises Invalid or Conflict as the act would, for an entry that cannot be annulled.
    """
    correcting: dict[str, Json] = {} if redo is None else {"correcting": seq}
    played, _body = going_back(dossier, seq, "annul", {"dropped": sorted(dropped), **correcting})
    before, trial = fold(played[:-1])[-1], Trial(dossier, played)
    if redo is not None:
        with suppress(Refused):  # the act itself says why
            _done_again(trial, entry_of(dossier, seq), redo)
    filings = tuple(_refiled(dossier, trial, filings_since(dossier, seq), dropped))
    after, told = trial.standing, audit.entries(dossier.tx, dossier.stream)
    fell, back = after.fallen - before.fallen, before.fallen - after.fallen
    papers = dossier.tx.all(
        select(document).where(document.c.case_id == dossier.id).order_by(document.c.seq, document.c.id)
    )
    open_before, open_after = _open(before), _open(after)
    run_before, run_after, rows = _running(before), _running(after), _term_rows(dossier)
    return Foreseen(
        tuple(e for e in told if e.seq in fell),
        tuple(e for e in told if e.seq in back),
        tuple(open_before[key].task.name for key in open_before if key not in open_after),
        tuple(open_after[key].task.name for key in open_after if key not in open_before),
        tuple(row for row in papers if row["seq"] in fell),
        tuple(row for row in papers if row["seq"] in back),
        tuple(rows[key] for key in run_before if key not in run_after and key in rows),
        tuple(
            rows[key] if key in rows else _new_term(trial, key) for key in run_after if key not in run_before
        ),
        filings,
        before,
        after,
    )


def _open(standing: Standing) -> dict[tuple[int, str], Item]:
    return {(i.opened_seq, i.task.id): i for i in standing.items if i.status == "open"}


def _running(standing: Standing) -> dict[_Key, Counted]:
    return {(t.armed_seq, t.key, t.base): t for t in standing.terms if t.status in _RUNNING}


def _term_rows(dossier: Dossier) -> dict[_Key, Row]:
    rows = dossier.tx.all(select(deadline).where(deadline.c.case_id == dossier.id))
    return {(r["armed_seq"], r["key"], r["base"]): r for r in rows}


def _new_term(trial: Trial, term: _Key) -> Row:
    """The row that a term would have which begins only then."""
    seq, key, base = term
    due = trial.due(key, base)
    row: dict[str, Any] = {"id": "", "key": key, "base": base, "armed_seq": seq, "status": "armed"}
    return row | {
        "due_at": due.due_at,
        "expires_at": due.expires_at,
        "trace": due.trace.json(),
        "failure": None,
    }


def _done_again(trial: Trial, first: Entry, answers: Answers) -> None:
    """The entry with other answers, at its own instant; a service at the instant that it now tells of."""
    at, flow = first.effective_at, dict(answers.flow)
    told = answers.get("instante")
    if "service" in first.body and isinstance(told, str):
        at = parse_instant(told)
        flow[first.body["service"]] = iso(at)
    if first.body["command"]["op"] == "start":
        trial.start(flow, at)
    else:
        trial.complete(first.body["command"]["task"], flow, at)


def _refiled(
    dossier: Dossier, trial: Trial, rows: Collection[Row], dropped: Collection[str]
) -> Iterator[Refiled]:
    """The filings in the order of their stamps, each on top of what the one before it did."""
    for row in rows:
        message = dossier.norm.filings[row["kind"]].message
        if row["id"] in dropped:
            yield Refiled(row, "dropped")
        elif row["id"] in trial.standing.delivered:
            yield Refiled(row, "kept")
        elif message is not None and _handed_over(dossier, trial, row, message):
            yield Refiled(row, "delivered", trial.standing.status)
        else:
            yield Refiled(row, "waits")


def _handed_over(dossier: Dossier, trial: Trial, row: Row, message: str) -> bool:
    """Whether the case awaits the filing, terms that ended before its stamp having run out."""
    payload: dict[str, Json] = {**_flow(dossier, row), "protocolada_em": iso(row["stamped_at"])}
    try:
        trial.run_out(row["stamped_at"])
        if message not in trial.awaited:
            return False
        trial.deliver(message, payload, row["id"], row["stamped_at"])
    except Refused:  # a fact is missing: what the filing leads to cannot be told, that it is awaited can
        return message in trial.awaited
    return True


def _flow(dossier: Dossier, row: Row) -> dict[str, Json]:
    tx = dossier.tx
    kept = tx.one(select(submission).where(submission.c.id == row["submission_id"]), "Petição inexistente.")
    given = {**kept["answers"], **(seal.unseal(tx, kept["sealed_id"]) or {})}
    return split(kept["form"], dossier.norm.forms[kept["form"]][0], given).flow
