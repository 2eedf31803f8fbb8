"""Words for what the registers keep as keys: regimes, categories, how an occurrence stands."""

from __future__ import annotations

from app.web.language import N_

REGIMES = {"concessao": N_("concessão"), "permissao": N_("permissão"), "autorizacao": N_("autorização")}
CATEGORIES = {
    "motorista": N_("motorista"),
    "cobrador": N_("cobrador"),
    "despachante": N_("despachante"),
    "fiscal_da_empresa": N_("fiscal da empresa"),
}
STATUSES = {
    "notificada": N_("notificada"),
    "advertida": N_("advertida"),
    "autuada": N_("autuada"),
    "confirmada": N_("confirmada"),
    "anulada": N_("anulada"),
}
