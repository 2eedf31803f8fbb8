"""Reading a case: inbox, folder, timeline, diagram, and how answers are shown. Nothing here changes anything."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from app.cases import access, history
from app.cases.display import shown
from app.cases.dossier import definition_of, latest_answers, open_dossier
from app.cases.inbox import PAGE, count, inbox
from app.errors import Forbidden, NotFound
from app.law.norm import Norm
from app.registry import values
from app.store import Tx
from tests.cases.infringement import OTHER, Infringement, to_decision_served, to_trial
from tests.cases.town import Town, local


def waiting(town: Town, login: str) -> list[tuple[str, str]]:
    """Number and element (with its seat) of what waits for a person, in the order shown."""
    rows = town.read(inbox, town.norm, town.world.people[login]).rows
    assert town.read(count, town.norm, town.world.people[login]) == len(rows)
    return [(r["number"], f"{r['element']}:{r['seat']}" if r["seat"] else r["element"]) for r in rows]


def test_each_finds_the_tasks_of_the_own_office_and_no_others(town: Town) -> None:
    fresh = Infringement.opened(town).row["number"]
    second, third = (Infringement.opened(town, codigo=code) for code in ("I-13", "I-03"))
    due = second.registered().row["number"]
    third.registered().charged()
    unserved = third.row["number"]
    assert waiting(town, "membro1") == [(fresh, "registrar_notificacao"), (due, "lavrar_auto")]
    assert waiting(town, "autuante") == [(due, "lavrar_auto")]
    assert waiting(town, "protocolo") == [(unserved, "dar_ciencia_auto")]
    assert waiting(town, "fiscal") == [(unserved, "dar_ciencia_auto")]
    assert waiting(town, "auditor") == waiting(town, "secretario") == waiting(town, "suplente") == []


def may_do(tx: Tx, case: Infringement, item: Any) -> bool:
    try:
        access.require_for_item(open_dossier(tx, case.id), item)
    except Forbidden:
        return False
    return True


def test_an_inbox_shows_exactly_what_its_person_may_do(town: Town) -> None:
    """Six cases, the accusers among judges and without; the door and the list must not disagree."""
    cases = [
        Infringement.opened(town, codigo="I-13"),
        to_trial_by(town, "I-14"),
        to_trial_by(town, "I-03", auto="membro1"),
        to_trial_by(town, "I-25", notice="presidente"),
        to_trial_by(town, "I-05", notice="presidente", auto="membro2"),
    ]
    for login in town.world.people:
        told = set(waiting(town, login))
        with town.store.act(town.actor(login)) as tx:
            for case in cases:
                for name in case.open:
                    element, _, seat = name.partition(":")
                    allowed = may_do(tx, case, case.item(element, seat or None))
                    assert ((case.row["number"], name) in told) == allowed, (login, name)


def to_trial_by(town: Town, code: str, notice: str = "fiscal", auto: str = "autuante") -> Infringement:
    case = Infringement.opened(
        town, codigo=code, by=notice, when=None if town_has_begun(town) else "2026-05-05 08:10"
    )
    case.registered(now(town)).charged(now(town), auto)
    case.served(now(town), now(town))
    return case.defended(None)


def town_has_begun(town: Town) -> bool:
    return bool(town.clock.now() >= local("2026-05-05 08:10"))


def now(town: Town) -> str:
    return f"{town.clock.now().astimezone(town.norm.zone):%Y-%m-%d %H:%M}"


def test_where_accusers_may_judge_the_inbox_shows_it(town: Town) -> None:
    town.install(values.record, town.norm, "autuante.julga", "avisar", date(2026, 5, 1), "Portaria 9")
    case = to_trial_by(town, "I-14", auto="membro1")
    assert (case.row["number"], "votar:membro_1") in waiting(town, "membro1")
    assert waiting(town, "suplente") == []


def test_the_most_urgent_comes_first_and_what_has_no_term_last(town: Town) -> None:
    late = Infringement.opened(town, codigo="I-13").registered().charged().served()
    later = Infringement.opened(town, when=None, codigo="I-03", ocorrida_em="2026-05-11")
    later.registered("2026-05-12 09:00").charged("2026-05-12 10:00").served(
        "2026-05-13 10:00", "2026-05-13 09:00"
    )
    calm = Infringement.opened(town, when=None, codigo="I-25", ocorrida_em="2026-05-11")
    town.let_pass("2026-05-21 09:00")
    numbers = [number for number, _ in waiting(town, "membro1")]
    assert numbers == [late.row["number"], later.row["number"], calm.row["number"]]


def test_long_inboxes_come_in_pages(town: Town) -> None:
    Infringement.opened(town)
    person = town.world.people["membro1"]
    beyond = town.read(inbox, town.norm, person, page=2)
    assert (beyond.page, len(beyond.rows)) == (1, 1)  # there is no second page: the last one is shown
    assert PAGE == 50


def test_a_folder_holds_everything_of_a_case_and_its_petitions(town: Town) -> None:
    case = to_decision_served(town).paid("2026-06-01 10:00")
    town.let_pass("2026-06-05 09:00")
    case.file("outro", OTHER)
    folder = town.read(history.folder, case.id)
    assert folder.case["number"] == case.row["number"]
    assert [f["kind"] for f in folder.filings] == ["contestacao", "pagamento", "outro"]
    assert [(s["variable"], s["served_at"], s["mode"]) for s in folder.services] == [
        ("ciencia_auto", local("2026-05-11 11:00"), "representante"),
        ("ciencia_decisao", local("2026-05-28 10:00"), "representante"),
    ]
    assert folder.documents[0]["kind"] == "notificacao"
    assert [c["process"] for c in folder.linked] == ["peticao"]
    assert (list(folder.notes), list(folder.attachments)) == ([], [])
    assert folder.items[0]["element"] == "registrar_notificacao"
    assert len(folder.submissions) == 12
    with pytest.raises(NotFound, match="Não há processo"):
        town.read(history.folder, "nenhum")


def test_a_case_is_found_by_its_number(town: Town) -> None:
    case = Infringement.opened(town)
    assert town.read(history.by_number, "00001/2026-0")["id"] == case.id
    with pytest.raises(NotFound, match="Não há processo"):
        town.read(history.by_number, "00001/2026-1")


def test_the_timeline_says_what_happened_by_whom_and_when(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served()
    town.let_pass("2026-05-19 00:00")
    lines = [(line.title, line.who) for line in town.read(history.timeline, case.id)]
    assert lines == [
        ("Processo aberto", "Fernanda Lima"),
        ("Tarefa concluída: Registrar notificação", "Marta Andrade"),
        ("Tarefa concluída: Lavrar auto de infração", "Antônio Dias"),
        ("Ciência registrada: Dar ciência do auto", "Priscila Elói"),
        ("Prazo decorrido", "Relógio do sistema"),
    ]
    served, expired = town.read(history.timeline, case.id)[-2:]
    assert (served.happened_at, served.recorded_at) == (local("2026-05-11 11:00"), local("2026-05-11 11:30"))
    assert (expired.happened_at, expired.recorded_at) == (
        local("2026-05-18 23:59:59"),
        local("2026-05-19 00:00"),
    )


def test_the_diagram_shows_each_step_as_it_was_then(town: Town) -> None:
    case = Infringement.opened(town).registered()
    now_ = town.read(history.marks, case.id)
    assert (now_["registrar_notificacao"], now_["lavrar_auto"]) == ("done", "active")
    then = town.read(history.marks, case.id, 1)
    assert (then["registrar_notificacao"], then.get("lavrar_auto")) == ("active", None)
    case.charged().served()
    running = town.read(history.marks, case.id)
    assert running["espera_defesa"] == "active" or running["fim_prazo_defesa"] == "active"
    case.defended()
    assert town.read(history.marks, case.id)["prazos_encerrados"] == "done"
    assert town.read(history.marks, "nenhum") == {}


@pytest.mark.parametrize(
    ("form", "name", "value", "text"),
    [
        ("ciencia", "modo", "pessoal", "Entrega pessoal"),
        ("termo_revelia", "livro_conferido", True, "sim"),
        ("recurso2", "comprovante", False, "não"),
        ("notificacao", "ocorrida_em", "2026-05-05", "05/05/2026"),
        ("ciencia", "instante", "2026-05-11T14:00:00Z", "11/05/2026 11:00"),
        ("valor_parcial", "valor_parcial", "3.50", "3,50 UFP"),
        ("pagamento", "valor", "1234.5", "R$ 1.234,50"),
        ("notificacao", "local", "Terminal", "Terminal"),
        ("notificacao", "campo", "x", "x"),
        ("nada", "campo", 7, "7"),
        ("notificacao", "local", None, ""),
    ],
)
def test_answers_are_shown_as_people_read_them(
    shared_town: Town, form: str, name: str, value: Any, text: str
) -> None:
    assert shown(shared_town.norm, form, name, value) == text


def test_the_newest_answers_of_each_form_are_at_hand(town: Town) -> None:
    case = to_decision_served(town)
    newest = town.read(latest_answers, case.id)
    assert newest["ciencia"]["effective_at"] == local("2026-05-28 10:00")
    assert {"notificacao", "voto", "contestacao"} <= set(newest)


def test_a_diagram_that_the_norm_does_not_bring_is_said_so(shared_town: Town) -> None:
    norm: Norm = shared_town.norm
    lost = type(norm.processes["infracao"])(**{**vars(norm.processes["infracao"]), "file": "perdido.bpmn"})
    with pytest.raises(NotFound, match=r"perdido.bpmn"):
        definition_of(norm, lost)


def test_trials_need_no_more_than_what_is_open(town: Town) -> None:
    case = to_trial(town)
    assert case.open == ["votar:membro_1", "votar:membro_2", "votar:presidente"]
    assert waiting(town, "presidente") == [(case.row["number"], "votar:presidente")]
    assert waiting(town, "suplente") == []
