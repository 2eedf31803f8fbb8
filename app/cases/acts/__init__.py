"""Everything that may happen to a case, a file per family. Each act takes the open transaction, does one thing, leaves.

    with store.act(actor) as tx:
        complete(tx, item_id, answers, version)

Acts never commit, never ask the time and never know which door they came through.
"""

from app.cases.acts.annulment import annul, set_aside
from app.cases.acts.clock import expire_deadline
from app.cases.acts.correction import correct
from app.cases.acts.counter import file
from app.cases.acts.ending import cancel
from app.cases.acts.folder import annotate, attach
from app.cases.acts.opening import open_case
from app.cases.acts.tasks import claim, complete, discard_draft, release, save_draft

__all__ = [
    "annotate",
    "annul",
    "attach",
    "cancel",
    "claim",
    "complete",
    "correct",
    "discard_draft",
    "expire_deadline",
    "file",
    "open_case",
    "release",
    "save_draft",
    "set_aside",
]
