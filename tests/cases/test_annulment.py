"""Acts annulled from an entry on, expiries set aside: nothing is edited, everything that fell can still be seen.

Days as in `infringement.py`: auto received Mon 2026-05-11, defence until Mon 05-18, appeal until Thu 05-21.
"""

from __future__ import annotations

import pytest

from app.cases import acts, preview
from app.cases.preview import Foreseen
from app.errors import Conflict, Invalid, Refused
from app.registry import charges, occurrences
from app.store import Reader, Tx
from app.store.cases_tables import deadline, document, filing, work_item
from app.values import Money
from tests.cases.infringement import APPEAL, DEFENCE, REFUND, Infringement, to_decision_served, to_trial
from tests.cases.town import Town, local

WHY = "O auto foi lavrado sobre outro veículo."


def annul(case: Infringement, seq: int, *, by: str = "secretario", **named: object) -> None:
    named.setdefault("version", case.row["version"])
    named.setdefault("reason", WHY)
    case.town.act(by, acts.annul, case.id, seq, **named)


def seq_of(case: Infringement, act: str) -> int:
    """Number of the newest entry of an act."""
    return max(e.seq for e in case.town.entries(f"processo:{case.id}") if e.act == act)


def test_annulling_the_auto_gives_back_the_task_and_takes_its_effects(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    town.at("2026-05-12 09:00")
    annul(case, 3)
    assert case.open == ["lavrar_auto"]
    assert case.status == "NOTIFICADO"
    owed = town.read(charges.of_case, case.id)
    assert owed is not None
    assert owed.withdrawn
    assert owed.amount == Money(0)


def test_what_was_annulled_stays_visible(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    before = town.rows(document, case_id=case.id)
    town.at("2026-05-12 09:00")
    annul(case, 3)
    assert town.rows(document, case_id=case.id) == before
    assert case.row["fallen"] == [3]
    assert sorted((r["element"], r["status"]) for r in town.rows(work_item, case_id=case.id)) == [
        ("dar_ciencia_auto", "annulled"),
        ("lavrar_auto", "open"),
        ("registrar_notificacao", "done"),
    ]
    assert town.entries(f"processo:{case.id}")[2].body["command"]["op"] == "complete"


def test_the_act_done_anew_takes_the_next_number(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    (first,) = town.rows(document, case_id=case.id, kind="auto_de_infracao")
    town.at("2026-05-12 09:00")
    annul(case, 3)
    case.charged("2026-05-12 10:00").served("2026-05-12 11:30", "2026-05-12 11:00")
    numbers = [r["number"] for r in town.rows(document, case_id=case.id, kind="auto_de_infracao")]
    assert sorted(numbers) == [first["number"], first["number"] + 1]
    assert case.row["fallen"] == [3]


def test_terms_of_an_annulled_service_are_gone_and_start_anew(town: Town) -> None:
    """Received again on Tue 05-12: defence by Tue 05-19 (13, 14, 15, 18, 19)."""
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-12 09:00")
    annul(case, 4)
    assert {r["status"] for r in town.rows(deadline, case_id=case.id)} == {"annulled"}
    case.served("2026-05-12 11:30", "2026-05-12 11:00")
    (running,) = [r for r in town.rows(deadline, case_id=case.id, key="defesa") if r["status"] == "armed"]
    assert running["due_at"].astimezone(town.norm.zone).strftime("%d/%m") == "19/05"
    town.let_pass("2026-05-19 08:00")
    assert case.status == "AUTUADO"
    town.let_pass("2026-05-20 00:00")
    assert case.status == "REVEL"


def test_an_annulment_is_annulled_and_everything_is_back(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    before = {t: town.rows(t, case_id=case.id) for t in (deadline, document)}
    state, status = case.row["state"], case.status
    town.at("2026-05-12 09:00")
    annul(case, 3)
    annul(case, seq_of(case, "annul"), reason="A anulação foi engano.")
    assert (case.row["state"], case.status) == (state, status)
    assert {t: town.rows(t, case_id=case.id) for t in (deadline, document)} == before
    owed = town.read(charges.of_case, case.id)
    assert owed is not None
    assert not owed.withdrawn
    assert owed.amount == Money(50_000)
    assert case.row["fallen"] == [seq_of(case, "annul") - 1]


def test_a_filing_typed_late_sets_the_recorded_expiry_aside(town: Town) -> None:
    """Stamped Mon 05-18 17:50, the last day; typed on Tue, after the sweep had recorded the expiry at midnight."""
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 08:30")
    expiry = seq_of(case, "expire")
    assert "REVEL" in [m for e in town.entries(f"processo:{case.id}") for m in e.body.get("milestones", [])]
    case.file("contestacao", DEFENCE, when="2026-05-19 09:00", stamp="2026-05-18 17:50")
    town.at("2026-05-19 10:00")
    town.act(
        "presidente", acts.set_aside, case.id, expiry, "Carimbo do livro protocolo.", case.row["version"]
    )
    (handed,) = town.rows(filing, case_id=case.id)
    assert handed["delivered"]
    (term,) = town.rows(deadline, case_id=case.id, key="defesa")
    assert term["status"] == "met"
    assert case.status == "EM_DEFESA"
    assert expiry in case.row["fallen"]


def test_an_expiry_without_a_filing_in_time_stands(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 08:30")
    case.file("contestacao", DEFENCE, when="2026-05-19 09:00", stamp="2026-05-19 08:59")
    told = town.refusal(
        "presidente", acts.set_aside, case.id, seq_of(case, "expire"), "Engano.", case.row["version"]
    )
    assert told.code == "decurso.sem_peticao"
    assert case.status == "REVEL"


def test_filings_after_what_is_annulled_are_put_before_the_case_again(town: Town) -> None:
    """The judgement falls; the defence, handed in before, stays where it was."""
    case = to_trial(town)
    case.voted("procedente", "procedente", "improcedente").decided()
    seq = next(e.seq for e in town.entries(f"processo:{case.id}") if e.act == "complete" and e.seq > 5)
    town.at("2026-05-28 09:00")
    annul(case, seq)
    assert [r["delivered"] for r in town.rows(filing, case_id=case.id)] == [True]
    case.voted("improcedente", "improcedente", "improcedente", when="2026-05-28 10:00")
    case.decided("2026-05-28 11:00")
    assert case.ended
    assert case.status == "IMPROCEDENTE"


def test_a_refund_falls_with_the_decision_that_gave_it_and_the_payment_stays(town: Town) -> None:
    """Paid R$ 500.00 and upheld: 70 % of it, R$ 350.00, was ordered back. Then the last decision is annulled."""
    case = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted().answered()
    case.ruled("provido", devolucao_percentual=70, fundamento_devolucao="Art. 130 da lei.")
    town.at("2026-06-16 09:00")
    case.do("financas", "devolver_condenacao", REFUND)
    assert town.read(charges.of_case, case.id).refund == Money(35_000)
    assert case.ended
    annul(case, seq_of(case, "complete") - 1)
    owed = town.read(charges.of_case, case.id)
    assert (owed.amount, owed.refund, owed.refund_percent) == (Money(50_000), None, None)
    assert town.read(charges.paid, case.id) == Money(50_000)
    assert (case.ended, case.open, case.status) == (False, ["decidir_ultima"], "PARA_DECISAO_FINAL")
    void = {r["kind"] for r in town.rows(document, case_id=case.id) if r["seq"] in case.row["fallen"]}
    assert void == {"decisao_final", "ordem_devolucao"}
    case.ruled("desprovido", when="2026-06-17 09:00")
    assert (case.ended, case.status) == (True, "DESPROVIDO")
    assert town.read(charges.of_case, case.id).refund is None


def test_a_filing_that_was_an_error_itself_falls_with_it(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served().defended()
    (handed,) = town.rows(filing, case_id=case.id)
    seq = handed["seq"]
    town.at("2026-05-18 17:00")
    annul(case, seq, dropped=(handed["id"],))
    (handed,) = town.rows(filing, case_id=case.id)
    assert (handed["delivered"], handed["dropped"]) == (False, True)
    assert "defesa" in [r["key"] for r in town.rows(deadline, case_id=case.id, status="armed")]
    town.let_pass("2026-05-19 08:00")
    assert "expire" in case.acts


def test_a_filing_that_is_kept_moves_the_case_again(town: Town) -> None:
    """Only the service falls: nobody waits for a defence before the auto is received, so it waits in the folder."""
    case = Infringement.opened(town).registered().charged().served().defended()
    town.at("2026-05-19 09:00")
    annul(case, 4)
    (handed,) = town.rows(filing, case_id=case.id)
    assert (handed["delivered"], handed["dropped"]) == (False, False)


def test_a_cancelled_case_comes_back(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-12 09:00")
    town.act("secretario", acts.cancel, case.id, "Duplicado.", charge="cancelada")
    assert case.ended
    annul(case, seq_of(case, "cancel"), reason="Não era duplicado.")
    assert not case.ended
    assert {r["key"] for r in town.rows(deadline, case_id=case.id, status="armed")} == {"defesa", "recurso1"}
    owed = town.read(charges.of_case, case.id)
    assert owed is not None
    assert owed.amount == Money(50_000)
    only = town.read(occurrences.of_case, case.id)
    assert only is not None
    assert only["status"] == "autuada"


@pytest.mark.parametrize(
    ("seq", "by", "named", "refused"),
    [
        (1, "secretario", {}, "anulacao.abertura"),
        (99, "secretario", {}, "registro.inexistente"),
        (0, "secretario", {}, "registro.inexistente"),
        (3, "fiscal", {}, "competencia.ausente"),
        (3, "secretario", {"version": 1}, "processo.mudou"),
        (3, "secretario", {"reason": " \u200b"}, "texto.vazio"),
        (3, "secretario", {"dropped": ("nada",)}, "anulacao.peticao"),
    ],
)
def test_what_cannot_be_annulled_is_refused_and_nothing_changes(
    town: Town, seq: int, by: str, named: dict[str, object], refused: str
) -> None:
    case = Infringement.opened(town).registered().charged()
    before = (case.row, town.entries(f"processo:{case.id}"))
    with pytest.raises(Refused) as told:
        annul(case, seq, by=by, **named)
    assert told.value.code == refused
    assert (case.row, town.entries(f"processo:{case.id}")) == before


def test_the_same_entry_does_not_fall_twice(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    town.at("2026-05-12 09:00")
    annul(case, 3)
    with pytest.raises(Conflict) as told:
        annul(case, 3)
    assert told.value.code == "anulacao.repetida"


def test_a_note_has_no_effect_to_annul(town: Town) -> None:
    case = Infringement.opened(town).registered()
    town.act("fiscal", acts.annotate, case.id, "Anexa fotografia.")
    with pytest.raises(Invalid) as told:
        annul(case, seq_of(case, "annotate"))
    assert told.value.code == "anulacao.sem_efeito"


def foreseen(case: Infringement, seq: int, dropped: tuple[str, ...] = ()) -> Foreseen:
    town = case.town

    def look(reader: Reader) -> Foreseen:
        asking = Tx(reader.connection, reader.now, town.actor("secretario"), town.dialect, silent=True)
        told = town.entries(f"processo:{case.id}")
        return preview.foresee(preview.laid_open(asking, case.row, town.norm, told), seq, dropped)

    before = town.snapshot()
    told: Foreseen = town.read(look)
    assert town.snapshot() == before, "a look left something behind"
    return told


def test_what_is_foreseen_is_what_happens(town: Town) -> None:
    """The auto falls: its service with it; defence (18 May) and appeal (21 May) no longer run; 5 UFP are not owed."""
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-12 09:00")
    told = foreseen(case, 3)
    assert [e.seq for e in told.falls] == [3, 4]
    assert told.tasks_back == ("Lavrar auto de infração",)
    assert {"defesa", "recurso1"} <= {row["key"] for row in told.gone}
    assert told.running == ()
    assert (told.before.units, told.after.units) == (500, None)
    assert {row["kind"] for row in told.void} >= {"auto_de_infracao"}
    annul(case, 3)
    assert case.row["fallen"] == [3, 4]
    assert [r["name"] for r in town.rows(work_item, case_id=case.id, status="open")] == list(told.tasks_back)
    assert case.status == told.after.status
    assert town.rows(deadline, case_id=case.id, status="armed") == []


@pytest.mark.parametrize(
    ("seq", "dropped", "fate"), [(5, False, "delivered"), (5, True, "dropped"), (4, False, "waits")]
)
def test_the_fate_of_a_filing_is_foreseen(town: Town, seq: int, dropped: bool, fate: str) -> None:
    case = Infringement.opened(town).registered().charged().served().defended()
    (handed,) = town.rows(filing, case_id=case.id)
    assert handed["seq"] == 5
    away = (handed["id"],) if dropped else ()
    before = case.status
    (told,) = foreseen(case, seq, away).filings
    assert told.fate == fate
    annul(case, seq, dropped=away)
    (now,) = town.rows(filing, case_id=case.id)
    assert (now["delivered"], now["dropped"]) == (fate == "delivered", fate == "dropped")
    if fate == "delivered":
        assert told.status == case.status == before


def test_annulling_an_annulment_is_foreseen_to_give_everything_back(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.at("2026-05-12 09:00")
    annul(case, 3)
    told = foreseen(case, seq_of(case, "annul"))
    assert [e.seq for e in told.back] == [3, 4]
    assert [e.seq for e in told.falls] == [5]
    assert told.tasks_gone == ("Lavrar auto de infração",)
    assert {"defesa", "recurso1"} <= {row["key"] for row in told.running}
    assert told.after.units == 500


def test_a_filing_that_nobody_awaited_sets_no_expiry_aside(town: Town) -> None:
    """An appeal to the Secretary, stamped before the end of the defence: the Comissão has decided nothing yet."""
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 08:30")
    town.at("2026-05-19 09:00")
    stamp = local("2026-05-18 17:50")
    town.act("protocolo", acts.file, case.id, "recurso2", APPEAL, stamp, stamp_confirmed=True)
    with pytest.raises(Invalid) as told:
        town.act(
            "presidente", acts.set_aside, case.id, seq_of(case, "expire"), "Engano.", case.row["version"]
        )
    assert told.value.code == "decurso.sem_peticao"


def test_sent_twice_the_second_is_told_that_it_fell_and_not_that_the_case_moved(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    version = case.row["version"]
    annul(case, 3, version=version)
    with pytest.raises(Conflict) as told:
        annul(case, 3, version=version)
    assert told.value.code == "anulacao.repetida"
