"""Performs a story: sets the clock, lets due deadlines expire in order, does each act as its person, notes refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, true

from app import people
from app.cases import acts
from app.cases.acts.counter import payment, stamp
from app.cases.forms import field_spec
from app.clock import FixedClock
from app.demo import World, demo_world, furnish, install, zone_of
from app.errors import Invalid, Refused
from app.law.norm import Norm
from app.scenario.backwards import BACKWARDS, go_back
from app.scenario.check import differences
from app.scenario.language import FIRST
from app.scenario.story import Step, Story, read_stories
from app.scheduler import next_end, sweep
from app.settings import ROOT
from app.store import Actor, Reader, Row, Store, connect
from app.store.cases_tables import cases, work_item
from app.store.migrate import migrate
from app.store.tables import journal
from app.values import Json


@dataclass
class Outcome:
    """How a story went: each difference as one readable line; none means that it held."""

    story: Story
    differences: list[str] = field(default_factory=list)

    @property
    def held(self) -> bool:
        return not self.differences


@dataclass
class Stage:
    """A fresh municipality on which one story is played."""

    store: Store
    clock: FixedClock
    norm: Norm
    world: World
    cases: dict[str, str] = field(default_factory=dict)
    last_number: str = ""


def play_file(path: Path, database_url: str, content_dir: Path = ROOT) -> list[Outcome]:
    """Plays every story of a file, each on its own fresh data in the empty database at `database_url`.

    SQLite in memory is not enough: acts use several connections. Give an empty file or database; a file with
    variants needs `{number}` in the URL.
    """
    stories = read_stories(path, partial(zone_of, content_dir))
    return [
        play(story, database_url.replace("{number}", str(number)), content_dir)
        for number, story in enumerate(stories, 1)
    ]


def play(story: Story, database_url: str, content_dir: Path = ROOT) -> Outcome:
    """Plays one story on an empty database and compares what it says with what happened."""
    outcome = Outcome(story)
    try:
        stage = set_stage(story, database_url, content_dir)
    except Refused as error:
        outcome.differences.append(f"dado: {error}")
        return outcome
    try:
        for step in story.steps:
            advance(stage, step.at)
            outcome.differences += perform(stage, step)
    except Refused as error:
        outcome.differences.append(f"a história não pôde ser encenada: {error}")
    finally:
        stage.store.database.close()
    return outcome


def set_stage(story: Story, database_url: str, content_dir: Path) -> Stage:
    """Migrates, publishes the norm, adds the demo world and the story's own givens."""
    clock = FixedClock(FIRST)
    store = Store(connect(database_url), clock)
    try:
        migrate(store.database)
        norm = install(store, content_dir, story.municipality)
        world = furnish(store, norm, demo_world(content_dir, story.municipality))
        furnish(store, norm, story.given, world)
    except Exception:
        store.database.close()
        raise
    return Stage(store, clock, norm, world)


def advance(stage: Stage, instant: datetime) -> None:
    """Moves to an instant, stopping at every end of a term on the way, as a worker that never sleeps would."""
    while (end := next_end(stage.store)) is not None and end <= instant:
        stage.clock.set(end)
        sweep(stage.store)
    stage.clock.set(instant)
    sweep(stage.store)


def perform(stage: Stage, step: Step) -> list[str]:
    found: list[str] = []
    if step.act is not None:
        entries = _entries(stage)
        refusal = _act(stage, step)
        if refusal is not None and _entries(stage) != entries:
            found.append(f"{step.line}: o ato foi recusado e mesmo assim deixou registro")
        if refusal is None and step.refusal is not None:
            found.append(f"{step.line}: esperava-se recusa ({step.refusal}), e o ato foi aceito")
        if refusal is not None and step.refusal is None:
            found.append(f"{step.line}: recusado: {refusal}")
        if refusal is not None and step.refusal not in (None, refusal.code):
            found.append(f"{step.line}: esperava-se recusa {step.refusal}, veio {refusal.code}: {refusal}")
    with stage.store.read() as reader:
        case_id = stage.cases.get(step.case)
        for line in differences(reader, stage.norm, stage.world, case_id, stage.last_number, step.then):
            found.append(f"{step.line}: {line}")
    return found


def _entries(stage: Stage) -> int:
    with stage.store.read() as reader:
        return int(reader.scalar(select(func.count()).select_from(journal)))


def _act(stage: Stage, step: Step) -> Refused | None:
    actor = Actor(_known(step, "pessoa", step.who or "", stage.world.people))
    if step.act == "abre":
        _known(step, "procedimento", step.target, stage.norm.processes)
    else:
        _known(step, "processo", step.case, stage.cases)
    if step.act == "protocola":
        _known(step, "tipo de petição", step.target, stage.norm.filings)
    try:
        if step.act == "abre":
            with stage.store.act(actor) as tx:
                process = stage.norm.processes[step.target]
                answers = _answers(stage, process.form, step.answers)
                stage.cases[step.case] = acts.open_case(tx, stage.norm.slug, step.target, answers)
        elif step.act == "conclui":
            _complete(stage, step, actor)
        else:
            _on_case(stage, step, actor)
    except Refused as refusal:
        return refusal
    return None


