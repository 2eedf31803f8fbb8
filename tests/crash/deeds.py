"""Every act that may happen to a case, each as the next thing to be done in a town that has been played so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.cases import acts
from app.store import CLOCK, Actor
from app.store.cases_tables import cases, deadline
from tests.cases.infringement import AUTO, DEFENCE, Infringement, notice, to_trial
from tests.cases.town import Town
from tests.crash.hamlet import ENDED, OPENED, RECEIVED, SLUG, STEP, Hamlet


@dataclass(frozen=True)
class Deed:
    """An act that a process is killed in: who does it when, and with which arguments."""

    now: datetime
    actor: Actor
    act: str
    told: dict[str, Any]


Play = Callable[[Hamlet, str], Deed]  # plays a town until the deed is the next thing to be done


def _by(hamlet: Hamlet, login: str, act: str, **told: Any) -> Deed:
    return Deed(OPENED, Actor(hamlet.people[login]), act, told)


def completing(hamlet: Hamlet, _url: str) -> Deed:
    item = hamlet.item(hamlet.opened())
    return _by(hamlet, "servidor", "complete", item_id=item["id"], answers=STEP, version=item["version"])


def expiring(hamlet: Hamlet, _url: str) -> Deed:
    (term,) = hamlet.rows(deadline, case_id=hamlet.opened())
    return Deed(ENDED, CLOCK, "expire_deadline", {"deadline_id": term["id"]})


def opening(hamlet: Hamlet, _url: str) -> Deed:
    answers = {"requerente": "Maria das Dores", "recebido_em": RECEIVED}
    return _by(hamlet, "protocolo", "open_case", slug=SLUG, process="prazo", answers=answers)


def claiming(hamlet: Hamlet, _url: str) -> Deed:
    item = hamlet.item(hamlet.opened())
    return _by(hamlet, "servidor", "claim", item_id=item["id"], version=item["version"])


def releasing(hamlet: Hamlet, _url: str) -> Deed:
    item = hamlet.item(hamlet.opened())
    hamlet.act("servidor", acts.claim, item["id"], item["version"])
    return _by(hamlet, "servidor", "release", item_id=item["id"], version=item["version"] + 1)


def drafting(hamlet: Hamlet, _url: str) -> Deed:
    return _by(hamlet, "servidor", "save_draft", item_id=hamlet.item(hamlet.opened())["id"], answers=STEP)


def discarding(hamlet: Hamlet, _url: str) -> Deed:
    item = hamlet.item(hamlet.opened())
    with hamlet.store.silent_act(Actor(hamlet.people["servidor"])) as tx:
        acts.save_draft(tx, item["id"], STEP)
    return _by(hamlet, "servidor", "discard_draft", item_id=item["id"])


def annotating(hamlet: Hamlet, _url: str) -> Deed:
    return _by(hamlet, "servidor", "annotate", case_id=hamlet.opened(), words="Juntado o original.")


def attaching(hamlet: Hamlet, _url: str) -> Deed:
    told = {"name": "original.pdf", "media_type": "application/pdf", "data": b"%PDF-1.7\n%%EOF\n"}
    return _by(hamlet, "servidor", "attach", case_id=hamlet.opened(), **told)


def filing(hamlet: Hamlet, _url: str) -> Deed:
    return _by(hamlet, "protocolo", "file", case_id=hamlet.opened(), kind="outro", answers=STEP)


def cancelling(hamlet: Hamlet, _url: str) -> Deed:
    return _by(hamlet, "servidor", "cancel", case_id=hamlet.opened(), reason="Pedido repetido.")


SMALL = (
    completing,
    expiring,
    opening,
    claiming,
    releasing,
    drafting,
    discarding,
    annotating,
    attaching,
    filing,
    cancelling,
)


def _in_town(played: Callable[[Town], tuple[str, str, dict[str, Any]]]) -> Play:
    """A deed of an infringement: who does it, which act, with what."""

    def ready(_hamlet: Hamlet, url: str) -> Deed:
        town = Town.at_work(url)
        login, act, told = played(town)
        deed = Deed(town.clock.now(), town.actor(login), act, told)
        town.store.database.close()
        return deed

    ready.__name__ = played.__name__
    return ready


def _version(case: Infringement) -> int:
    (row,) = case.town.rows(cases, id=case.id)
    return int(row["version"])


@_in_town
def noticing(town: Town) -> tuple[str, str, dict[str, Any]]:
    town.at("2026-05-05 08:10")
    return "fiscal", "open_case", {"slug": "jequie", "process": "infracao", "answers": notice(town)}


@_in_town
def charging(town: Town) -> tuple[str, str, dict[str, Any]]:
    case = Infringement.opened(town).registered()
    town.at("2026-05-08 10:00")
    item = case.item("lavrar_auto")
    return "autuante", "complete", {"item_id": item["id"], "answers": AUTO, "version": item["version"]}


@_in_town
def defending(town: Town) -> tuple[str, str, dict[str, Any]]:
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-18 16:30")
    return "protocolo", "file", {"case_id": case.id, "kind": "contestacao", "answers": DEFENCE}


@_in_town
def annulling(town: Town) -> tuple[str, str, dict[str, Any]]:
    """The auto falls, and with it service, terms and defence."""
    case = to_trial(town)
    told = {"case_id": case.id, "seq": 3, "reason": "Auto sem o dispositivo.", "version": _version(case)}
    return "secretario", "annul", told


@_in_town
def correcting(town: Town) -> tuple[str, str, dict[str, Any]]:
    """Another code: all that followed from the notice falls and begins anew."""
    case = Infringement.opened(town).registered()
    answers = notice(town, codigo="I-13")
    told = {"case_id": case.id, "seq": 1, "answers": answers, "reason": "Código trocado."}
    return "presidente", "correct", {**told, "version": _version(case)}


@_in_town
def setting_aside(town: Town) -> tuple[str, str, dict[str, Any]]:
    """A defence stamped in time and typed after its term was recorded as run out."""
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 08:00")
    case.defended("2026-05-19 09:00", stamp="2026-05-18 16:00")
    told = {"case_id": case.id, "seq": case.acts.index("expire") + 1, "reason": "Carimbo do dia 18."}
    return "presidente", "set_aside", {**told, "version": _version(case)}


OF_INFRINGEMENTS = (noticing, charging, defending, annulling, correcting, setting_aside)


def play(url: str) -> None:
    """One infringement until its trial, so that norm and diagrams are known to this process."""
    town = Town.at_work(url, "warm")
    to_trial(town)
    town.store.database.close()
