"""The journal is the truth: every state it produces is the stored one, and whoever changes a stored thing is found."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from app import audit
from app.audit.verify import verify
from app.cases import acts
from app.cases.acts.ending import FALLS
from app.cases.proof.replay import case_ids, replay
from app.errors import NotFound
from app.registry import carriers, occurrences, values
from app.store.cases_tables import cases
from app.store.tables import journal
from app.values import canonical
from tests.cases.infringement import (
    REFUND,
    REVELIA,
    Infringement,
    to_decision_served,
    to_trial,
)
from tests.cases.town import Town


def faults(case: Infringement) -> tuple[str, ...]:
    found: tuple[str, ...] = case.town.read(replay, case.id).faults
    return found


@pytest.fixture
def case(town: Town) -> Infringement:
    """Two terms armed, one shown, no task open."""
    return Infringement.opened(town).registered().charged().served()


def test_a_case_of_every_kind_of_entry_replays_to_the_same_bytes(town: Town) -> None:
    long = to_decision_served(town).paid("2026-06-01 10:00").appealed().admitted().answered()
    long.ruled("provido", devolucao_percentual=70, fundamento_devolucao="Art. 130 da lei.")
    town.act("fiscal", acts.annotate, long.id, "Visto.")
    item = long.item("devolver_condenacao")
    town.act("financas", acts.claim, item["id"], item["version"])
    long.do("financas", "devolver_condenacao", REFUND)
    told = town.read(replay, long.id)
    assert (told.number, told.entries, told.faults) == (long.row["number"], len(long.acts), ())
    assert {"open", "complete", "serve_notice", "file", "annotate", "claim"} == set(long.acts)


def test_an_expired_and_a_cancelled_case_replay_too(case: Infringement) -> None:
    town = case.town
    town.let_pass("2026-05-19 00:00")
    case.do("membro1", "lavrar_revelia", REVELIA)
    town.let_pass("2026-05-22 00:00")
    assert faults(case) == ()
    town.act("secretario", acts.cancel, case.id, "Erro na placa.", FALLS)
    assert faults(case) == ()
    assert town.read(case_ids) == [case.id]


def test_replay_asks_the_journal_and_not_the_registry_of_today(town: Town) -> None:
    """After the act the past is annulled, the unit is worth another amount and the grant has ended."""
    case = to_trial(town)
    who = f"transportador:{town.world.carriers['ES']}"
    told = (who, town.world.carriers["ES"], None, "I-14", case.row["opened_at"].date())
    town.install(occurrences.record, *told, case_id=None, status="confirmada", source="outro")
    town.install(values.record, town.norm, "ufp.valor", "999.00", case.row["opened_at"].date(), "Decreto")
    town.tamper("UPDATE occurrence SET status = 'anulada'")
    town.tamper("UPDATE grants SET line = 'X'")
    assert faults(case) == ()
    assert town.read(verify).faults == ()
    assert town.read(carriers.grant_by_id, case.row["grant_id"])["line"] == "X"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE cases SET state = :b", "o estado guardado não é o que o histórico produz"),
        ("UPDATE deadline SET status = 'met' WHERE key = 'defesa'", "os prazos que correm"),
        ("DELETE FROM deadline WHERE key = 'defesa'", "os prazos que correm"),
        ("UPDATE deadline SET task_id = 'outra' WHERE key = 'defesa'", "os prazos que correm"),
        ('UPDATE submission SET answers = \'{"conferencia":"com_ressalva"}\'', "as respostas do formulário"),
        ("DELETE FROM service", "as ciências não conferem"),
        ("UPDATE service SET mode = 'pessoal'", "as ciências não conferem"),
        ("UPDATE cases SET status = 'PAGO'", "a situação guardada é PAGO; o histórico diz AUTUADO"),
        ("UPDATE cases SET closed_at = opened_at", "o encerramento guardado"),
        ("UPDATE cases SET flow = '{}'", "os dados do diagrama"),
        ("UPDATE cases SET number = '99999/2026-0'", "o número, o procedimento ou as escolhas"),
        ("UPDATE cases SET choices = '{}'", "o número, o procedimento ou as escolhas"),
        ("UPDATE deadline SET due_at = expires_at WHERE key = 'pagamento_auto'", "os prazos contados"),
        ("UPDATE deadline SET trace = '{}' WHERE key = 'defesa'", "os prazos contados"),
        ("UPDATE document SET number = 77", "os documentos emitidos não conferem"),
        ("DELETE FROM document WHERE kind = 'recibo_ciencia'", "os documentos emitidos não conferem"),
        ("UPDATE cases SET definition_digest = 'x'", "o diagrama guardado não é aquele"),
    ],
)
def test_whoever_changes_a_stored_row_is_found(case: Infringement, statement: str, said: str) -> None:
    named = {"b": b"{}"} if ":b" in statement else {}
    case.town.tamper("DELETE FROM unprinted")  # it holds documents by a foreign key, and is no evidence
    assert case.town.tamper(statement, **named) >= 1
    found = faults(case)
    assert any(f.startswith(said) for f in found), found


def test_a_term_prolonged_by_hand_is_found(case: Infringement) -> None:
    moved = {"sqlite": "'2026-06-19T03:00:00.000000Z'", "postgresql": "'2026-06-19 03:00:00+00'"}
    when = moved[case.town.dialect]
    case.town.tamper(f"UPDATE deadline SET expires_at = {when} WHERE key = 'defesa'")
    assert faults(case) == (
        "os prazos contados não conferem com o histórico (registro 4: defesa de 2026-05-11T14:00:00Z)",
        "os prazos que correm não conferem com o histórico (registro 4: defesa de 2026-05-11T14:00:00Z)",
    )


def test_a_stamp_moved_by_hand_is_found(town: Town) -> None:
    case = to_trial(town)
    town.tamper("UPDATE filing SET stamped_at = received_at, kind = 'outro'")
    assert [f for f in faults(case) if f.startswith("as petições protocoladas não conferem")]


@pytest.mark.parametrize(
    "change",
    [
        "status = 'done'",
        "act = 'votar'",
        "board = 'comissao_julgamento'",
        "seat = 'presidente'",
        "element = 'votar'",
        "form = 'outro'",
    ],
)
def test_a_task_changed_by_hand_is_found(town: Town, change: str) -> None:
    """Who changes the act of an open task changes who may do it."""
    case = Infringement.opened(town).registered()
    assert town.tamper(f"UPDATE work_item SET {change} WHERE status = 'open'") == 1
    (found,) = faults(case)
    assert found.startswith("as tarefas não conferem com o histórico (registro 2: ")


def test_a_task_that_the_history_does_not_know_is_found(town: Town) -> None:
    case = Infringement.opened(town).registered()
    town.tamper("UPDATE work_item SET status = 'open' WHERE element = 'registrar_notificacao'")
    (found,) = faults(case)
    assert found.startswith("as tarefas não conferem com o histórico (registro 1: registrar_notificacao")


def test_answers_that_were_taken_away_are_missed(town: Town) -> None:
    case = Infringement.opened(town).registered()
    assert town.tamper("DELETE FROM submission WHERE form = 'registro_notificacao'") == 1
    assert faults(case) == ("faltam respostas que o histórico registra",)


def rewrite(case: Infringement, seq: int, **changes: Any) -> None:
    """An insider with the whole server: the entry is changed and its chain and head are made to match again."""
    town, stream = case.town, f"processo:{case.id}"
    prev = audit.GENESIS
    for entry in sorted(town.rows(journal, stream=stream), key=lambda r: r["seq"]):
        told = orjson.loads(entry["body"])
        if entry["seq"] == seq:
            told["body"] = {**told["body"], **changes}
        data = canonical(told)
        new = audit.link(prev, data)
        town.tamper(
            "UPDATE journal SET body = :b, prev = :p, hash = :h WHERE stream = :n AND seq = :s",
            b=data,
            p=prev,
            h=new,
            n=stream,
            s=entry["seq"],
        )
        prev = new
    town.tamper("UPDATE stream SET head = :h WHERE name = :n", h=prev, n=stream)


@pytest.mark.parametrize(
    ("seq", "changes", "said"),
    [
        (2, {"state": "0" * 64}, "registro 2 (complete): o estado não confere"),
        (2, {"asked": []}, "registro 2 (complete)"),
        (2, {"command": {"op": "expire", "task": "nenhuma"}}, "registro 2 (complete)"),
        (1, {"orders": []}, "registro 1 (open): as ordens do diagrama não são as registradas"),
        (1, {"command": {"op": "none"}}, "registro 2 (complete): o histórico não começa pela abertura"),
    ],
)
def test_a_history_rewritten_so_that_its_chain_verifies_does_not_replay(
    case: Infringement, seq: int, changes: dict[str, Any], said: str
) -> None:
    rewrite(case, seq, **changes)
    assert case.town.read(verify).faults == ()
    (found,) = faults(case)
    assert found.startswith(said)


def test_an_answer_added_to_the_record_is_found(case: Infringement) -> None:
    body = case.town.entries(f"processo:{case.id}")[1].body
    rewrite(case, 2, asked=[*body["asked"], ["pago", [], True]])
    (found,) = faults(case)
    assert "menos perguntas" in found


def test_another_answer_to_the_same_question_leads_elsewhere_and_is_found(case: Infringement) -> None:
    body = case.town.entries(f"processo:{case.id}")[1].body
    answered = {q: answer for q, _, answer in body["asked"]}
    assert answered == {"primario": False, "fator_reincidencia": 1, "certeza": "certo"}
    rewrite(case, 2, asked=[[q, args, q == "primario" or answer] for q, args, answer in body["asked"]])
    (found,) = faults(case)
    assert found == "registro 2 (complete): o diagrama fez menos perguntas do que o registrado"


def test_a_history_that_is_gone_is_missed(case: Infringement) -> None:
    case.town.tamper("DELETE FROM journal WHERE stream = :n", n=f"processo:{case.id}")
    assert faults(case) == ("o histórico do processo não existe",)


def test_an_unknown_case_cannot_be_replayed(town: Town) -> None:
    with pytest.raises(NotFound, match="Processo"):
        town.read(replay, "nenhum")
    assert town.rows(cases) == []