def _complete(stage: Stage, step: Step, actor: Actor) -> None:
    row = _open_task(stage, step)
    item_id, version, form = row["id"], row["version"], row["form"]
    with stage.store.act(actor) as tx:
        acts.complete(tx, item_id, _answers(stage, form, step.answers), version)


def _on_case(stage: Stage, step: Step, actor: Actor) -> None:
    case_id = stage.cases[step.case]
    with stage.store.act(actor) as tx:
        if step.act == "protocola":
            what = stage.norm.filings[step.target]
            told = dict(step.answers)
            sure = [told.pop(box, False) is True for box in (payment.CONFIRMATION, stamp.CONFIRMATION)]
            answers = _answers(stage, what.form, told)
            stage.last_number = acts.file(tx, case_id, step.target, answers, step.stamp, *sure)
            _name_petition(tx, stage, step.case)
        elif step.act == "anota":
            acts.annotate(tx, case_id, step.target)
        elif step.act in BACKWARDS:
            go_back(tx, step, case_id, lambda form: _answers(stage, form, step.answers))
        else:
            acts.cancel(tx, case_id, step.target, str(step.answers.get("cobranca", "")))


def _name_petition(reader: Reader, stage: Stage, case: str) -> None:
    """A filing for a case that has ended opens one of its own: the story calls it `<processo>-peticao`."""
    opened = reader.first(
        select(cases.c.id)
        .where(cases.c.origin_case_id == stage.cases[case])
        .order_by(cases.c.opened_at.desc(), cases.c.id.desc())
    )
    if opened is not None:
        stage.cases[f"{case}-peticao"] = opened["id"]


def _open_task(stage: Stage, step: Step) -> Row:
    """The open task named by its element or act; for a vote, the seat told or that of the person who acts.

    A step that expects a refusal may name a task that is no longer open: the newest one then stands for it.
    """
    case_id = stage.cases[step.case]
    seats = _seats_of(stage, step.who or "")
    with stage.store.read() as reader:
        rows = reader.all(
            select(work_item)
            .where(work_item.c.case_id == case_id)
            .where((work_item.c.element == step.target) | (work_item.c.act == step.target))
            .where((work_item.c.seat == step.seat) if step.seat else true())
            .order_by(work_item.c.status != "open", work_item.c.opened_seq.desc(), work_item.c.id)
        )
        opened = reader.all(
            select(work_item.c.element).where(work_item.c.case_id == case_id, work_item.c.status == "open")
        )
    if not rows or (rows[0]["status"] != "open" and step.refusal is None):
        names = ", ".join(sorted({r["element"] for r in opened})) or "nenhuma"
        raise Invalid(f"a tarefa {step.target} não está aberta; abertas: {names}", code="historia.tarefa")
    return next((r for r in rows if r["status"] == "open" and r["seat"] in seats), rows[0])


def _known(step: Step, what: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        there = ", ".join(sorted(known)) or "nada"
        raise Invalid(
            f"{step.line}: {what} {name or '(sem nome)'} não existe nesta história; há {there}",
            code="historia.nome",
        )
    return known[name]


def _seats_of(stage: Stage, login: str) -> set[str]:
    with stage.store.read() as reader:
        day = reader.now.astimezone(stage.norm.zone).date()
        return {o.seat for o in people.offices(reader, stage.world.people[login], day) if o.seat}


def _answers(stage: Stage, form: str, told: Mapping[str, Any]) -> dict[str, Json]:
    """What the story writes, as the form's JSON: names become registry ids, dates and amounts text."""
    schema = stage.norm.forms[form][0] if form in stage.norm.forms else {}
    return {name: _value(stage, field_spec(schema, name) or {}, value) for name, value in told.items()}


def _value(stage: Stage, spec: Mapping[str, Any], value: Any) -> Json:
    names = {
        "transportador": stage.world.carriers,
        "pessoal": stage.world.staff,
        "outorga": stage.world.grants,
    }.get(str(spec.get("x-registro")))
    if names is not None:
        return names.get(str(value), str(value))
    if isinstance(value, datetime) or spec.get("format") == "date-time":
        instant = value if isinstance(value, datetime) else _parsed(value)
        if isinstance(instant, datetime):
            return (instant if instant.tzinfo else instant.replace(tzinfo=stage.norm.zone)).isoformat()
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if spec.get("format") == "decimal":
        return f"{value:.2f}" if isinstance(value, int | float) else str(value)
    return value


def _parsed(value: Any) -> Any:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return value
