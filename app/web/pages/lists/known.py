"""What filters may be set to: keys of the norm, and what only the database knows, with the words each is shown by."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from sqlalchemy import select

from app import people
from app.cases.finding import tasks
from app.law.norm import Norm
from app.store import Reader
from app.store.cases_tables import deadline, work_item


def step(reader: Reader, element: str) -> dict[str, str]:
    """A step of a diagram with its name, if any task ever stood at it: also where nothing waits there today."""
    if not element:
        return {}
    row = reader.first(select(work_item.c.name).where(work_item.c.element == element).limit(1))
    return {element: row["name"]} if row else {}


def by_name(*steps: Mapping[str, str]) -> list[tuple[str, str]]:
    """Steps with their names, in the order of these."""
    found = {element: name for some in steps for element, name in some.items()}
    return sorted(found.items(), key=lambda step: step[1])


def states(reader: Reader, norm: Norm, status: str) -> Container[str]:
    """States of the norm; where another was asked for, those that cases of older norms are in."""
    if not status or status in norm.statuses:
        return norm.statuses
    return tasks.statuses(reader, of_open=False)


def called(norm: Norm, statuses: Iterable[str]) -> dict[str, str]:
    """States by name, those that the norm does not know by their keys, as the norm orders them."""
    there = in_order(norm, statuses)
    return {key: norm.statuses[key].name if key in norm.statuses else key for key in there}


def terms(reader: Reader, norm: Norm, key: str) -> dict[str, str]:
    """Terms of the norm; where another was asked for, also that one, if a term of an older norm was ever so called."""
    names = {key: term.name for key, term in norm.deadlines.items()}
    if not key or key in names:
        return names
    row = reader.first(select(deadline.c.key).where(deadline.c.key == key).limit(1))
    return {**names, key: key} if row else names


def in_order(norm: Norm, statuses: Iterable[str]) -> list[str]:
    """States as the norm orders them; those it does not know come last."""
    found = set(statuses) - {""}
    return [key for key in norm.statuses if key in found] + sorted(found - set(norm.statuses))


def offices(norm: Norm) -> dict[str, str]:
    """Offices that may have to act, with their names."""
    seats = {seat.role for board in norm.boards.values() for seat in board.seats}
    acting = seats | {row.role for row in norm.competences}
    return {f"cargo:{key}": role.name for key, role in norm.roles.items() if key in acting}


def colleagues(reader: Reader, norm: Norm) -> dict[str, str]:
    """Whoever holds an office today, with their names."""
    today = reader.now.astimezone(norm.zone).date()
    held = people.holders(reader, list(norm.roles), today)
    return {f"pessoa:{o.person_id}": o.name for o in sorted(held, key=lambda o: (o.name, o.person_id))}
