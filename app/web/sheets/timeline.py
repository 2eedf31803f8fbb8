"""The journal of a case as people read it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app import documents, people
from app.audit import Entry
from app.cases import access
from app.cases.acts.correction import CORRECTABLE, corrections_of
from app.cases.display import is_vote
from app.cases.dossier import definition_of
from app.cases.history import ACTS, Folder
from app.cases.proof.standing import falls
from app.law.competence import acts_for
from app.law.norm import Norm
from app.store import Reader, Row
from app.web.language import N_

PRINTING = frozenset({"render"})  # acts of the press: each is an entry, none moves a case
# As `people.name_of` says them.
MACHINES = (
    N_("Relógio do sistema"),
    N_("Instalação"),
    N_("Prensa de documentos"),
    N_("pessoa desconhecida"),
)


@dataclass(frozen=True)
class Line:
    """One line of the timeline: the verb, the norm's own name for what was done, who, when.

    `fallen`: it no longer has an effect. `back_to`: the first entry that it annulled. `corrects`, `corrected_by`:
    numbers of the entries on the other side of a correction. `can`: what the reader may do from here.
    """

    seq: int
    verb: str
    what: str
    who: str
    happened_at: datetime
    recorded_at: datetime
    documents: tuple[Row, ...]
    warnings: tuple[str, ...] = ()
    act: str = ""
    fallen: bool = False
    reason: str = ""
    back_to: int | None = None
    corrects: int | None = None
    corrected_by: int | None = None
    can: frozenset[str] = frozenset()

    @property
    def late(self) -> bool:
        """Recorded on another minute than it happened: both are told."""
        return abs((self.recorded_at - self.happened_at).total_seconds()) >= 60


@dataclass(frozen=True)
class Quiet:
    """The entries of the press, newest first: papers that came out, each listed with the act that issued it."""

    lines: tuple[Line, ...]

    @property
    def seq(self) -> int:
        """The number of the newest: where the list counts from."""
        return self.lines[0].seq


def grouped(lines: Sequence[Line]) -> list[Line | Quiet]:
    """The timeline with all printing as one item at its head. Every entry keeps its number."""
    printing = tuple(line for line in lines if line.act in PRINTING)
    told = [line for line in lines if line.act not in PRINTING]
    return [Quiet(printing), *told] if printing else [*told]


def lines(
    reader: Reader, norm: Norm, folder: Folder, told: Sequence[Entry], roles: Collection[str] = ()
) -> list[Line]:
    """The journal of a case as people read it, newest first. `roles`: what the reader is, for what they may do."""
    corrected = corrections_of(told, folder.case["fallen"])
    may = _may(reader, norm, folder, roles)
    names = people.names_of(reader, {entry.actor for entry in told})
    return [_line(names, norm, folder, entry, corrected, may) for entry in reversed(told)]


def _line(
    names: Mapping[str, str],
    norm: Norm,
    folder: Folder,
    entry: Entry,
    corrected: dict[int, int],
    may: May,
) -> Line:
    body, fallen = entry.body, entry.seq in folder.case["fallen"]
    return Line(
        entry.seq,
        ACTS.get(entry.act, entry.act),
        _what(norm, folder, entry),
        names[entry.actor],
        entry.effective_at,
        entry.at,
        tuple(row for row in folder.documents if row["seq"] == entry.seq),
        tuple(body.get("warnings", ())),
        entry.act,
        fallen,
        str(body.get("reason", "")),
        body["command"].get("from") if "correcting" not in body else None,
        body.get("corrects"),
        corrected.get(entry.seq),
        frozenset() if fallen else frozenset(_can(folder, entry, corrected, may)),
    )


@dataclass(frozen=True)
class May:
    """What the reader may do to go back: annul at all, correct at all, and the tasks whose answers they may correct."""

    annul: bool
    correct: bool
    items: frozenset[str]


def _may(reader: Reader, norm: Norm, folder: Folder, roles: Collection[str]) -> May:
    today, held = reader.now.astimezone(norm.zone).date(), set(roles)
    acts = acts_for(norm, held, today)
    definition = definition_of(norm, norm.processes[folder.case["process"]])
    items = (
        item["id"]
        for item in folder.items
        if held & access.correctors(norm, item["act"], today) and not is_vote(definition, item)
    )
    return May("anular" in acts, "corrigir" in acts, frozenset(items))


def _can(folder: Folder, entry: Entry, corrected: dict[int, int], may: May) -> set[str]:
    """What the reader can do from an entry that stands."""
    opening = entry.body["command"]["op"] == "start"
    found = {"anular"} if may.annul and falls(entry) and not opening else set()
    if may.correct and entry.act in CORRECTABLE and "form" in entry.body and entry.seq not in corrected:
        kept = next((s for s in folder.submissions if s["id"] == entry.body["submission"]), None)
        if kept is not None and (kept["work_item_id"] is None or kept["work_item_id"] in may.items):
            found.add("corrigir")
    return found


def _what(norm: Norm, folder: Folder, entry: Entry) -> str:
    """The task, the filing or the term that the entry is about, as the norm calls it."""
    body = entry.body
    if entry.act in ("file", "refile") and body.get("kind") in norm.filings:
        return f"{norm.filings[body['kind']].name}, {body.get('number', '')}"
    if entry.act == "expire" and body.get("key") in norm.deadlines:
        return norm.deadlines[body["key"]].name
    if entry.act == "attach":
        return next((r["name"] for r in folder.attachments if r["id"] == body.get("attachment")), "")
    if entry.act == "render":
        printed = (r for r in folder.documents if r["id"] == body["rendition"])
        return next((f"{r['title']} {documents.number_of(r)}" for r in printed), "")
    task = body["command"].get("task")
    # The engine numbers its tasks anew after going back: the one that this very entry closed is meant.
    named = sorted(
        (r for r in folder.items if task is not None and r["task_id"] == task),
        key=lambda r: r["closed_seq"] != entry.seq,
    )
    return str(named[0]["name"]) if named else ""
