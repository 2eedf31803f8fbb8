"""Entering carriers, grants, traffic staff and earlier occurrences by hand: what is typed is checked, then written.

Who may do so is asked in `cases/registers.py`. Each gives the id of the new record; sent twice, the second is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from sqlalchemy import select

from app import audit
from app.errors import Conflict
from app.law.norm import Norm
from app.registry import carriers, occurrences
from app.registry.enrolment.typed import Typed
from app.store import Tx
from app.store.registry_tables import carrier, occurrence, staff
from app.values import Json

LONGEST_NAME, LONGEST_LINE, LONGEST_SOURCE = 200, 40, 1_000
Answers = Mapping[str, Json]


def enrol_carrier(tx: Tx, norm: Norm, answers: Answers) -> str:
    """A carrier: `nome`, `cnpj`. The CNPJ is kept as it is printed, so that one company has one record."""
    typed = Typed(answers)
    name, document = typed.line("nome", LONGEST_NAME), typed.cnpj("cnpj")
    taken = tx.first(select(carrier.c.id).where(carrier.c.document == document)) if document else None
    typed.refuse_if(taken is not None, "cnpj", "cnpj_repetido")
    typed.check()
    return carriers.register_carrier(tx, name, document, today(tx, norm))


def enrol_grant(tx: Tx, norm: Norm, carrier_id: str, answers: Answers) -> str:
    """A grant: `linha`, `regime`, `desde`, `ate` (may be open). One carrier holds a line once at a time."""
    del norm  # a grant may begin on a day to come
    audit.next_seq(
        tx, carriers.stream_of(carrier_id)
    )  # holds the record: the same form sent twice waits here
    carriers.carrier_by_id(tx, carrier_id)
    typed = Typed(answers)
    line, regime = typed.line("linha", LONGEST_LINE), typed.one_of("regime", carriers.REGIMES)
    since, until = typed.day("desde"), typed.day_if_any("ate")
    typed.refuse_if(bool(since and until and until < since), "ate", "fim")
    if since is not None and not typed.faults:
        held = [g for g in carriers.grants_of(tx, carrier_id) if g["line"].casefold() == line.casefold()]
        overlap = any(g["since"] <= (until or date.max) and since <= (g["until"] or date.max) for g in held)
        typed.refuse_if(overlap, "linha", "linha_outorgada")
    typed.check()
    assert since is not None
    return carriers.grant_line(tx, carrier_id, line, regime, since, until)


def enrol_staff(tx: Tx, norm: Norm, carrier_id: str, answers: Answers) -> str:
    """A member of the traffic staff: `nome` (sealed), `categoria`, `matricula`."""
    carriers.carrier_by_id(tx, carrier_id)
    typed = Typed(answers)
    name, category = typed.line("nome", LONGEST_NAME), typed.one_of("categoria", carriers.CATEGORIES)
    number = typed.line("matricula", 40)
    # Compared here and not in SQL: SQLite knows the case of ASCII letters alone.
    known = (
        {row["registration"].casefold() for row in tx.all(select(staff.c.registration))} if number else set()
    )
    typed.refuse_if(number.casefold() in known, "matricula", "matricula_repetida")
    typed.check()
    return carriers.register_staff(tx, carrier_id, name, category, number, today(tx, norm))


def enrol_antecedent(tx: Tx, norm: Norm, infringer: str, answers: Answers) -> str:
    """An occurrence that is on paper: `codigo`, `ocorrida_em`, `situacao`, `outorga` (if known), `fonte` (which paper).

    First offence and recurrence look back on it as on any other, so the code must be one of the infringer's own.
    """
    audit.next_seq(tx, infringer)
    carrier_id = carriers.carrier_of(tx, infringer)
    typed = Typed(answers)
    code = typed.one_of("codigo", {code for table in norm.tables.values() for code in table.codes})
    day, status = typed.day("ocorrida_em"), typed.one_of("situacao", occurrences.STATUSES)
    source, grant = typed.text("fonte", LONGEST_SOURCE), str(answers.get("outorga") or "")
    typed.refuse_if(day is not None and day > today(tx, norm), "ocorrida_em", "futuro")
    grants = {g["id"] for g in carriers.grants_of(tx, carrier_id)}
    typed.refuse_if(grant != "" and grant not in grants, "outorga", "opcao")
    if whose := (group_of(norm, code) if code else None):
        typed.refuse_if(not infringer.startswith(f"{whose}:"), "codigo", f"codigo_do_{whose}")
    typed.check()
    assert day is not None
    _refuse_second(tx, infringer, code, day, source)
    told = (infringer, carrier_id, grant or None, code, day)
    return occurrences.record(tx, *told, case_id=None, status=status, source=source)


def group_of(norm: Norm, code: str) -> str | None:
    """Whom the law's table makes answer for a code, `transportador` or `pessoal`; None where it does not say."""
    for table in norm.tables.values():
        whose: Mapping[str, str] = table.settings.get("infrator_por_grupo", {})
        for row in table.rows:
            if row.key == code and row.cells.get("grupo") in whose:
                return whose[row.cells["grupo"]]
    return None


def today(tx: Tx, norm: Norm) -> date:
    return tx.now.astimezone(norm.zone).date()


def _refuse_second(tx: Tx, infringer: str, code: str, day: date, source: str) -> None:
    """Two faults of one code on one day are two occurrences; on the same sheet of paper they are one, sent twice."""
    same = (occurrence.c.infringer == infringer, occurrence.c.code == code, occurrence.c.happened_on == day)
    if tx.first(
        select(occurrence.c.id).where(*same, occurrence.c.source == source, occurrence.c.case_id.is_(None))
    ):
        raise Conflict(
            "Este antecedente já está registrado, com a mesma fonte. Nada mais foi gravado.",
            code="envio.repetido",
        )
