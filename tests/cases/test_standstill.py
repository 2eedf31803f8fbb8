"""Cases that cannot move: what people hand in is kept, stamped and told of; nothing else is begun."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from app.audit import seal
from app.audit.verify import verify
from app.cases import acts
from app.cases.acts.ending import FALLS
from app.cases.inbox import draft_of
from app.cases.proof.replay import replay
from app.registry import charges
from app.store.cases_tables import cases, deadline, draft, filing, submission, work_item
from app.store.tables import subject_key
from app.values import Money, digest
from tests.cases.infringement import AUTO, DEFENCE, OTHER, REVELIA, Infringement
from tests.cases.town import Town


def running(town: Town) -> Infringement:
    """The diagram waits for a defence until the 18th."""
    return Infringement.opened(town).registered().charged().served()


def damage(case: Infringement, how: str) -> None:
    state = bytes(case.row["state"])
    new = {
        "cut": state[: len(state) // 2],
        "empty": b"",
        "of another definition": orjson.dumps({**orjson.loads(state), "definition": "0" * 64}),
        "forged with its digest": orjson.dumps({**orjson.loads(state), "born": []}),
        "one byte": state.replace(b"defesa", b"defexa", 1),
    }[how]
    stored = digest(new) if "digest" in how else case.row["state_digest"]
    case.town.tamper(
        "UPDATE cases SET state = :s, state_digest = :d WHERE id = :i", s=new, d=stored, i=case.id
    )


def erase(case: Infringement) -> None:
    case.town.draft("secretario", seal.destroy_key, case.row["subject_id"])


def standing(case: Infringement) -> dict[str, Any]:
    """Everything that a filing which goes no further must leave as it was."""
    town = case.town
    return {
        "case": dict(case.row),
        "tasks": [dict(r) for r in town.rows(work_item, case_id=case.id)],
        "terms": [dict(r) for r in town.rows(deadline, case_id=case.id)],
        "papers": case.papers,
    }


DAMAGES = ["cut", "empty", "of another definition", "forged with its digest", "one byte"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_defence_for_a_damaged_case_is_received_and_stamped_and_moves_nothing(town: Town, how: str) -> None:
    case = running(town)
    damage(case, how)
    before = standing(case)
    assert case.file("contestacao", DEFENCE, when="2026-05-13 09:00") == "P00001/2026"
    row = case.filed("contestacao")
    assert (row["delivered"], row["number"]) == (False, "P00001/2026")
    kept = town.row(submission, id=row["submission_id"])
    assert town.read(seal.unseal, kept["sealed_id"])["razoes"] == DEFENCE["razoes"]
    assert standing(case) == before
    entry = town.entries(f"processo:{case.id}")[-1]
    assert (entry.act, entry.body["standstill"], entry.body["command"]) == (
        "file",
        "estado_danificado",
        {"op": "none"},
    )
    assert town.read(verify).faults == ()


def test_an_overdue_term_of_a_damaged_case_stops_no_filing_and_stays_for_people_to_see(town: Town) -> None:
    """On the 25th the defence and appeal terms are over; the clock could not decide them."""
    case = running(town)
    damage(case, "cut")
    case.file("outro", OTHER, when="2026-05-25 09:00")
    assert case.acts[-1] == "file"
    assert "expire" not in case.acts
    assert case.term("defesa")["status"] == "armed"


def test_a_payment_for_a_damaged_case_is_recorded_as_paid(town: Town) -> None:
    case = running(town)
    damage(case, "cut")
    case.paid("2026-05-14 10:00")
    assert town.read(charges.paid, case.id) == Money(50_000)
    assert case.filed("pagamento")["delivered"] is False


def test_a_petition_for_a_damaged_case_that_has_ended_opens_its_own_case_as_ever(town: Town) -> None:
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    case = Infringement.opened(town, **told).registered()
    damage(case, "cut")
    case.file("outro", OTHER)
    assert town.row(cases, origin_case_id=case.id)["process"] == "peticao"
    assert "standstill" not in town.entries(f"processo:{case.id}")[-1].body


def test_a_sound_case_is_no_standstill(town: Town) -> None:
    case = running(town)
    case.file("outro", OTHER, when="2026-05-12 09:00")
    case.defended("2026-05-13 09:00")
    assert all("standstill" not in e.body for e in town.entries(f"processo:{case.id}"))
    assert case.status == "EM_DEFESA"


def test_a_damaged_case_can_still_be_cancelled(town: Town) -> None:
    case = running(town)
    damage(case, "cut")
    town.at("2026-05-25 09:00")
    town.act("secretario", acts.cancel, case.id, "Estado danificado, sem cópia.", FALLS)
    assert (case.status, case.acts[-1]) == ("CANCELADO", "cancel")
    assert town.entries(f"processo:{case.id}")[-1].body["standstill"] == "estado_danificado"
    assert case.term("defesa")["status"] == "cancelled"


def test_a_filing_after_the_erasure_is_sealed_for_itself_and_told_of(town: Town) -> None:
    case = running(town)
    erase(case)
    before = standing(case)
    case.defended("2026-05-13 09:00")
    row = case.filed("contestacao")
    kept = town.row(submission, id=row["submission_id"])
    assert row["delivered"] is False
    assert town.read(seal.unseal, kept["sealed_id"])["razoes"] == DEFENCE["razoes"]
    assert standing(case) == before
    assert town.entries(f"processo:{case.id}")[-1].body["standstill"] == "dados_eliminados"
    assert town.rows(subject_key, subject_id=case.row["subject_id"]) == []


def test_a_filing_for_an_ended_and_erased_case_opens_its_petition(town: Town) -> None:
    told = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    case = Infringement.opened(town, **told).registered()
    erase(case)
    case.file("outro", OTHER)
    petition = Infringement(town, town.row(cases, origin_case_id=case.id)["id"])
    assert petition.open == ["despachar_peticao"]
    assert case.filed("outro")["number"] == "P00001/2026"


def test_an_act_that_would_be_sealed_for_an_erased_subject_is_refused_and_changes_nothing(town: Town) -> None:
    case = Infringement.opened(town).registered()
    erase(case)
    item = case.item("lavrar_auto")
    refused = town.refusal("autuante", acts.complete, item["id"], AUTO, item["version"])
    drafted = town.unchanged(lambda: town.draft("autuante", acts.save_draft, item["id"], AUTO))
    assert {(r.code, r.status) for r in (refused, drafted)} == {("dados.eliminados", 409)}
    assert "foram eliminados" in refused.message


def test_a_paper_that_follows_from_an_act_is_not_issued_for_an_erased_subject(town: Town) -> None:
    """The revelia's form has plain answers only; what it brings about is a paper."""
    case = running(town)
    town.let_pass("2026-05-19 08:00")
    erase(case)
    item = case.item("lavrar_revelia")
    refused = town.refusal("membro1", acts.complete, item["id"], REVELIA, item["version"])
    assert refused.code == "dados.eliminados"


def test_a_draft_kept_before_the_erasure_opens_empty(town: Town) -> None:
    case = Infringement.opened(town).registered()
    item = case.item("lavrar_auto")
    town.draft("autuante", acts.save_draft, item["id"], AUTO)
    erase(case)
    assert len(town.rows(draft)) == 1
    assert town.read(draft_of, item["id"], town.world.people["autuante"])["answers"] == {}


def test_an_erased_case_is_cancelled_and_still_replays(town: Town) -> None:
    case = running(town)
    erase(case)
    case.file("outro", OTHER, when="2026-05-12 09:00")
    town.act("secretario", acts.cancel, case.id, "Titular eliminado.", FALLS)
    assert case.status == "CANCELADO"
    assert town.read(replay, case.id).faults == ()
    assert len(town.rows(filing, case_id=case.id)) == 1
