"""One Step of the engine becomes rows and one journal entry. The only way to save a Step, so none goes unrecorded."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from app import audit
from app.audit import seal
from app.cases.dossier import Dossier
from app.cases.forms import Answers
from app.cases.record import near
from app.cases.standstill import require_subject
from app.cases.vocabulary.orders import perform, window_of
from app.cases.vocabulary.terms import told
from app.engine.runner import Armed, OpenTask, Step
from app.errors import Conflict, Invalid
from app.store import Row
from app.store.cases_tables import cases, deadline, element_log, service, submission, work_item
from app.values import Json, canonical, digest

_SEALING = "emitir"  # the order whose result is sealed for the case's subject
_CLOSING = {"expire": "cancelled", "cancel": "cancelled"}  # a deadline that others met is `met`


_ITEM_CLOSED = (
    update(work_item).where(work_item.c.id == bindparam("its_id")).values(version=work_item.c.version + 1)
)
_TERM = update(deadline).where(deadline.c.id == bindparam("its_id"))
_STATE = update(cases).where(cases.c.id == bindparam("its_id"), cases.c.version == bindparam("known"))
_WINDOWS_CLOSED = update(deadline).where(
    deadline.c.case_id == bindparam("its_case"), deadline.c.status == "window"
)
_ITEM = select(work_item).where(
    work_item.c.id == bindparam("item_id"), work_item.c.case_id == bindparam("case_id")
)


def save(dossier: Dossier, step: Step, act: str, command: Json, extra: Mapping[str, Json]) -> None:
    """Writes everything that follows from a step: orders, work items, deadlines, element log, status, entry.

    Args:
        act: the verb for the journal.
        command: what replay needs to do the same again: operation, task, flow data.
        extra: digests and ids of what the act kept beside the flow.
    """
    if any(order.name == _SEALING for order in step.orders):
        require_subject(dossier)
    results = perform(dossier, step.orders, step.data)
    _work_items(dossier, step.tasks, command)
    terms = _deadlines(dossier, step.armed, command)
    _log_elements(dossier, step)
    told: dict[str, Json] = {
        "asked": [[a.question, list(a.args), a.answer] for a in step.asked],
        "grounds": dossier.grounds,
        "orders": results,
        "terms": terms,
        "milestones": list(step.milestones),
        "ends": list(step.ends),
        "ended": step.ended,
    }
    told = {key: value for key, value in told.items() if value}  # an entry tells what there was
    body: Json = {"command": command, "state": step.digest, **told, **extra}
    if command["op"] == "start":  # what the case is pinned to; every state names its diagram besides
        body |= {"norm": dossier.norm.digest, "definition": dossier.definition.digest}
    _case(dossier, step)
    near.follow(dossier, step, command)
    audit.append(dossier.tx, dossier.stream, act, body, dossier.effective_at)
    dossier.grounds = []
    dossier.moved()


def next_act(dossier: Dossier) -> None:
    """Makes the dossier ready for a further act of the same transaction (an overdue expiry before a filing)."""
    row = dossier.tx.one(select(cases).where(cases.c.id == dossier.id), "Processo não encontrado.")
    dossier.row = row
    dossier.moved()
    dossier.seq = audit.next_seq(dossier.tx, dossier.stream)


def keep_submission(
    dossier: Dossier, form: str, answers: Answers, item_id: str | None, subject_id: str | None = None
) -> tuple[str, dict[str, Json]]:
    """Stores validated answers: plain ones as they are, personal ones sealed. Gives the id and the entry's digests.

    The seal is for the case's data subject, unless another one is given.
    """
    sealed_id, sealed_digest = None, None
    if answers.personal:
        if subject_id is None:
            require_subject(dossier)
        sealed_for = subject_id or dossier.row["subject_id"]
        sealed_id, sealed_digest = seal.seal(dossier.tx, sealed_for, answers.personal)
    submission_id = dossier.tx.new_id()
    dossier.tx.add(
        submission,
        id=submission_id,
        case_id=dossier.id,
        seq=dossier.seq,
        work_item_id=item_id,
        form=form,
        answers=answers.plain,
        sealed_id=sealed_id,
        by=str(dossier.tx.actor),
        at=dossier.tx.now,
        effective_at=dossier.effective_at,
    )
    kept = {"submission": submission_id, "form": form, "answers": digest(canonical(answers.plain))}
    return submission_id, {**kept, "sealed": sealed_digest} if sealed_digest else kept


def _work_items(dossier: Dossier, tasks: tuple[OpenTask, ...], command: Json) -> None:
    tx = dossier.tx
    known = {r["task_id"]: r for r in dossier.open_items}
    for task_id in known.keys() - {t.id for t in tasks}:
        done = command.get("task") == task_id and command["op"] == "complete"
        tx.write(
            _ITEM_CLOSED,
            its_id=known[task_id]["id"],
            status="done" if done else "cancelled",
            closed_at=tx.now,
            closed_seq=dossier.seq,
            closed_by=dossier.author if done else str(tx.actor),
        )
    tx.add_all(work_item, [_new_item(dossier, task) for task in tasks if task.id not in known])


def shape_of(task: OpenTask) -> dict[str, str | None]:
    """What the diagram says of an open task: who may do it, with which form, in which seat."""
    return {
        "task_id": task.id,
        "element": task.element,
        "name": task.name,
        "lane": task.lane or "",
        "act": task.properties.get("ato", task.element),
        "form": task.properties.get("formJsonSchemaFilename", "").removesuffix("-schema.json"),
        "board": task.properties.get("colegiado"),
        "seat": task.key or task.properties.get("assento"),
    }


def _new_item(dossier: Dossier, task: OpenTask) -> dict[str, Any]:
    author_act = task.properties.get("autor_de")
    return {
        **shape_of(task),
        "id": dossier.tx.new_id(),
        "case_id": dossier.id,
        "assigned_to": _author(dossier, author_act) if author_act else None,
        "status": "open",
        "version": 1,
        "opened_at": dossier.tx.now,
        "opened_seq": dossier.seq,
        "next_end": near.inherited(dossier),
    }


def _author(dossier: Dossier, act: str) -> str | None:
    """The person who completed the newest task of an act in this case."""
    query = (
        select(work_item.c.closed_by)
        .where(work_item.c.case_id == dossier.id, work_item.c.act == act, work_item.c.status == "done")
        .order_by(work_item.c.closed_seq.desc())
        .limit(1)
    )
    row = dossier.tx.first(query)
    return str(row["closed_by"]).removeprefix("pessoa:") if row else None


def _deadlines(dossier: Dossier, armed: tuple[Armed, ...], command: Json) -> list[Json]:
    """Closes what no longer runs, arms what begins to; gives the terms counted for it."""
    tx = dossier.tx
    known = {r["task_id"]: r for r in dossier.armed}
    for task_id in known.keys() - {a.task_id for a in armed}:
        fired = command["op"] == "expire" and command["task"] == task_id
        status = "expired" if fired else _CLOSING.get(command["op"], "met")
        changes = {"status": status, "closed_seq": dossier.seq, "noticed_at": tx.now if fired else None}
        tx.write(_TERM, its_id=known[task_id]["id"], **changes)
    counted = [_arm(dossier, one) for one in armed if one.task_id not in known]
    return [term for term in counted if term is not None]


def _arm(dossier: Dossier, one: Armed) -> Json:
    """The term as journaled, or None when it was shown, and journaled, before."""
    shown = window_of(dossier, one.deadline, one.base)
    if shown is not None:
        dossier.tx.write(_TERM, its_id=shown["id"], status="armed", task_id=one.task_id)
        return None
    due = dossier.counted.get((one.deadline, one.base))
    if due is None or due.expires_at != one.expires_at:
        raise Invalid(f"O prazo {one.deadline} foi armado sem contagem.", code="prazo.sem_contagem")
    dossier.tx.add(
        deadline,
        id=dossier.tx.new_id(),
        case_id=dossier.id,
        key=one.deadline,
        base=one.base,
        due_at=due.due_at,
        expires_at=due.expires_at,
        status="armed",
        task_id=one.task_id,
        trace=due.trace.json(),
        armed_seq=dossier.seq,
        failures=0,
    )
    return told(one.deadline, one.base, due)


def _log_elements(dossier: Dossier, step: Step) -> None:
    if step.changes:
        changes = [[change.element, change.state, change.task_id] for change in step.changes]
        dossier.tx.add(element_log, case_id=dossier.id, seq=dossier.seq, changes=changes)


def _case(dossier: Dossier, step: Step) -> None:
    changes: dict[str, Any] = {
        "state": step.state,
        "state_digest": step.digest,
        "flow": dict(step.data),
        "awaited": sorted(step.awaited),
        "version": dossier.row["version"] + 1,
    }
    if step.milestones:
        changes["status"] = step.milestones[-1]
    if step.ended:
        changes["closed_at"] = dossier.tx.now
        close_windows(dossier)
    moved = dossier.tx.write(_STATE, its_id=dossier.id, known=dossier.row["version"], **changes)
    if moved != 1:
        raise Conflict("Outra pessoa mudou o processo neste instante; abra-o de novo.", code="processo.mudou")
    dossier.row = {**dossier.row, **changes}


def close_windows(dossier: Dossier) -> None:
    """Terms that were only shown stop being shown as running when the case ends."""
    dossier.tx.write(_WINDOWS_CLOSED, its_case=dossier.id, status="closed", closed_seq=dossier.seq)


def record_service(
    dossier: Dossier, variable: str, mode: str, served_at: datetime, submission_id: str
) -> None:
    """Keeps when and how a party was served: terms start from it."""
    dossier.tx.add(
        service,
        id=dossier.tx.new_id(),
        case_id=dossier.id,
        seq=dossier.seq,
        variable=variable,
        mode=mode,
        served_at=served_at,
        submission_id=submission_id,
    )


def item_of(dossier: Dossier, item_id: str) -> Row:
    """A task of the case, open or not."""
    opened = next((item for item in dossier.open_items if item["id"] == item_id), None)
    return opened or dossier.tx.one(_ITEM, "Esta tarefa não existe.", item_id=item_id, case_id=dossier.id)
