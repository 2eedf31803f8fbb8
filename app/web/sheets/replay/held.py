"""What was in a case's folder after one entry: forms in force, filings with their timeliness, files and notes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.audit import Entry
from app.cases.history import held, kept, moment
from app.cases.history.kept import File
from app.cases.history.past import Past
from app.store import Reader
from app.web.sheets.facts import pairs
from app.web.sheets.filings import Received, filings
from app.web.sheets.replay.entry import Answers, titled_form
from app.web.sheets.replay.names import Names


@dataclass(frozen=True)
class By:
    """The entry that something came with: its number, who and when."""

    seq: int
    who: str
    at: datetime


@dataclass(frozen=True)
class Filled:
    """A form that had been answered. `answers` are missing where it was not in force: its own entry has them."""

    by: By
    title: str
    told: held.Answered
    answers: Answers | None


@dataclass(frozen=True)
class Held:
    """The folder, oldest first. A file with its name, a note with its text; None where the kept text is another."""

    forms: list[Filled]
    filings: list[Received]
    files: list[tuple[By, File]]
    notes: list[tuple[By, str | None]]


def held_by(reader: Reader, past: Past, seq: int, names: Names) -> Held:
    """The folder after entry `seq`, asked for in as many statements however full it is."""
    told = past.told[:seq]
    entries = {entry.seq: entry for entry in told}
    names.know({entry.actor for entry in told})
    return Held(
        _forms(reader, past, seq, names),
        _filings(past, seq, names),
        [(_by(entries[at], names), file) for at, file in kept.files(reader, told).items()],
        [(_by(entries[at], names), text) for at, text in kept.notes(reader, told).items()],
    )


def _by(entry: Entry, names: Names) -> By:
    return By(entry.seq, names.of(entry.actor), entry.effective_at)


def _forms(reader: Reader, past: Past, seq: int, names: Names) -> list[Filled]:
    answered = held.answered(past, seq)
    forms = kept.forms(reader, [told.entry for told in answered])
    return [_filled(told, forms[told.entry.seq], names) for told in answered]


def _filled(told: held.Answered, form: kept.Form, names: Names) -> Filled:
    title, answers = titled_form(names.norm, form.name), None
    if told.secret:
        answers = Answers(title, withheld=True)
    elif told.in_force:
        shown = pairs(names.reader, names.norm, form.name, form.answers)
        answers = Answers(title, shown, erased=form.erased, fault=form.fault)
    return Filled(_by(told.entry, names), title, told, answers)


def _filings(past: Past, seq: int, names: Names) -> list[Received]:
    terms = [
        {"key": term.key, "status": term.status, "expires_at": term.expires_at}
        for term in moment.terms(past, seq)
    ]
    return filings(names.norm, held.filings(past, seq), terms, past.told[:seq])
