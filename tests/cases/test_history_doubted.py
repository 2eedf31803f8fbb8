"""What a case's history does not believe: rows of the day, answers and entries that its chain does not vouch for."""

from __future__ import annotations

from typing import Any

import pytest

from app.audit import seal
from app.cases import acts
from app.cases.history import kept, moment
from app.cases.history import past as pasts
from app.store import INSTALLER
from tests.cases.infringement import Infringement
from tests.cases.test_history import active, owed, papers, past_of, tasks, terms
from tests.cases.test_replay import rewrite
from tests.cases.town import Town

CHAIN = "os bytes do registro não conferem com a cadeia"
SHAPE = "o registro não tem a forma que deveria ter"


@pytest.fixture
def served(town: Town) -> Infringement:
    """Entries: 1 notice, 2 registered, 3 auto, 4 received."""
    return Infringement.opened(town).registered().charged().served()


def form_of(case: Infringement, seq: int) -> kept.Form:
    found = case.town.read(kept.form, past_of(case).told[seq - 1])
    assert found is not None
    return found  # type: ignore[no-any-return]


def test_the_answers_of_an_entry_are_read_with_their_personal_fields(served: Infringement) -> None:
    told = form_of(served, 4)
    assert (told.name, told.fault, told.erased) == ("ciencia", "", False)
    assert told.answers["recebido_por"] == "Representante legal"
    assert told.answers["modo"] == "representante"


def test_erased_answers_are_said_to_be_erased(served: Infringement) -> None:
    with served.town.store.silent_act(INSTALLER) as tx:
        seal.destroy_key(tx, served.row["subject_id"])
    told = form_of(served, 4)
    assert told.erased
    assert told.answers["modo"] == "representante"
    assert "recebido_por" not in told.answers


@pytest.mark.parametrize(
    ("statement", "fault", "shown"),
    [
        (
            "DELETE FROM submission WHERE seq = 4",
            "as respostas que o histórico registra não estão guardadas",
            [],
        ),
        (
            "UPDATE submission SET answers = '{}' WHERE seq = 4",
            "as respostas guardadas não são as registradas",
            [],
        ),
        (
            "UPDATE submission SET form = 'voto' WHERE seq = 4",
            "as respostas guardadas não são as registradas",
            [],
        ),
        (
            "UPDATE submission SET sealed_id = NULL WHERE seq = 4",
            "os dados pessoais guardados não são os registrados",
            ["modo"],
        ),
        (
            "UPDATE sealed SET ciphertext = nonce",
            "os dados pessoais guardados não são os registrados",
            ["modo"],
        ),
    ],
)
def test_answers_that_are_not_the_recorded_ones_are_not_shown(
    served: Infringement, statement: str, fault: str, shown: list[str]
) -> None:
    if statement.startswith("DELETE"):
        served.town.tamper("DELETE FROM service")
    assert served.town.tamper(statement) >= 1
    told = form_of(served, 4)
    assert told.fault == fault
    assert [name for name in told.answers if name in ("modo", "recebido_por")] == shown


def test_a_counting_or_a_note_changed_by_hand_is_not_shown(served: Infringement) -> None:
    town = served.town
    town.act("fiscal", acts.annotate, served.id, "Visto no local.")
    past = past_of(served)
    found = town.read(kept.countings, served.id, moment.terms(past, 4))
    assert {key for _, key, _ in found} == {"pagamento_auto", "defesa", "recurso1"}
    assert town.read(kept.words, past.told[4]) == "Visto no local."
    town.tamper("UPDATE deadline SET trace = '{}' WHERE key = 'defesa'")
    town.tamper("UPDATE note SET text = 'Outro.'")
    found = town.read(kept.countings, served.id, moment.terms(past, 4))
    assert {key for _, key, _ in found} == {"pagamento_auto", "recurso1"}
    assert town.read(kept.words, past.told[4]) is None


def test_a_file_is_not_the_one_recorded_when_its_digest_is_another(served: Infringement) -> None:
    town = served.town
    town.act("fiscal", acts.attach, served.id, "laudo.pdf", "application/pdf", b"%PDF-1.7 laudo")
    told = past_of(served).told
    assert [(f.name, f.size, f.fault) for f in town.read(kept.files, told).values()] == [
        ("laudo.pdf", 14, "")
    ]
    town.tamper("UPDATE attachment SET size = 15")
    assert [f.fault for f in town.read(kept.files, told).values()] == [
        "o arquivo guardado não é o registrado"
    ]
    town.tamper("DELETE FROM attachment")
    assert [f.fault for f in town.read(kept.files, told).values()] == [
        "o arquivo guardado não é o registrado"
    ]


