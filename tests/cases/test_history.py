"""A case as of each entry of its journal.

Days as in `infringement.py`: auto received Mon 2026-05-11; pay and defend by Mon 05-18, appeal by Thu 05-21.
"""

from __future__ import annotations

from typing import Any

import pytest

from app.cases import acts, history
from app.cases.acts.ending import FALLS
from app.cases.history import held, kept, moment, money
from app.cases.history import past as pasts
from app.cases.history.past import Past
from app.values import Money
from tests.cases.infringement import REFUND, Infringement, ballot, notice, to_decision_served, to_trial
from tests.cases.town import Town


def past_of(case: Infringement) -> Past:
    found: Past = case.town.read(pasts.read, case.id)
    return found


def annul(case: Infringement, seq: int) -> None:
    case.town.act(
        "secretario", acts.annul, case.id, seq, "O auto foi lavrado sobre outra linha.", case.row["version"]
    )


def tasks(past: Past, seq: int) -> list[str]:
    return [item.task.element for item in moment.tasks(past, seq)]


def terms(past: Past, seq: int) -> dict[str, str]:
    return {term.key: term.status for term in moment.terms(past, seq)}


def papers(past: Past, seq: int, *, standing: bool = True) -> list[str]:
    return [paper.kind for paper in moment.papers(past, seq) if paper.stands is standing]


def owed(past: Past, seq: int) -> Money | None:
    due = money.due(past, seq)
    return due.amount if due else None


def active(past: Past, seq: int) -> list[str]:
    return sorted(element for element, mark in moment.marks(past, seq).items() if mark == "active")


@pytest.fixture
def served(town: Town) -> Infringement:
    """Entries: 1 notice, 2 registered, 3 auto, 4 received."""
    return Infringement.opened(town).registered().charged().served()


def test_a_case_is_shown_as_it_stood_after_each_entry(served: Infringement) -> None:
    past = past_of(served.defended())
    assert past.fault is None
    assert [past.history[seq].status for seq in range(6)] == [
        "ABERTO",
        "NOTIFICADO",
        "NOTIFICADO",
        "AUTUADO",
        "AUTUADO",
        "EM_DEFESA",
    ]
    assert [tasks(past, seq) for seq in range(1, 6)] == [
        ["registrar_notificacao"],
        ["lavrar_auto"],
        ["dar_ciencia_auto"],
        [],
        ["votar", "votar", "votar"],
    ]
    assert [active(past, seq) for seq in (1, 2, 3, 4)] == [
        ["registrar_notificacao"],
        ["lavrar_auto"],
        ["dar_ciencia_auto"],
        ["espera_defesa", "espera_recurso1"],
    ]
    assert moment.marks(past, 4)["lavrar_auto"] == "done"
    assert [owed(past, seq) for seq in (1, 2, 3, 4, 5)] == [None, None, *[Money(50_000)] * 3]


def test_terms_and_papers_begin_with_the_entry_that_makes_them(served: Infringement) -> None:
    past, zone = past_of(served.defended()), served.town.norm.zone
    assert terms(past, 3) == {}
    assert terms(past, 4) == {"pagamento_auto": "window", "defesa": "armed", "recurso1": "armed"}
    assert terms(past, 5) == {"pagamento_auto": "window", "defesa": "met", "recurso1": "met"}
    ends = {t.key: f"{t.due_at.astimezone(zone):%d/%m %H:%M}" for t in moment.terms(past, 4)}
    assert ends == {"pagamento_auto": "18/05 23:59", "defesa": "18/05 23:59", "recurso1": "21/05 23:59"}
    assert papers(past, 1) == papers(past, 2) == ["notificacao"]
    assert papers(past, 3) == ["notificacao", "auto_de_infracao"]
    assert papers(past, 4)[2:] == ["guia_recolhimento", "recibo_ciencia"]
    assert papers(past, 5)[4:] == ["contestacao"]


def test_questions_carry_the_entry_that_asked_them(served: Infringement) -> None:
    past = past_of(served)
    asked = [(a.seq, a.question, a.answer) for a in moment.answers(past, 2)]
    assert [q[1:] for q in asked if q[0] == 2] == [
        ("primario", False),
        ("fator_reincidencia", 1),
        ("certeza", "certo"),
    ]
    assert {a.seq for a in moment.answers(past, 3)} == {1, 2, 3}


def test_a_term_that_ran_out_is_late_on_the_drawing_and_was_not_before(served: Infringement) -> None:
    served.town.let_pass("2026-05-19 08:30")
    past = past_of(served)
    assert past.told[4].act == "expire"
    assert "fim_prazo_defesa" not in moment.marks(past, 4)
    assert moment.marks(past, 5)["fim_prazo_defesa"] == "late"
    assert terms(past, 5)["defesa"] == "expired"
    assert tasks(past, 5) == ["lavrar_revelia"]


