"""The press: each issued document gets one PDF, whatever dies or hangs; nothing that matters waits for it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from structlog.typing import EventDict

from app import documents
from app.audit import seal
from app.cases import acts
from app.cases.history.falling import fell_at
from app.cases.proof.replay import replay
from app.documents import press as pressing
from app.documents import typesetter
from app.documents.printing import Unprintable
from app.settings import ROOT
from app.store import Actor, Busy, Store, Tx
from app.store.cases_tables import document, rendition, unprinted
from app.store.tables import sealed
from app.values import digest
from tests.cases.infringement import Infringement, to_decision_served
from tests.cases.town import Town, local
from tests.documents.paper import ADDRESS, press, print_all, printed, waiting, words


def failing(_order: Mapping[str, Any]) -> bytes:
    raise Unprintable("o modelo não compila: unknown variable: x")


def erase(town: Town, case: Infringement) -> None:
    town.draft("secretario", seal.destroy_key, case.row["subject_id"])


def test_an_issued_document_waits_and_is_printed_once(town: Town) -> None:
    case = Infringement.opened(town)
    (row,) = town.rows(document)
    assert (waiting(town), printed(town)) == (1, 0)
    assert town.read(documents.pdf_of, row["id"]) is None
    assert press(town).print_next()
    assert not press(town).print_next()
    assert (waiting(town), printed(town)) == (0, 1)
    pdf = town.read(documents.pdf_of, row["id"])
    assert "Notificação de infração" in words(pdf)
    assert case.row["number"] in words(pdf)
    assert "Preposto fiscal" in words(pdf)


def test_the_journal_tells_what_the_bytes_follow_from_and_the_case_does_not_move(town: Town) -> None:
    case = Infringement.opened(town)
    before = case.row
    print_all(town)
    told = town.entries(f"processo:{case.id}")[-1]
    (row,) = town.rows(rendition)
    pdf = town.read(documents.pdf_of, row["document_id"])
    assert (told.act, told.actor, told.body["command"]) == ("render", "prensa", {"op": "none"})
    assert told.body == {
        "command": {"op": "none"},
        "rendition": row["document_id"],
        "sealed": digest(bytes(town.row(sealed, id=row["sealed_id"])["ciphertext"])),
        "pdf": digest(pdf),
        "size": len(pdf),
        "template": digest(town.norm.templates["documento.typ"]),
        "typst": "0.15.2",
        "address": ADDRESS,
    }
    assert row["seq"] == told.seq
    assert dict(case.row) == dict(before)


def test_the_pdf_is_sealed_for_the_subject_and_never_lies_open(town: Town) -> None:
    Infringement.opened(town)
    print_all(town)
    assert all(b"%PDF" not in bytes(r["ciphertext"]) for r in town.rows(sealed))


def test_the_code_of_a_document_is_in_the_journal_and_on_the_paper(town: Town) -> None:
    case = Infringement.opened(town)
    print_all(town)
    (row,) = town.rows(document)
    issued = town.entries(f"processo:{case.id}")[0].body["orders"]
    assert [o["result"]["code"] for o in issued if o["order"] == "emitir"] == [row["code"]]
    grouped = "-".join(row["code"][at : at + 4] for at in (0, 4, 8, 12))
    assert f"{ADDRESS}/conferir/{grouped}" in words(town.read(documents.pdf_of, row["id"]))


def test_all_papers_of_a_whole_case_are_printed_in_order_and_the_case_replays(town: Town) -> None:
    case = to_decision_served(town)
    papers = len(case.papers)
    assert print_all(town) == papers == printed(town)
    rendered = [e.body["rendition"] for e in town.entries(f"processo:{case.id}") if e.act == "render"]
    assert rendered == [r["id"] for r in sorted(town.rows(document), key=lambda r: r["id"])]
    assert town.read(replay, case.id).faults == ()


def test_acts_go_on_between_papers(town: Town) -> None:
    """What the press writes moves no version: the form that somebody had open before is accepted after."""
    case = Infringement.opened(town)
    item = case.item("registrar_notificacao")
    print_all(town)
    town.act("membro1", acts.complete, item["id"], {"conferencia": "em_ordem"}, item["version"])
    assert case.acts[-2:] == ["render", "complete"]


def test_two_presses_at_once_print_once(town: Town) -> None:
    Infringement.opened(town)
    begun, go_on, orders = threading.Event(), threading.Event(), []

    def slow(order: Mapping[str, Any]) -> bytes:
        orders.append(order)
        begun.set()
        assert go_on.wait(10)
        return typesetter.typeset(dict(order))

    first = threading.Thread(target=press(town, setter=slow).print_next)
    first.start()
    assert begun.wait(10)
    assert not press(town).print_next()  # the other has it in hand
    go_on.set()
    first.join()
    assert (len(orders), printed(town)) == (1, 1)


def test_a_press_that_comes_too_late_leaves_the_paper_of_the_other(town: Town) -> None:
    """The first hangs for longer than it may; a second prints; what the first then brings is not kept."""
    Infringement.opened(town)

    def overtaken(order: Mapping[str, Any]) -> bytes:
        town.clock.set(town.clock.now() + timedelta(seconds=46))
        assert press(town).print_next()
        return typesetter.typeset(dict(order))

    press(town, setter=overtaken).print_next()
    assert (printed(town), waiting(town)) == (1, 0)


def test_two_presses_that_look_at_the_same_moment_print_once(town: Town) -> None:
    Infringement.opened(town)

    class Slower(Store):
        """Between its look and its hold the other press takes the document."""

        def silent_act(self, actor: Actor) -> AbstractContextManager[Tx]:
            print_all(town)
            return super().silent_act(actor)

    late = press(town, store=Slower(town.store.database, town.clock))
    assert not late.print_next()
    assert (printed(town), waiting(town)) == (1, 0)


HANGING = """
import sys
from datetime import datetime
from app.clock import FixedClock
from app.documents.press import Press
from app.registry import norms
from app.store import Store, connect

