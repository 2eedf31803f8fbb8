"""What a diagram may ask. Each fact is looked up once, in the act that needs it; the journal keeps the answer.

A fact never decides for a person: it says what the registry, the norm and the counter show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta

from sqlalchemy import select

from app.cases.dossier import Dossier, as_number
from app.cases.vocabulary import FACTS
from app.cases.vocabulary.terms import count_term
from app.engine.runner import Ask
from app.errors import Invalid
from app.law.norm import Table
from app.registry import carriers, charges, occurrences, values
from app.store import Row
from app.store.cases_tables import ANNULLED, cases, deadline, document, filing
from app.values import Json, Units, iso

Fact = Callable[..., Json]
MOST_GROUNDS = 10  # earlier occurrences that the journal names for one answer


def ask_of(dossier: Dossier) -> Ask:
    """The live answers for one act on one case."""

    def ask(question: str, args: tuple[Json, ...]) -> Json:
        if question == "prazo":
            return iso(count_term(dossier, str(args[0]), str(args[1])).expires_at)
        return _ANSWERS[question](dossier, *args)

    return ask


def infrator(dossier: Dossier, table: str, code: str, carrier_id: str | None, staff_id: str | None) -> str:
    """Who answers for a code: the carrier, or the person for the codes of the traffic staff (Jequié, Art. 104)."""
    row = _row(dossier, table, code)
    groups = dossier.norm.tables[table].settings.get("infrator_por_grupo", {})
    if groups.get(row.get("grupo", "")) == "pessoal":
        if not staff_id:
            raise Invalid(
                f"O código {code} é de infração do pessoal de tráfego: informe quem a cometeu.",
                code="infrator.pessoa_ausente",
                fields={"pessoa": "Informe a pessoa: o código escolhido é do pessoal de tráfego."},
            )
        carriers.staff_by_id(dossier.tx, staff_id)
        return f"pessoal:{staff_id}"
    if not carrier_id:
        raise Invalid(
            f"O código {code} é de infração do transportador: informe qual.",
            code="infrator.transportador_ausente",
            fields={"transportador": "Informe o transportador."},
        )
    return carriers.stream_of(carrier_id)


def primario(
    dossier: Dossier, infringer: str, grant_id: str | None, happened_on: str, code: str | None = None
) -> bool:
    """First offender: no earlier notice since the grant concerned began (Jequié, Art. 106 § 1º; D-09).

    Three choices: of any code or of the same (`primario.codigo`), whether somebody without grant may be one
    (`primario.sem_outorga`), and whose record is looked at (`registro.pessoal`).
    """
    against = against_first_offence(dossier, infringer, grant_id, date.fromisoformat(happened_on), code)
    if against is None:
        _ground(dossier, "primario", reason="sem_outorga")
        return False
    _ground(dossier, "primario", against)
    return not against


def against_first_offence(
    dossier: Dossier, infringer: str, grant_id: str | None, day: date, code: str | None
) -> list[Row] | None:
    """Earlier occurrences that end first offence; None for whoever lacks a grant, where that alone ends it."""
    since = grant_start(dossier, infringer, grant_id, day)
    if since is None:
        if dossier.choice("primario.sem_outorga", "nunca") == "nunca":
            return None
        since = date.min  # nothing began: the whole record counts
    same = dossier.choice("primario.codigo", "qualquer") == "mesmo"
    earlier = occurrences.before_case(dossier.tx, _record(dossier, infringer), dossier.id, day)
    return [r for r in earlier if since <= r["happened_on"] and (r["code"] == code or not same)]


def fator_reincidencia(dossier: Dossier, infringer: str, code: str, happened_on: str) -> int:
    """Doubling in recurrence: same infringer and code, 1 to 60 days after (Jequié, Art. 111 § 3º; D-11).

    Choices: which fines are doubled (`reincidencia.alcance`), whether another code recurs (`reincidencia.codigo`),
    whose record is looked at (`registro.pessoal`) and which earlier occurrences count (`_counts`).
    """
    found = recurring(dossier, infringer, code, date.fromisoformat(happened_on))
    if found is None:
        _ground(dossier, "fator_reincidencia", reason="fora_do_alcance")
        return 1
    row = next(found, None)
    _ground(dossier, "fator_reincidencia", [row] if row else [])
    return int(parametro(dossier, "reincidencia.fator")) if row else 1


def recurring(dossier: Dossier, infringer: str, code: str, day: date) -> Iterator[Row] | None:
    """Earlier occurrences that one of `day` repeats within the law's term; None where such a fine never doubles."""
    if dossier.choice("reincidencia.alcance", "todas") == "veiculo" and code not in _of_vehicles(dossier):
        return None
    term = timedelta(days=parametro(dossier, "reincidencia.dias"))
    other = dossier.choice("reincidencia.codigo", "mesmo") == "qualquer"
    return (
        row
        for row in _record(dossier, infringer)
        if (other or row["code"] == code)
        and timedelta(days=1) <= day - row["happened_on"] <= term
        and _counts(dossier, row)
    )


