"""Whatever people do, annul and correct, in whatever order: the rows say what the journal says, and replay agrees.

A story begins at one of the stages of an infringement and goes on at random. Most moves are possible; the others are
refused and must leave nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app import documents
from app.audit import Entry
from app.cases import acts
from app.cases.dossier import definition_of
from app.cases.engines import ENGINE
from app.cases.proof.replay import replay, steps
from app.cases.proof.standing import fold
from app.engine.step import Step
from app.errors import Refused
from app.registry import charges
from app.store.cases_tables import cases, deadline, document, filing, work_item
from app.store.registry_tables import payment
from app.values import canonical, digest
from tests.cases.infringement import (
    ADMITTED,
    APPEAL,
    AUTO,
    DECISION,
    DEFENCE,
    REASONS,
    REFUND,
    REGISTER,
    REVELIA,
    Infringement,
    ballot,
    receipt,
)
from tests.cases.town import Town

Move = tuple[Any, ...]
SEATS = {"presidente": "presidente", "membro_1": "membro1", "membro_2": "membro2"}
VOTES = ("procedente", "procedente", "parcial", "improcedente")
RESULTS: tuple[dict[str, Any], ...] = (
    {"resultado": "provido", "devolucao_percentual": 70, "fundamento_devolucao": "Art. 130 da lei."},
    {
        "resultado": "parcial",
        "valor_mantido": "2.00",
        "devolucao_percentual": 100,
        "fundamento_devolucao": "Súmula 473 do STF.",
    },
    {"resultado": "desprovido"},
)
WHOM = {
    "registrar_notificacao": ("membro1", REGISTER),
    "lavrar_auto": ("autuante", AUTO),
    "lavrar_revelia": ("membro1", REVELIA),
    "fixar_valor_parcial": ("presidente", {"valor_parcial": "3.00", "justificativa": "Metade das viagens."}),
    "redigir_decisao": ("presidente", DECISION),
    "apresentar_contrarrazoes": ("autuante", REASONS),
    "devolver_tudo": ("financas", REFUND),
    "devolver_condenacao": ("financas", REFUND),
}
SECOND_INSTANCE = (
    "decidir_admissibilidade",
    "apresentar_contrarrazoes",
    "decidir_ultima",
    "devolver_condenacao",
)

WORK: Move = ("work", 0)
SERVED: list[Move] = [WORK] * 3
DECIDED = [*SERVED, ("defend",), *[WORK] * 4]
TOLD = [*DECIDED, WORK]
APPEALED = [*TOLD, ("pay", 1), ("appeal",)]
FINAL = [*APPEALED, WORK, WORK]
ANY = st.one_of(
    st.tuples(st.just("work"), st.integers(0, 3)),
    st.tuples(st.just("work"), st.integers(0, 3)),
    st.tuples(st.just("wait"), st.integers(1, 11)),
    st.tuples(st.just("annul"), st.integers(0, 11), st.booleans()),
    st.tuples(st.just("pay"), st.integers(1, 2)),
    st.sampled_from([("defend",), ("appeal",), ("typed_late",), ("aside",), ("serve_anew",), ("cancel",)]),
)


def stories(least: int, most: int) -> st.SearchStrategy[list[Move]]:
    """From a stage on, anything."""
    stages = st.sampled_from([SERVED, [*SERVED, ("defend",)], DECIDED, TOLD, APPEALED, FINAL])
    return st.tuples(stages, st.lists(ANY, min_size=least, max_size=most)).map(lambda s: [*s[0], *s[1]])


def undo(*names: str) -> list[Move]:
    return [("undo", name) for name in names]


LATE: list[Move] = [*SERVED, ("typed_late",), ("aside",), *undo("lavrar_auto"), ("cancel",)]
ANEW: list[Move] = [*SERVED, ("defend",), ("serve_anew",), ("typed_late",)]
# To the very end, where the last decision falls and is another; then each act falls, newest first, down to a vote.
TO_THE_END: list[Move] = [
    *FINAL,
    WORK,
    WORK,
    *undo("devolver_condenacao", "decidir_ultima"),
    ("work", 1),
    WORK,
]
BACK_TO_A_VOTE: list[Move] = [
    *FINAL,
    *undo("apresentar_contrarrazoes", "decidir_admissibilidade"),
    WORK,
    *undo("recurso2", "dar_ciencia_decisao", "redigir_decisao", "votar"),
    ("work", 3),
]
# The judgement falls under a recorded appeal; the annulment falls in its turn, and everything is back.
UNDER_AN_APPEAL: list[Move] = [*APPEALED, WORK, *undo("redigir_decisao", "annul"), WORK, ("work", 2)]
TOLD_STORIES = (LATE, ANEW, TO_THE_END, BACK_TO_A_VOTE, UNDER_AN_APPEAL)


def test_rows_follow_the_journal_whatever_is_annulled(town: Town) -> None:
    explore(town, settings(max_examples=4, deadline=None, derandomize=True, database=None), stories(3, 6))


@pytest.mark.long
def test_rows_follow_the_journal_through_many_long_stories(town: Town) -> None:
    explore(town, settings(max_examples=100, deadline=None, database=None), stories(6, 24))


def explore(town: Town, bounds: settings, told: st.SearchStrategy[list[Move]]) -> None:
    """Plays stories one after the other in one town. Together they annul acts of every stage."""
    town.at("2026-05-05 08:10")

    fell: set[str] = set()

    @bounds
    @given(moves=told)
    def play(moves: list[Move]) -> None:
        story = Played(town)
        story.through(moves)
        fell.update(story.fell)

    for moves in TOLD_STORIES:
        play = example(moves=moves)(play)
    play()
    ids = [row["id"] for row in town.rows(cases, process="infracao")]
    done = {name for case_id in ids for e in town.entries(f"processo:{case_id}") for name in names(e)}
    assert done >= {"annul", "set_aside", "correct", "refile", "expire", "cancel", "serve_notice"}
    assert done >= {"pagamento", "votar", "redigir_decisao", "dar_ciencia_decisao", "recurso2"}
    assert fell >= {"votar", "redigir_decisao", "dar_ciencia_decisao", "recurso2", "annul", *SECOND_INSTANCE}


def names(entry: Entry) -> list[str]:
    """What a story may call an entry: its act, the element of its task, the kind of its filing."""
    told = (entry.act, entry.body["command"].get("element"), entry.body.get("kind"))
    return [name for name in told if name]


class Played:
    """One case as a story takes it along, and what was seen of it after the last move.

    `fell` keeps the names of all that ever fell: an annulment may fall too, and what it had taken stands again.
    """

    def __init__(self, town: Town) -> None:
        self.town = town
        self.case = Infringement.opened(town, when=None)
        self.definition = definition_of(town.norm, town.norm.processes["infracao"])
        self.papers: dict[str, tuple[Any, ...]] = {}
        self.paid: set[str] = set()
        self.after: list[Step | None] = []
        self.fell: set[str] = set()

    def through(self, moves: list[Move]) -> None:
        self.check()
        for kind, *args in moves:
            town, before = self.town, self.seen()
            town.at(f"{town.clock.now().astimezone(town.norm.zone) + timedelta(minutes=7):%Y-%m-%d %H:%M}")
            try:
                MOVES[kind](self.case, *args)
            except Refused:
                assert self.seen() == before
            if self.seen() != before:
                self.check()

    def seen(self) -> Any:
        return self.case.row, len(self.case.acts)

    def check(self) -> None:
        assert self.town.read(replay, self.case.id).faults == ()
        told = self.town.entries(f"processo:{self.case.id}")
        fallen = self.case.row["fallen"]
        self.fell |= {name for e in told if e.seq in fallen for name in names(e)}
        new = told[len(self.after) :]
        self.after += [step for _, step in steps(self.definition, self.case.id, new, self.after)]
        standing = fold(zip(told, self.after, strict=True))[-1]
        self.check_tasks()
        self.check_terms({(t.key, t.base) for t in standing.terms if t.status == "window"})
        self.check_papers()
        self.check_money(standing.units)

    def check_tasks(self) -> None:
        """The open tasks are those that the engine holds open; none of a case that has ended."""
        step = ENGINE.snapshot(self.definition, self.case.row["state"])
        held = {(t.id, t.element) for t in step.tasks if not self.case.ended}
        rows = self.town.rows(work_item, case_id=self.case.id, status="open")
        assert {(r["task_id"], r["element"]) for r in rows} == held
        assert len(rows) == len(held)

    def check_terms(self, shown: set[tuple[str, str]]) -> None:
        """What runs is what the engine waits for, what is shown is what the journal says; nothing that fell does."""
        step, row = ENGINE.snapshot(self.definition, self.case.row["state"]), self.case.row
        rows = self.town.rows(deadline, case_id=self.case.id)
        by = {
            status: [(r["key"], r["base"]) for r in rows if r["status"] == status]
            for status in ("armed", "window")
        }
        assert sorted(by["armed"]) == sorted((a.deadline, a.base) for a in step.armed if not self.case.ended)
        assert sorted(by["window"]) == sorted(shown)
        assert not (self.case.ended and by["window"])
        assert {r["armed_seq"] for r in rows if r["status"] == "annulled"} <= set(row["fallen"])
        assert {r["armed_seq"] for r in rows if r["status"] != "annulled"}.isdisjoint(row["fallen"])

    def check_papers(self) -> None:
        """What was issued is there, word for word, and can be read; whatever is issued later has a higher number."""
        kept = {
            r["id"]: (r["seq"], r["series"], r["year"], r["number"], self.words(r["id"]))
            for r in self.town.rows(document, case_id=self.case.id)
        }
        assert {key: kept.get(key) for key in self.papers} == self.papers
        for series in {paper[1:3] for paper in kept.values()}:
            before = [p[3] for p in self.papers.values() if p[1:3] == series]
            since = [kept[key][3] for key in kept.keys() - self.papers.keys() if kept[key][1:3] == series]
            assert max(before, default=0) < min(since, default=10**6)
        self.papers = kept

    def words(self, paper: str) -> str:
        content = self.town.read(documents.content_of, paper)
        assert content["fields"]
        return digest(canonical(content))

    def check_money(self, units: int | None) -> None:
        """What was paid stays; what is owed is what the acts that stand say."""
        paid = {r["id"] for r in self.town.rows(payment, case_id=self.case.id)}
        assert self.paid <= paid
        self.paid = paid
        owed = self.town.read(charges.of_case, self.case.id)
        assert (owed.units.hundredths if owed and not owed.withdrawn else None) == units


def work(case: Infringement, pick: int) -> None:
    """Completes the first open task that one person can complete alone; a vote by whoever holds the seat."""
    town = case.town
    items = town.rows(work_item, case_id=case.id, status="open")
    for item in sorted(items, key=lambda r: (r["element"], r["seat"] or "")):
        element = item["element"]
        if element == "votar":
            login, answers = SEATS[item["seat"]], ballot(VOTES[pick])
        elif element.startswith("dar_ciencia"):
            login, answers = "protocolo", receipt(town.clock.now())
        elif element == "decidir_admissibilidade":
            login, answers = "secretario", admission(case, pick)
        elif element == "decidir_ultima":
            told = {"fundamentacao": "Examinadas as provas e as razões.", **RESULTS[pick % 3]}
            login, answers = "secretario", told
        else:
            login, answers = WHOM[element]
        town.act(login, acts.complete, item["id"], answers, item["version"])
        return


def admission(case: Infringement, pick: int) -> dict[str, Any]:
    if pick == 3:
        return {**ADMITTED, "decisao": "nao_admitir", "motivo": "fora_do_prazo"}
    paid = case.row["flow"]["requisito_pago"]
    return {**ADMITTED, "motivo": "requisitos_atendidos" if paid else "sumula_vinculante_21"}


def wait(case: Infringement, days: int) -> None:
    later = case.town.clock.now().astimezone(case.town.norm.zone) + timedelta(days=days)
    case.town.let_pass(f"{later:%Y-%m-%d %H:%M}")


def defend(case: Infringement) -> None:
    stamp = case.town.clock.now() - timedelta(hours=20)
    case.town.act(
        "protocolo",
        acts.file,
        case.id,
        "contestacao",
        DEFENCE,
        max(stamp, case.row["opened_at"]),
        False,
        True,
    )


def pay(case: Infringement, part: int) -> None:
    """All that is owed, or a part of it."""
    owed = case.town.read(charges.of_case, case.id)
    answers = {"valor": f"{max(1, (owed.amount.cents if owed else 0) // part) / 100:.2f}"}
    case.town.act("protocolo", acts.file, case.id, "pagamento", answers)


def file_late(case: Infringement) -> None:
    """A defence stamped an hour before the next end of a term and typed the day after it."""
    town = case.town
    ends = [r["expires_at"] for r in town.rows(deadline, case_id=case.id, status="armed")]
    if not ends or min(ends) <= town.clock.now():
        return
    typed = (min(ends) + timedelta(days=1)).astimezone(town.norm.zone)
    town.let_pass(f"{typed:%Y-%m-%d %H:%M}")
    town.act("protocolo", acts.file, case.id, "contestacao", DEFENCE, min(ends) - timedelta(hours=1))


def newest(case: Infringement, name: str) -> int:
    """The newest entry of that name that stands; the first of the journal when there is none."""
    told = case.town.entries(f"processo:{case.id}")
    return max((e.seq for e in told if name in names(e) and e.seq not in case.row["fallen"]), default=1)


def annul(case: Infringement, seq: int, drop: bool = False) -> None:
    rows = case.town.rows(filing, case_id=case.id)
    handed = [r["id"] for r in rows if drop and r["seq"] >= seq and not r["dropped"]]
    case.town.act("secretario", acts.annul, case.id, seq, "Engano.", case.row["version"], tuple(handed))


def set_aside(case: Infringement) -> None:
    seq, version = newest(case, "expire"), case.row["version"]
    case.town.act("secretario", acts.set_aside, case.id, seq, "Carimbo anterior.", version)


def serve_anew(case: Infringement) -> None:
    told, seq, version = receipt(case.town.clock.now()), newest(case, "serve_notice"), case.row["version"]
    case.town.act("presidente", acts.correct, case.id, seq, told, "Outra data.", version)


def cancel(case: Infringement) -> None:
    owed = case.town.read(charges.of_case, case.id)
    fate = "permanece" if owed and owed.units.hundredths else ""
    case.town.act("secretario", acts.cancel, case.id, "Duplicado.", charge=fate)


MOVES: dict[str, Callable[..., None]] = {
    "work": work,
    "wait": wait,
    "defend": defend,
    "pay": pay,
    "appeal": lambda case: case.file("recurso2", APPEAL),
    "typed_late": file_late,
    "annul": lambda case, back, drop: annul(case, max(1, len(case.acts) - back), drop),
    "undo": lambda case, name: annul(case, newest(case, name)),
    "aside": set_aside,
    "serve_anew": serve_anew,
    "cancel": cancel,
}
