"""Bad input to every act: a sentence and a code, and every row of every table and every chain head as before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.cases import acts
from app.cases.acts.folder import LARGEST_FILE
from app.errors import Refused
from app.store import CLOCK
from tests.cases.fixtures import at_work
from tests.cases.infringement import (
    AUTO,
    DEFENCE,
    OTHER,
    REGISTER,
    Infringement,
    ballot,
    notice,
    receipt,
)
from tests.cases.town import Town, found, local
from tests.databases import Databases

PDF = b"%PDF-1.7\n"
UNKNOWN_IDS = ("nenhum", "", "0" * 40, "x" * 500, "' OR 1=1 --", "a\x00b", "\ud800", "١٢٣")


@dataclass
class Scene:
    """A town at noon of 12 May with a case at every early stage."""

    town: Town
    fresh: Infringement  # the notice waits to be registered
    warned: Infringement  # ended
    due: Infringement  # an auto is to be drawn up
    unreadable: Infringement  # the same for I-16, whose value nobody can read
    described: Infringement  # the same for I-33, whose description nobody can read
    unserved: Infringement  # the auto waits to be received
    trial: Infringement  # the Comissão votes
    taken: Infringement  # as `due`, with the task in the hands of autuante
    cancelled: Infringement


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def scene(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Scene]:

    url = databases.prepared(request.param, found)
    for town in at_work(url, "scene"):
        yield set_scene(town)
    databases.drop(url)


def set_scene(town: Town) -> Scene:
    sol = {"transportador": town.world.carriers["TC"], "outorga": town.world.grants["L-102"]}
    fresh, due, unserved, trial, taken, cancelled = (Infringement.opened(town, codigo=c) for c in CODES)
    warned, unreadable = Infringement.opened(town, **sol), Infringement.opened(town, codigo="I-16")
    described = Infringement.opened(town, codigo="I-33")
    for case in (warned, due, unreadable, described, unserved, trial, taken, cancelled):
        case.registered("2026-05-06 09:00")
    for case in (unserved, trial):
        case.charged("2026-05-08 10:00")
    trial.served().defended("2026-05-12 09:00")
    item = taken.item("lavrar_auto")
    town.act("autuante", acts.claim, item["id"], item["version"])
    town.act("secretario", acts.cancel, cancelled.id, "Notificação em duplicidade.")
    town.at("2026-05-12 12:00")
    return Scene(town, fresh, warned, due, unreadable, described, unserved, trial, taken, cancelled)


CODES = ("I-14", "I-13", "I-03", "I-25", "I-05", "I-06")


def complete(
    scene: Scene,
    login: str,
    case: Infringement,
    element: str,
    answers: Any,
    seat: str | None = None,
    **named: Any,
) -> Refused:
    item = case.item(element, seat)
    version = named.pop("version", item["version"])
    return scene.town.refusal(login, acts.complete, item["id"], answers, version, **named)


def test_opening_with_bad_input_is_refused(scene: Scene) -> None:
    town = scene.town
    for process, answers, code, who in (
        ("nada", notice(town), "processo.desconhecido", "fiscal"),
        ("", notice(town), "processo.desconhecido", "fiscal"),
        ("infracao", {}, "formulario.invalido", "fiscal"),
        ("infracao", notice(town, codigo="X-1"), "formulario.invalido", "fiscal"),
        ("infracao", notice(town, fatos="x" * 4_001), "formulario.invalido", "fiscal"),
        ("infracao", notice(town, fatos="nulo \x00 aqui"), "formulario.invalido", "fiscal"),
        ("infracao", notice(town, ocorrida_em="2026-05-13"), "formulario.invalido", "fiscal"),
        ("infracao", notice(town, transportador=7), "formulario.invalido", "fiscal"),
        ("infracao", notice(town, codigo="II-05"), "formulario.invalido", "fiscal"),
        ("infracao", notice(town), "competencia.ausente", "membro1"),
        ("peticao", OTHER, "competencia.ausente", "fiscal"),
        ("infracao", notice(town, outorga=town.world.grants["L-102"]), OTHER_CARRIER, "fiscal"),
        (
            "infracao",
            notice(
                town,
                codigo="II-05",
                transportador=town.world.carriers["TC"],
                outorga=None,
                pessoa=town.world.staff["jose"],
            ),
            OTHER_CARRIER,
            "fiscal",
        ),
    ):
        assert town.refusal(who, acts.open_case, "jequie", process, answers).code == code, (process, answers)
    assert town.refusal("fiscal", acts.open_case, "outra", "infracao", {}).code == "norma.sem_vigencia"


OTHER_CARRIER = "registro.de_outro_transportador"


@pytest.mark.parametrize(
    ("instant", "code"),
    [
        (datetime(2026, 5, 12, 9, 0), "instante.sem_fuso"),  # noqa: DTZ001 (naive on purpose)
        (local("2026-05-12 12:00") + timedelta(microseconds=1), "instante.futuro"),
        (local("2030-01-01 00:00"), "instante.futuro"),
        (datetime.min.replace(tzinfo=UTC), "instante.absurdo"),
        (datetime.max.replace(tzinfo=UTC), "instante.absurdo"),
    ],
)
def test_an_act_happens_neither_in_the_future_nor_at_no_known_instant(
    scene: Scene, instant: datetime, code: str
) -> None:
    town, item = scene.town, scene.fresh.item("registrar_notificacao")
    for login, deed in (
        ("fiscal", (acts.open_case, "jequie", "infracao", notice(town), instant)),
        ("membro1", (acts.complete, item["id"], REGISTER, item["version"], instant)),
        ("protocolo", (acts.file, scene.trial.id, "outro", OTHER, instant)),
    ):
        assert (town.refusal(login, *deed).code, deed[0]) == (code, deed[0])


@pytest.mark.parametrize(
    ("day", "hour", "fits"),
    [
        ("2026-05-12", "12:05", True),  # a watch may be five minutes ahead
        ("2026-05-12", "12:06", False),
        ("2026-05-12", "23:59", False),
        ("2026-05-11", "23:59", True),
    ],
)
def test_nothing_happened_at_an_hour_that_is_still_to_come(
    scene: Scene, day: str, hour: str, fits: bool
) -> None:
    """It is noon."""
    town = scene.town
    told = ("jequie", "infracao", notice(town, codigo="I-09", ocorrida_em=day, hora=hour))
    if fits:
        town.act("fiscal", acts.open_case, *told)
        return
    refused = town.refusal("fiscal", acts.open_case, *told)
    assert (refused.code, refused.fields) == ("formulario.invalido", {"hora": "A hora está no futuro."})


def test_a_task_is_not_completed_before_it_was_opened(scene: Scene) -> None:
    item = scene.fresh.item("registrar_notificacao")
    before = item["opened_at"] - timedelta(microseconds=1)
    refused = scene.town.refusal("membro1", acts.complete, item["id"], REGISTER, item["version"], before)
    assert refused.code == "instante.anterior"


def test_completing_with_bad_answers_is_refused(scene: Scene) -> None:
    for answers in (
        {},
        {"conferencia": "talvez"},
        {"conferencia": ["em_ordem"]},
        {"conferencia": "com_ressalva"},
        {**REGISTER, "observacao": "x" * 1_001},
        {**REGISTER, "observacao": 1.5},
        {**REGISTER, "extra": "x"},
    ):
        refused = complete(scene, "membro1", scene.fresh, "registrar_notificacao", answers)
        assert (refused.code, refused.status) == ("formulario.invalido", 422), answers
        assert refused.fields


def test_completing_with_a_version_that_moved_on_is_refused(scene: Scene) -> None:
    for version in (0, 2, -1, 10**30):
        refused = complete(scene, "membro1", scene.fresh, "registrar_notificacao", REGISTER, version=version)
        assert (refused.code, refused.status) == ("tarefa.mudou", 409)
    stale = complete(scene, "autuante", scene.taken, "lavrar_auto", AUTO, version=1)
    assert stale.code == "tarefa.mudou"
    assert stale.message == "Você assumiu ou devolveu esta tarefa em outra página. Confira e envie de novo."


def test_completing_what_was_completed_says_by_whom_and_is_refused(scene: Scene) -> None:
    refused = complete(scene, "presidente", scene.due, "registrar_notificacao", REGISTER)
    assert (refused.code, refused.status) == ("tarefa.encerrada", 409)
    assert "Marta Andrade" in refused.message
    cancelled = complete(scene, "autuante", scene.cancelled, "lavrar_auto", AUTO)
    assert cancelled.code == "tarefa.encerrada"
    assert "encerrada por Sônia Guedes" in cancelled.message


def test_completing_what_a_colleague_holds_is_refused(scene: Scene) -> None:
    refused = complete(scene, "membro1", scene.taken, "lavrar_auto", AUTO)
    assert (refused.code, refused.status) == ("tarefa.de_outra_pessoa", 409)


def test_completing_a_task_of_another_office_is_refused_with_whom_to_ask(scene: Scene) -> None:
    for login, case, element, seat in (
        ("fiscal", scene.fresh, "registrar_notificacao", None),
        ("protocolo", scene.due, "lavrar_auto", None),
        ("membro1", scene.unserved, "dar_ciencia_auto", None),
        ("secretario", scene.trial, "votar", "membro_1"),
        ("auditor", scene.due, "lavrar_auto", None),
    ):
        refused = complete(scene, login, case, element, {}, seat)
        assert (refused.status, refused.code.split(".")[0]) == (403, "competencia")


@pytest.mark.parametrize("odd", UNKNOWN_IDS)
def test_what_has_no_such_id_is_not_found_and_not_a_crash(scene: Scene, odd: str) -> None:
    town = scene.town
    for login, deed in (
        ("membro1", (acts.complete, odd, REGISTER, 1)),
        ("membro1", (acts.claim, odd, 1)),
        ("membro1", (acts.release, odd, 1)),
        ("protocolo", (acts.file, odd, "outro", OTHER)),
        ("fiscal", (acts.annotate, odd, "Visto.")),
        ("fiscal", (acts.attach, odd, "a.pdf", "application/pdf", PDF)),
        ("secretario", (acts.cancel, odd, "Motivo.")),
    ):
        refused = town.refusal(login, *deed)
        assert (refused.code, refused.status) in (("nao_encontrado", 404), ("texto.caracteres", 422))
    drafted = town.unchanged(lambda: town.draft("membro1", acts.save_draft, odd, {}))
    assert drafted.status in (404, 422)


@pytest.mark.parametrize(("attribute", "certainty"), [("unreadable", "ausente"), ("described", "ilegivel")])
def test_no_auto_is_drawn_up_for_a_fine_that_nobody_can_read(
    scene: Scene, attribute: str, certainty: str
) -> None:
    """D-10: I-16 has no value, I-33 has one and no description. Nothing is guessed."""
    case = getattr(scene, attribute)
    refused = complete(scene, "autuante", case, "lavrar_auto", AUTO)
    assert (refused.code, refused.status) == ("multa.valor_nao_confirmado", 422)
    assert case.row["flow"]["codigo"] in refused.message
    for words in ("não está confirmado", certainty, "administrador"):
        assert words in refused.message
    assert case.open == ["lavrar_auto"]


@pytest.mark.parametrize(
    ("instant", "code"),
    [
        ("2026-05-07 23:59", "ciencia.anterior_ao_documento"),  # the auto is of the 8th
        ("2026-05-12 12:01", "formulario.invalido"),
    ],
)
def test_nobody_receives_an_auto_before_it_exists_nor_tomorrow(scene: Scene, instant: str, code: str) -> None:
    refused = complete(scene, "protocolo", scene.unserved, "dar_ciencia_auto", receipt(instant))
    assert refused.code == code
    assert list(refused.fields) == ["instante"]


def test_a_vote_without_choice_is_refused(scene: Scene) -> None:
    for answers in (
        {},
        {"voto": "talvez", "fundamentacao": "Porque sim."},
        {"voto": "parcial"},
        ballot("parcial"),
    ):
        told = {k: v for k, v in answers.items() if k != "valor_ufp"}
        refused = complete(scene, "membro1", scene.trial, "votar", told, "membro_1")
        assert refused.code == "formulario.invalido"


def test_claiming_and_giving_back_what_is_not_ones_own_is_refused(scene: Scene) -> None:
    town, item = scene.town, scene.taken.item("lavrar_auto")
    for login, deed, code in (
        ("membro1", (acts.claim, item["id"], item["version"]), "tarefa.de_outra_pessoa"),
        ("autuante", (acts.claim, item["id"], item["version"]), "tarefa.de_outra_pessoa"),
        ("membro1", (acts.release, item["id"], item["version"]), "tarefa.de_outra_pessoa"),
        ("autuante", (acts.release, item["id"], 1), "tarefa.mudou"),
        ("fiscal", (acts.claim, item["id"], item["version"]), "competencia.ausente"),
    ):
        assert town.refusal(login, *deed).code == code
    free = scene.due.item("lavrar_auto")
    refused = town.refusal("autuante", acts.release, free["id"], free["version"])
    assert refused.code == "tarefa.de_outra_pessoa"


def test_filing_with_bad_input_is_refused(scene: Scene) -> None:
    town = scene.town
    opened = scene.trial.row["opened_at"]
    for login, told, code in (
        ("fiscal", (scene.trial.id, "outro", OTHER), "competencia.ausente"),
        ("protocolo", (scene.trial.id, "nada", OTHER), "protocolo.tipo_desconhecido"),
        ("protocolo", (scene.trial.id, "\x00", OTHER), "protocolo.tipo_desconhecido"),
        ("protocolo", (scene.trial.id, "outro", {}), "formulario.invalido"),
        ("protocolo", (scene.trial.id, "outro", {**OTHER, "texto": "x" * 8_001}), "formulario.invalido"),
        ("protocolo", (scene.trial.id, "outro", {**OTHER, "texto": "a\x00b"}), "formulario.invalido"),
        ("protocolo", (scene.trial.id, "contestacao", {**DEFENCE, "razoes": 7}), "formulario.invalido"),
        (
            "protocolo",
            (scene.trial.id, "outro", OTHER, opened - timedelta(microseconds=1)),
            "instante.anterior",
        ),
        ("protocolo", (scene.trial.id, "pagamento", {"valor": "0"}), "formulario.invalido"),
        ("protocolo", (scene.trial.id, "pagamento", {"valor": "-5,00"}), "formulario.invalido"),
        ("protocolo", (scene.trial.id, "pagamento", {"valor": 5}), "formulario.invalido"),
        (
            "protocolo",
            (scene.trial.id, "pagamento", {"valor": "5.00", "pago_em": "2026-05-13T09:00:00-03:00"}),
            "formulario.invalido",
        ),
    ):
        assert town.refusal(login, acts.file, *told).code == code, told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("", "texto.vazio"),
        ("  \n\t ", "texto.vazio"),
        ("\u200b\u2060\ufeff", "texto.vazio"),  # zero width
        ("\u200e\u202e\u2066", "texto.vazio"),  # marks of direction
        ("\u034f\ufe0f\u0301", "texto.vazio"),  # joiner, variation and accent without a letter
        ("\u115f\u1160\u3164\uffa0", "texto.vazio"),  # Hangul fillers
        ("\u2800 \u00a0", "texto.vazio"),  # braille blank
        (None, "argumento.tipo"),
        (7, "argumento.tipo"),
        (["a"], "argumento.tipo"),
        ("x" * 4_001, "texto.longo"),
        ("nulo \x00 aqui", "texto.caracteres"),
        ("metade \ud83d", "texto.caracteres"),
    ],
)
def test_a_note_and_a_reason_must_be_texts_that_can_be_kept(scene: Scene, words: Any, code: str) -> None:
    town = scene.town
    assert town.refusal("fiscal", acts.annotate, scene.due.id, words).code == code
    assert town.refusal("secretario", acts.cancel, scene.due.id, words).code == code


@pytest.mark.parametrize(
    ("media", "data", "code"),
    [
        ("application/pdf", b"", "arquivo.tamanho"),
        ("application/pdf", PDF + bytes(LARGEST_FILE), "arquivo.tamanho"),
        ("application/pdf", b"MZ\x90\x00", "arquivo.tipo"),
        ("application/pdf", b"\x89PNG\r\n\x1a\n", "arquivo.tipo"),
        ("image/png", PDF, "arquivo.tipo"),
        ("text/html", b"<script>", "arquivo.tipo"),
        ("image/svg+xml", b"<svg onload='x'/>", "arquivo.tipo"),
        ("", b"<html>", "arquivo.tipo"),
    ],
)
def test_a_file_of_another_kind_or_size_is_refused(scene: Scene, media: str, data: bytes, code: str) -> None:
    refused = scene.town.refusal("fiscal", acts.attach, scene.due.id, "prova.pdf", media, data)
    assert (refused.code, refused.status) == (code, 422)


def test_an_ended_case_is_ended(scene: Scene) -> None:
    town = scene.town
    for case in (scene.warned, scene.cancelled):
        refused = town.refusal("secretario", acts.cancel, case.id, "De novo.")
        assert (refused.code, refused.status) == ("processo.encerrado", 409)
        assert case.row["number"] in refused.message
        assert complete(scene, "membro1", case, "registrar_notificacao", REGISTER).code == "tarefa.encerrada"


def test_a_draft_is_for_those_who_may_do_the_task_while_it_is_open(scene: Scene) -> None:
    town = scene.town
    open_id, done_id = scene.due.item("lavrar_auto")["id"], scene.due.item("registrar_notificacao")["id"]
    for deed, code in (
        (lambda: town.draft("membro1", acts.save_draft, done_id, {}), "tarefa.encerrada"),
        (lambda: town.draft("fiscal", acts.save_draft, open_id, AUTO), "competencia.ausente"),
        (lambda: by_the_clock(town, open_id), "competencia.ausente"),
    ):
        assert town.unchanged(deed).code == code


def by_the_clock(town: Town, item_id: str) -> None:

    with town.store.silent_act(CLOCK) as tx:
        acts.save_draft(tx, item_id, AUTO)