def valor_multa(dossier: Dossier, table: str, code: str, factor: int) -> int:
    """The fine of a code in hundredths of a unit, times the factor. Refused unless the original is legible (D-10)."""
    row = _row(dossier, table, code)
    certainty = row.get("certeza", "")
    usable = certainty in ("certo", "provavel") or (
        certainty == "inferido" and dossier.choice("multa.permitir_inferidas") == "sim"
    )
    amount = dossier.norm.tables[table].amount(row)
    if amount is None or not usable:
        raise Invalid(
            f"O valor da multa do código {code} não está confirmado no original da lei ({certainty}). "
            "O auto não pode ser lavrado: peça ao administrador que confira o original e publique a tabela corrigida.",
            code="multa.valor_nao_confirmado",
            certainty=certainty,
        )
    return amount.times(factor).hundredths


def certeza(dossier: Dossier, table: str, code: str) -> str:
    """How surely a code's row was read from the original, as the table says (D-10)."""
    return _row(dossier, table, code).get("certeza", "")


def escolha(dossier: Dossier, key: str) -> str:
    """The option of a choice that the case is pinned to."""
    return dossier.choice(key)


def parametro(dossier: Dossier, key: str, times: int = 1) -> Json:
    """A parameter of the norm on the day of the act, as a whole number when it is an amount; that number `times`."""
    value = values.parameter_on(dossier.tx, dossier.norm, key, dossier.today)
    if value is None:
        label = dossier.norm.parameters[key].label
        raise Invalid(
            f"{label}: a lei não traz este valor e ninguém o registrou. Peça ao administrador que o registre, "
            "com o ato que o fixou.",
            code="valor.nao_registrado",
            key=key,
        )
    told = as_number(value)
    return told if times == 1 else int(told) * times


def assentos(dossier: Dossier, board: str) -> dict[str, str]:
    """The seats of a board, each standing for the person who will hold it when voting."""
    return {seat.key: seat.key for seat in dossier.norm.boards[board].seats}


def tempestividade(dossier: Dossier, kind: str, *keys: str) -> str:
    """In whose term the first filing of a kind was stamped: a deadline's key, `intempestiva` or `nenhuma` (D-12)."""
    first = dossier.tx.first(
        select(filing.c.stamped_at)
        .where(filing.c.case_id == dossier.id, filing.c.kind == kind, filing.c.dropped.is_(False))
        .order_by(filing.c.stamped_at)
        .limit(1)
    )
    if first is None:
        return "nenhuma"
    ends = _ends(dossier)
    for key in keys:
        if key in ends and first["stamped_at"] < ends[key]:
            return key
    return "intempestiva"


def pago(dossier: Dossier) -> bool:
    """Whether payments cover what the case makes owe."""
    return charges.settled(dossier.tx, dossier.id)


def pago_algo(dossier: Dossier) -> bool:
    """Whether anything at all was paid: a partial payment goes back too when the fine falls."""
    return charges.paid(dossier.tx, dossier.id).cents > 0


def pago_ate(dossier: Dossier, key: str) -> bool:
    """Whether payments made within a term cover what the case makes owe."""
    end = _ends(dossier).get(key)
    return end is not None and charges.settled(dossier.tx, dossier.id, end)


def pago_ao_menos(dossier: Dossier, units: int) -> bool:
    """Whether payments reach an amount of units at the charge's own unit value."""
    return _above(dossier, units) >= 0


def pago_alem_de(dossier: Dossier, units: int) -> bool:
    """Whether payments go beyond an amount of units at the charge's own unit value."""
    return _above(dossier, units) > 0


def tem_documento(dossier: Dossier, kind: str) -> bool:
    """Whether a document of this kind has been issued in the case."""
    query = select(document.c.id).where(document.c.case_id == dossier.id, document.c.kind == kind).limit(1)
    return dossier.tx.first(query) is not None


