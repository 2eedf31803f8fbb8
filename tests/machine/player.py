"""Plays a house at random and holds it to its promise: wholly or not at all, once, at its instant, however often
machines die; and every message leaves at least once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.cases import acts
from tests.machine.house import TEXT, House

PEOPLE = st.sampled_from(["servidor", "servidora"])
ANY = st.integers(0, 50)
STEPS = st.sampled_from([timedelta(hours=1), timedelta(days=3), timedelta(days=8), timedelta(days=8)])
FATES = st.sampled_from([(), (), ("before",), ("after",), ("", "before"), ("", "after")])
POSTS = st.sampled_from(
    ["sent", "sent", "away", "dies taking", "dies sending", "dies sent", "dies marking", "dies marked"]
)


class Player(RuleBasedStateMachine):
    """One run over one house."""

    template: ClassVar[Path]
    house_kind: ClassVar[type[House]] = House

    def __init__(self) -> None:
        super().__init__()
        self.house = self.house_kind(self.template)

    @initialize()
    def two_terms_run(self) -> None:
        for _ in range(2):
            self.house.open_case("prazo")

    @rule(process=st.sampled_from(["prazo", "prazo", "laco"]))
    def open(self, process: str) -> None:
        self.house.open_case(process)

    @precondition(lambda self: self.house.seen().items)
    @rule(which=ANY, who=PEOPLE, answer=st.sampled_from(["sim", "nao"]), old=st.booleans())
    def complete(self, which: int, who: str, answer: str, old: bool) -> None:
        items = self.house.seen().items
        item = items[which % len(items)]
        refusal = self.house.complete(item, who, answer, item["version"] - old)
        assert not old or refusal, "a task was completed by somebody who saw an earlier state of it"
        assert refusal or not self._overdue(item["case_id"], item["element"]), "a term that had ended was met"

    @precondition(lambda self: self.house.done)
    @rule(which=ANY, who=PEOPLE)
    def complete_again(self, which: int, who: str) -> None:
        item = self.house.done[which % len(self.house.done)]
        assert self.house.complete(item, who, "nao", item["version"])

    @precondition(lambda self: self.house.seen().items)
    @rule(which=ANY, who=PEOPLE)
    def claim(self, which: int, who: str) -> None:
        items = self.house.seen().items
        item = items[which % len(items)]
        self.house.act(who, acts.claim, item["id"], item["version"])

    @precondition(lambda self: self.house.seen().case_ids)
    @rule(which=ANY)
    def file(self, which: int) -> None:
        ids = self.house.seen().case_ids
        told = {"resposta": "sim", "texto": TEXT}
        self.house.act("protocolo", acts.file, ids[which % len(ids)], "outro", told, None)

    @rule(by=STEPS)
    def time_passes(self, by: timedelta) -> None:
        self.house.forward(by)

    @rule(by=STEPS, fates=FATES)
    def sweep_with_the_clock_set_back(self, by: timedelta, fates: tuple[str, ...]) -> None:
        before = self.house.seen()
        self.house.forward(-by)
        try:
            ran_back = self.house.now < before.newest
            self.house.sweep(*fates)
            assert not ran_back or self.house.seen() is before, "a clock that ran back decided a term"
        finally:
            self.house.forward(by)

    @rule(fates=FATES)
    def sweep(self, fates: tuple[str, ...]) -> None:
        self.house.sweep(*fates)

    @precondition(lambda self: any(row["sent_at"] is None for row in self.house.seen().messages))
    @rule(post=POSTS)
    def relay(self, post: str) -> None:
        self.house.relay(post)

    @invariant()
    def every_term_is_decided_once_at_its_instant_or_still_open(self) -> None:
        seen = self.house.seen()
        assert not seen.early, "a term was decided before its instant"
        for term in seen.terms:
            told = seen.decided[term["id"]]
            assert told == (term["status"] == "expired"), "rows and journal tell different things"

    @invariant()
    def every_expiry_has_its_message_and_what_is_marked_is_out(self) -> None:
        seen = self.house.seen()
        assert len(seen.messages) == seen.decided.total(), "a term has ended and nobody is told"
        out = {letter.message_id for letter in self.house.letters}
        assert {row["message_id"] for row in seen.messages if row["sent_at"]} <= out, (
            "what is marked is not out"
        )
        assert out <= {row["message_id"] for row in seen.messages}

    def teardown(self) -> None:
        """Whatever was interrupted is brought to its end by those who come after."""
        try:
            self.house.forward(timedelta(days=30))
            self.house.sweep()
            assert {term["status"] for term in self.house.seen().terms} <= {"met", "expired"}
            while any(row["sent_at"] is None for row in self.house.seen().messages):
                self.house.forward(timedelta(days=2))
                self.house.relay("sent")
            self.every_term_is_decided_once_at_its_instant_or_still_open()
            self.every_expiry_has_its_message_and_what_is_marked_is_out()
            assert len(set(self.house.letters)) == len(self.house.seen().messages), "a repeat differs"
            assert self.house.faults() == []
        finally:
            self.house.close()

    def _overdue(self, case_id: str, element: str) -> bool:
        terms = self.house.seen().terms if element == "responder" else ()
        return any(term["case_id"] == case_id and term["expires_at"] <= self.house.now for term in terms)
