"""The words a diagram may use: what it may ask, what it may order, and the pure functions between.

The engine gets names only; `facts.py` answers and `orders.py` carries out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.engine.expression import Language
from app.errors import Invalid
from app.values import Json


def conta(votes: Json, value: str) -> int:
    """How many of the named votes have this value."""
    return sum(1 for vote in _votes(votes) if vote == value)


def maioria(votes: Json) -> str:
    """The value more than half of the votes have, or an empty text."""
    cast = _votes(votes)
    return next((str(v) for v in cast if cast.count(v) * 2 > len(cast)), "")


def menor(a: int, b: int) -> int:
    """The lesser of two amounts."""
    return min(a, b)


def menos(a: int, b: int | None) -> int | None:
    """What remains of `a` without `b`; what was not told stays untold."""
    return None if b is None else a - b


def exige(holds: bool, field: str, message: str) -> bool:
    """Refuses the act, with the diagram's own words at the form's field, unless the condition holds."""
    if not holds:
        raise Invalid(message, code="formulario.invalido", fields={field: message})
    return True


def _votes(votes: Json) -> list[Json]:
    if not isinstance(votes, dict):
        raise Invalid("Votos esperados por assento.", code="diagrama.votos")
    return list(votes.values())


FACTS = frozenset(
    {
        "infrator",
        "primario",
        "fator_reincidencia",
        "valor_multa",
        "certeza",
        "escolha",
        "parametro",
        "assentos",
        "tempestividade",
        "pago",
        "pago_algo",
        "pago_ate",
        "pago_ao_menos",
        "pago_alem_de",
        "tem_documento",
    }
)
ORDERS = frozenset(
    {"emitir", "cobrar", "contar", "registrar_ocorrencia", "ocorrencia", "devolver", "encerrar"},
)
PURE: Mapping[str, Callable[..., Json]] = {
    "conta": conta,
    "maioria": maioria,
    "menor": menor,
    "menos": menos,
    "exige": exige,
}
LANGUAGE = Language(pure=PURE, facts=FACTS, orders=ORDERS)