def _ground(dossier: Dossier, fact: str, rows: Sequence[Row] = (), reason: str = "") -> None:
    """Keeps for the journal on what an answer rests: earlier occurrences, the newest, or a reason that needs none."""
    found = [str(row["id"]) for row in rows[-MOST_GROUNDS:]]
    dossier.grounds.append({"fact": fact, "occurrences": found, "reason": reason})


def _above(dossier: Dossier, units: int) -> int:
    """Centavos paid above an amount of units; below zero when they do not reach it."""
    owed = charges.of_case(dossier.tx, dossier.id)
    paid = charges.paid(dossier.tx, dossier.id).cents
    return paid - (Units(units).at(owed.unit_value).cents if owed else 0)


def _ends(dossier: Dossier) -> dict[str, datetime]:
    rows = dossier.tx.all(
        select(deadline.c.key, deadline.c.expires_at)
        .where(deadline.c.case_id == dossier.id, deadline.c.status != ANNULLED)
        .order_by(deadline.c.armed_seq)
    )
    return {r["key"]: r["expires_at"] for r in rows}


def _row(dossier: Dossier, table: str, code: str) -> dict[str, str]:
    """The rule of a code on the day of the act: for a fine, the day of the auto (Jequié, Art. 128; AMB-56)."""
    rules: Table = dossier.norm.tables[table]
    row = rules.row_on(code, dossier.today)
    if row is None:
        known = f" em vigor em {dossier.today:%d/%m/%Y}" if code in rules.codes else ""
        raise Invalid(f"O código {code} não está na tabela da lei{known}.", code="tabela.codigo_desconhecido")
    return dict(row)


def _record(dossier: Dossier, infringer: str) -> Sequence[Row]:
    """What stands of other cases where first offence and recurrence look: the infringer's own record or, where the
    municipality reads it so, all that the carrier and its staff did (`registro.pessoal`, AMB-68)."""
    if dossier.choice("registro.pessoal", "pessoa") == "pessoa":
        return occurrences.of_infringer(dossier.tx, infringer, except_case=dossier.id)
    return occurrences.of_carrier(dossier.tx, _carrier(dossier, infringer), except_case=dossier.id)


def _counts(dossier: Dossier, row: Row) -> bool:
    """Whether an earlier occurrence makes the next a recurrence (`reincidencia.conta_advertencia`).

    A fine is final when its case has ended; one typed from paper says itself how it ended.
    """
    counted, final = dossier.choice("reincidencia.conta_advertencia"), row["case_id"] is None
    if counted == "so_definitivas" and not final:
        final = bool(dossier.tx.scalar(select(cases.c.closed_at).where(cases.c.id == row["case_id"])))
    return occurrences.makes_recurrence(row["status"], counted, final)


def _of_vehicles(dossier: Dossier) -> frozenset[str]:
    """Codes that the norm takes for faults of the vehicle (Jequié, Arts. 110 and 111)."""
    codes = (table.settings.get("codigos_de_veiculo", ()) for table in dossier.norm.tables.values())
    return frozenset(code for listed in codes for code in listed)


def _carrier(dossier: Dossier, infringer: str) -> str:
    kind, _, record_id = infringer.partition(":")
    return str(carriers.staff_by_id(dossier.tx, record_id)["carrier_id"]) if kind == "pessoal" else record_id


def grant_start(dossier: Dossier, infringer: str, grant_id: str | None, day: date) -> date | None:
    """Start of the grant concerned, when it runs on the day; without a line, of the oldest that does; staff: their
    employer's (AMB-33)."""
    if grant_id:
        concerned = [carriers.grant_by_id(dossier.tx, grant_id)]
    else:
        concerned = list(carriers.grants_of(dossier.tx, _carrier(dossier, infringer)))
    running = [
        g["since"] for g in concerned if g["since"] <= day and (g["until"] is None or g["until"] >= day)
    ]
    return min(running, default=None)


_ANSWERS: dict[str, Fact] = {
    "infrator": infrator,
    "primario": primario,
    "fator_reincidencia": fator_reincidencia,
    "valor_multa": valor_multa,
    "certeza": certeza,
    "escolha": escolha,
    "parametro": parametro,
    "assentos": assentos,
    "tempestividade": tempestividade,
    "pago": pago,
    "pago_algo": pago_algo,
    "pago_ate": pago_ate,
    "pago_ao_menos": pago_ao_menos,
    "pago_alem_de": pago_alem_de,
    "tem_documento": tem_documento,
}
assert set(_ANSWERS) == FACTS
