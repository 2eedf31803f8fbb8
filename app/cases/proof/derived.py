"""Compares a case's rows with what its journal says: status, terms, filings, services, documents, notes, files.

The engine's state is compared by `replay.py`; this is everything else that somebody with the database in their hands
could change without touching the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Table, select

from app.audit import Entry
from app.cases.proof.standing import Standing
from app.documents import NUMBER
from app.store import Reader, Row
from app.store.ahead import stored_offset
from app.store.cases_tables import (
    ANNULLED,
    NO_END,
    attachment,
    cases,
    deadline,
    document,
    filing,
    note,
    rendition,
    service,
    work_item,
)
from app.store.tables import sealed
from app.values import Json, canonical, digest, iso


def faults(reader: Reader, case_id: str, told: list[Entry], standing: Standing) -> Iterator[str]:
    """What the rows of a case say that its journal does not, in Portuguese."""
    row = reader.one(select(cases).where(cases.c.id == case_id), "Processo não encontrado.")
    if not told:
        yield "o histórico do processo não existe"
        return
    yield from _case(row, told, standing)
    yield from _compared(_items(reader, case_id, standing), _told_items(standing), "as tarefas")
    yield from _compared(_terms(reader, case_id), _told_terms(told), "os prazos contados")
    yield from _compared(_running(reader, case_id), _told_running(standing), "os prazos que correm")
    yield from _compared(
        *_next_ends(reader, case_id, standing), "os próximos prazos guardados com as tarefas"
    )
    yield from _compared(_filings(reader, case_id), _told_filings(told, standing), "as petições protocoladas")
    yield from _compared(_services(reader, case_id), _told_services(told), "as ciências")
    yield from _compared(_documents(reader, case_id), _told_documents(told), "os documentos emitidos")
    yield from _compared(_renditions(reader, case_id), _told_renditions(told), "os PDF dos documentos")
    yield from _compared(_notes(reader, case_id), _told(told, "note", "text"), "as anotações")
    yield from _compared(_files(reader, case_id), _told(told, "attachment", "digest"), "os arquivos juntados")


def _case(row: Row, told: list[Entry], standing: Standing) -> Iterator[str]:
    if row["status"] != standing.status:
        yield f"a situação guardada é {row['status']}; o histórico diz {standing.status}"
    if row["closed_at"] != standing.closed_at or row["closed_reason"] != standing.closed_reason:
        yield "o encerramento guardado não é o do histórico"
    if standing.step is not None and dict(row["flow"]) != dict(standing.step.data):
        yield "os dados do diagrama guardados não são os do histórico"
    if row["fallen"] != sorted(standing.fallen):
        yield "os atos sem efeito não são os que o histórico diz"
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


def _task(element: str, seat: str | None, opened_seq: int, task_id: str) -> str:
    return f"registro {opened_seq}: {element}{f' ({seat})' if seat else ''} {task_id[:8]}"


_ITEM = ("status", "closed_seq", "closed_by")


def _items(reader: Reader, case_id: str, standing: Standing) -> dict[str, Json]:
    shape = tuple(standing.items[0].shape) if standing.items else ()
    return {
        _task(r["element"], r["seat"], r["opened_seq"], r["task_id"]): [
            *(r[k] for k in shape),
            *(r[k] for k in _ITEM),
        ]
        for r in _rows(reader, work_item, case_id)
        if r["status"] != ANNULLED
    }


def _told_items(standing: Standing) -> dict[str, Json]:
    return {
        _task(i.task.element, i.shape["seat"], i.opened_seq, i.task.id): [
            *i.shape.values(),
            *(getattr(i, k) for k in _ITEM),
        ]
        for i in standing.items
    }


def _terms(reader: Reader, case_id: str) -> dict[str, Json]:
    return {
        f"registro {r['armed_seq']}: {r['key']} de {r['base']}": [
            iso(r["due_at"]),
            iso(r["expires_at"]),
            digest(canonical(r["trace"])),
        ]
        for r in _rows(reader, deadline, case_id)
    }


def _told_terms(told: list[Entry]) -> dict[str, Json]:
    terms = [(e.seq, t) for e in told for t in e.body.get("terms", [])]
    terms += [(e.seq, o["result"]) for e in told for o in e.body.get("orders", []) if o["order"] == "contar"]
    return {
        f"registro {seq}: {t['term']} de {t['base']}": [t["due_at"], t["expires_at"], t["trace"]]
        for seq, t in terms
    }


def _running(reader: Reader, case_id: str) -> dict[str, Json]:
    return {
        f"registro {r['armed_seq']}: {r['key']} de {r['base']}": [
            r["status"],
            r["task_id"],
            r["closed_seq"],
            iso(r["expires_at"]),
        ]
        for r in _rows(reader, deadline, case_id)
        if r["status"] != ANNULLED
    }


def _told_running(standing: Standing) -> dict[str, Json]:
    return {
        f"registro {t.armed_seq}: {t.key} de {t.base}": [
            t.status,
            t.task_id,
            t.closed_seq,
            iso(t.expires_at),
        ]
        for t in standing.terms
    }


def _next_ends(reader: Reader, case_id: str, standing: Standing) -> tuple[dict[str, Json], dict[str, Json]]:
    """What open tasks keep as the next end of a term, and what they should.

    Where it is past, the task may keep what was next before it passed: nothing that is shown rests on it then. Whoever
    audits a demo may live on a clock behind the one that its cases have lived on.
    """
    now = reader.now + stored_offset(reader.connection)
    found: dict[str, Json] = {}
    expected: dict[str, Json] = {}
    for row in _rows(reader, work_item, case_id):
        if row["status"] == "open":
            key = _task(row["element"], row["seat"], row["opened_seq"], row["task_id"])
            kept = row["next_end"]
            seen = min(now, kept - timedelta.resolution)
            found[key], expected[key] = iso(kept), iso(_next_end(standing, seen))
    return found, expected


def _next_end(standing: Standing, now: datetime) -> datetime:
    running = (
        t for t in standing.terms if t.status == "armed" or (t.status == "window" and t.expires_at > now)
    )
    return min((term.expires_at for term in running), default=NO_END)


def _filings(reader: Reader, case_id: str) -> dict[str, Json]:
    return {
        r["number"]: [
            r["id"],
            r["kind"],
            iso(r["stamped_at"]),
            iso(r["received_at"]),
            r["delivered"],
            r["dropped"],
        ]
        for r in _rows(reader, filing, case_id)
    }


def _told_filings(told: list[Entry], standing: Standing) -> dict[str, Json]:
    return {
        e.body["number"]: [
            e.body["filing"],
            e.body["kind"],
            e.body["stamped_at"],
            iso(e.at),
            e.body["filing"] in standing.delivered,
            e.body["filing"] in standing.dropped,
        ]
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
            r["code"],
        ]
        for r in reader.all(query)
    }


def _told_documents(told: list[Entry]) -> dict[str, Json]:
    issued = [o for e in told for o in e.body.get("orders", []) if o["order"] == "emitir"]
    return {
        o["result"]["document"]: [o["args"][0], *(o["result"][key] for key in ("number", "content", "code"))]
        for o in issued
    }


def _renditions(reader: Reader, case_id: str) -> dict[str, Json]:
    query = (
        select(rendition, sealed.c.ciphertext)
        .join(sealed, sealed.c.id == rendition.c.sealed_id)
        .where(rendition.c.case_id == case_id)
    )
    return {
        r["document_id"]: [
            r["seq"],
            digest(bytes(r["ciphertext"])),
            *(r[key] for key in ("pdf_digest", "size", "template_digest", "typst", "address")),
        ]
        for r in reader.all(query)
    }


def _told_renditions(told: list[Entry]) -> dict[str, Json]:
    facts = ("sealed", "pdf", "size", "template", "typst", "address")
    return {
        e.body["rendition"]: [e.seq, *(e.body[fact] for fact in facts)] for e in told if "rendition" in e.body
    }


def _notes(reader: Reader, case_id: str) -> dict[str, Json]:
    return {r["id"]: digest(canonical(r["text"])) for r in _rows(reader, note, case_id)}


def _files(reader: Reader, case_id: str) -> dict[str, Json]:
    return {r["id"]: r["blob_digest"] for r in _rows(reader, attachment, case_id)}


def _told(told: list[Entry], key: str, value: str) -> dict[str, Any]:
    return {e.body[key]: e.body[value] for e in told if key in e.body}
