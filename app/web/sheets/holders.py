"""Who may act: for each open task the offices that the norm names and the people who hold them today."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from app import people
from app.cases import access
from app.errors import Forbidden
from app.law.competence import roles_for
from app.law.norm import Board, Norm
from app.law.text import cited
from app.store import Reader

_PLAIN = re.compile(r"Art\. (\d+)")


@dataclass(frozen=True)
class Holders:
    """The offices competent for an act, their articles, who holds them, and who steps in for a seat."""

    offices: tuple[str, ...]
    articles: tuple[str, ...]
    names: tuple[str, ...]
    alternates: tuple[str, ...] = ()


def of_act(reader: Reader, norm: Norm, act: str) -> Holders:
    rows = roles_for(norm, act, _today(reader, norm))
    order = [row.role for row in rows]
    held = sorted(
        people.holders(reader, order, _today(reader, norm)), key=lambda o: (order.index(o.role), o.name)
    )
    return Holders(
        _unique(norm.roles[row.role].name for row in rows if row.role in norm.roles),
        distinct([row.article for row in rows]),
        _unique(office.name for office in held),
    )


def distinct(references: Sequence[str]) -> tuple[str, ...]:
    """References without repetition: `Art. 125` says nothing beside `Arts. 106, § 2º, e 125`."""
    plain = {r: found[1] for r in references if (found := _PLAIN.fullmatch(r))}
    return tuple(
        r
        for r in dict.fromkeys(references)
        if not any(other != r and plain.get(r) in cited(other) for other in references)
    )


def of_item(reader: Reader, norm: Norm, item: Mapping[str, Any]) -> Holders:
    """For a task of one person that person; for a seat its holder and the alternates; else the competent offices."""
    general = of_act(reader, norm, item["act"])
    if item["assigned_to"]:
        return Holders(
            general.offices, general.articles, (people.by_id(reader, item["assigned_to"])["name"],)
        )
    board = norm.boards.get(item["board"] or "")
    if board is None or not item["seat"]:
        return general
    return _of_seat(reader, norm, board, item["seat"])


def refusal(ask: Any, *arguments: Any) -> Forbidden | None:
    """What `access` would answer: None when the person may. Nothing is changed by asking."""
    try:
        ask(*arguments)
    except Forbidden as refused:
        return refused
    return None


def may(reader: Any, norm: Norm, act: str) -> bool:
    return refusal(access.require, reader, norm, act) is None


def _of_seat(reader: Reader, norm: Norm, board: Board, key: str) -> Holders:
    seat = next(s for s in board.seats if s.key == key)
    today = _today(reader, norm)
    holders = [o for o in people.holders(reader, [seat.role], today) if o.seat in (None, key)]
    alternates = people.holders(reader, [board.alternate_role], today)
    return Holders(
        (f"{board.name}, {seat.name}",),
        (board.article,),
        _unique(o.name for o in holders),
        _unique(o.name for o in alternates),
    )


def _unique(names: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _today(reader: Reader, norm: Norm) -> date:
    return reader.now.astimezone(norm.zone).date()


__all__: Sequence[str] = ["Holders", "may", "of_act", "of_item", "refusal"]
