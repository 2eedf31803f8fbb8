"""A case from the notice to the refund, by people at pages. The law's own checks are elsewhere: this is the road."""

from __future__ import annotations

from tests.web.conftest import Site

APPEAL = {
    "_carimbo": "2026-03-18T10:00",
    "peticionario": "Rita Alves",
    "qualidade": "transportador",
    "comprovante": "true",
    "razoes": "A decisão não viu a prova.",
}
PAID = {"_carimbo": "2026-03-18T10:00", "valor": "R$ 500,00", "pago_em": "2026-03-17T15:00", "guia": "123"}


def test_a_case_goes_from_notice_to_refund_through_the_pages(site: Site) -> None:
    case = site.defended()
    site.do("presidente", "Votar", voto="procedente", fundamentacao="Provado.")
    site.do("membro1", "Votar", voto="procedente", fundamentacao="Provado.")
    page = site.do("membro2", "Votar", voto="parcial", valor_ufp="2,5", fundamentacao="É demais.")
    assert "Próxima tarefa: Redigir decisão" in page.one("section", id="recibo").text
    reading = {"resumo": "Auto procedente.", "fundamentacao": "O fato está provado nos autos."}
    page = site.do("presidente", "Redigir decisão", **reading)
    assert "Documento emitido: Decisão da Comissão de Julgamento" in page.one("section", id="recibo").text

    site.at(3, 16)
    served = {
        "modo": "representante",
        "recebido_por": "Rita Alves",
        "instante": "2026-03-16T09:00",
        "prova": "Livro 5",
    }
    page = site.do("protocolo", "Dar ciência da decisão", **served)
    # Served on Monday 16 March: five business days end on Monday 23.
    assert "Recurso em segunda instância, segunda-feira, 23/03/2026" in page.one("section", id="recibo").text

    site.at(3, 18, 11)
    counter = site.person("protocolo")
    assert counter.post(f"{case}/protocolar/pagamento", **PAID).status == 200
    page = counter.post(f"{case}/protocolar/recurso2", **APPEAL)
    assert "no prazo (Recurso em segunda instância)" in page.text
    assert "R$ 500,00 quitada" in page.one("div", class_="columns").text

    admitted = {"decisao": "admitir", "motivo": "requisitos_atendidos", "fundamentacao": "Pago e no prazo."}
    site.do("secretario", "Decidir admissibilidade", **admitted)
    page = site.do("autuante", "Apresentar contra-razões", pedido="manter", razoes="O fato foi visto.")
    assert "Para decisão final" in page.text
    decided = {"resultado": "provido", "fundamentacao": "A prova não basta.", "devolucao_percentual": "70"}
    site.do("secretario", "Decidir em última instância", **decided, fundamento_devolucao="Art. 130.")
    refund = {"recolhimento_conferido": "true", "forma": "outra", "favorecido": "Expresso Sol Ltda"}
    page = site.do("financas", "Ordenar devolução", **refund)
    assert "Recurso provido" in page.text
    assert "R$ 350,00 (70%)" in page.text
    assert "Nada: o processo terminou." in page.text


def test_contra_razoes_fall_to_the_one_who_drew_up_the_charge(site: Site) -> None:
    case = site.defended()
    for login in ("presidente", "membro1", "membro2"):
        site.do(login, "Votar", voto="procedente", fundamentacao="Provado.")
    site.do(
        "presidente",
        "Redigir decisão",
        resumo="Auto procedente.",
        fundamentacao="O fato está provado nos autos.",
    )
    site.at(3, 16)
    served = {
        "modo": "representante",
        "recebido_por": "Rita",
        "instante": "2026-03-16T09:00",
        "prova": "Livro 5",
    }
    site.do("protocolo", "Dar ciência da decisão", **served)
    site.at(3, 18, 11)
    counter = site.person("protocolo")
    counter.post(f"{case}/protocolar/pagamento", **PAID)
    counter.post(f"{case}/protocolar/recurso2", **APPEAL)
    admitted = {"decisao": "admitir", "motivo": "requisitos_atendidos", "fundamentacao": "Pago e no prazo."}
    page = site.do("secretario", "Decidir admissibilidade", **admitted)
    assert "Cabe a" in page.text
    assert ": Antônio Dias" in next(e.text for e in page.all("li", class_="card"))
    president = site.person("presidente")
    assert "Apresentar contra-razões" not in president.get("/caixa").text
    task = next(link for link in president.get(case).links() if link.startswith("/tarefas/"))
    assert "Esta tarefa cabe a Antônio Dias." in president.get(task).text
    assert finish_refused(site, task) == 403


def finish_refused(site: Site, task: str) -> int:
    return (
        site.person("presidente")
        .post(task, versao="1", _acao="concluir", pedido="manter", razoes="Não.")
        .status
    )


def test_a_code_of_the_staff_asks_for_the_person_and_names_them(site: Site) -> None:
    browser = site.person("fiscal")
    page = browser.post("/processos/novo/infracao", **site.notice(codigo="II-01"))
    assert page.status == 422
    assert "#pessoa" in page.links()
    page = browser.post(
        "/processos/novo/infracao", **site.notice(codigo="II-01", pessoa=site.world.staff["jose"])
    )
    assert page.status == 200
    assert "José dos Santos (ES-014)" in page.text


def test_a_number_of_many_files_and_sizes_is_read_by_people(site: Site) -> None:
    with site.app.test_request_context():
        from app.web.shown import size

        assert [size(n) for n in (14, 2048, 1_572_864)] == ["14 B", "2 kB", "1,5 MB"]
