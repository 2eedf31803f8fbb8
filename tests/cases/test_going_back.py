"""Whatever people do, annul and correct, in whatever order: the rows say what the journal says, and replay agrees."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.cases import acts
from app.cases.proof.replay import replay
from app.errors import Refused
from app.store.cases_tables import cases, deadline, document, filing, work_item
from tests.cases.infringement import (
    AUTO,
    DECISION,
    DEFENCE,
    REGISTER,
    REVELIA,
    Infringement,
    ballot,
    receipt,
)
from tests.cases.town import Town

BY = {
    "registrar_notificacao": ("membro1", REGISTER),
    "lavrar_auto": ("autuante", AUTO),
    "lavrar_revelia": ("membro1", REVELIA),
    "redigir_decisao": ("presidente", DECISION),
}
ANY = st.lists(
    st.one_of(
        st.just(("work",)),
        st.just(("work",)),
        st.just(("typed_late",)),
        st.just(("defend",)),
        st.tuples(st.just("wait"), st.integers(1, 6)),
        st.tuples(st.just("annul"), st.integers(0, 40), st.booleans()),
        st.just(("aside",)),
        st.just(("serve_anew",)),
        st.just(("cancel",)),
    ),
    min_size=4,
    max_size=12,
)
# Registered, charged, served: from there on anything.
MOVES = ANY.map(lambda moves: [("work",), ("work",), ("work",), *moves])


def step_on(case: Infringement) -> None:
    """Completes the first open task that one person can complete alone; a vote by whoever holds the seat."""
    town = case.town
    for item in sorted(town.rows(work_item, case_id=case.id, status="open"), key=lambda r: r["element"]):
        if item["seat"]:
            login = {"presidente": "presidente", "membro1": "membro1", "membro2": "membro2"}.get(item["seat"])
            answers = ballot("procedente")
        elif "ciencia" in item["element"]:
            login, answers = "protocolo", receipt(town.clock.now())
        else:
            login, answers = BY.get(item["element"], ("", {}))
        if login:
            town.act(login, acts.complete, item["id"], answers, item["version"])
            return


def file_late(case: Infringement) -> None:
    """A defence stamped an hour before the next end of a term and typed the day after it."""
    town = case.town
    ends = [r["expires_at"] for r in town.rows(deadline, case_id=case.id, status="armed")]
    if not ends or min(ends) <= town.clock.now():
        return
    typed = (min(ends) + timedelta(days=1)).astimezone(town.norm.zone)
    town.let_pass(f"{typed:%Y-%m-%d %H:%M}")
    town.act("protocolo", acts.file, case.id, "contestacao", DEFENCE, min(ends) - timedelta(hours=1))


def newest(case: Infringement, act: str) -> int:
    """The newest entry of an act that stands; the first of the journal when there is none."""
    told = case.town.entries(f"processo:{case.id}")
    return max((e.seq for e in told if e.act == act and e.seq not in case.row["fallen"]), default=1)


def attempt(case: Infringement, move: tuple[object, ...]) -> None:
    town, entries = case.town, case.town.entries(f"processo:{case.id}")
    kind, nth = move[0], entries[int(str(move[1])) % len(entries)].seq if len(move) > 1 else 0
    version = case.row["version"]
    if kind == "work":
        step_on(case)
    elif kind == "defend":
        stamp = town.clock.now() - timedelta(hours=20)
        town.act("protocolo", acts.file, case.id, "contestacao", DEFENCE, max(stamp, case.row["opened_at"]))
    elif kind == "wait":
        later = town.clock.now().astimezone(town.norm.zone) + timedelta(days=int(str(move[1])))
        town.let_pass(f"{later:%Y-%m-%d %H:%M}")
    elif kind == "annul":
        handed = [r["id"] for r in town.rows(filing, case_id=case.id) if r["seq"] >= nth and not r["dropped"]]
        town.act("secretario", acts.annul, case.id, nth, "Engano.", version, tuple(handed if move[2] else ()))
    elif kind == "typed_late":
        file_late(case)
    elif kind == "aside":
        seq = newest(case, "expire")
        town.act("secretario", acts.set_aside, case.id, seq, "Carimbo anterior.", version)
    elif kind == "serve_anew":
        told, seq = receipt(town.clock.now()), newest(case, "serve_notice")
        town.act("presidente", acts.correct, case.id, seq, told, "Outra data.", version)
    else:
        town.act("secretario", acts.cancel, case.id, "Duplicado.", charge="permanece")


def test_rows_follow_the_journal_whatever_is_annulled(town: Town) -> None:
    town.at("2026-05-05 08:10")

    @given(moves=MOVES)
    @example(moves=[*[("work",)] * 3, ("typed_late",), ("aside",), ("annul", 3, False), ("cancel",)])
    @example(moves=[*[("work",)] * 3, ("defend",), ("serve_anew",), ("typed_late",)])
    @settings(max_examples=15, deadline=None, derandomize=True, database=None)
    def play(moves: list[tuple[object, ...]]) -> None:
        _play(town, moves)

    play()
    told = [e.act for row in town.rows(cases) for e in town.entries(f"processo:{row['id']}")]
    assert set(told) >= {"annul", "set_aside", "correct", "refile", "expire", "cancel", "serve_notice"}


def _play(town: Town, moves: list[tuple[object, ...]]) -> None:
    case = Infringement.opened(town, when=None)
    numbers: set[tuple[str, int]] = set()
    for move in moves:
        town.at(f"{town.clock.now().astimezone(town.norm.zone) + timedelta(minutes=7):%Y-%m-%d %H:%M}")
        before = (case.row, len(town.entries(f"processo:{case.id}")))
        try:
            attempt(case, move)
        except Refused:
            assert (case.row, len(town.entries(f"processo:{case.id}"))) == before
        assert town.read(replay, case.id).faults == ()
        issued = {(r["series"], r["number"]) for r in town.rows(document, case_id=case.id)}
        assert numbers <= issued
        numbers = issued
