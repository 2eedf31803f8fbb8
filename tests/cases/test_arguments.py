"""Values of the wrong type, for every argument of every act: refused, with all rows and chain heads as before."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from app.cases import acts
from app.cases.acts.entry import entry
from app.errors import Invalid
from tests.cases.infringement import AUTO, OTHER, Infringement, notice
from tests.cases.town import Town, local


class Text(str):
    """Looks like a text and may do anything."""


NESTED: list[Any] = []
for _ in range(2_000):
    NESTED = [NESTED]
NUMBERS: list[Any] = [5, 0, True, False, 1.5, Decimal("1"), float("nan")]
NO_TEXT: list[Any] = [None, *NUMBERS, b"a", ["a"], {"a": "b"}, ("a",), object(), Text("a"), date(2026, 5, 5)]
WRONG: dict[str, list[Any]] = {
    "str": NO_TEXT,
    "int": [None, True, False, 1.0, "1", b"1", [1], Decimal("1")],
    "bool": [None, 0, 1, "true", "", []],
    "bytes": [None, "texto", bytearray(b"%PDF-"), memoryview(b"%PDF-"), 5, [37]],
    "datetime | None": [
        "2026-05-05T08:10:00-03:00",
        0,
        1.5,
        True,
        date(2026, 5, 5),
        datetime(2026, 5, 5, 8, 10),  # noqa: DTZ001 (naive on purpose)
        (2026, 5, 5),
    ],
    "Sequence[str]": [None, "a", 5, {"a"}, {"a": "b"}, [1], [b"a"], [Text("a")], iter(["a"])],
    "Mapping[str, Json]": [
        None,
        [],
        [("fatos", "x")],
        "texto",
        b"x",
        7,
        {5: "x"},
        {None: "x"},
        {b"fatos": "x"},
        {"fatos": b"x"},
        {"fatos": object()},
        {"fatos": {"a"}},
        {"fatos": date(2026, 5, 5)},
        {"fatos": datetime(2026, 5, 5, tzinfo=UTC)},
        {"fatos": Decimal("1")},
        {"fatos": ("a",)},
        {"fatos": NESTED},
    ],
}


def good(act: Callable[..., Any], case: Infringement) -> tuple[str, dict[str, Any]]:
    """Who may perform the act on a case whose auto is to be drawn up, and with what."""
    item, when = case.item("lavrar_auto"), local("2026-05-07 09:00")
    told: dict[str, tuple[str, dict[str, Any]]] = {
        "open_case": (
            "fiscal",
            {"slug": "jequie", "process": "infracao", "answers": notice(case.town), "effective_at": when},
        ),
        "complete": (
            "autuante",
            {"item_id": item["id"], "answers": AUTO, "version": item["version"], "effective_at": when},
        ),
        "claim": ("autuante", {"item_id": item["id"], "version": item["version"]}),
        "release": ("autuante", {"item_id": item["id"], "version": item["version"]}),
        "save_draft": ("autuante", {"item_id": item["id"], "answers": AUTO}),
        "discard_draft": ("autuante", {"item_id": item["id"]}),
        "file": (
            "protocolo",
            {
                "case_id": case.id,
                "kind": "outro",
                "answers": OTHER,
                "stamped_at": when,
                "surplus_confirmed": False,
                "stamp_confirmed": False,
            },
        ),
        "annotate": ("fiscal", {"case_id": case.id, "words": "Visto."}),
        "attach": (
            "fiscal",
            {"case_id": case.id, "name": "a.pdf", "media_type": "application/pdf", "data": b"%PDF-1.7"},
        ),
        **backwards(case),
        "cancel": ("secretario", {"case_id": case.id, "reason": "Engano.", "charge": ""}),
        "expire_deadline": ("fiscal", {"deadline_id": "0" * 28}),
    }
    return told[act.__name__]


def backwards(case: Infringement) -> dict[str, tuple[str, dict[str, Any]]]:
    version = case.row["version"]
    back = {"case_id": case.id, "seq": 2, "reason": "Engano.", "version": version}
    right = {"case_id": case.id, "seq": 1, "answers": notice(case.town, local="Rodoviária")}
    return {
        "annul": ("secretario", {**back, "dropped": ()}),
        "set_aside": ("secretario", back),
        "correct": ("presidente", {**right, "reason": "Engano.", "version": version}),
    }


@pytest.mark.parametrize("name", acts.__all__)
def test_every_argument_of_every_act_must_be_of_its_type(shared_town: Town, name: str) -> None:
    town = shared_town
    town.at("2026-05-08 10:00")
    case = Infringement.opened(town, when=None)
    item = case.item("registrar_notificacao")
    town.act("membro1", acts.complete, item["id"], {"conferencia": "em_ordem"}, item["version"])
    act: Callable[..., Any] = getattr(acts, name)
    login, arguments = good(act, case)
    assert list(inspect.signature(act).parameters)[1:] == list(arguments)
    run = town.draft if name in ("save_draft", "discard_draft") else town.act
    before, reached = town.snapshot(), 0
    for parameter in list(inspect.signature(act).parameters.values())[1:]:
        for wrong in WRONG[parameter.annotation]:
            told = {**arguments, parameter.name: wrong}
            with pytest.raises(Invalid) as refused:
                run(login, lambda tx, told=told: act(tx, **told))
            assert refused.value.code in ("argumento.tipo", "instante.sem_fuso"), (parameter.name, wrong)
            reached += 1
    assert reached >= len(arguments)
    assert town.snapshot() == before


def test_an_act_with_an_argument_that_nobody_checks_does_not_start() -> None:
    with pytest.raises(KeyError):

        @entry
        def act(tx: Any, amount: float) -> None:
            """Never reached."""


def test_answers_that_nobody_can_see_are_none(shared_town: Town) -> None:
    """Zero width, marks of direction, a grapheme joiner, a Hangul filler, the braille blank: each is a blank field."""
    town = shared_town
    for blank in ("\u200b\u200d", "\u200e\u202b", "\u034f", "\u3164", "\u2800", " \u00a0\u2003"):
        refused = town.refusal(
            "fiscal",
            acts.open_case,
            "jequie",
            "infracao",
            notice(town, fatos=blank, ocorrida_em="2026-03-02"),
        )
        assert refused.fields == {"fatos": "Preencha este campo."}, ascii(blank)
