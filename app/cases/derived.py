"""Compares a case's rows with what its journal says: status, terms, filings, services, documents, notes, files.

The engine's state is compared by `replay.py`; this is everything else that somebody with the database in their hands
could change without touching the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Table, select

from app.audit import Entry
from app.cases.dossier import CANCELLED, FIRST_STATUS
from app.documents import NUMBER
from app.engine.runner import Step
from app.store import Reader, Row
from app.store.cases_tables import attachment, cases, deadline, document, filing, note, service
from app.store.tables import sealed
from app.values import Json, canonical, digest, iso


def faults(reader: Reader, case_id: str, told: list[Entry], step: Step) -> Iterator[str]:
    """What the rows of a case say that its journal does not, in Portuguese."""
    row = reader.one(select(cases).where(cases.c.id == case_id), "Processo não encontrado.")
    yield from _standing(row, told, step)
    yield from _compared(_terms(reader, case_id), _told_terms(told), "os prazos contados")
    yield from _compared(_filings(reader, case_id), _told_filings(told), "as petições protocoladas")
    yield from _compared(_services(reader, case_id), _told_services(told), "as ciências")
    yield from _compared(_documents(reader, case_id), _told_documents(told), "os documentos emitidos")
    yield from _compared(_notes(reader, case_id), _told(told, "note", "text"), "as anotações")
    yield from _compared(_files(reader, case_id), _told(told, "attachment", "digest"), "os arquivos juntados")


def _standing(row: Row, told: list[Entry], step: Step) -> Iterator[str]:
    milestones = [m for entry in told for m in entry.body.get("milestones", [])]
    status = milestones[-1] if milestones else FIRST_STATUS
    cancelled = next((e for e in told if e.act == "cancel"), None)
    if cancelled is not None:
        status = CANCELLED
    if row["status"] != status:
        yield f"a situação guardada é {row['status']}; o histórico diz {status}"
    ended = cancelled.at if cancelled else next((e.at for e in told if e.body.get("ended")), None)
    if row["closed_at"] != ended:
        yield "o encerramento guardado não é o do histórico"
    if dict(row["flow"]) != dict(step.data):
        yield "os dados do diagrama guardados não são os do histórico"
    opened = told[0]
    pinned = {"number": row["number"], "choices": row["choices"], "process": row["process"]}
    if any(opened.body.get(key) != value for key, value in pinned.items()):
        yield "o número, o procedimento ou as escolhas não são os da abertura"
    if row["opened_at"] != opened.effective_at or row["norm_digest"] != opened.body["norm"]:
        yield "a abertura ou a norma não são as do histórico"


def _compared(found: Mapping[str, Json], expected: Mapping[str, Json], what: str) -> Iterator[str]:
    different = sorted(k for k in {*found, *expected} if found.get(k) != expected.get(k))
    if different:
        yield f"{what} não conferem com o histórico ({', '.join(different)})"


def _rows(reader: Reader, table: Table, case_id: str) -> list[Row]:
    return list(reader.all(select(table).where(table.c.case_id == case_id)))


def _terms(reader: Reader, case_id: str) -> dict[str, Json]:
    return {
        f"{r['key']} de {r['base']}": [
            iso(r["due_at"]),
            iso(r["expires_at"]),
            digest(canonical(r["trace"])),
        ]
        for r in _rows(reader, deadline, case_id)
    }


def _told_terms(told: list[Entry]) -> dict[str, Json]:
    terms = [t for e in told for t in e.body.get("terms", [])]
    terms += [o["result"] for e in told for o in e.body.get("orders", []) if o["order"] == "contar"]
    return {f"{t['term']} de {t['base']}": [t["due_at"], t["expires_at"], t["trace"]] for t in terms}


def _filings(reader: Reader, case_id: str) -> dict[str, Json]:
    return {
        r["number"]: [r["id"], r["kind"], iso(r["stamped_at"]), iso(r["received_at"])]
        for r in _rows(reader, filing, case_id)
    }


def _told_filings(told: list[Entry]) -> dict[str, Json]:
    return {
        e.body["number"]: [e.body["filing"], e.body["kind"], e.body["stamped_at"], iso(e.at)]
        for e in told
        if "filing" in e.body
    }


def _services(reader: Reader, case_id: str) -> dict[str, Json]:
    rows = _rows(reader, service, case_id)
    return {f"registro {r['seq']}": [r["variable"], r["mode"], iso(r["served_at"])] for r in rows}


def _told_services(told: list[Entry]) -> dict[str, Json]:
    return {
        f"registro {e.seq}": [e.body["service"], e.body["mode"], e.body["served_at"]]
        for e in told
        if "service" in e.body
    }


def _documents(reader: Reader, case_id: str) -> dict[str, Json]:
    query = (
        select(document, sealed.c.ciphertext)
        .join(sealed, sealed.c.id == document.c.sealed_id)
        .where(document.c.case_id == case_id)
    )
    return {
        r["id"]: [
            r["kind"],
            NUMBER.format(number=r["number"], year=r["year"]),
            digest(bytes(r["ciphertext"])),
        ]
        for r in reader.all(query)
    }


def _told_documents(told: list[Entry]) -> dict[str, Json]:
    issued = [o for e in told for o in e.body.get("orders", []) if o["order"] == "emitir"]
    return {
        o["result"]["document"]: [o["args"][0], o["result"]["number"], o["result"]["content"]] for o in issued
    }


def _notes(reader: Reader, case_id: str) -> dict[str, Json]:
    return {r["id"]: digest(canonical(r["text"])) for r in _rows(reader, note, case_id)}


def _files(reader: Reader, case_id: str) -> dict[str, Json]:
    return {r["id"]: r["blob_digest"] for r in _rows(reader, attachment, case_id)}


def _told(told: list[Entry], key: str, value: str) -> dict[str, Any]:
    return {e.body[key]: e.body[value] for e in told if key in e.body}
