"""Puts into the demo what its stories do not hold and some page has to show: acts annulled, a filing typed late, papers
printed and papers that wait, data erased, a history that was tampered with.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, text

from app.audit import seal
from app.cases import acts
from app.documents.press import Press
from app.registry import norms
from app.store import INSTALLER, Actor
from app.store.cases_tables import unprinted, work_item
from tests.browser.visit import ZONE, Served

# A case for each purpose, by the only state of its kind in which the demo leaves it.
CASES = {
    "annulled": "PARCIAL",
    "overtaken": "REVEL",
    "erased": "PAGO_SEM_CONTESTACAO",
    "tampered": "IMPROCEDENTE",
    "long": "EM_CONTRARRAZOES",
    "warned": "ADVERTIDO_ARQUIVADO",
    "served": "AUTUADO",
}
LATE = {"peticionario": "Rita Alves", "qualidade": "representante", "razoes": "As viagens foram feitas."}


def furnish(served: Served) -> None:
    served.cases.update({name: served.case(status) for name, status in CASES.items()})
    _annul(served)
    _file_late(served)
    _claim(served)
    printed(served, all_but=3)
    with served.store.silent_act(INSTALLER) as tx:
        seal.destroy_key(tx, served.row(served.cases["erased"])["subject_id"])
    _tamper(served)


def act(served: Served, login: str, what: Callable[..., Any], *args: Any) -> Any:
    """One act by one person, as a page would do it."""
    with served.store.act(Actor(served.person(login)["id"])) as tx:
        return what(tx, *args)


def _annul(served: Served) -> None:
    """The decision that waited to be delivered falls, with its paper; whoever wrote it writes it again."""
    row = served.row(served.cases["annulled"])
    act(served, "secretario", acts.annul, row["id"], 10, "A ementa trocou as partes.", row["version"])


def _file_late(served: Served) -> None:
    """A defence stamped on Friday 7 August, before its end on Monday 10, and typed after the expiry."""
    stamp = datetime(2026, 8, 7, 10, tzinfo=ZONE)
    act(
        served,
        "protocolo",
        acts.file,
        served.row(served.cases["overtaken"])["id"],
        "contestacao",
        LATE,
        stamp,
    )


def _claim(served: Served) -> None:
    open_now = (work_item.c.element == "lavrar_auto") & (work_item.c.status == "open")
    item = served.first(select(work_item).where(open_now))
    act(served, "membro2", acts.claim, item["id"], item["version"])


def printed(served: Served, *, all_but: int = 0, only: int = 0, **changes: Any) -> None:
    """Lets the press work, oldest papers first, until so many are left or so many are printed.

    What it prints is a stand-in for a PDF unless another `setter` is given.
    """
    press = Press(
        served.store, norms.by_digest, served.url, **{"setter": lambda _order: b"%PDF-1.7\n", **changes}
    )
    with served.store.read() as reader:
        waiting = int(reader.scalar(select(func.count()).select_from(unprinted)))
    for _ in range(only or waiting - all_but):
        assert press.print_next()


def _tamper(served: Served) -> None:
    """What somebody who owns the server might do to a journal."""
    with served.store.database.writing() as connection:
        triggers = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all()
        for (name,) in triggers:
            connection.execute(text(f"DROP TRIGGER {name}"))
        changed = "UPDATE journal SET body = replace(body, 'votar', 'vetar') WHERE stream = :name AND seq = 7"
        connection.execute(text(changed), {"name": f"processo:{served.row(served.cases['tampered'])['id']}"})
