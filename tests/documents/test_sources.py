"""Where the fields of documents come from: the stamp, payments, the unit's act, terms that only some cases have."""

from __future__ import annotations

from datetime import date

from app import documents
from app.cases import acts
from app.documents.paper import NOTHING, standing
from app.registry import values
from app.store.cases_tables import document
from tests.cases.infringement import APPEAL, DEFENCE, Infringement, to_decision_served, to_trial
from tests.cases.town import Town
from tests.documents.paper import jequie, paper, pdf_of, words

PAPERS = {"documentos": "Discos do tacógrafo; escala do dia."}


def told(case: Infringement, kind: str) -> dict[str, str]:
    """Key and text of the fields that stand on the newest document of a kind."""
    rows = case.town.rows(document, case_id=case.id, kind=kind)
    content = case.town.read(documents.content_of, max(rows, key=lambda r: (r["seq"], r["number"]))["id"])
    return {f["key"]: f["text"] for f in standing(content)}


def fixed(town: Town, key: str, value: str, since: date, act: str) -> None:
    town.install(values.record, town.norm, key, value, since, act)


def test_a_notice_says_its_day_and_all_that_article_99_asks_for_even_when_unknown(town: Town) -> None:
    case = Infringement.opened(town, outorga=None)
    said = told(case, "notificacao")
    assert said["expedida_em"] == "05/05/2026 08:10"
    assert (said["data"], said["hora"], said["local"]) == ("05/05/2026", "07:40", "Terminal da Rua da Linha")
    assert (said["linha"], said["veiculo"], said["recebida_por"]) == (NOTHING,) * 3
    assert "linha_observada" not in said


def test_a_notice_says_in_which_line_the_vehicle_was_seen(town: Town) -> None:
    assert (
        told(Infringement.opened(town, linha_observada="L-205"), "notificacao")["linha_observada"] == "L-205"
    )


def test_a_defence_is_joined_with_its_stamp_number_and_papers_whenever_it_was_typed(town: Town) -> None:
    """Handed in on Friday 15 May, typed on Monday; joined when the term of the appeal has ended too."""
    case = Infringement.opened(town).registered().charged().served()
    case.file("contestacao", {**DEFENCE, **PAPERS}, when="2026-05-18 09:00", stamp="2026-05-15 16:30")
    said = told(case, "contestacao")
    assert (said["protocolo_numero"], said["protocolo"]) == ("P00001/2026", "15/05/2026 16:30")
    assert said["documentos"] == PAPERS["documentos"]


def test_the_stamp_on_a_paper_is_that_of_the_petition_whose_reasons_it_gives(town: Town) -> None:
    """One came before the term began and lies in the folder; the one that is joined came after it."""
    case = Infringement.opened(town).registered().charged()
    early = {**DEFENCE, "razoes": "Ainda sem ver o auto."}
    town.act("protocolo", acts.file, case.id, "contestacao", early, None, False, True)
    case.served().file("contestacao", DEFENCE, when="2026-05-14 10:00")
    said = told(case, "contestacao")
    assert said["razoes"] == "As viagens foram feitas."
    assert (said["protocolo_numero"], said["protocolo"]) == ("P00002/2026", "14/05/2026 10:00")


def test_an_appeal_is_joined_with_every_payment_recorded_till_then(town: Town) -> None:
    """P00001 is the defence; R$ 500,00 are owed."""
    case = to_decision_served(town)
    case.paid("2026-05-29 10:00", "200.00", guia="G-77").paid("2026-06-01 09:00", "300.00")
    case.file("recurso2", {**APPEAL, **PAPERS}, when="2026-06-02 15:00")
    said = told(case, "recurso2")
    assert said["recolhimento"] == (
        "R$ 200,00 em 29/05/2026 10:00, guia G-77, protocolo P00002/2026; "
        "R$ 300,00 em 01/06/2026 09:00, protocolo P00003/2026"
    )
    assert (said["protocolo_numero"], said["protocolo"]) == ("P00004/2026", "02/06/2026 15:00")
    assert (said["comprovante"], said["documentos"]) == ("sim", PAPERS["documentos"])


def test_an_appeal_before_any_payment_tells_of_none(town: Town) -> None:
    assert "recolhimento" not in told(to_decision_served(town).appealed(), "recurso2")


