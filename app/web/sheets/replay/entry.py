"""One entry of the journal itself: who, when, on which chain, and what was answered, written or handed in by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.audit import GENESIS, Entry
from app.cases.history import ACTS, kept, moment
from app.cases.history.past import Past
from app.law.norm import Norm
from app.store import Reader
from app.web.language import N_
from app.web.sheets.facts import Pair, pairs
from app.web.sheets.replay.names import Names
from app.web.sheets.replay.steps import what

# As `kept` says them.
FAULTS = (
    N_("as respostas que o histórico registra não estão guardadas"),
    N_("as respostas guardadas não são as registradas"),
    N_("os dados pessoais guardados não são os registrados"),
    N_("o arquivo guardado não é o registrado"),
)
_ALTERED_NOTE = N_("a anotação guardada não é a registrada")


@dataclass(frozen=True)
class Answers:
    """A form as it was answered.

    `erased`: its personal fields are gone. `withheld`: nobody may read it yet. `fault`: what is wrong with it.
    """

    title: str
    pairs: tuple[Pair, ...] = ()
    erased: bool = False
    withheld: bool = False
    fault: str = ""


@dataclass(frozen=True)
class Card:
    """An entry as people read it.

    Attributes:
        felled_by: the entry that took its effect away, 0 when it stands.
        corrects, corrected_by: the entries before and after it that are about the same form, 0 when none is.
        words: what somebody wrote in it: reason or note, each with its label for the catalogue.
    """

    seq: int
    verb: str
    what: str
    who: str
    offices: tuple[str, ...]
    happened_at: datetime
    recorded_at: datetime
    hash: str
    previous: str
    felled_by: int
    corrects: int
    corrected_by: int
    words: tuple[Pair, ...]
    warnings: tuple[str, ...]
    answers: Answers | None

    @property
    def first(self) -> bool:
        """Nothing comes before it: its chain begins with zeros."""
        return self.previous == GENESIS


def card(reader: Reader, past: Past, entry: Entry, names: Names) -> Card:
    believed = entry.seq <= past.believed
    felled, place = moment.felled(past), past.told.index(entry)
    return Card(
        seq=entry.seq,
        verb=ACTS.get(entry.act, entry.act),
        what=what(past, entry),
        who=names.of(entry.actor),
        offices=names.offices(entry.actor, entry.at),
        happened_at=entry.effective_at,
        recorded_at=entry.at,
        hash=entry.hash,
        previous=past.told[place - 1].hash if place else GENESIS,
        felled_by=felled.get(entry.seq, 0),
        corrects=entry.body.get("corrects", 0),
        corrected_by=_later(past.told, entry, felled),
        words=_words(reader, entry) if believed else (),
        warnings=tuple(entry.body.get("warnings", ())),
        answers=_answers(reader, past, entry, names) if believed else None,
    )


def _later(told: Sequence[Entry], entry: Entry, felled: dict[int, int]) -> int:
    found = [e.seq for e in told if e.body.get("corrects") == entry.seq and e.seq not in felled]
    return found[-1] if found else 0


def _words(reader: Reader, entry: Entry) -> tuple[Pair, ...]:
    found: list[Pair] = []
    if "reason" in entry.body:
        found.append((N_("Motivo"), str(entry.body["reason"])))
    if "note" in entry.body:
        text = kept.words(reader, entry)
        found.append((N_("Anotação"), text or _ALTERED_NOTE))
    return tuple(found)


def _answers(reader: Reader, past: Past, entry: Entry, names: Names) -> Answers | None:
    form = kept.form(reader, entry)
    if form is None:
        return None
    title = titled_form(names.norm, form.name)
    if entry.seq in moment.secret(past):
        return Answers(title, withheld=True)
    shown = pairs(names.reader, names.norm, form.name, form.answers)
    return Answers(title, shown, erased=form.erased, fault=form.fault)


def titled_form(norm: Norm, name: str) -> str:
    """What a form is called."""
    schema = norm.forms[name][0] if name in norm.forms else {}
    return str(schema.get("title", name))
