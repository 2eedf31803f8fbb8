"""Why a case cannot move, although nobody ended it: its stored state is damaged, or its subject's data is gone.

What people hand in is kept all the same; what would need the state, or a seal for the subject, is not begun.
"""

from __future__ import annotations

from app import audit
from app.audit import seal
from app.cases.dossier import Dossier
from app.cases.engines import ENGINE
from app.errors import Conflict
from app.values import digest

DAMAGED, ERASED = "estado_danificado", "dados_eliminados"


def standstill(dossier: Dossier) -> str | None:
    """`DAMAGED`, `ERASED`, or None for a case that can move or has ended."""
    if dossier.row["closed_at"] is not None:
        return None
    if seal.erased(dossier.tx, dossier.row["subject_id"]):
        return ERASED
    return None if _sound(dossier) else DAMAGED


def require_subject(dossier: Dossier) -> None:
    """Raises Conflict when what the act writes would have to be sealed for a subject whose data was erased."""
    if seal.erased(dossier.tx, dossier.row["subject_id"]):
        raise Conflict(
            "Os dados pessoais deste processo foram eliminados: nada novo pode ser gravado sobre o titular. "
            "Petições continuam a ser recebidas; para encerrar o processo, cancele-o.",
            code="dados.eliminados",
        )


def _sound(dossier: Dossier) -> bool:
    """Whether the stored state is the one that the journal tells of, and the engine can read it."""
    state = bytes(dossier.row["state"])
    told = [e.body["state"] for e in audit.entries(dossier.tx, dossier.stream) if "state" in e.body]
    if told[-1:] != [digest(state)]:
        return False
    try:
        ENGINE.snapshot(dossier.definition, state)
    except (
        Exception
    ):  # bytes of another program's making may break their reading anywhere, not only as Broken
        return False
    return True
