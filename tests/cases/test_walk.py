"""A case from notice to its end, by the acts that doors use: states, terms, papers and money counted by hand."""

from __future__ import annotations

from app.registry import charges
from app.values import Money, Units
from tests.cases.infringement import REFUND, to_decision_served
from tests.cases.town import Town, local


def test_from_notice_to_seventy_per_cent_back(town: Town) -> None:
    """SC-16's shape: 5 UFP of R$ 100.00 paid, appeal upheld: R$ 350.00 go back."""
    case = to_decision_served(town)
    assert case.status == "PROCEDENTE"
    assert case.term("recurso2")["expires_at"] == local("2026-06-05 00:00")
    assert case.term("pagamento_decisao")["due_at"] == local("2026-06-04 23:59:59")
    case.paid("2026-06-01 10:00").appealed()
    assert case.status == "EM_ADMISSIBILIDADE"
    case.admitted()
    assert case.status == "EM_CONTRARRAZOES"
    assert case.term("contrarrazoes")["expires_at"] == local("2026-06-13 00:00")
    case.answered().ruled("provido", devolucao_percentual=70, fundamento_devolucao="Art. 130 da lei.")
    town.at("2026-06-16 09:00")
    case.do("financas", "devolver_condenacao", REFUND)
    assert (case.status, case.ended, case.open) == ("PROVIDO", True, [])
    owed = town.read(charges.of_case, case.id)
    assert (owed.units, owed.refund_percent, owed.refund) == (Units(500), 70, Money(35_000))
    assert case.papers[-2:] == ["decisao_final", "ordem_devolucao"]
