"""One infringement from the notice to the last instance, each person at the own desk, with and without JavaScript.

Auto received on Tue 2026-08-18: pay and defend until Tue 08-25 (19, 20, 21, 24, 25), appeal until Fri 08-28 (ten days).
"""

from __future__ import annotations

from datetime import timedelta

from tests.browser.visit import Visit

NOTICE = {
    "ocorrida_em": "2026-08-18",
    "hora": "07:40",
    "local": "Terminal da Rua da Linha",
    "veiculo": "1203, placa ABC1D23",
    "fatos": "A empresa deixou de realizar duas viagens determinadas.",
}

SERVED = {"modo": "representante", "recebido_por": "Rita Alves", "prova": "Livro 4, fl. 12"}
PARTY = {"peticionario": "Rita Alves", "qualidade": "representante", "razoes": "As viagens foram feitas."}


def later(visit: Visit, minutes: int = 10) -> None:
    visit.served.clock.set(visit.served.clock.now() + timedelta(minutes=minutes))


def stands(visit: Visit, number: str) -> str:
    """The state of the case as its page says it."""
    visit.page.goto(f"/processos/{number}")
    return visit.page.locator("main .state").first.inner_text()


def work(visit: Visit, number: str, login: str, task: str, button: str = "", **fields: str) -> None:
    """Opens the task of the case from the inbox of a person and completes it."""
    later(visit)
    visit.enter(login)
    row = visit.page.locator("main tr, main li").filter(has_text=number).filter(has_text=task).first
    row.get_by_role("link", name=task).first.click()
    visit.fill(**fields)
    visit.page.locator("main form button[value=concluir]").first.click()
    visit.page.wait_for_load_state()
    assert visit.page.locator("[role=alert]").count() == 0, visit.page.locator("[role=alert]").inner_text()


def file(visit: Visit, number: str, kind: str, **fields: str) -> None:
    later(visit)
    visit.enter("protocolo")
    visit.page.goto(f"/processos/{number}/protocolar/{kind}")
    visit.fill(**fields)
    visit.page.locator("main form button").last.click()
    visit.page.wait_for_load_state()
    assert visit.page.locator("[role=alert]").count() == 0, visit.page.locator("[role=alert]").inner_text()


def appeal(visit: Visit, number: str) -> None:
    """The second instance: appeal, payment, admissibility, counter-reasons, last word."""
    file(visit, number, "recurso2", comprovante="true", **PARTY)
    file(visit, number, "pagamento", valor="500,00", guia="G-1")
    grounds = {"decisao": "admitir", "motivo": "requisitos_atendidos", "fundamentacao": "Tudo atendido."}
    work(visit, number, "secretario", "Decidir admissibilidade", **grounds)
    work(
        visit, number, "autuante", "Apresentar contra-razões", pedido="manter", razoes="O auto é verdadeiro."
    )
    final = {"resultado": "desprovido", "fundamentacao": "Mantida a decisão da Comissão."}
    work(visit, number, "secretario", "Decidir", **final)


def test_a_case_goes_from_the_notice_to_the_last_instance(visit: Visit) -> None:
    visit.enter("fiscal")
    visit.page.goto("/processos/novo/infracao")
    visit.choose("codigo", "I-14")
    visit.choose("transportador", "Expresso Sol")
    visit.choose("outorga", "L-110")
    visit.fill(**NOTICE)
    visit.page.locator("main form button").last.click()
    number = visit.page.locator("h1").inner_text().split()[-1]
    work(visit, number, "presidente", "Registrar notificação", conferencia="em_ordem")
    charge = {
        "fatos": "Deixou de realizar duas viagens.",
        "dispositivo": "Art. 45, IV",
        "penalidade": "multa",
    }
    work(visit, number, "autuante", "Lavrar auto de infração", **charge)
    later(visit, 30)
    work(visit, number, "protocolo", "Dar ciência do auto", instante="2026-08-18T12:00", **SERVED)
    visit.page.goto(f"/processos/{number}")
    text = visit.page.locator("main").inner_text()
    assert "25/08/2026" in text
    assert "28/08/2026" in text
    file(visit, number, "contestacao", **PARTY)
    for login, vote in (("presidente", "procedente"), ("membro1", "procedente"), ("membro2", "improcedente")):
        work(visit, number, login, "Votar", voto=vote, fundamentacao="Conforme as provas.")
    words = {"resumo": "Auto procedente por maioria.", "fundamentacao": "As provas bastam."}
    work(visit, number, "presidente", "Redigir decisão", **words)
    later(visit, 30)
    now = visit.served.clock.now().astimezone(visit.zone)
    work(visit, number, "protocolo", "Dar ciência da decisão", instante=f"{now:%Y-%m-%dT%H:%M}", **SERVED)
    appeal(visit, number)
    assert "desprovido" in stands(visit, number).lower()
    visit.enter("auditor")
    visit.page.goto(f"/processos/{number}")
    assert visit.page.locator("main form").count() == 0
