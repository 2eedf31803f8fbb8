"""Who may do what: one function for every door. Competence comes from the norm and the appointment in force.

Refusals say which office the act needs and, where there is one, whom to call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import select

from app import people
from app.cases.dossier import Dossier
from app.errors import Forbidden
from app.law.competence import roles_for
from app.law.norm import Board, Norm
from app.people import Office
from app.store import Reader, Tx
from app.store.cases_tables import cases, submission, work_item

_ACCUSER = "autuante.julga"  # the norm's choice: `bloquear` or `avisar`


def require(tx: Tx, norm: Norm, act: str) -> None:
    """Raises Forbidden unless the actor holds an office competent for `act` today. The clock may do nothing here."""
    held = _held(tx, norm)
    competent = tuple(row.role for row in roles_for(norm, act, _today(tx, norm)))
    if not {office.role for office in held} & set(competent):
        raise Forbidden(_who(tx, norm, act, competent), code="competencia.ausente", act=act)


def require_to_correct(tx: Tx, norm: Norm, act: str) -> None:
    """Raises Forbidden unless the actor may correct what was written in an act (see `correctors`)."""
    able = correctors(norm, act, _today(tx, norm))
    if not {office.role for office in _held(tx, norm)} & able:
        raise Forbidden(_who(tx, norm, act, tuple(sorted(able))), code="competencia.ausente", act=act)


def correctors(norm: Norm, act: str, day: date) -> set[str]:
    """Roles that may correct what was written in an act: nobody rewords what only somebody else may decide.

    Where one of the offices competent for the act may also correct, it alone does; where none of them may (whoever
    serves papers, say), any office that may correct does.
    """
    correcting = {row.role for row in roles_for(norm, "corrigir", day)}
    return correcting & {row.role for row in roles_for(norm, act, day)} or correcting


def require_for_item(dossier: Dossier, item: Mapping[str, Any]) -> None:
    """Whether the actor may work on an open task: office, seat, assignment and impartiality."""
    tx, norm = dossier.tx, dossier.norm
    if item["assigned_to"] and item["assigned_to"] != tx.actor.person_id:
        name = people.by_id(tx, item["assigned_to"])["name"]
        raise Forbidden(f"Esta tarefa cabe a {name}.", code="competencia.de_outra_pessoa")
    if item["seat"] and item["board"]:
        _require_seat(dossier, norm.boards[item["board"]], item["seat"])
        return
    require(tx, norm, item["act"])


def warnings(dossier: Dossier, item: Mapping[str, Any]) -> list[str]:
    """What the case must record of the actor's working on this task, where the norm warns instead of barring.

    Today: whoever accused takes a seat and the municipality has chosen to allow it (`autuante.julga = avisar`).
    """
    if not (item["seat"] and item["board"]) or dossier.choice(_ACCUSER, "bloquear") == "bloquear":
        return []
    actor = dossier.tx.actor.person_id
    if actor not in accusers(dossier.tx, dossier.id, dossier.norm):
        return []
    article = _article(dossier.norm, dossier.norm.boards[item["board"]])
    return [f"Quem autuou ou notificou também julga: o município o permite ({article})."]


def may_see(held: Sequence[Office]) -> bool:
    """Whoever holds any office today may look at cases; others see nothing."""
    return bool(held)


def accusers(reader: Reader, case_id: str, norm: Norm) -> set[str]:
    """Who drew up an accusing act of the case: they may not judge it (Jequié, Arts. 105, 106, 125)."""
    accusing = {act for board in norm.boards.values() for act in board.barring_acts}
    rows = reader.all(
        select(submission.c.by, work_item.c.act)
        .outerjoin(work_item, work_item.c.id == submission.c.work_item_id)
        .where(submission.c.case_id == case_id)
        .order_by(submission.c.seq)
    )
    opened_by = {rows[0]["by"]} if rows and _opening_act(norm, reader, case_id) in accusing else set()
    drawn = {r["by"] for r in rows if r["act"] in accusing}
    return {actor.removeprefix("pessoa:") for actor in opened_by | drawn}


def barred_from_judging(dossier: Dossier) -> set[str]:
    """The accusers, where the municipality has not chosen to let them judge."""
    if dossier.choice(_ACCUSER, "bloquear") != "bloquear":
        return set()
    return accusers(dossier.tx, dossier.id, dossier.norm)


def _opening_act(norm: Norm, reader: Reader, case_id: str) -> str:
    row = reader.one(select(cases.c.process).where(cases.c.id == case_id), "Processo não encontrado.")
    return norm.processes[row["process"]].act


def _require_seat(dossier: Dossier, board: Board, seat_key: str) -> None:
    tx, norm = dossier.tx, dossier.norm
    actor = tx.actor.person_id
    barred = barred_from_judging(dossier)
    seat = next(s for s in board.seats if s.key == seat_key)
    holder = _holder(tx, norm, seat.role, seat_key)
    if actor in barred:
        raise Forbidden(
            f"Quem autuou ou notificou não julga ({_article(norm, board)}). "
            + _call_alternate(tx, norm, board, barred, seat.name),
            code="competencia.impedimento",
        )
    if holder is not None and holder.person_id == actor:
        return
    alternates = [o for o in _on_duty(tx, norm, (board.alternate_role,)) if o.person_id not in barred]
    if actor in {o.person_id for o in alternates}:
        if holder is None or holder.person_id in barred:
            return
        raise Forbidden(
            f"O assento {seat.name} tem titular desimpedido: {holder.name}.",
            code="competencia.titular_presente",
        )
    whom = f" Cabe a {holder.name}." if holder and holder.person_id not in barred else ""
    raise Forbidden(
        f"Este ato cabe ao assento {seat.name} de {board.name} ({board.article}).{whom}"
        + ("" if whom else " " + _call_alternate(tx, norm, board, barred, seat.name)),
        code="competencia.assento",
    )


def require_one_seat(dossier: Dossier, item: Mapping[str, Any]) -> None:
    """A person votes once in a round, whatever seats they could take."""
    already = dossier.tx.first(
        select(work_item.c.id).where(
            work_item.c.case_id == dossier.id,
            work_item.c.element == item["element"],
            work_item.c.closed_by == str(dossier.tx.actor),
            work_item.c.status == "done",
            work_item.c.opened_seq == item["opened_seq"],
        )
    )
    if already:
        raise Forbidden("Você já votou nesta rodada.", code="competencia.ja_votou")


def _article(norm: Norm, board: Board) -> str:
    """Where the norm deals with accusers who would judge."""
    return norm.choices[_ACCUSER].article if _ACCUSER in norm.choices else board.article


def _holder(tx: Tx, norm: Norm, role: str, seat: str) -> Office | None:
    on_duty = _on_duty(tx, norm, (role,))
    return next((o for o in on_duty if o.seat in (None, seat)), None)


def _call_alternate(tx: Tx, norm: Norm, board: Board, barred: set[str], seat: str) -> str:
    ready = [o for o in _on_duty(tx, norm, (board.alternate_role,)) if o.person_id not in barred]
    if ready:
        return f"Chame o suplente: {', '.join(o.name for o in ready)}."
    by = f"{norm.roles[board.appointing_role].name} precisa" if board.appointing_role else "é preciso"
    return f"Não há suplente desimpedido: {by} nomear um ({board.article}) para o assento {seat}."


def _on_duty(tx: Tx, norm: Norm, roles: Sequence[str]) -> Sequence[Office]:
    return people.holders(tx, roles, _today(tx, norm))


def _today(reader: Reader, norm: Norm) -> date:
    """The local day of the act: on it the office must be held and the competence be in force."""
    return reader.now.astimezone(norm.zone).date()


def _held(tx: Tx, norm: Norm) -> Sequence[Office]:
    if tx.actor.person_id is None:
        return ()
    return people.offices(tx, tx.actor.person_id, _today(tx, norm))


def _who(tx: Tx, norm: Norm, act: str, competent: tuple[str, ...]) -> str:
    if not competent:
        return "A norma não dá este ato a ninguém; fale com o administrador."
    names = ", ".join(norm.roles[r].name for r in competent if r in norm.roles)
    article = next((row.article for row in roles_for(norm, act, _today(tx, norm))), "")
    duty = _on_duty(tx, norm, competent)
    call = f" Fale com {', '.join(dict.fromkeys(o.name for o in duty))}." if duty else ""
    return f"Este ato cabe a: {names} ({article}).{call}"
