"""A wrong plate, code or date of service put right by a reasoned act. Days as in `infringement.py`."""

from __future__ import annotations

from typing import Any

import pytest

from app import documents
from app.cases import acts
from app.errors import Refused
from app.registry import charges, occurrences
from app.store.cases_tables import deadline, document, service, submission, work_item
from app.values import Money
from tests.cases.infringement import AUTO, DEFENCE, Infringement, ballot, notice, receipt, to_trial
from tests.cases.town import Town

WHY = "Erro de digitação."


def correct(case: Infringement, seq: int, answers: dict[str, Any], *, by: str = "presidente") -> None:
    case.town.act(by, acts.correct, case.id, seq, answers, WHY, case.row["version"])


def texts(town: Town, kind: str, case: Infringement) -> list[dict[str, str]]:
    """Fields of the documents of a kind, oldest first."""
    rows = sorted(town.rows(document, case_id=case.id, kind=kind), key=lambda r: r["number"])
    return [
        {f["key"]: f["text"] for f in town.read(documents.content_of, row["id"])["fields"]} for row in rows
    ]


def test_a_wrong_plate_is_put_right_without_moving_the_case(town: Town) -> None:
    case = Infringement.opened(town, veiculo="1204, placa ABC1D23").registered()
    before = case.row["state"]
    correct(case, 1, notice(town, veiculo="1204, placa ABC1D32"))
    assert case.row["state"] == before
    assert case.row["fallen"] == []
    case.charged()
    (auto,) = texts(town, "auto_de_infracao", case)
    assert auto["veiculo"] == "1204, placa ABC1D32"
    (paper,) = texts(town, "notificacao", case)
    assert paper["veiculo"] == "1204, placa ABC1D23"


def test_a_wrong_day_of_service_moves_the_terms(town: Town) -> None:
    """Received on Tue 05-12, not Mon 05-11: defence by Tue 05-19 (13, 14, 15, 18, 19), appeal by Fri 05-22."""
    case = Infringement.opened(town).registered().charged().served(when="2026-05-12 17:00")
    town.at("2026-05-13 09:00")
    correct(case, 4, receipt("2026-05-12 11:00"))
    ends = {
        r["key"]: r["due_at"].astimezone(town.norm.zone).strftime("%d/%m")
        for r in town.rows(deadline, case_id=case.id)
        if r["status"] in ("armed", "window")
    }
    assert (ends["defesa"], ends["recurso1"]) == ("19/05", "22/05")
    assert case.row["fallen"] == [4]
    days = [r["served_at"].astimezone(town.norm.zone).day for r in town.rows(service, case_id=case.id)]
    assert sorted(days) == [11, 12]


