"""The CSV tables beside `norma.toml`: tables of the law, competences, articles, the calendar.

A rule of a table holds from a day to a day. Two rules for one thing on one day, or none between two, are faults:
the law never leaves its reader to choose, and neither may a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, time
from itertools import pairwise

from app.errors import Invalid
from app.law.calendar import Closure
from app.law.content.raw import read_rows
from app.law.content.sections import Faults
from app.law.provisions import ArticleNote, Competence, Period, Table, TableRow
from app.values import Json, Units

CALENDAR_COLUMNS = (
    "data",
    "tipo",
    "nome",
    "ambito",
    "abre",
    "fecha",
    "expediente_fechado",
    "ato",
    "publicado_em",
    "em_vigor_desde",
)
REVOCATION_COLUMNS = ("revogado_por", "revogado_em")
DATED = ("desde", "ate")
_FLAGS = {
    "sim": True,
    "true": True,
    "1": True,
    "não": False,
    "nao": False,
    "false": False,
    "0": False,
    "": False,
}
_Dated = dict[str, list[tuple[Period, str]]]  # by what the rule is about: its period and line


def read_table(
    files: Mapping[str, bytes],
    file: str,
    table: Table,
    faults: Faults,
) -> tuple[TableRow, ...]:
    """The rows of a table of the law. Each has its key, its article, its dates and a legible amount or none."""
    found: list[TableRow] = []
    dated: _Dated = {}
    amounts = (table.amount_column,) if table.amount_column else ()
    words = table.settings.get("certezas")
    for line, row in read_rows(files, file, (table.key_column, *DATED, "artigo", *amounts), faults):
        key = row[table.key_column]
        if not key:
            faults.add(file, line, f"a coluna {table.key_column} está vazia")
        if not row["artigo"]:
            faults.add(file, line, "falta o artigo que fundamenta")
        if isinstance(words, dict) and row.get("certeza", "") not in words:
            faults.add(
                file, line, f"a certeza {row.get('certeza', '')!r} não está em certezas, na norma.toml"
            )
        for column in amounts:
            if row[column] and not _is_amount(row[column]):
                faults.add(
                    file, line, f"{column} {row[column]!r} não é um valor; deixe vazio o que não se lê"
                )
        found.append(TableRow(key, _period(key, row, file, line, dated, faults), row))
    _check_succession(dated, file, faults)
    return tuple(found)


def read_competences(
    files: Mapping[str, bytes], file: str, roles: Mapping[str, object], faults: Faults
) -> tuple[Competence, ...]:
    """`competencias.csv`: every role must exist and every row has its article and its dates."""
    found: list[Competence] = []
    dated: _Dated = {}
    for line, row in read_rows(files, file, ("ato", "papel", *DATED, "artigo", "nota"), faults):
        act, role = row["ato"], row["papel"]
        if not act:
            faults.add(file, line, "falta o ato")
        if role not in roles:
            faults.add(file, line, f"o papel {role!r} não existe na norma")
        if not row["artigo"]:
            faults.add(file, line, "falta o artigo que fundamenta")
        period = _period(f"{act}, {role}", row, file, line, dated, faults)
        found.append(Competence(act, role, row["artigo"], row["nota"], period))
    _check_succession(dated, file, faults)
    return tuple(found)


def read_articles(files: Mapping[str, bytes], file: str, faults: Faults) -> tuple[ArticleNote, ...]:
    """`artigos.csv`: each article says where it lives or why it does not."""
    found = []
    for line, row in read_rows(files, file, ("artigo", "onde", "nota"), faults):
        if not row["artigo"]:
            faults.add(file, line, "falta o artigo")
        if not row["onde"] and not row["nota"]:
            faults.add(file, line, "falta dizer onde o artigo está ou por que não foi modelado")
        found.append(ArticleNote(row["artigo"], row["onde"], row["nota"]))
    return tuple(found)


def read_calendar(files: Mapping[str, bytes], file: str, faults: Faults) -> tuple[Closure, ...]:
    """`calendario.csv`: one row per day and act. A closed day without its act could not be shown in a trace."""
    found: dict[Closure, None] = {}
    for line, row in read_rows(files, file, CALENDAR_COLUMNS, faults, REVOCATION_COLUMNS):
        if row["expediente_fechado"].lower() not in _FLAGS:
            faults.add(file, line, "expediente_fechado deve ser sim ou não")
            continue
        if not row["ato"]:
            faults.add(file, line, "falta o ato que fecha o dia")
        try:
            closure = _closure(row)
        except ValueError:
            faults.add(file, line, "há data ou hora que não pode ser lida (use aaaa-mm-dd e hh:mm)")
        except Invalid as error:
            faults.add(file, line, error.message)
        else:
            if closure in found:
                faults.add(file, line, f"a linha repete outra do dia {row['data']}")
            found[closure] = None
    return tuple(found)


def _period(what: str, row: Mapping[str, str], file: str, line: str, dated: _Dated, faults: Faults) -> Period:
    """From the row's `desde` to its `ate`, both included; an empty `ate` is still in force."""
    try:
        if not row["desde"]:
            faults.add(file, line, "falta a data em que a regra entrou em vigor (desde)")
            return Period(date.min)
        period = Period(_exact(row["desde"]), _day(row["ate"]))
    except ValueError:
        faults.add(file, line, "desde ou ate não é uma data (use aaaa-mm-dd)")
        return Period(date.min)
    if period.until is not None and period.until < period.since:
        faults.add(file, line, f"ate ({period.until}) é antes de desde ({period.since})")
    else:
        dated.setdefault(what, []).append((period, line))
    return period


