"""Names of filters and of bands of risk, in the reader's language when shown."""

from __future__ import annotations

from app.cases.finding.risk import Risk
from app.web.language import N_

RISK, TASK, STATUS, DUE = N_("Prazo"), N_("Tarefa"), N_("Estado"), N_("Quando vence")
PROCESS, WHOM, TERM = N_("Procedimento"), N_("À espera de quem"), N_("Qual prazo")
CARRIER, STALLED, SEARCH = N_("Transportador"), N_("Sem movimento"), N_("Número, transportador ou placa")
MINE, BEGUN = N_("Comigo"), N_("Com rascunho meu")

RISKS = {
    Risk.OVERDUE: N_("vencido"),
    Risk.TODAY: N_("vence hoje"),
    Risk.SOON: N_("em até 3 dias úteis"),
    Risk.LATER: N_("depois"),
    Risk.NONE: N_("sem prazo correndo"),
    Risk.WEEK: N_("em até 7 dias, hoje incluído"),
}
