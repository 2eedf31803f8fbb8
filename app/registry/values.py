"""Values that the law leaves unset, unit values and the options chosen by the municipality.

Each carries the act that fixed it and the day from which it holds. Demo fixtures are marked as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import select

from app import audit
from app.errors import Invalid
from app.law.norm import Norm
from app.law.provisions import ParameterValue
from app.store import Reader, Row, Tx
from app.store.tables import norm_value
from app.values import Money, Units

_NEWEST_FIRST = (norm_value.c.since.desc(), norm_value.c.recorded_at.desc(), norm_value.c.id.desc())


def record(tx: Tx, norm: Norm, key: str, value: str, since: date, act: str, *, fixture: bool = False) -> None:
    """Fixes a parameter or a choice of the norm from a day on, by an act.

    Raises Invalid when the norm has no such key, the option does not exist or the act is not named.
    """
    choice = norm.choices.get(key)
    if choice is None and key not in norm.parameters:
        raise Invalid(f"A norma não tem a chave {key}.", code="valor.chave")
    if choice is not None and value not in choice.options:
        raise Invalid(f"{value} não é opção de {key}: {', '.join(choice.options)}.", code="valor.opcao")
    if choice is None:
        try:
            read = norm.parameters[key].read(value)
            if read == Money(0) or (isinstance(read, Money | Units) and value.strip().startswith("-")):
                raise ValueError("an amount of the law is never negative, and no unit is worth nothing")
        except ValueError:
            kind = norm.parameters[key].type
            raise Invalid(f"{value} não é um valor do tipo {kind}.", code="valor.tipo") from None
    if not act.strip():
        raise Invalid("Diga qual ato fixou o valor.", code="valor.sem_ato")
    row = {"id": tx.new_id(), "key": key, "value": value, "act": act, "fixture": fixture}
    tx.add(norm_value, since=since, recorded_at=tx.now, **row)
    audit.append(tx, f"norma:{norm.slug}", "record_value", {**row, "since": since.isoformat()})


def parameter_on(reader: Reader, norm: Norm, key: str, day: date) -> ParameterValue | None:
    """The figure in force on a local day: the municipality's own, else the law's, else None (unset)."""
    own = _recorded(reader, key, day)
    return norm.parameters[key].read(own) if own is not None else norm.parameters[key].value_on(day)


def choices_on(reader: Reader, norm: Norm, day: date) -> dict[str, str]:
    """Every choice with its option in force on a day: what a new case is pinned to."""
    rows = reader.all(
        select(norm_value.c.key, norm_value.c.value)
        .where(norm_value.c.key.in_(sorted(norm.choices)), norm_value.c.since <= day)
        .order_by(*_NEWEST_FIRST)
    )
    newest: dict[str, str] = {}
    for row in rows:
        newest.setdefault(row["key"], str(row["value"]))
    return {key: newest.get(key) or choice.default for key, choice in norm.choices.items()}


def unit_value(reader: Reader, norm: Norm, day: date) -> Money:
    """Worth of one unit (UFP) on a day. Raises Invalid when nobody has recorded it."""
    key = _unit_key(norm)
    value = parameter_on(reader, norm, key, day) if key in norm.parameters else None
    if not isinstance(value, Money):
        raise Invalid(
            f"O valor da {norm.unit_name} em {day:%d/%m/%Y} não está registrado: a lei não o traz. "
            "Peça ao administrador que o registre, com o ato que o fixou.",
            code="valor.unidade_sem_valor",
        )
    return value


def act_of_unit(reader: Reader, norm: Norm, day: date, worth: Money) -> str | None:
    """The act that fixed what one unit was worth on a day: the newest that says that worth, else the law's own.

    A later act may have given the same day another worth; what was charged before rests on the earlier one.
    """
    key = _unit_key(norm)
    if key not in norm.parameters:
        return None
    parameter = norm.parameters[key]
    acts = [row["act"] for row in _values_on(reader, key, day) if parameter.read(row["value"]) == worth]
    if acts:
        return str(acts[0])
    own = parameter.in_force_on(day)
    return own.source if own and own.value == worth else None


def _unit_key(norm: Norm) -> str:
    return f"{norm.unit_name.lower()}.valor"


def _recorded(reader: Reader, key: str, day: date) -> str | None:
    rows = _values_on(reader, key, day, most=1)
    return str(rows[0]["value"]) if rows else None


def _values_on(reader: Reader, key: str, day: date, most: int | None = None) -> Sequence[Row]:
    """What was recorded for a day, what is in force first."""
    return reader.all(
        select(norm_value.c.value, norm_value.c.act)
        .where(norm_value.c.key == key, norm_value.c.since <= day)
        .order_by(*_NEWEST_FIRST)
        .limit(most)
    )


def all_recorded(reader: Reader) -> Sequence[Row]:
    return reader.all(select(norm_value).order_by(norm_value.c.key, norm_value.c.since))
