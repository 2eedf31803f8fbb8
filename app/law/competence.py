"""Who may perform an act, by the law's own table.

Says which roles are competent; who holds a role on a date, and who is impeded, is for other rooms.
"""

from __future__ import annotations

from app.law.provisions import Competence, Norm


def roles_for(norm: Norm, act: str) -> tuple[Competence, ...]:
    """The rows of the competence table for an act, in the order of the law; empty when nobody is competent."""
    return tuple(row for row in norm.competences if row.act == act)