def hang(order):
    print("taken", flush=True)
    sys.stdin.read()

url, instant = sys.argv[1:]
Press(Store(connect(url), FixedClock(datetime.fromisoformat(instant))), norms.by_digest, "http://x", hang).print_next()
"""


def test_a_process_that_is_killed_over_a_paper_leaves_it_to_the_next(town: Town) -> None:
    Infringement.opened(town)
    told = [sys.executable, "-c", HANGING, town.url, town.clock.now().isoformat()]
    with subprocess.Popen(
        told, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        process.kill()
    assert not press(town).print_next()
    town.clock.set(town.clock.now() + timedelta(seconds=45))
    assert print_all(town) == 1
    assert (printed(town), waiting(town)) == (1, 0)


def test_a_press_that_is_killed_leaves_nothing_and_the_next_one_prints(town: Town) -> None:
    Infringement.opened(town)

    def killed(_order: Mapping[str, Any]) -> bytes:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        press(town, setter=killed).print_next()
    assert (printed(town), waiting(town)) == (0, 1)
    assert not press(town).print_next()
    town.clock.set(town.clock.now() + timedelta(seconds=45))
    assert press(town).print_next()
    assert (printed(town), waiting(town)) == (1, 0)


def test_a_failure_is_shown_and_tried_again_after_a_minute_ten_and_then_each_hour(town: Town) -> None:
    Infringement.opened(town)
    for times, pause in enumerate((1, 10, 60, 60), start=1):
        assert print_all(town, setter=failing) == 1
        row = town.row(unprinted)
        assert (row["failures"], row["failure"]) == (times, "o modelo não compila: unknown variable: x")
        assert row["not_before"] == town.clock.now() + timedelta(minutes=pause)
        town.clock.set(row["not_before"] - timedelta(seconds=1))
        assert not press(town).print_next()
        town.clock.set(row["not_before"])
    assert print_all(town) == 1
    assert (printed(town), waiting(town)) == (1, 0)


def test_one_that_fails_holds_up_no_other(town: Town) -> None:
    Infringement.opened(town)
    print_all(town, setter=failing)
    Infringement.opened(town, when="2026-05-05 09:00")
    assert print_all(town) >= 1
    assert printed(town) >= 1


def test_an_error_nobody_thought_of_is_logged_and_named_without_its_words(
    town: Town, logs: list[EventDict]
) -> None:
    def broken(_order: Mapping[str, Any]) -> bytes:
        raise ValueError("Rita Alves")

    Infringement.opened(town)
    assert print_all(town, setter=broken) == 1
    assert town.row(unprinted)["failure"] == "ValueError"
    assert [e["event"] for e in logs] == ["document_failed"]


def test_a_case_that_somebody_holds_is_no_failure(town: Town) -> None:
    Infringement.opened(town)

    def busy(_order: Mapping[str, Any]) -> bytes:
        raise Busy("O sistema está ocupado.")

    assert print_all(town, setter=busy) == 1
    assert town.row(unprinted)["failures"] == 0


def test_a_template_that_is_gone_is_told(town: Town) -> None:
    Infringement.opened(town)
    bare = type("Bare", (), {"documents": town.norm.documents, "templates": {}})()
    print_all(town, norm_of=lambda *_: bare)
    assert town.row(unprinted)["failure"] == "o modelo do documento não está na norma"


def test_an_erased_subject_has_no_paper_and_the_press_does_not_look_for_one(town: Town) -> None:
    case = Infringement.opened(town)
    erase(town, case)
    assert not press(town).print_next()
    assert printed(town) == 0


def test_a_subject_erased_while_its_paper_is_set_stays_erased(town: Town) -> None:
    case = Infringement.opened(town)

    def meanwhile(order: Mapping[str, Any]) -> bytes:
        erase(town, case)
        return typesetter.typeset(dict(order))

    assert press(town, setter=meanwhile).print_next()
    assert printed(town) == 0


def test_a_subject_erased_after_the_document_was_taken_is_left_alone(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    Infringement.opened(town)
    monkeypatch.setattr(pressing, "content_of", lambda *_: None)
    assert press(town).print_next()
    assert printed(town) == 0


def test_erasing_a_subject_erases_the_pdf_and_leaves_its_digest(town: Town) -> None:
    case = Infringement.opened(town)
    print_all(town)
    (row,) = town.rows(rendition)
    erase(town, case)
    assert town.read(documents.pdf_of, row["document_id"]) is None
    assert town.read(documents.rendition_of, row["document_id"])["pdf_digest"] == row["pdf_digest"]
    assert town.faults() == []


def test_a_document_without_effect_keeps_its_pdf(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    print_all(town)
    count = printed(town)
    seq = next(
        e.seq for e in town.entries(f"processo:{case.id}") if "auto_de_infracao" in str(e.body.get("orders"))
    )
    town.act("secretario", acts.annul, case.id, seq, "Erro na placa.", case.row["version"])
    (auto,) = town.rows(document, kind="auto_de_infracao")
    assert auto["seq"] in case.row["fallen"]
    assert town.read(documents.pdf_of, auto["id"]).startswith(b"%PDF-")
    assert printed(town) == count


def test_a_document_falls_when_it_is_annulled_stands_when_that_is_and_falls_again(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    auto = town.row(document, kind="auto_de_infracao")

    def fell() -> datetime | None:
        return town.read(fell_at, case.id, case.row["fallen"], auto["seq"])

    def annul(seq: int, when: str) -> int:
        town.at(when)
        town.act("secretario", acts.annul, case.id, seq, "Erro na placa.", case.row["version"])
        return town.entries(f"processo:{case.id}")[-1].seq

    assert fell() is None
    first = annul(auto["seq"], "2026-05-08 11:00")
    assert fell() == local("2026-05-08 11:00")
    again = annul(first, "2026-05-08 12:00")
    assert fell() is None
    annul(again, "2026-05-08 13:00")  # the undoing is undone: it fell at eleven
    assert fell() == local("2026-05-08 11:00")
    earlier = next(e.seq for e in town.entries(f"processo:{case.id}") if e.act == "complete")
    annul(earlier, "2026-05-08 14:00")
    assert fell() == local("2026-05-08 11:00")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE rendition SET pdf_digest = '0'",
        "UPDATE rendition SET size = 1",
        "UPDATE rendition SET address = 'http://x'",
        "UPDATE rendition SET seq = 1",
        "DELETE FROM rendition",
        "UPDATE sealed SET ciphertext = nonce WHERE id IN (SELECT sealed_id FROM rendition)",
    ],
)
def test_a_pdf_that_was_altered_or_taken_away_is_found(town: Town, change: str) -> None:
    case = Infringement.opened(town)
    print_all(town)
    assert town.tamper(change) == 1
    (fault,) = town.read(replay, case.id).faults
    assert fault.startswith("os PDF dos documentos não conferem com o histórico")


def test_a_code_that_was_altered_is_found(town: Town) -> None:
    case = Infringement.opened(town)
    assert town.tamper("UPDATE document SET code = 'X'") == 1
    (fault,) = town.read(replay, case.id).faults
    assert fault.startswith("os documentos emitidos não conferem com o histórico")


def test_no_deadline_waits_for_a_paper(town: Town) -> None:
    """The press holds no lock while a paper is set: a term expires meanwhile."""
    case = Infringement.opened(town).registered().charged().served()

    def while_set(order: Mapping[str, Any]) -> bytes:
        town.let_pass("2026-05-19 09:00")
        assert case.term("defesa")["status"] == "expired"
        return typesetter.typeset(dict(order))

    assert press(town, setter=while_set).print_next()
    assert printed(town) == 1
    assert town.rows(unprinted) == [r for r in town.rows(unprinted) if r["failure"] is None]
    assert town.read(lambda reader: reader.all(select(rendition)))
