"""What one entry changed: the case just before it beside the case just after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from app.cases.history import moment, money
from app.cases.history.past import Past
from app.cases.proof.standing import Item, Standing
from app.law.norm import Norm
from app.web.language import N_
from app.web.sheets.replay.steps import titled

Key = tuple[int, str]

_ITEMS = {
    "open": N_("Tarefa aberta"),
    "done": N_("Tarefa concluída"),
    "cancelled": N_("Tarefa cancelada"),
}
_TERMS = {
    "met": N_("Prazo cumprido"),
    "expired": N_("Prazo decorrido"),
    "closed": N_("Prazo sem efeito"),
    "cancelled": N_("Prazo sem efeito"),
    "annulled": N_("Prazo anulado"),
}


@dataclass(frozen=True)
class Change:
    """`label` for the catalogue, `text` in the norm's words, `until`: end of a term, `document`: id of a paper."""

    label: str
    text: str = ""
    until: datetime | None = None
    document: str = ""


def changes(past: Past, seq: int, norm: Norm) -> list[Change]:
    """Everything an entry changed but the variables of the diagram, most telling first."""
    before, after = past.history[seq - 1], past.history[seq]
    return [
        *_case(norm, before, after),
        *_fallen(before, after),
        *_items(before, after),
        *_papers(past, seq, norm),
        *_terms(past, seq, norm),
        *_money(past, seq),
    ]


def _case(norm: Norm, before: Standing, after: Standing) -> Iterator[Change]:
    if before.status != after.status:
        yield Change(N_("Situação"), f"{_status(norm, before.status)} → {_status(norm, after.status)}")
    if after.closed_at and not before.closed_at:
        yield Change(N_("O processo terminou"))
    if before.closed_at and not after.closed_at:
        yield Change(N_("O processo voltou a correr"))
    if before.occurrence != after.occurrence:
        yield Change(N_("Ocorrência no registro do infrator"), after.occurrence or "anulada")


def _status(norm: Norm, key: str) -> str:
    return norm.statuses[key].name if key in norm.statuses else key


def _fallen(before: Standing, after: Standing) -> Iterator[Change]:
    for label, seqs in (
        (N_("Registros que perderam o efeito"), after.fallen - before.fallen),
        (N_("Registros que voltaram a ter efeito"), before.fallen - after.fallen),
    ):
        if seqs:
            yield Change(label, ", ".join(str(seq) for seq in sorted(seqs)))


def _items(before: Standing, after: Standing) -> Iterator[Change]:
    then, now = _by_key(before), _by_key(after)
    for key, item in now.items():
        known = then.get(key)
        if known is None or known.status != item.status:
            again = known is not None and item.status == "open"
            yield Change(N_("Tarefa reaberta") if again else _ITEMS[item.status], item.task.name)
    for key, item in then.items():
        if key not in now:
            yield Change(N_("Tarefa anulada"), item.task.name)


def _by_key(standing: Standing) -> dict[Key, Item]:
    return {(item.opened_seq, item.task.id): item for item in standing.items}


def _papers(past: Past, seq: int, norm: Norm) -> Iterator[Change]:
    then = {paper.id: paper for paper in moment.papers(past, seq - 1)}
    for paper in moment.papers(past, seq):
        known = then.get(paper.id)
        if known is not None and known.stands == paper.stands:
            continue
        label = N_("Documento emitido") if known is None else N_("Documento anulado")
        if known is not None and paper.stands:
            label = N_("Documento volta a valer")
        yield Change(label, f"{titled(norm, paper.kind)} {paper.number}", document=paper.id)


def _terms(past: Past, seq: int, norm: Norm) -> Iterator[Change]:
    then = {term.known_by: term for term in moment.terms(past, seq - 1)}
    for term in moment.terms(past, seq):
        known = then.get(term.known_by)
        was_running = known is not None and known.status in moment.RUNNING
        if (known is not None and known.status == term.status) or (
            was_running and term.status in moment.RUNNING
        ):
            continue
        name = norm.deadlines[term.key].name if term.key in norm.deadlines else term.key
        if term.status in moment.RUNNING:
            label = N_("Prazo começou a correr") if known is None else N_("Prazo volta a correr")
            yield Change(label, name, until=term.due_at)
        else:
            yield Change(_TERMS[term.status], name)


def _money(past: Past, seq: int) -> Iterator[Change]:
    before, after = money.due(past, seq - 1), money.due(past, seq)
    owed = [str(due.amount) if due else "—" for due in (before, after)]
    if owed[0] != owed[1]:
        yield Change(N_("Cobrança"), f"{owed[0]} → {owed[1]}")
    back = [str(due.refund) if due and due.refund else "—" for due in (before, after)]
    if back[0] != back[1]:
        yield Change(N_("A devolver"), f"{back[0]} → {back[1]}")
