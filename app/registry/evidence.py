"""Compares the registry's rows with what their streams say: a row nobody journaled, or changed by hand, is named.

Runs beside the verification of the chains: a chain proves the journal, this proves the tables by it. `content.py` does
the same for what is proven by its own digest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from sqlalchemy import Table

from app.audit import seal
from app.audit.rows import kept
from app.registry import content
from app.registry.told import Rows, Told
from app.store import Reader
from app.store.registry_tables import appointment, carrier, charge, grants, occurrence, payment, person, staff
from app.store.tables import closure, norm_value, norm_version
from app.values import Json, digest

_OWN = {"norm_version": "digest", "charge": "case_id"}  # columns that name a row, where it is not `id`


def faults(reader: Reader) -> Iterator[str]:
    """What tables say that the journal does not, in Portuguese, one line per table with the first ids."""
    told = Told(reader)
    compared = partial(_compared, reader)
    yield from compared(norm_version, "as versões da norma", lambda: told.rows("publish_norm", "digest"))
    yield from compared(closure, "os dias do calendário", lambda: told.rows("record_closures"))
    yield from compared(norm_value, "os valores e as escolhas registrados", lambda: told.rows("record_value"))
    yield from compared(appointment, "as designações", lambda: told.rows("appoint"))
    yield from compared(carrier, "os transportadores", lambda: told.own("register_carrier"))
    yield from compared(grants, "as outorgas", lambda: told.rows("grant_line"))
    yield from compared(staff, "o pessoal de tráfego", lambda: told.own("register_staff"))
    yield from compared(occurrence, "as ocorrências", told.occurrences)
    yield from compared(payment, "os pagamentos", lambda: told.rows("pay"))
    yield from compared(charge, "as cobranças", told.charges)
    yield from _people(reader, told)
    yield from content.faults(reader, told)


def _people(reader: Reader, told: Told) -> Iterator[str]:
    """Names and addresses are journaled as salted digests (see `people`)."""
    rows = {str(row["id"]): row for row in kept(reader, person)}
    said = told.people()
    found = {key: {**row, **_digested(row, said.get(key, {}))} for key, row in rows.items()}
    told_of = {key: {n: v for n, v in row.items() if n != "email"} for key, row in said.items()}
    yield from _named("as pessoas", _different(found, told_of))
    addresses = {key: {"email": row["email"]} for key, row in said.items()}
    yield from _named("os endereços de e-mail", _different(found, addresses))


def _digested(row: Mapping[str, Json], said: Mapping[str, Json]) -> dict[str, Json]:
    salt = str(row["email_salt"])
    name = seal.veiled(str(row["name"]), salt.encode()) if "name" in said else row["name"]
    return {"name": name, "email": row["email"] and digest(f"{salt} {row['email']}".encode())}


def _compared(reader: Reader, table: Table, what: str, told: Callable[[], Rows]) -> Iterator[str]:
    key = _OWN.get(table.name, "id")
    try:
        said = told()
    except (KeyError, TypeError, AttributeError):
        yield f"{what} não podem ser conferidos: um registro do histórico não diz o que devia"
        return
    yield from _named(what, _different({str(row[key]): row for row in kept(reader, table)}, said))


def _different(found: Mapping[str, Mapping[str, Json]], told: Mapping[str, Mapping[str, Json]]) -> list[str]:
    return [
        row_id
        for row_id in sorted({*found, *told})
        if row_id not in found or row_id not in told or _differs(found[row_id], told[row_id])
    ]


def _named(what: str, different: list[str]) -> Iterator[str]:
    if different:
        shown = ", ".join(different[:3]) + ("…" if len(different) > 3 else "")
        yield f"{what} não conferem com o histórico ({shown})"


def _differs(found: Mapping[str, Json], told: Mapping[str, Json]) -> bool:
    return any(found[name] != value for name, value in told.items() if name in found)
