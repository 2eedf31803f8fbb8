"""Compares the registry's rows with what their streams say: a row nobody journaled, or changed by hand, is named.

Runs beside the verification of the chains: a chain proves the journal, this proves the tables by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

import orjson
from sqlalchemy import Table, select

from app.store import Reader, Row
from app.store.registry_tables import appointment, carrier, charge, grants, occurrence, payment, person, staff
from app.store.tables import closure, journal, norm_value
from app.values import Json, digest, iso


def faults(reader: Reader) -> Iterator[str]:
    """What tables say that the journal does not, in Portuguese, one line per table with the first ids."""
    told = _Told(reader)
    yield from _compared(reader, closure, told.rows("record_closures"), "os dias do calendário")
    yield from _compared(
        reader, norm_value, told.rows("record_value"), "os valores e as escolhas registrados"
    )
    yield from _compared(reader, appointment, told.rows("appoint"), "as designações")
    yield from _compared(reader, carrier, told.own("register_carrier"), "os transportadores")
    yield from _compared(reader, grants, told.rows("grant_line"), "as outorgas")
    yield from _compared(reader, staff, told.own("register_staff"), "o pessoal de tráfego")
    yield from _compared(
        reader, occurrence, told.changed("record_occurrence", "change_occurrence"), "as ocorrências"
    )
    yield from _compared(reader, payment, told.rows("pay"), "os pagamentos")
    yield from _compared(reader, charge, told.charges(), "as cobranças", key="case_id")
    yield from _addresses(reader, told.own("set_email"))


class _Told:
    """The rows as the journal's entries of an act left them, by id."""

    def __init__(self, reader: Reader) -> None:
        acts = (
            "record_closures",
            "record_value",
            "appoint",
            "register_carrier",
            "grant_line",
            "register_staff",
            "record_occurrence",
            "change_occurrence",
            "owe",
            "withdraw",
            "pay",
            "refund",
            "set_email",
        )
        query = select(journal.c.stream, journal.c.act, journal.c.body).where(journal.c.act.in_(acts))
        told = reader.all(query.order_by(journal.c.id))
        self.entries = [(r["act"], orjson.loads(r["body"])["body"]) for r in told]
        self._of = [r["stream"].partition(":")[2] for r in told]

    def rows(self, act: str) -> dict[str, Mapping[str, Json]]:
        bodies = [body for told, body in self.entries if told == act]
        flat = [row for body in bodies for row in body.get("closures", [body])]
        return {row["id"]: row for row in flat}

    def own(self, act: str) -> dict[str, Mapping[str, Json]]:
        """The rows that have a stream of their own, whose name is their id."""
        told = zip(self._of, self.entries, strict=True)
        return {record: body for record, (made, body) in told if made == act}

    def changed(self, made: str, changed: str) -> dict[str, Mapping[str, Json]]:
        rows: dict[str, dict[str, Json]] = {key: dict(row) for key, row in self.rows(made).items()}
        for act, body in self.entries:
            if act == changed and body["id"] in rows:
                rows[body["id"]]["status"] = body["to"]
        return {**rows}

    def charges(self) -> dict[str, Mapping[str, Json]]:
        rows: dict[str, dict[str, Json]] = {}
        for act, body in self.entries:
            if act in ("owe", "withdraw", "refund"):
                owed = {"withdrawn": False} if act == "owe" else {}
                rows.setdefault(body["case_id"], {}).update({**owed, **body})
        return {**rows}


def _addresses(reader: Reader, told: Mapping[str, Mapping[str, Json]]) -> Iterator[str]:
    """Addresses are journaled as salted digests (see `people.set_email`)."""
    rows = reader.all(select(person.c.id, person.c.email, person.c.email_salt))
    found = {r["id"]: digest(f"{r['email_salt']} {r['email']}".encode()) for r in rows if r["email"]}
    last = {person_id: body["email"] for person_id, body in told.items() if body["email"]}
    different = sorted({*found, *last} - {key for key in found if found[key] == last.get(key)})
    yield from _named("os endereços de e-mail", different)


def _compared(
    reader: Reader, table: Table, told: Mapping[str, Mapping[str, Json]], what: str, key: str = "id"
) -> Iterator[str]:
    found = {str(row[key]): _plain(row) for row in reader.all(select(table))}
    different = [
        row_id
        for row_id in sorted({*found, *told})
        if row_id not in found or row_id not in told or _differs(found[row_id], told[row_id])
    ]
    yield from _named(what, different)


def _named(what: str, different: list[str]) -> Iterator[str]:
    if different:
        shown = ", ".join(different[:3]) + ("…" if len(different) > 3 else "")
        yield f"{what} não conferem com o histórico ({shown})"


def _differs(found: Mapping[str, Json], told: Mapping[str, Json]) -> bool:
    return any(found[name] != value for name, value in told.items() if name in found)


def _plain(row: Row) -> dict[str, Any]:
    return {key: _as_json(value) for key, value in row.items()}


def _as_json(value: Any) -> Json:
    if isinstance(value, datetime):
        return iso(value)
    return value.isoformat() if isinstance(value, date) else value
