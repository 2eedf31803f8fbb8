"""Who accused does not judge (Arts. 105, 106, 125): seats, alternates, one vote each, whom to call if nobody may."""

from __future__ import annotations

from datetime import date
from typing import Any

from app import people
from app.cases import acts
from app.registry import values
from app.store.cases_tables import work_item
from tests.cases.infringement import DECISION, Infringement, ballot, to_trial
from tests.cases.town import Town


def vote(case: Infringement, login: str, seat: str, value: str = "procedente") -> None:
    case.do(login, "votar", ballot(value), seat=seat)


def refused(case: Infringement, login: str, seat: str, element: str = "votar") -> Any:
    item = case.item(element, seat)
    told = ballot("procedente") if element == "votar" else DECISION
    return case.town.refusal(login, acts.complete, item["id"], told, item["version"])


def appoint(town: Town, login: str, role: str, seat: str | None = None, until: date | None = None) -> str:
    person_id = str(town.install(people.register, login, f"Pessoa {login}", f"M-{login}"))
    told = (person_id, role, date(2026, 5, 1), "Portaria 7/2026")
    town.install(people.appoint, *told, seat=seat, until=until)
    town.world.people[login] = person_id
    return person_id


def dismissed(town: Town, login: str, role: str) -> None:
    """The appointment ended on 10 May, by a change that no act of the product makes yet."""
    town.tamper(
        "UPDATE appointment SET until = :d WHERE person_id = :p AND role = :r",
        d="2026-05-10" if town.dialect == "sqlite" else date(2026, 5, 10),
        p=town.world.people[login],
        r=role,
    )


def test_each_member_votes_in_his_own_seat_and_in_no_other(town: Town) -> None:
    case = to_trial(town)
    taken = refused(case, "membro1", "membro_2")
    assert (taken.code, taken.status) == ("competencia.assento", 403)
    assert "Segundo membro" in taken.message
    assert "Mário Bastos" in taken.message
    vote(case, "membro1", "membro_1")
    assert case.item("votar", "membro_1")["status"] == "done"


def test_who_has_no_seat_does_not_vote(town: Town) -> None:
    case = to_trial(town)
    for login in ("protocolo", "secretario", "auditor", "gestor", "financas"):
        assert refused(case, login, "membro_1").code == "competencia.assento"
    for accuser in ("fiscal", "autuante"):
        assert refused(case, accuser, "membro_1").code == "competencia.impedimento"


def test_who_drew_up_the_auto_does_not_judge_it_and_the_alternate_takes_the_seat(town: Town) -> None:
    case = Infringement.opened(town).registered().charged(by="membro1").served().defended()
    barred = refused(case, "membro1", "membro_1")
    assert (barred.code, barred.status) == ("competencia.impedimento", 403)
    assert "Chame o suplente: Sueli Campos" in barred.message
    vote(case, "suplente", "membro_1")
    vote(case, "presidente", "presidente")
    vote(case, "membro2", "membro_2", "improcedente")
    assert case.open == ["redigir_decisao:presidente"]
    case.decided()
    assert case.status == "PROCEDENTE"


def test_who_gave_the_notice_does_not_judge_it_nor_write_the_decision(town: Town) -> None:
    """The Presidente is the chief inspector too, and may give a notice (Art. 105, II)."""
    case = Infringement.opened(town, by="presidente").registered().charged().served().defended()
    assert refused(case, "presidente", "presidente").code == "competencia.impedimento"
    vote(case, "suplente", "presidente")
    vote(case, "membro1", "membro_1")
    vote(case, "membro2", "membro_2")
    assert refused(case, "presidente", "presidente", "redigir_decisao").code == "competencia.impedimento"
    case.decided(by="suplente")
    assert case.status == "PROCEDENTE"


def test_registering_the_notice_bars_nobody(town: Town) -> None:
    case = Infringement.opened(town).registered(by="presidente").charged().served().defended()
    vote(case, "presidente", "presidente")


def test_the_alternate_stays_out_while_the_holder_may_vote(town: Town) -> None:
    case = to_trial(town)
    out = refused(case, "suplente", "membro_2")
    assert (out.code, out.status) == ("competencia.titular_presente", 403)
    assert "Mário Bastos" in out.message


def test_a_vacant_seat_is_taken_by_the_alternate(town: Town) -> None:
    dismissed(town, "membro2", "membro_comissao")
    case = to_trial(town)
    gone = refused(case, "membro2", "membro_2")
    assert gone.code == "competencia.assento"
    assert "Chame o suplente: Sueli Campos" in gone.message
    vote(case, "suplente", "membro_2")