def test_the_drawing_shows_the_ways_that_were_taken_and_no_other(served: Infringement) -> None:
    """Two events wait at the end of the delivery; which of them the case reaches is known when it occurs."""
    defence, expiry = "de_espera_defesa_para_chega_defesa", "de_espera_defesa_para_fim_prazo_defesa"
    past = past_of(served.defended())
    assert "de_lavrar_auto_para_formalizar_auto" not in moment.marks(past, 2)
    assert moment.marks(past, 3)["de_lavrar_auto_para_formalizar_auto"] == "done"
    assert not {defence, expiry} & set(moment.marks(past, 4))
    assert moment.marks(past, 5)[defence] == "done"
    assert expiry not in moment.marks(past, 5)


def test_a_term_that_ran_out_unnoticed_is_late_too(served: Infringement) -> None:
    served.town.at("2026-05-19 09:00")
    served.town.act("fiscal", acts.annotate, served.id, "Visto.")
    past = past_of(served)
    assert moment.marks(past, 5)["fim_prazo_defesa"] == "late"
    assert terms(past, 5)["defesa"] == "armed"


def test_after_an_annulment_the_case_stands_as_before_the_entry_it_names(served: Infringement) -> None:
    served.town.at("2026-05-12 09:00")
    annul(served, 3)
    past = past_of(served)
    assert moment.felled(past) == {3: 5, 4: 5}
    assert moment.marks(past, 5) == moment.marks(past, 2)
    assert tasks(past, 5) == tasks(past, 2) == ["lavrar_auto"]
    assert terms(past, 5) == {"pagamento_auto": "annulled", "defesa": "annulled", "recurso1": "annulled"}
    assert papers(past, 5) == ["notificacao"]
    assert papers(past, 5, standing=False) == ["auto_de_infracao", "guia_recolhimento", "recibo_ciencia"]
    assert owed(past, 5) is None
    assert moment.answers(past, 5) == moment.answers(past, 2)


def test_looking_back_at_an_annulled_entry_shows_the_case_as_it_was_then(served: Infringement) -> None:
    before = past_of(served)
    served.town.at("2026-05-12 09:00")
    annul(served, 3)
    after = past_of(served)
    for look in (tasks, terms, papers, owed, active):
        assert look(after, 4) == look(before, 4)


def test_an_annulment_that_was_annulled_leaves_no_trace_but_itself(served: Infringement) -> None:
    served.town.at("2026-05-12 09:00")
    annul(served, 3)
    annul(served, 5)
    past = past_of(served)
    assert moment.felled(past) == {5: 6}
    for look in (tasks, terms, papers, owed, active):
        assert look(past, 6) == look(past, 4)


def test_what_an_earlier_annulment_took_stays_taken_by_it(served: Infringement) -> None:
    """5 annuls 3 and 4, 6 takes 5 back, 7 takes 6 back: 3 and 4 are without effect by 5 again."""
    served.town.at("2026-05-12 09:00")
    for seq in (3, 5, 6):
        annul(served, seq)
    assert moment.felled(past_of(served)) == {3: 5, 4: 5, 6: 7}


def test_the_drawing_of_today_forgets_what_was_annulled(served: Infringement) -> None:
    before = served.town.read(history.marks, served.id, 2)
    served.town.at("2026-05-12 09:00")
    annul(served, 3)
    assert served.town.read(history.marks, served.id) == before
    assert served.town.read(history.marks, served.id, 4)["dar_ciencia_auto"] == "done"


