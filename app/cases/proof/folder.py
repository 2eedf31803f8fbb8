"""Compares what a case's folder holds with its journal: answers, filings, services, documents, notes, files."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select

from app.audit import Entry, seal
from app.audit.rows import Unreadable, bare
from app.cases.proof.proof import Proof, compared, digest_of
from app.documents import NUMBER
from app.store.cases_tables import (
    attachment,
    document,
    filing,
    note,
    rendition,
    service,
    submission,
    work_item,
)
from app.store.tables import blob
from app.values import Json, iso


def submissions(proof: Proof) -> Iterator[str]:
    """Answers: whose, when, of which task, and what."""
    told = {e.body["submission"]: _told_submission(proof, e) for e in proof.told if "submission" in e.body}
    tasks, sealed = {r["id"]: r["task_id"] for r in proof.rows(work_item)}, proof.ciphertexts(submission)
    for row in proof.rows(submission):
        item = row["work_item_id"]
        found = [
            *(row[name] for name in ("seq", "form", "by", "at", "effective_at")),
            digest_of(row["answers"]),
            row["sealed_id"] and sealed.get(row["sealed_id"], Unreadable()),
            item and tasks.get(item, Unreadable()),
        ]
        if told.pop(row["id"], None) != found:
            yield f"as respostas do formulário {row['form']} não são as registradas"
    if told:
        yield "faltam respostas que o histórico registra"


def _told_submission(proof: Proof, entry: Entry) -> list[Json]:
    command = entry.body["command"]
    happened = entry.effective_at
    if command["op"] == "none" and "corrects" in entry.body:
        happened = proof.told[entry.body["corrects"] - 1].effective_at
    return [
        *(entry.seq, entry.body["form"], entry.actor, iso(entry.at), iso(happened)),
        entry.body["answers"],
        entry.body.get("sealed"),
        command["task"] if command["op"] == "complete" else None,
    ]


def filings(proof: Proof) -> Iterator[str]:
    columns = ("id", "seq", "kind", "stamped_at", "received_at", "submission_id", "delivered", "dropped")
    found = {str(r["number"]): [r[name] for name in columns] for r in proof.rows(filing)}
    told = {
        e.body["number"]: [
            *(e.body["filing"], e.seq, e.body["kind"], e.body["stamped_at"], iso(e.at)),
            e.body["submission"],
            e.body["filing"] in proof.last.delivered,
            e.body["filing"] in proof.last.dropped,
        ]
        for e in proof.told
        if "filing" in e.body
    }
    yield from compared(found, told, "as petições protocoladas")


def services(proof: Proof) -> Iterator[str]:
    columns = ("variable", "mode", "served_at", "submission_id")
    found = {f"registro {r['seq']}": [r[name] for name in columns] for r in proof.rows(service)}
    facts = ("service", "mode", "served_at", "submission")
    told = {f"registro {e.seq}": [e.body[f] for f in facts] for e in proof.told if "service" in e.body}
    yield from compared(found, told, "as ciências")


def documents(proof: Proof) -> Iterator[str]:
    sealed = proof.ciphertexts(document)
    columns = ("seq", "kind", "series", "title", "code", "issued_at", "issued_by")
    found = {
        r["id"]: [*(r[name] for name in columns), _number(r), sealed.get(r["sealed_id"])]
        for r in proof.rows(document)
    }
    told = {}
    for entry in proof.told:
        for order in entry.body.get("orders", []):
            if order["order"] == "emitir":
                kind, what = proof.norm.documents[order["args"][0]], order["result"]
                told[what["document"]] = [
                    *(entry.seq, kind.key, kind.series, kind.title, what["code"]),
                    *(iso(entry.at), entry.actor, what["number"], what["content"]),
                ]
    yield from compared(found, told, "os documentos emitidos")


def _number(row: Json) -> Json:
    whole = isinstance(row["number"], int) and isinstance(row["year"], int)
    return NUMBER.format(number=row["number"], year=row["year"]) if whole else Unreadable()


def renditions(proof: Proof) -> Iterator[str]:
    sealed = proof.ciphertexts(rendition)
    columns = ("seq", "pdf_digest", "size", "template_digest", "typst", "address")
    found = {
        r["document_id"]: [*(r[name] for name in columns), sealed.get(r["sealed_id"])]
        for r in proof.rows(rendition)
    }
    facts = ("pdf", "size", "template", "typst", "address", "sealed")
    told = {
        e.body["rendition"]: [e.seq, *(e.body[f] for f in facts)] for e in proof.told if "rendition" in e.body
    }
    yield from compared(found, told, "os PDF dos documentos")


def notes(proof: Proof) -> Iterator[str]:
    found = {r["id"]: [r["seq"], r["by"], r["at"], digest_of(r["text"])] for r in proof.rows(note)}
    told = {
        e.body["note"]: [e.seq, e.actor, iso(e.at), e.body["text"]] for e in proof.told if "note" in e.body
    }
    yield from compared(found, told, "as anotações")


def files(proof: Proof) -> Iterator[str]:
    """Names are told by a digest that takes the file itself; entries of before tell neither name nor kind."""
    told = {e.body["attachment"]: e for e in proof.told if "attachment" in e.body}
    found = {}
    for row in proof.rows(attachment):
        entry = told.get(row["id"])
        more = [_name(proof, row), row["media_type"]] if entry and "name" in entry.body else []
        found[row["id"]] = [*(row[name] for name in ("seq", "by", "at", "size", "blob_digest")), *more]
    facts = ("size", "digest", "name", "media_type")
    expected = {
        key: [e.seq, e.actor, iso(e.at), *(e.body[f] for f in facts if f in e.body)]
        for key, e in told.items()
    }
    yield from compared(found, expected, "os arquivos juntados")


def _name(proof: Proof, row: Json) -> Json:
    query = select(*bare(proof.reader, blob, "bytes")).where(blob.c.digest == row["blob_digest"])
    data = proof.reader.scalar(query) if isinstance(row["blob_digest"], str) else None
    return seal.veiled(str(row["name"]), data) if isinstance(data, bytes) else Unreadable()