def _check_succession(dated: Mapping[str, Iterable[tuple[Period, str]]], file: str, faults: Faults) -> None:
    """On each day between the first and the last rule about a thing there is exactly one."""
    for what, periods in dated.items():
        for (earlier, _), (later, line) in pairwise(sorted(periods, key=lambda one: one[0].since)):
            if earlier.until is None or later.since <= earlier.until:
                told = f"{what} já tem regra em vigor em {later.since}, desde {earlier.since}"
                faults.add(file, line, told)
            elif (later.since - earlier.until).days > 1:
                faults.add(file, line, f"{what} fica sem regra entre {earlier.until} e {later.since}")


def _is_amount(text: str) -> bool:
    try:
        return Units.parse(text).hundredths > 0
    except ValueError:
        return False


def _closure(row: Mapping[str, str]) -> Closure:
    return Closure(
        day=_exact(row["data"]),
        kind=row["tipo"],
        scope=row["ambito"],
        name=row["nome"],
        opens_at=_clock(row["abre"]),
        closes_at=_clock(row["fecha"]),
        act=row["ato"],
        published_on=_day(row["publicado_em"]),
        in_force_from=_day(row["em_vigor_desde"]),
        office_closed=_FLAGS[row["expediente_fechado"].lower()],
        revoked_by=row["revogado_por"] or None,
        revoked_on=_day(row["revogado_em"]),
    )


def _day(text: str) -> date | None:
    return _exact(text) if text else None


def _exact(text: str) -> date:
    """Only `aaaa-mm-dd`: the reader of the language takes more than people would."""
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError(text)
    return day


def _clock(text: str) -> time | None:
    if not text:
        return None
    told = time.fromisoformat(text)
    if told.tzinfo is not None or told.isoformat("minutes") != text:
        raise ValueError(text)
    return told


def setting_problems(settings: Mapping[str, Json]) -> Iterable[tuple[str, str]]:
    """What is wrong with the settings of a table that the machine reads; others are the municipality's own."""
    for key in ("infrator_por_grupo", "certezas"):
        value = settings.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            yield key, "deve ser uma tabela de textos"
    codes = settings.get("codigos_de_veiculo", [])
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        yield "codigos_de_veiculo", "deve ser uma lista de textos"
    if not isinstance(settings.get("valor", ""), str):
        yield "valor", "deve ser o nome da coluna que traz o valor"
