"""Working on tasks: who sees them, who may do them, and that nothing typed is ever lost."""

from __future__ import annotations

import io
from datetime import datetime

import pytest

from tests.web.conftest import BAHIA, CHARGE, Site, finish


def test_an_inbox_shows_what_its_owner_may_do_and_nothing_else(site: Site) -> None:
    case = site.opened()
    page = site.person("membro1").get("/caixa")
    assert "1 tarefa espera por você." in page.text
    assert case in page.links()
    for login in ("fiscal", "autuante", "protocolo", "financas", "secretario", "suplente", "auditor"):
        assert "Nada espera por você agora." in site.person(login).get("/caixa").text, login


def test_a_term_that_is_over_is_not_the_next_deadline_of_a_case(site: Site) -> None:
    site.defended()
    page = site.person("membro1").get("/caixa")
    assert "vence em 5 dias" in page.text  # payment: 5 business days from Tuesday 3 March
    assert "terça-feira, 10/03/2026, até 23:59" in page.text
    site.at(3, 11)
    row = next(e.text for e in site.person("membro1").get("/caixa").all("tr") if "Votar" in e.text)
    assert "sem prazo correndo" in row


def test_whoever_may_not_do_a_task_reads_whom_to_call(site: Site) -> None:
    site.opened()
    task = site.person("membro1").get("/caixa").link("Registrar notificação")
    outsider = site.person("fiscal")
    page = outsider.get(task)
    assert page.status == 200
    assert (
        "Este ato cabe a: Presidente da Comissão de Julgamento, Membro da Comissão de Julgamento" in page.text
    )
    assert "Fale com" in page.text
    assert "Marta Andrade" in page.text
    assert page.all("button", name="_acao") == []


def test_doing_anothers_task_is_refused_and_what_was_typed_can_be_copied(site: Site) -> None:
    case = site.opened()
    task = site.person("membro1").get("/caixa").link("Registrar notificação")
    page = site.person("fiscal").post(
        task, versao="1", _acao="concluir", conferencia="em_ordem", observacao="Texto longo."
    )
    assert page.status == 403
    assert [e.text for e in page.all("dd", class_="typed")] == ["Em ordem", "Texto longo."]
    assert "Notificado" in site.person("fiscal").get(case).text
    assert "Tarefa concluída" not in site.person("fiscal").get(case).text


def test_a_form_with_problems_comes_back_with_everything_typed_and_says_what_is_wrong(site: Site) -> None:
    site.opened()
    browser = site.person("membro1")
    task = browser.get("/caixa").link("Registrar notificação")
    page = finish(browser, task, conferencia="com_ressalva", ressalva="abc", observacao='Diz "assim" <ok>')
    assert page.status == 422
    assert page.title.startswith("Erro: ")
    summary = page.one("div", role="alert")
    assert "Ressalva: Escreva ao menos 5 caracteres." in summary.text
    assert "#ressalva" in page.links()
    field = page.one("textarea", id="ressalva")
    assert field.attributes["aria-invalid"] == "true"
    assert "ressalva-erro" in field.attributes["aria-describedby"]
    assert page.value("conferencia") == "com_ressalva"
    assert page.value("ressalva") == "abc"
    assert page.value("observacao") == 'Diz "assim" <ok>'


def test_the_second_submit_keeps_the_text_and_says_who_was_faster(site: Site) -> None:
    site.opened()
    first, second = site.person("membro1"), site.person("membro2")
    task = first.get("/caixa").link("Registrar notificação")
    version = second.get(task).value("versao")
    finish(first, task, conferencia="em_ordem")
    page = second.post(
        task, versao=version, _acao="concluir", conferencia="em_ordem", observacao="Meu texto."
    )
    assert page.status == 409
    assert "já foi concluída por Marta Andrade" in page.one("div", role="alert").text
    assert "Meu texto." in page.text
    assert page.all("button", name="_acao") == []


