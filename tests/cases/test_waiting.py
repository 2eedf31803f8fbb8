"""Whose inbox a task waits in, and which terms still run: what nobody can act on is shown to nobody."""

from __future__ import annotations

from app.cases import acts, inbox
from app.store.cases_tables import deadline, draft
from tests.cases.infringement import Infringement, to_decision_served, to_trial
from tests.cases.town import Town


def waiting(town: Town, login: str) -> list[str]:
    rows = town.read(inbox.inbox, town.norm, town.world.people[login]).rows
    assert len(rows) == town.read(inbox.count, town.norm, town.world.people[login])
    return sorted(f"{r['element']}:{r['seat']}" if r["seat"] else r["element"] for r in rows)


def test_a_vote_waits_for_the_holder_of_its_seat_and_not_for_the_alternate(town: Town) -> None:
    to_trial(town)
    assert waiting(town, "presidente") == ["votar:presidente"]
    assert waiting(town, "membro1") == ["votar:membro_1"]
    assert waiting(town, "membro2") == ["votar:membro_2"]
    assert waiting(town, "suplente") == []


def test_the_seat_of_a_member_who_drew_up_the_auto_waits_for_the_alternate(town: Town) -> None:
    Infringement.opened(town).registered().charged(by="membro1").served().defended()
    assert waiting(town, "membro1") == []
    assert waiting(town, "suplente") == ["votar:membro_1"]
    assert waiting(town, "membro2") == ["votar:membro_2"]


def test_the_seat_of_a_president_who_gave_the_notice_waits_for_the_alternate(town: Town) -> None:
    Infringement.opened(town, by="presidente").registered().charged().served().defended()
    assert waiting(town, "presidente") == []
    assert waiting(town, "suplente") == ["votar:presidente"]


def test_an_appeals_counter_reasons_wait_only_for_whoever_drew_up_the_auto(town: Town) -> None:
    case = to_decision_served(town)
    case.appealed().paid("2026-06-03 08:00").admitted()
    assert waiting(town, "autuante") == ["apresentar_contrarrazoes"]
    assert waiting(town, "presidente") == []


def test_auditor_and_manager_have_nothing_to_complete(town: Town) -> None:
    to_trial(town)
    assert waiting(town, "auditor") == waiting(town, "gestor") == []


def test_a_payment_within_the_term_meets_it_and_a_partial_or_late_one_does_not(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    case.paid("2026-05-12 10:00", "200.00")
    assert case.term("pagamento_auto")["status"] == "window"
    case.paid("2026-05-13 10:00", "300.00")
    assert case.term("pagamento_auto")["status"] == "met"
    late = Infringement.opened(town, when=None).registered("2026-05-13 11:00").charged("2026-05-13 12:00")
    late.served("2026-05-13 13:00", "2026-05-13 12:30")  # five business days: until Wed 05-20
    late.paid("2026-05-21 09:00")
    assert late.term("pagamento_auto")["status"] == "window"
    assert len(town.rows(deadline, case_id=late.id, key="pagamento_auto")) == 1


def test_a_draft_is_kept_encrypted_and_comes_back_only_to_who_wrote_it(town: Town) -> None:
    case = Infringement.opened(town).registered()
    item = case.item("lavrar_auto")["id"]
    town.draft("autuante", acts.save_draft, item, {"fatos": "O motorista José disse que"})
    (row,) = town.rows(draft, work_item_id=item)
    assert "José".encode() not in bytes(row["answers"])
    mine, other = town.world.people["autuante"], town.world.people["presidente"]
    kept = town.read(inbox.draft_of, item, mine)
    assert kept["answers"] == {"fatos": "O motorista José disse que"}
    assert town.read(inbox.draft_of, item, other) is None
    assert town.read(inbox.drafts_of, [item], mine) == {item}
    case.charged()
    assert town.rows(draft, work_item_id=item) == []
