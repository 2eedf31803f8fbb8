"""Whether terms are being decided, for those who can do something about it: in words, with what to do."""

from __future__ import annotations

from flask import g

from app.cases import registers
from app.law.competence import acts_for
from app.monitor.health import NO_WORKER, SILENT_WORKER, UNDECIDED, WRONG_CLOCK, Terms, terms
from app.store import Reader
from app.web.language import N_
from app.web.session import store, today

WORDS = {
    NO_WORKER: N_("Nenhum programa vigia os prazos. No servidor, inicie “tramita worker”."),
    SILENT_WORKER: N_(
        "O programa que vigia os prazos não dá sinal há mais de quinze segundos. No servidor, inicie "
        "“tramita worker”, ou reinicie-o se ainda estiver aberto."
    ),
    WRONG_CLOCK: N_(
        "O relógio do servidor não confere com o do banco de dados ou com o histórico; até que se acerte, nenhum prazo "
        "é decidido por ele."
    ),
    UNDECIDED: N_("Há prazos que terminaram há mais de um minuto e ainda não foram decididos."),
}


def for_everybody(reader: Reader) -> Terms:
    return terms(store(), reader)


def for_who_cares(reader: Reader) -> Terms | None:
    """For those who keep the records, and for offices that the law gives no act: auditors, administrators."""
    mine = {office.role for office in g.offices}
    day = today(g.norm)
    acting = {row.role for row in g.norm.competences} | {
        seat.role for board in g.norm.boards.values() for seat in board.seats
    }
    keeps = acts_for(g.norm, mine, day) & {registers.CARRIER}
    return terms(store(), reader) if keeps or mine - acting else None