def test_a_task_taken_by_a_colleague_is_theirs_until_given_back(site: Site) -> None:
    site.opened()
    marta, mario = site.person("membro1"), site.person("membro2")
    task = marta.get("/caixa").link("Registrar notificação")
    stale = mario.get(task).value("versao")
    marta.post(f"{task}/assumir", versao="1")
    page = mario.get(task)
    assert "Esta tarefa está com Marta Andrade" in page.text
    assert page.all("button", name="_acao") == []
    refused = mario.post(task, versao=stale, _acao="concluir", conferencia="em_ordem")
    assert refused.status == 409
    assert "Marta Andrade assumiu a tarefa depois que você a abriu." in refused.text
    page = marta.get(task)
    marta.post(f"{task}/devolver", versao=page.value("versao"))
    assert mario.get(task).all("button", name="_acao") != []
    refused = mario.post(task, versao=stale, _acao="concluir", conferencia="em_ordem")
    assert "Marta Andrade esteve com a tarefa e a devolveu depois que você a abriu." in refused.text


def test_a_version_that_is_no_number_is_a_conflict(site: Site) -> None:
    site.opened()
    browser = site.person("membro1")
    task = browser.get("/caixa").link("Registrar notificação")
    assert browser.post(task, versao="x", _acao="concluir", conferencia="em_ordem").status == 409
    assert browser.post(f"{task}/assumir", versao="").status == 409


def test_a_draft_comes_back_for_its_owner_only(site: Site) -> None:
    site.opened()
    browser = site.person("membro1")
    task = browser.get("/caixa").link("Registrar notificação")
    page = browser.post(task, versao="1", _acao="rascunho", observacao="Pela metade")
    assert page.status == 200
    assert "Seu rascunho foi salvo em 02/03/2026 09:00" in page.text
    assert page.value("observacao") == "Pela metade"
    assert "rascunho" in browser.get("/caixa").text
    assert site.person("membro2").get(task).value("observacao") == ""


def test_a_draft_is_still_there_when_a_colleague_was_faster_until_its_owner_discards_it(site: Site) -> None:
    site.opened()
    marta, mario = site.person("membro1"), site.person("membro2")
    task = marta.get("/caixa").link("Registrar notificação")
    mario.post(task, versao="1", _acao="rascunho", conferencia="em_ordem", observacao="Pela metade")
    site.at(3, 2, 9, 40)
    finish(marta, task, conferencia="em_ordem")
    page = mario.get(task)
    told = page.one("section", id="rascunho")
    assert told.text.startswith(
        "O que você escreveu Seu rascunho foi salvo em 02/03/2026 09:00. Só você o vê."
    )
    assert "Não foi enviado: a tarefa foi concluída por Marta Andrade, 02/03/2026 09:40." in told.text
    assert [e.text for e in page.all("dd", class_="typed")] == ["Em ordem", "Pela metade"]
    for other in ("membro1", "presidente", "auditor"):
        assert "Pela metade" not in site.person(other).get(task).text
    site.person("auditor").post(f"{task}/descartar-rascunho")
    assert "Pela metade" in mario.get(task).text
    page = mario.post(f"{task}/descartar-rascunho")
    assert "Pela metade" not in page.text
    assert page.all("section", id="rascunho") == []


def test_who_votes_sees_the_files_the_notes_and_the_linked_cases(site: Site) -> None:
    case = site.defended()
    photo = (io.BytesIO(b"\x89PNG\r\n\x1a\n0"), "catraca.png", "image/png")
    site.person("fiscal").post(f"{case}/anexar", arquivo=photo)
    site.person("fiscal").post(f"{case}/anotar", texto="O veículo foi vistoriado.")
    browser = site.person("membro1")
    page = browser.get(browser.get("/caixa").link("Votar"))
    assert page.link("catraca.png").startswith("/anexos/")
    assert "O veículo foi vistoriado." in page.text


def test_who_decides_on_a_late_petition_is_led_to_the_case_it_came_from(site: Site) -> None:
    case = site.opened()
    site.person("secretario").post(f"{case}/cancelar", texto="Lavrada por engano.")
    asked = {"peticionario": "Rita Alves", "assunto": "Revisão", "texto": "Peço a revisão do que se decidiu."}
    site.person("protocolo").post(f"{case}/protocolar/outro", **asked, _carimbo="2026-03-02T09:00")
    browser = site.person("secretario")
    page = browser.get(browser.get("/caixa").link("Despachar petição"))
    linked = next(e.text for e in page.all("section", class_="card") if "Processos ligados" in e.text)
    assert linked.startswith("Processos ligados Nasceu de petição no processo ")
    assert case in page.links()