def test_a_guide_says_what_one_unit_was_worth_and_by_which_act(town: Town) -> None:
    """What is fixed for the same day after the charge changes neither the amount nor the act that it rests on."""
    fixed(town, "ufp.valor", "110.00", date(2026, 5, 1), "Decreto 7/2026")
    case = Infringement.opened(town).registered().charged()
    fixed(town, "ufp.valor", "120.00", date(2026, 5, 2), "Decreto 8/2026")
    said = told(case.served(), "guia_recolhimento")
    keys = ("valor_ufp", "unidade", "ato_unidade", "valor")
    assert tuple(said[key] for key in keys) == ("5 UFP", "R$ 110,00", "Decreto 7/2026", "R$ 550,00")


def test_a_worth_that_no_act_on_record_gives_has_no_act(town: Town) -> None:
    case = Infringement.opened(town).registered().charged()
    town.tamper("DELETE FROM norm_value WHERE key = 'ufp.valor'")
    said = told(case.served(), "guia_recolhimento")
    assert (said["unidade"], said["ato_unidade"]) == ("R$ 100,00", NOTHING)


TEN_DAYS = (
    "10 dias, a contar de: Recebimento da decisão da Comissão, registrado no livro protocolo (Art. 108)"
)


def test_a_decision_tells_of_the_appeal_to_the_comissao_where_it_counts_from_the_decision(town: Town) -> None:
    """Once only: the second decision tells the terms that it will begin, not those of the first, met or closed."""
    fixed(town, "recurso1.inicio", "decisao", date(2026, 5, 1), "Decreto 1")
    case = to_decision_served(town)
    first = told(case, "decisao_comissao")
    assert first["prazo_recurso1"] == TEN_DAYS
    case.paid("2026-05-29 10:00")
    case.file("reconsideracao", {**DEFENCE, **PAPERS}, when="2026-06-01 10:00")
    joined = told(case, "reconsideracao")
    assert (joined["protocolo_numero"], joined["protocolo"]) == ("P00003/2026", "01/06/2026 10:00")
    case.voted("procedente", "procedente", "improcedente", "2026-06-02 09:00").decided("2026-06-02 10:00")
    second = told(case, "decisao_comissao")
    assert "prazo_recurso1" not in second
    for key in ("prazo_pagamento", "prazo_recurso"):
        assert second[key] == first[key]
        assert second[key].startswith("5 dias úteis, a contar de: ")


def test_a_decision_does_not_tell_of_an_appeal_that_counted_from_the_auto(town: Town) -> None:
    case = to_trial(town).voted("procedente", "procedente", "improcedente").decided()
    assert "prazo_recurso1" not in told(case, "decisao_comissao")


def test_an_auto_does_not_mention_an_appeal_that_the_municipality_does_not_have(town: Town) -> None:
    fixed(town, "recurso1.inicio", "desligado", date(2026, 5, 1), "Decreto 1")
    said = told(Infringement.opened(town).registered().charged(), "auto_de_infracao")
    assert "prazo_recurso" not in said
    assert said["prazo_defesa"].startswith("5 dias úteis")


def test_what_the_law_asks_for_in_some_cases_only_stands_only_with_a_text() -> None:
    field = {"key": "k", "label": "Percentual", "article": "Art. 130", "text": ""}
    seen = [
        field,
        {**field, "optional": True},
        {**field, "optional": True, "text": "70%"},
        {**field, "article": ""},
        {**field, "article": "", "text": "\u202e\u200b"},  # nothing that anybody could see
        {**field, "text": "\u202e"},
    ]
    assert [f["text"] for f in standing({"fields": seen})] == [NOTHING, "70%", NOTHING]


def test_an_order_of_refund_has_no_idle_line() -> None:
    kind = jequie().documents["ordem_devolucao"]
    optional = {f.key for f in kind.fields if f.optional}
    assert optional == {"percentual", "percentual_primeira"}
    fields = [
        {"key": f.key, "label": f.label, "article": f.article or "", "text": "", "optional": f.optional}
        for f in kind.fields
    ]
    assert "Percentual" not in words(pdf_of(paper(kind="ordem_devolucao", fields=fields)))
