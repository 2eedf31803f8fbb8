"""The protocol stamp of a filing: what it may say, and when whoever types it has to look at it again."""

from __future__ import annotations

from datetime import datetime

from app.cases.dossier import Dossier, newest_term
from app.errors import Invalid
from app.law.norm import Filing
from app.values import Json, iso, parse_instant

CONFIRMATION = "confirma_carimbo"  # the field by which doors confirm a stamp from before the filing's term


def whole_minute(instant: datetime) -> datetime:
    """The minute of an instant: stamps and receipts say no seconds."""
    return instant.replace(second=0, microsecond=0)


def not_before_the_case(dossier: Dossier) -> None:
    """Refuses a stamp older than the case. One of the opening's own minute is taken for the opening's instant."""
    opened_at = dossier.row["opened_at"]
    if dossier.effective_at >= opened_at:
        return
    if dossier.effective_at < whole_minute(opened_at):
        raise Invalid("O carimbo é anterior à abertura do processo.", code="instante.anterior")
    dossier.effective_at = opened_at


def before_its_term(dossier: Dossier, what: Filing, confirmed: bool) -> dict[str, Json]:
    """What the entry says of a stamp from before the filing's term began: nobody answers what did not exist yet.

    The filing is never refused for it, but a slip of the pen would make it timely in silence: the stamp is confirmed.
    """
    if what.deadline is None or what.payment:
        return {}
    start = _start(dossier, what.deadline)
    # After the end of the case the filing is a petition of its own, which answers to no term.
    ended = dossier.row["closed_at"] is not None
    if (dossier.effective_at >= start) if start else ended:
        return {}
    if not confirmed:
        raise Invalid(
            _sentence(dossier, what.deadline, start),
            code="instante.antes_do_prazo",
            fields={CONFIRMATION: "Marque para confirmar a data e a hora do carimbo."},
        )
    return {"before_term": {"term": what.deadline, "start": iso(start) if start else None}}


def _start(dossier: Dossier, key: str) -> datetime | None:
    """The instant from which the newest term of this key was counted; None when none has begun."""
    row = newest_term(dossier, key)
    return parse_instant(row["base"]) if row else None


def _sentence(dossier: Dossier, key: str, start: datetime | None) -> str:
    name = dossier.norm.deadlines[key].name
    if start is None:
        return f"Ainda não se registrou o que dá início ao prazo ({name}). Confira o tipo da petição e o carimbo."
    local = start.astimezone(dossier.norm.zone)
    return (
        f"O carimbo é anterior ao início do prazo ({name}), {local:%d/%m/%Y, %H:%M}. "
        "Confira o carimbo; se está certo, confirme-o."
    )
