"""Plays an infringement of Jequié quickly, by the people who would, on the days of a May with no holiday in its weeks.

Each method is one act at its usual hour; `when` moves it. Days were counted by hand:

    auto received Mon 2026-05-11: pay and defend by Mon 05-18 (12, 13, 14, 15, 18), appeal by Thu 05-21 (ten days)
    decision received Thu 2026-05-28: pay and appeal by Thu 06-04 (29, 1, 2, 3, 4)
    appeal filed Tue 2026-06-02: counter-reasons by Fri 06-12 (ten days)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.cases import acts
from app.store import Row
from app.store.cases_tables import cases, deadline, document, filing, work_item
from tests.cases.town import Town, local

NOTICE = {
    "codigo": "I-14",
    "ocorrida_em": "2026-05-05",
    "hora": "07:40",
    "local": "Terminal da Rua da Linha",
    "fatos": "Deixou de realizar duas viagens determinadas na ordem de serviço.",
}
REGISTER = {"conferencia": "em_ordem"}
AUTO = {
    "fatos": "Deixou de realizar duas das viagens determinadas.",
    "dispositivo": "Art. 45, IV, e Anexo I",
    "penalidade": "multa",
}
SERVED = {"modo": "representante", "recebido_por": "Representante legal", "prova": "Livro protocolo, fl. 12"}
DEFENCE = {"peticionario": "Expresso Sol Ltda", "qualidade": "autuado", "razoes": "As viagens foram feitas."}
APPEAL = {**DEFENCE, "comprovante": True}
OTHER = {"peticionario": "Expresso Sol Ltda", "assunto": "Cópia dos autos", "texto": "Pede cópia integral."}
REVELIA = {"livro_conferido": True}
DECISION = {"resumo": "O auto é procedente por maioria.", "fundamentacao": "As provas são suficientes."}
REASONS = {"pedido": "manter", "razoes": "O auto descreve o que foi visto."}
ADMITTED = {
    "decisao": "admitir",
    "motivo": "requisitos_atendidos",
    "fundamentacao": "Valor, prazo e recolhimento.",
}
REFUND = {"recolhimento_conferido": True, "forma": "outra", "favorecido": "Expresso Sol Ltda"}


@dataclass
class Infringement:
    """One case and the town it is played in."""

    town: Town
    id: str

    @classmethod
    def opened(
        cls, town: Town, *, when: str | None = "2026-05-05 08:10", by: str = "fiscal", **changes: Any
    ) -> Infringement:
        if when:
            town.at(when)
        return cls(town, town.act(by, acts.open_case, "jequie", "infracao", notice(town, **changes)))

    @property
    def row(self) -> Row:
        return self.town.row(cases, id=self.id)

    @property
    def status(self) -> str:
        return str(self.row["status"])

    @property
    def ended(self) -> bool:
        return self.row["closed_at"] is not None

    @property
    def open(self) -> list[str]:
        """The open tasks: elements, a seat after a colon."""
        rows = self.town.rows(work_item, case_id=self.id, status="open")
        return sorted(f"{r['element']}:{r['seat']}" if r["seat"] else r["element"] for r in rows)

    @property
    def papers(self) -> list[str]:
        return [r["kind"] for r in sorted(self.town.rows(document, case_id=self.id), key=lambda r: r["seq"])]

    @property
    def acts(self) -> list[str]:
        return [entry.act for entry in self.town.entries(f"processo:{self.id}")]

    def term(self, key: str) -> Row:
        """The newest row of a deadline."""
        rows = self.town.rows(deadline, case_id=self.id, key=key)
        return max(rows, key=lambda r: r["armed_seq"])

    def item(self, element: str, seat: str | None = None) -> Row:
        """The newest task of an element, of a seat where several are open."""
        where = {"seat": seat} if seat else {}
        rows = self.town.rows(work_item, case_id=self.id, element=element, **where)
        return max(rows, key=lambda r: (r["status"] == "open", r["opened_seq"]))

    def filed(self, kind: str) -> Row:
        return self.town.row(filing, case_id=self.id, kind=kind)

    def do(self, login: str, element: str, answers: Any, *, seat: str | None = None, **named: Any) -> Any:
        """Completes an open task."""
        item = self.item(element, seat)
        return self.town.act(login, acts.complete, item["id"], answers, item["version"], **named)

    def file(self, kind: str, answers: Any, *, when: str | None = None, stamp: str | None = None) -> str:
        if when:
            self.town.at(when)
        stamped = local(stamp) if stamp else None
        return str(self.town.act("protocolo", acts.file, self.id, kind, answers, stamped))

    def registered(self, when: str = "2026-05-06 09:00", by: str = "membro1") -> Infringement:
        self.town.at(when)
        self.do(by, "registrar_notificacao", REGISTER)
        return self

    def charged(self, when: str = "2026-05-08 10:00", by: str = "autuante") -> Infringement:
        self.town.at(when)
        self.do(by, "lavrar_auto", AUTO)
        return self

    def served(self, when: str = "2026-05-11 11:30", instant: str = "2026-05-11 11:00") -> Infringement:
        self.town.at(when)
        self.do("protocolo", "dar_ciencia_auto", receipt(instant))
        return self

    def defended(self, when: str | None = "2026-05-18 16:30", stamp: str | None = None) -> Infringement:
        self.file("contestacao", DEFENCE, when=when, stamp=stamp)
        return self

    def paid(self, when: str, value: str = "500.00", **answers: Any) -> Infringement:
        self.file("pagamento", {"valor": value, **answers}, when=when)
        return self

    def voted(self, one: str, two: str, three: str, when: str = "2026-05-27 09:00") -> Infringement:
        """Presidente, first and second member, in that order."""
        self.town.at(when)
        for login, seat, vote in (
            ("presidente", "presidente", one),
            ("membro1", "membro_1", two),
            ("membro2", "membro_2", three),
        ):
            self.do(login, "votar", ballot(vote), seat=seat)
        return self

    def decided(self, when: str = "2026-05-27 10:00", by: str = "presidente") -> Infringement:
        self.town.at(when)
        self.do(by, "redigir_decisao", DECISION)
        return self

    def told(self, when: str = "2026-05-28 10:30", instant: str = "2026-05-28 10:00") -> Infringement:
        """The decision is received."""
        self.town.at(when)
        self.do("protocolo", "dar_ciencia_decisao", receipt(instant))
        return self

    def appealed(self, when: str = "2026-06-02 15:00", stamp: str | None = None) -> Infringement:
        self.file("recurso2", APPEAL, when=when, stamp=stamp)
        return self

    def admitted(self, when: str = "2026-06-03 09:00") -> Infringement:
        """For the reason that fits: everything met, or the payment that may not be demanded."""
        self.town.at(when)
        reason = "requisitos_atendidos" if self.row["flow"]["requisito_pago"] else "sumula_vinculante_21"
        self.do("secretario", "decidir_admissibilidade", {**ADMITTED, "motivo": reason})
        return self

    def answered(self, when: str = "2026-06-08 09:00") -> Infringement:
        self.town.at(when)
        self.do("autuante", "apresentar_contrarrazoes", REASONS)
        return self

    def ruled(self, result: str, when: str = "2026-06-15 09:00", **answers: Any) -> Infringement:
        self.town.at(when)
        told = {"resultado": result, "fundamentacao": "Examinadas as provas e as razões.", **answers}
        self.do("secretario", "decidir_ultima", told)
        return self


def notice(town: Town, **changes: Any) -> dict[str, Any]:
    """The opening form; a None takes a field away."""
    told = {
        **NOTICE,
        "transportador": town.world.carriers["ES"],
        "outorga": town.world.grants["L-110"],
        **changes,
    }
    return {key: value for key, value in told.items() if value is not None}


def receipt(instant: str | datetime) -> dict[str, Any]:
    told = local(instant) if isinstance(instant, str) else instant
    return {**SERVED, "instante": told.isoformat()}


def ballot(vote: str) -> dict[str, Any]:
    value = {"valor_ufp": "3.00"} if vote == "parcial" else {}
    return {"voto": vote, "fundamentacao": "Voto conforme as provas.", **value}


def to_trial(town: Town, **changes: Any) -> Infringement:
    """Until the Comissão may vote on a defence filed in time."""
    return Infringement.opened(town, **changes).registered().charged().served().defended()


def to_decision_served(town: Town, **changes: Any) -> Infringement:
    """Until the terms of the Comissão's decision run."""
    case = to_trial(town, **changes).voted("procedente", "procedente", "improcedente")
    return case.decided().told()
