"""Who may perform an act, by the law's own table as it stands on a day.

Says which roles are competent; who holds a role on a date, and who is impeded, is for other rooms.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from app.law.provisions import Competence, Norm


def roles_for(norm: Norm, act: str, day: date) -> tuple[Competence, ...]:
    """The rows in force for an act, in the order of the law; empty when nobody is competent.

    Args:
        day: the local day of the act, in the norm's zone.
    """
    return tuple(row for row in norm.competences if row.act == act and row.period.covers(day))


def acts_for(norm: Norm, roles: Collection[str], day: date) -> set[str]:
    """Acts for which some of the roles is competent on a local day."""
    return {row.act for row in norm.competences if row.role in roles and row.period.covers(day)}
