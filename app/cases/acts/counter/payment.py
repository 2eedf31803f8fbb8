"""A receipt of payment at the counter: what it is worth, when it was made, and which terms it meets."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update

from app.cases.acts.counter.stamp import whole_minute
from app.cases.dossier import Dossier
from app.cases.forms import Answers
from app.cases.record import near
from app.errors import Invalid
from app.law.norm import Filing
from app.registry import charges
from app.store.cases_tables import deadline
from app.values import Json, Money, parse_instant

CONFIRMATION = "confirma_excedente"  # the field that doors show to confirm a payment of more than is owed


def pay(
    dossier: Dossier, what: Filing, answers: Answers, filing_id: str, surplus_confirmed: bool
) -> dict[str, Json]:
    """Records the payment that a filing proves; gives what its entry says of a surplus."""
    amount, instant = _amount(answers), _paid_at(dossier, answers)
    owed = charges.of_case(dossier.tx, dossier.id)
    if owed is None and dossier.row["closed_at"] is None:
        raise Invalid(
            "Este processo ainda não cobra nada: o comprovante não pode ser lançado como recolhimento da multa. "
            "Nada se perde: protocole-o como outra petição, e ele fica nos autos.",
            code="pagamento.nada_devido",
        )
    if owed is None:  # an ended case that never charged anybody: the petition that it opens decides
        return {}
    left = Money(max(0, owed.amount.cents - charges.paid(dossier.tx, dossier.id).cents))
    surplus = amount.cents - left.cents
    if surplus > 0 and not surplus_confirmed:
        raise Invalid(
            f"O valor passa do que falta recolher, {left}. Confira o comprovante; se está certo, confirme o excedente.",
            code="pagamento.excedente",
            fields={CONFIRMATION: "Marque para confirmar o valor do comprovante."},
        )
    charges.pay(dossier.tx, dossier.id, amount, instant, filing_id)
    told: dict[str, Json] = {"surplus": surplus} if surplus > 0 else {}
    if charges.settled(dossier.tx, dossier.id):
        told["met"] = _meet(dossier, what.meets, instant)
    return told


def _amount(answers: Answers) -> Money:
    told = answers.get("valor")
    if not isinstance(told, str) or Money.parse(told).cents <= 0:
        raise Invalid(
            "Informe o valor pago.",
            code="pagamento.valor",
            fields={"valor": "Informe um valor maior que zero."},
        )
    return Money.parse(told)


def _paid_at(dossier: Dossier, answers: Answers) -> datetime:
    told = answers.get("pago_em")
    instant = parse_instant(told) if isinstance(told, str) else dossier.effective_at
    if instant > dossier.effective_at:
        raise Invalid(
            "O recolhimento não pode ser posterior ao carimbo do comprovante que o prova.",
            code="pagamento.posterior",
            fields={
                "pago_em": "Confira a data do comprovante e a do carimbo: o comprovante foi entregue antes."
            },
        )
    if instant < whole_minute(dossier.row["opened_at"]):
        raise Invalid(
            "O recolhimento não pode ser anterior à abertura do processo.",
            code="pagamento.anterior",
            fields={"pago_em": "Confira a data do comprovante: o processo foi aberto depois."},
        )
    return instant


def _meet(dossier: Dossier, keys: tuple[str, ...], instant: datetime) -> list[Json]:
    """Terms that were only shown are met by a payment made within them; nobody need watch them any longer.

    Gives key and base of each.
    """
    met = (
        (deadline.c.case_id == dossier.id)
        & deadline.c.key.in_(keys)
        & (deadline.c.status == "window")
        & (deadline.c.expires_at > instant)
    )
    rows = dossier.tx.all(select(deadline.c.key, deadline.c.base).where(met).order_by(deadline.c.key))
    dossier.tx.write(update(deadline).where(met).values(status="met", closed_seq=dossier.seq))
    near.refresh(dossier)
    return [[row["key"], row["base"]] for row in rows]