def test_a_cancelled_case_had_its_tasks_before(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    town.act("secretario", acts.cancel, case.id, "Duplicado.", FALLS)
    past = past_of(case)
    assert (tasks(past, 3), tasks(past, 4)) == (["dar_ciencia_auto"], [])
    assert (owed(past, 3), owed(past, 4)) == (Money(50_000), Money(0))
    assert past.history[4].closed_reason == "Duplicado."


def test_payments_count_from_the_entry_that_received_them_and_stay(served: Infringement) -> None:
    served.paid("2026-05-13 10:00", "200.00").paid(
        "2026-05-14 10:00", "300.00", pago_em="2026-05-13T16:00:00-03:00"
    )
    past, town = past_of(served), served.town
    found = [[p.amount for p in town.read(money.payments, past, seq)] for seq in (4, 5, 6)]
    assert found == [[], [Money(20_000)], [Money(20_000), Money(30_000)]]
    second = town.read(money.payments, past, 6)[1]
    assert f"{second.paid_at.astimezone(town.norm.zone):%d/%m %H:%M}" == "13/05 16:00"
    annul(served, 3)
    assert len(town.read(money.payments, past_of(served), 7)) == 2


def test_a_refund_shows_from_the_entry_that_ordered_it(town: Town) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted().answered()
    case.ruled("provido", devolucao_percentual=70, fundamento_devolucao="Art. 130 da lei.")
    case.do("financas", "devolver_condenacao", REFUND)
    past = past_of(case)
    end = past.believed
    due, earlier = money.due(past, end), money.due(past, end - 1)
    assert due is not None
    assert earlier is not None
    assert (due.refund, due.refund_percent) == (Money(35_000), 70)
    assert earlier.refund is None


def test_a_task_that_falls_to_an_author_names_the_person(town: Town) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted()
    past = past_of(case)
    (waiting,) = moment.tasks(past, past.believed)
    assert waiting.task.element == "apresentar_contrarrazoes"
    assert waiting.assigned_to == town.world.people["autuante"]


def test_who_has_taken_a_task_shows_until_it_is_given_back(town: Town) -> None:
    case = Infringement.opened(town).registered()
    for act in (acts.claim, acts.release, acts.claim):
        item = case.item("lavrar_auto")
        town.act("autuante", act, item["id"], item["version"])
    case.charged()
    annul(case, 6)
    past, who = past_of(case), town.world.people["autuante"]
    taken = [[w.claimed_by for w in moment.tasks(past, seq)] for seq in (2, 3, 4, 5, 7)]
    assert taken == [[None], [who], [None], [who], [None]]


def test_a_vote_is_secret_until_the_last_one_is_in(town: Town) -> None:
    case = to_trial(town)
    town.at("2026-05-27 09:00")
    case.do("presidente", "votar", ballot("procedente"), seat="presidente")
    assert moment.secret(past_of(case)) == {6}
    annul(case, 6)
    assert moment.secret(past_of(case)) == {6}
    case.voted("procedente", "procedente", "improcedente")
    assert moment.secret(past_of(case)) == frozenset()


def test_what_was_answered_is_in_force_until_it_falls_or_is_corrected(served: Infringement) -> None:
    case = served.defended()
    annul(case, 3)
    past = past_of(case)
    assert [a.entry.seq for a in held.answered(past, 3)] == [1, 2, 3]
    assert [a.in_force for a in held.answered(past, 5)] == [True] * 5
    assert [a.fallen for a in held.answered(past, 6)] == [False, False, True, True, True]
    # The defence was handed in all the same: what it says stays on the record.
    assert [a.in_force for a in held.answered(past, 6)] == [True, True, False, False, True]


def test_a_correction_stands_in_place_of_what_it_corrects_from_its_entry_on(town: Town) -> None:
    case = Infringement.opened(town, veiculo="1204, placa ABC1D23").registered()
    right = notice(town, veiculo="1204, placa ABC1D32")
    town.act(
        "presidente", acts.correct, case.id, 1, right, "Placa trocada na digitação.", case.row["version"]
    )
    past = past_of(case)
    assert [(a.entry.seq, a.corrected_by, a.in_force) for a in held.answered(past, 2)] == [
        (1, 0, True),
        (2, 0, True),
    ]
    assert [(a.entry.seq, a.corrected_by, a.in_force) for a in held.answered(past, 3)] == [
        (1, 3, False),
        (2, 0, True),
        (3, 0, True),
    ]
    forms = town.read(kept.forms, past.told)
    assert [forms[seq].answers["veiculo"] for seq in (1, 3)] == ["1204, placa ABC1D23", "1204, placa ABC1D32"]


def test_what_was_handed_in_shows_from_its_entry_on_with_its_stamp(served: Infringement) -> None:
    case = served.defended(when="2026-05-18 16:30", stamp="2026-05-18 15:10")
    past = past_of(case)
    assert held.filings(past, 4) == []
    (told,) = held.filings(past, 5)
    assert (told["kind"], told["seq"], told["dropped"]) == ("contestacao", 5, False)
    stamps = [told[key].astimezone(case.town.norm.zone) for key in ("stamped_at", "received_at")]
    assert [f"{at:%d/%m %H:%M}" for at in stamps] == ["18/05 15:10", "18/05 16:30"]


def test_what_was_played_is_kept_and_only_the_new_entry_is_played(served: Infringement) -> None:
    first, again = past_of(served), past_of(served)
    assert again.history is first.history
    longer = past_of(served.defended())
    assert [longer.history[n].step for n in range(1, 5)] == [first.history[n].step for n in range(1, 5)]
    assert longer.history[4].step is first.history[4].step


def test_an_act_while_the_page_reads_is_no_fault_of_the_history(
    served: Infringement, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the entries and the head of their chain."""
    with served.town.store.read() as reader:
        entries = reader.all

        def overtaken(*asked: Any, **told: Any) -> Any:
            monkeypatch.setattr(reader, "all", entries)
            found = entries(*asked, **told)
            served.defended()
            return found

        monkeypatch.setattr(reader, "all", overtaken)
        seen = pasts.read(reader, served.id)
    after = past_of(served)
    assert (seen.fault, after.fault) == (None, None)
    assert after.believed > seen.believed == len(seen.told)


def test_no_more_cases_are_kept_than_there_is_room_for(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasts, "KEPT", 2)
    monkeypatch.setattr(pasts, "_plays", type(pasts._plays)())
    cases = [Infringement.opened(town, hora=hour) for hour in ("06:00", "07:00", "08:00")]
    for case in cases:
        past_of(case)
    assert list(pasts._plays) == [case.id for case in cases[1:]]
