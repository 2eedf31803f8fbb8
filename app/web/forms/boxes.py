"""Boxes that a page shows only when something unusual has to be confirmed, and the words beside each."""

from __future__ import annotations

from app.cases.acts.counter.payment import CONFIRMATION as SURE_OF_AMOUNT
from app.cases.acts.counter.stamp import CONFIRMATION as SURE_OF_STAMP
from app.web.language import N_

__all__ = ["BOXES", "SURE_OF_AMOUNT", "SURE_OF_STAMP"]

BOXES = {
    SURE_OF_AMOUNT: N_("O comprovante é mesmo deste valor"),
    SURE_OF_STAMP: N_("A petição foi mesmo carimbada nesta data e hora"),
}