def test_without_an_alternate_the_message_says_whom_to_appoint_and_who_does_it(town: Town) -> None:
    dismissed(town, "suplente", "suplente_comissao")
    case = Infringement.opened(town).registered().charged(by="membro1").served().defended()
    barred = refused(case, "membro1", "membro_1")
    assert barred.code == "competencia.impedimento"
    for words in ("Prefeito", "nomear", "Primeiro membro"):
        assert words in barred.message
    assert "Prefeito" in refused(case, "fiscal", "membro_1").message
    appoint(town, "novo", "suplente_comissao")
    vote(case, "novo", "membro_1")


def test_nobody_votes_twice_in_a_round(town: Town) -> None:
    """Two seats fall vacant, one alternate: she takes one of them, and a second alternate must come."""
    case = Infringement.opened(town, by="presidente").registered().charged(by="membro1").served().defended()
    vote(case, "suplente", "presidente")
    again = refused(case, "suplente", "membro_1")
    assert (again.code, again.message) == ("competencia.ja_votou", "Você já votou nesta rodada.")
    appoint(town, "novo", "suplente_comissao")
    vote(case, "novo", "membro_1")
    vote(case, "membro2", "membro_2", "improcedente")
    assert case.open == ["redigir_decisao:presidente"]


def test_in_the_next_round_everybody_votes_again(town: Town) -> None:
    case = Infringement.opened(town).registered().charged(by="membro1").served().defended()
    for value in ("parcial", "procedente"):
        vote(case, "suplente", "membro_1", value)
        vote(case, "presidente", "presidente", "procedente")
        vote(case, "membro2", "membro_2", "improcedente")
    assert case.open == ["redigir_decisao:presidente"]
    assert len(town.rows(work_item, case_id=case.id, element="votar", status="done")) == 6


def test_an_alternate_who_accused_is_barred_as_anybody_else(town: Town) -> None:
    appoint(town, "dupla", "suplente_comissao")
    told = (town.world.people["dupla"], "servidor_designado", date(2026, 5, 1), "Portaria 8/2026")
    town.install(people.appoint, *told)
    dismissed(town, "membro1", "membro_comissao")
    case = Infringement.opened(town).registered(by="membro2").charged(by="dupla").served().defended()
    assert refused(case, "dupla", "membro_1").code == "competencia.impedimento"
    vote(case, "suplente", "membro_1")


def test_a_member_without_a_named_seat_may_sit_in_any_of_his_role(town: Town) -> None:
    dismissed(town, "membro2", "membro_comissao")
    appoint(town, "avulso", "membro_comissao")
    case = to_trial(town)
    vote(case, "avulso", "membro_2")


def test_where_the_municipality_only_warns_the_accuser_may_judge(town: Town) -> None:
    town.install(values.record, town.norm, "autuante.julga", "avisar", date(2026, 5, 1), "Portaria 9/2026")
    case = Infringement.opened(town).registered().charged(by="membro1").served().defended()
    vote(case, "membro1", "membro_1")


def test_the_counter_reasons_belong_to_who_drew_up_the_auto_alone(town: Town) -> None:
    case = Infringement.opened(town).registered().charged(by="membro1").served().defended()
    vote(case, "suplente", "membro_1")
    vote(case, "presidente", "presidente")
    vote(case, "membro2", "membro_2")
    case.decided().told().paid("2026-06-01 10:00").appealed().admitted()
    item = case.item("apresentar_contrarrazoes")
    assert item["assigned_to"] == town.world.people["membro1"]
    other = town.refusal("autuante", acts.complete, item["id"], {}, item["version"])
    assert (other.code, other.message) == ("competencia.de_outra_pessoa", "Esta tarefa cabe a Marta Andrade.")
    case.do("membro1", "apresentar_contrarrazoes", {"pedido": "manter", "razoes": "O auto está certo."})
    assert case.status == "PARA_DECISAO_FINAL"


def test_who_lost_the_office_lost_the_task_though_it_bears_the_name(town: Town) -> None:
    case = Infringement.opened(town).registered().charged().served().defended()
    case.voted("procedente", "procedente", "improcedente").decided().told()
    case.paid("2026-06-01 10:00").appealed().admitted()
    dismissed(town, "autuante", "servidor_designado")
    item = case.item("apresentar_contrarrazoes")
    gone = town.refusal("autuante", acts.complete, item["id"], {}, item["version"])
    assert gone.code == "competencia.ausente"


def test_a_role_given_today_holds_today(town: Town) -> None:
    case = to_trial(town)
    appoint(town, "visita", "auditor")
    assert refused(case, "visita", "presidente").code == "competencia.assento"