def test_completing_a_task_tells_what_it_caused(site: Site) -> None:
    site.opened(hora="06:00")
    site.at(3, 2, 9, 5)
    site.opened()
    site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    page = site.do("presidente", "Registrar notificação", conferencia="em_ordem")
    receipt = page.one("section", id="recibo")
    assert receipt.attributes["role"] == "status"
    assert receipt.text.startswith("Tarefa concluída: Registrar notificação Paulo Prates, 02/03/2026 09:05.")
    assert "Próxima tarefa: Lavrar auto de infração, Servidor designado para autuar" in receipt.text


def test_service_of_the_notice_tells_the_terms_it_started_and_how_they_were_counted(site: Site) -> None:
    site.notified()
    site.do("autuante", "Lavrar auto de infração", **CHARGE)
    site.at(3, 3)
    browser = site.person("protocolo")
    page = finish(
        browser,
        browser.get("/caixa").link("Dar ciência do auto"),
        modo="pessoal",
        recebido_por="Rita Alves",
        instante="03/03/2026 09:30",
        prova="Livro 4, fl. 12",
    )
    # Served on Tuesday 3 March: five business days end on Tuesday 10, ten days on Friday 13.
    receipt = page.one("section", id="recibo").text
    assert "Começou a correr: Defesa, terça-feira, 10/03/2026, até 23:59" in receipt
    assert "Começou a correr: Recurso em primeira instância, sexta-feira, 13/03/2026, até 23:59" in receipt
    traces = [e.text for e in page.all("ol", class_="trace")]
    assert any(
        "Primeiro dia contado: quarta-feira, 4 de março de 2026" in t or "04/03/2026" in t for t in traces
    )


@pytest.mark.parametrize("instant", ["2026-03-04T09:00", "ontem", "2026-02-30T10:00"])
def test_an_impossible_instant_of_service_is_refused_at_its_field(site: Site, instant: str) -> None:
    site.notified()
    site.do("autuante", "Lavrar auto de infração", **CHARGE)
    browser = site.person("protocolo")
    task = browser.get("/caixa").link("Dar ciência do auto")
    page = finish(browser, task, modo="pessoal", recebido_por="Rita", instante=instant, prova="Livro 4")
    assert page.status == 422
    assert "#instante" in page.links()
    assert page.value("recebido_por") == "Rita"


def test_nobody_sees_a_vote_before_all_are_in(site: Site) -> None:
    case = site.defended()
    site.do("presidente", "Votar", voto="procedente", fundamentacao="Razões do presidente.")
    for login in ("membro1", "auditor", "presidente"):
        browser = site.person(login)
        page = browser.get(case)
        assert "Tarefa concluída: Votar" in page.text
        assert "Razões do presidente." not in page.text
    task = site.person("membro1").get("/caixa").link("Votar")
    assert "Razões do presidente." not in site.person("membro1").get(task).text
    site.do("membro1", "Votar", voto="procedente", fundamentacao="Razões da membra.")
    site.do("membro2", "Votar", voto="improcedente", fundamentacao="Razões do membro.")
    page = site.person("auditor").get(case)
    assert "Razões do presidente." in page.text
    assert "Razões do membro." in page.text


def test_a_member_votes_once_and_the_page_says_so(site: Site) -> None:
    site.defended()
    browser = site.person("membro1")
    others = site.person("auditor").get("/processos").link("00002/2026-4")
    site.do("membro1", "Votar", voto="procedente", fundamentacao="Razões suficientes.")
    tasks = [link for link in browser.get(others).links() if link.startswith("/tarefas/")]
    assert len(tasks) == 2
    for task in tasks:
        assert browser.get(task).all("button", name="_acao") == []


def test_a_closed_task_says_who_closed_it(site: Site) -> None:
    site.opened()
    browser = site.person("membro1")
    task = browser.get("/caixa").link("Registrar notificação")
    finish(browser, task, conferencia="em_ordem")
    page = browser.get(task)
    assert "Esta tarefa foi concluída por Marta Andrade" in page.text
    assert page.all("form", method="post")[0].attributes["action"] == "/sair"


def test_dates_are_those_of_the_municipality(site: Site) -> None:
    site.clock.set(datetime(2026, 3, 2, 23, 30, tzinfo=BAHIA))  # already the 3rd in UTC
    case = site.opened()
    assert "aberto em 02/03/2026 23:30" in site.person("fiscal").get(case).text