def test_nothing_of_the_rows_of_the_day_is_believed(served: Infringement) -> None:
    before = past_of(served)
    for statement in (
        "UPDATE cases SET status = 'PAGO', norm_digest = norm_digest, fallen = '[3]', flow = '{}', state = :b",
        "UPDATE work_item SET status = 'open'",
        "UPDATE deadline SET status = 'met', due_at = expires_at",
        "DELETE FROM element_log",
    ):
        served.town.tamper(statement, **({"b": b"{}"} if ":b" in statement else {}))
    after = past_of(served)
    for look in (tasks, terms, papers, owed, active):
        assert look(after, 4) == look(before, 4)
    assert after.history[4].status == "AUTUADO"
    assert moment.felled(after) == {}


@pytest.mark.parametrize(
    ("statement", "seq", "reason"),
    [
        ("UPDATE journal SET body = :b WHERE stream = :n AND seq = 3", 3, CHAIN),
        (
            "UPDATE journal SET actor = 'instalacao' WHERE stream = :n AND seq = 3",
            3,
            "a coluna actor contradiz o registro",
        ),
        ("DELETE FROM journal WHERE stream = :n AND seq = 3", 3, "esperava-se o registro 3"),
        (
            "DELETE FROM journal WHERE stream = :n AND seq = 4",
            4,
            "o fim da cadeia não confere: falta ou sobra registro",
        ),
    ],
)
def test_a_broken_chain_is_believed_up_to_the_break(
    served: Infringement, statement: str, seq: int, reason: str
) -> None:
    whole = past_of(served)
    named = {"b": b"no JSON"} if ":b" in statement else {}
    assert served.town.tamper(statement, n=f"processo:{served.id}", **named) == 1
    past = past_of(served)
    assert past.fault == pasts.Fault(seq, reason)
    assert past.believed == seq - 1
    assert tasks(past, seq - 1) == tasks(whole, seq - 1)


@pytest.mark.parametrize(
    ("seq", "changes", "reason"),
    [
        (2, {"state": "0" * 64}, "o estado não confere"),
        (3, {"command": {"op": "complete", "task": 7, "data": []}}, None),
        (3, {"command": None}, SHAPE),
        (1, {"norm": "0" * 64}, "Versão da norma desconhecida."),
        (1, {"process": "outro"}, SHAPE),
        (1, {"definition": "0" * 64}, "o diagrama guardado não é aquele a que o processo está preso"),
    ],
)
def test_a_history_rewritten_with_its_chain_is_believed_up_to_where_it_replays(
    served: Infringement, seq: int, changes: dict[str, Any], reason: str | None
) -> None:
    rewrite(served, seq, **changes)
    past = past_of(served)
    assert past.fault is not None
    assert past.fault.seq == seq
    assert past.believed == seq - 1
    assert reason in (None, past.fault.reason)


@pytest.mark.parametrize(
    "changes",
    [
        {"orders": [{"result": {}}]},
        {"orders": [{"result": {"document": 7, "number": "1/2026"}}]},
        {"warnings": [7]},
        {"corrects": "dois"},
        {"reason": 7},
        {"submission": "x", "form": None},
    ],
)
def test_an_entry_that_replays_and_yet_tells_too_little_is_not_believed(
    served: Infringement, changes: dict[str, Any]
) -> None:
    """The auto issues one document, the last order of its entry."""
    if "orders" in changes:
        orders = past_of(served).told[2].body["orders"]
        changes = {"orders": [*orders[:-1], {**orders[-1], **changes["orders"][0]}]}
    rewrite(served, 3, **changes)
    past = past_of(served)
    assert past.fault == pasts.Fault(3, SHAPE)
    assert past.believed == 2


def test_a_case_without_journal_has_no_past(served: Infringement) -> None:
    served.town.tamper("DELETE FROM journal WHERE stream = :n", n=f"processo:{served.id}")
    past = past_of(served)
    assert past.told == ()
    assert past.believed == 0
    assert past.fault is not None
    assert past.fault.seq == 1