def test_a_defence_handed_in_meanwhile_is_kept_when_the_service_is_corrected(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served(when="2026-05-12 17:00")
    case.file("contestacao", DEFENCE, when="2026-05-18 10:00")
    before = case.status
    correct(case, 4, receipt("2026-05-12 11:00"))
    assert case.status == before
    assert case.acts[-1] == "refile"


def test_a_wrong_code_is_charged_anew(town: Town) -> None:
    """I-14 costs 5 UFP, I-02 15; a UFP is worth R$ 100.00 in the fixture."""
    case = Infringement.opened(town).registered().charged()
    assert town.read(charges.of_case, case.id).amount == Money(50_000)
    town.at("2026-05-08 11:00")
    correct(case, 1, notice(town, codigo="I-02"))
    assert case.open == ["registrar_notificacao"]
    kept = town.read(occurrences.of_case, case.id)
    case.registered("2026-05-08 12:00").charged("2026-05-08 13:00")
    assert town.read(charges.of_case, case.id).amount == Money(150_000)
    assert [t["codigo"] for t in texts(town, "notificacao", case)] == ["I-14", "I-02"]
    assert (kept["code"], kept["status"]) == ("I-02", "notificada")
    charged = town.read(occurrences.of_case, case.id)
    assert (charged["code"], charged["status"]) == ("I-02", "autuada")


def test_who_wrote_it_stays_its_author(town: Town) -> None:
    """The president who corrects an auto has not drawn it up: contra-razões stay with whoever did."""
    case = Infringement.opened(town).registered().charged()
    penalty = {**AUTO, "fatos": "Deixou de realizar três das viagens determinadas."}
    town.at("2026-05-08 12:00")
    correct(case, 3, penalty)
    author = town.actor("autuante")
    assert {
        r["closed_by"]
        for r in town.rows(work_item, case_id=case.id, element="lavrar_auto")
        if r["status"] == "done"
    } == {str(author)}
    last = max(town.rows(submission, case_id=case.id, form="auto_de_infracao"), key=lambda r: r["seq"])
    assert last["by"] == str(town.actor("presidente"))


def test_a_correction_is_corrected_in_its_turn(town: Town) -> None:
    case = Infringement.opened(town, veiculo="1, placa AAA1A11").registered()
    correct(case, 1, notice(town, veiculo="2, placa AAA1A11"))
    with pytest.raises(Refused) as told:
        correct(case, 1, notice(town, veiculo="3, placa AAA1A11"))
    assert told.value.code == "correcao.repetida"
    correct(case, 3, notice(town, veiculo="3, placa AAA1A11"))
    case.charged()
    (auto,) = texts(town, "auto_de_infracao", case)
    assert auto["veiculo"] == "3, placa AAA1A11"


def test_a_correction_falls_with_what_it_corrects(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    correct(case, 3, {**AUTO, "fatos": "Outro texto dos fatos."})
    town.at("2026-05-12 09:00")
    town.act("secretario", acts.annul, case.id, 3, WHY, case.row["version"])
    assert 4 in case.row["fallen"]


@pytest.mark.parametrize(
    ("by", "seq", "changes", "refused"),
    [
        ("autuante", 1, {"local": "Outro lugar"}, "competencia.ausente"),
        ("presidente", 1, {}, "correcao.igual"),
        ("presidente", 1, {"local": ""}, "formulario.invalido"),
        ("presidente", 1, {"ocorrida_em": "2031-01-01"}, "formulario.invalido"),
        ("presidente", 1, {"codigo": "Z-99"}, "formulario.invalido"),
        ("presidente", 9, {"local": "Outro lugar"}, "registro.inexistente"),
    ],
)
def test_what_cannot_be_corrected_is_refused_and_nothing_changes(
    town: Town, by: str, seq: int, changes: dict[str, Any], refused: str
) -> None:
    case = Infringement.opened(town).registered()
    before = (case.row, town.entries(f"processo:{case.id}"))
    with pytest.raises(Refused) as told:
        correct(case, seq, {**notice(town), **changes}, by=by)
    assert told.value.code == refused
    assert (case.row, town.entries(f"processo:{case.id}")) == before


def test_the_party_is_not_exchanged_by_a_correction(town: Town) -> None:
    case = Infringement.opened(town).registered()
    answers = notice(town, transportador=town.world.carriers["VRC"], outorga=town.world.grants["L-101"])
    told = town.refusal("presidente", acts.correct, case.id, 1, answers, WHY, case.row["version"])
    assert told.code == "correcao.parte"


def test_a_partys_paper_is_not_ours_to_correct(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served().defended()
    seq = max(e.seq for e in town.entries(f"processo:{case.id}"))
    with pytest.raises(Refused) as told:
        correct(case, seq, DEFENCE)
    assert told.value.code == "correcao.sem_formulario"


def test_the_day_of_a_service_moves_the_terms_behind_a_correction_that_moved_nothing(town: Town) -> None:
    """First the page of the book, then the day: received on Tue 05-12, defence by Tue 05-19 (13, 14, 15, 18, 19)."""
    case = Infringement.opened(town).registered().charged().served(when="2026-05-12 17:00")
    town.at("2026-05-13 09:00")
    correct(case, 4, {**receipt("2026-05-11 11:00"), "prova": "Livro protocolo, fl. 13"})
    assert case.row["fallen"] == []
    correct(case, 5, {**receipt("2026-05-12 11:00"), "prova": "Livro protocolo, fl. 13"})
    assert case.row["fallen"] == [4, 5]
    (running,) = [r for r in town.rows(deadline, case_id=case.id, key="defesa") if r["status"] == "armed"]
    assert running["due_at"].astimezone(town.norm.zone).strftime("%d/%m") == "19/05"


def test_whoever_was_about_to_annul_looks_again_after_a_correction(town: Town) -> None:
    """The correction would fall with the auto, and nobody had shown it to them."""
    case = Infringement.opened(town).registered().charged()
    seen = case.row["version"]
    correct(case, 3, {**AUTO, "fatos": "Outro texto dos fatos."})
    town.at("2026-05-12 09:00")
    with pytest.raises(Refused) as told:
        town.act("secretario", acts.annul, case.id, 3, WHY, seen)
    assert told.value.code == "processo.mudou"


def test_a_vote_is_not_corrected(town: Town) -> None:
    case = to_trial(town)
    town.at("2026-05-27 09:00")
    case.do("membro1", "votar", ballot("procedente"), seat="membro_1")
    seq = max(e.seq for e in town.entries(f"processo:{case.id}"))
    refused = town.refusal(
        "presidente", acts.correct, case.id, seq, ballot("improcedente"), WHY, case.row["version"]
    )
    assert refused.code == "correcao.voto"


def test_nobody_rewords_what_only_somebody_else_may_decide(town: Town) -> None:
    """What was voted is the president's to word (Art. 126, §§ 2º and 3º); the Secretário may correct, but not this."""
    case = to_trial(town).voted("procedente", "procedente", "improcedente").decided()
    seq = len(case.acts)
    answers = {"resumo": "Auto procedente.", "fundamentacao": "Outra fundamentação."}
    with pytest.raises(Refused) as refused:
        correct(case, seq, answers, by="secretario")
    assert refused.value.code == "competencia.ausente"
    correct(case, seq, answers)
    assert case.acts[-1] == "correct"


def test_a_correction_of_a_correction_falls_with_the_first(town: Town) -> None:
    """1 opened, 2 registered, 3 auto, 4 and 5 corrections of its facts, one after the other; 6 annuls from 2."""
    case = Infringement.opened(town).registered().charged()
    correct(case, 3, {**AUTO, "fatos": "Deixou de fazer três viagens."})
    correct(case, 4, {**AUTO, "fatos": "Deixou de fazer quatro viagens."})
    town.act("secretario", acts.annul, case.id, 2, WHY, case.row["version"])
    assert case.row["fallen"] == [2, 3, 4, 5]
    refused = town.refusal("presidente", acts.correct, case.id, 5, AUTO, WHY, case.row["version"])
    assert refused.code == "correcao.sem_efeito"


def test_an_opening_that_was_corrected_is_not_annulled_either(town: Town) -> None:
    """The correction of the day moves the case: 3 annuls from 1, 4 opens again. Without 4 there would be no case."""
    case = Infringement.opened(town)
    correct(case, 1, notice(town, ocorrida_em="2026-05-03"))
    opening = len(case.acts)
    assert case.acts[opening - 1] == "correct"
    before = town.snapshot()
    refused = town.refusal("secretario", acts.annul, case.id, opening, WHY, case.row["version"])
    assert refused.code == "anulacao.abertura"
    assert town.snapshot() == before
    assert town.faults() == []
