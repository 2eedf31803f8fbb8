"""Compares a case's rows with what its journal says: the case itself, its tasks, its terms, what its diagram did.

The bytes of the engine's state are compared by `replay.py`, what the folder holds by `folder.py`: together they are
everything that somebody with the database in their hands could change.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from app.audit.rows import Unreadable, kept
from app.cases.proof import folder
from app.cases.proof.proof import UNREAD, Proof, compared, digest_of
from app.cases.proof.standing import MOVES, Counted, Item, Standing
from app.registry.carriers import stream_of
from app.store.ahead import stored_offset
from app.store.cases_tables import ANNULLED, NO_END, deadline, element_log, work_item
from app.store.registry_tables import staff
from app.values import Json, digest, iso, parse_instant


def faults(proof: Proof) -> Iterator[str]:
    """What the rows of a case say that its journal does not, in Portuguese."""
    for part, what in _PARTS.items():
        try:
            yield from part(proof)
        except UNREAD:
            yield f"{what} não podem ser conferidos: um registro do histórico não diz o que devia"


def _case(proof: Proof) -> Iterator[str]:
    row, standing = proof.row, proof.last
    if row["status"] != standing.status:
        yield f"a situação guardada é {row['status']}; o histórico diz {standing.status}"
    if [row["closed_at"], row["closed_reason"]] != [_iso(standing.closed_at), standing.closed_reason]:
        yield "o encerramento guardado não é o do histórico"
    step = standing.step
    if step is not None and row["flow"] != dict(step.data):
        yield "os dados do diagrama guardados não são os do histórico"
    if step is not None and not _awaits(row["awaited"], standing, sorted(step.awaited)):
        yield "o que o diagrama espera não é o que o histórico diz"
    if row["state_digest"] != digest(step.state if step else b""):
        yield "o resumo do estado guardado não é o do estado"
    if row["fallen"] != sorted(standing.fallen):
        yield "os atos sem efeito não são os que o histórico diz"
    yield from _opening(proof)


def _awaits(kept_as: Json, standing: Standing, awaited: list[str]) -> bool:
    return kept_as == awaited or (standing.closed_at is not None and kept_as == [])


def _opening(proof: Proof) -> Iterator[str]:
    row, opened = proof.row, proof.told[0]
    if any(opened.body.get(key) != row[key] for key in ("number", "choices", "process")):
        yield "o número, o procedimento ou as escolhas não são os da abertura"
    pinned = [iso(opened.effective_at), opened.body["norm"], opened.body["definition"]]
    if [row["opened_at"], row["norm_digest"], row["definition_digest"]] != pinned:
        yield "a abertura ou a norma não são as do histórico"
    # Entries of before tell neither subject nor grant, and the carrier only where it was entered.
    told = {"origin": "origin_case_id", "subject": "subject_id", "grant": "grant_id", "carrier": "carrier_id"}
    said = {column: opened.body[key] for key, column in told.items() if key in opened.body} | _parties(proof)
    if any(row[column] != value for column, value in said.items()):
        yield "as partes do processo não são as do histórico"


def _parties(proof: Proof) -> dict[str, Json]:
    """Whom the newest notice was entered against, and whose carrier that is."""
    orders = [o for e in proof.told for o in e.body.get("orders", []) if o["order"] == "registrar_ocorrencia"]
    if not orders:
        return {"infringer": None}
    infringer = str(orders[-1]["args"][0])
    kind, _, record = infringer.partition(":")
    if kind == "pessoal":
        (member,) = kept(proof.reader, staff, staff.c.id == record)
        return {"infringer": infringer, "carrier_id": member["carrier_id"]}
    return {"infringer": infringer, "carrier_id": infringer.removeprefix(stream_of(""))}


def _task(element: Json, seat: Json, opened_seq: Json, task_id: Json) -> str:
    return f"registro {opened_seq}: {element}{f' ({seat})' if seat else ''} {str(task_id)[:8]}"


_OF_ITEM = ("opened_at", "assigned_to", "claimed_by", "status", "closed_seq", "closed_at", "closed_by")


def _items(proof: Proof) -> Iterator[str]:
    told = {_key(item): _told_item(item) for item in proof.last.items}
    for item, entry in proof.gone():
        if isinstance(item, Item):
            end = [item.closed_seq, _iso(item.closed_at), item.closed_by]
            if item.status == "open":
                end = [entry.seq, iso(entry.at), entry.actor]
            told[_key(item)] = [*_told_item(item)[:-5], None, ANNULLED, *end]
    rows = proof.rows(work_item)
    shape = ("task_id", "element", "name", "lane", "act", "form", "board", "seat")
    found = {_row_key(r): [r[name] for name in (*shape, *_OF_ITEM)] for r in rows}
    yield from compared(found, told, "as tarefas")


def _key(item: Item) -> str:
    return _task(item.task.element, item.shape["seat"], item.opened_seq, item.task.id)


def _row_key(row: Json) -> str:
    return _task(row["element"], row["seat"], row["opened_seq"], row["task_id"])


def _told_item(item: Item) -> list[Json]:
    mark = [_iso(item.opened_at), item.assigned_to, item.claimed_by, item.status]
    return [*item.shape.values(), *mark, item.closed_seq, _iso(item.closed_at), item.closed_by]


def _term(seq: Json, key: Json, base: Json) -> str:
    return f"registro {seq}: {key} de {base}"


def _counted(proof: Proof) -> Iterator[str]:
    found = {
        _term(r["armed_seq"], r["key"], r["base"]): [r["due_at"], r["expires_at"], digest_of(r["trace"])]
        for r in proof.rows(deadline)
    }
    terms = [(e.seq, t) for e in proof.told for t in e.body.get("terms", [])]
    terms += [
        (e.seq, o["result"]) for e in proof.told for o in e.body.get("orders", []) if o["order"] == "contar"
    ]
    told = {_term(s, t["term"], t["base"]): [t["due_at"], t["expires_at"], t["trace"]] for s, t in terms}
    yield from compared(found, told, "os prazos contados")


def _running(proof: Proof) -> Iterator[str]:
    columns = ("expires_at", "task_id", "noticed_at", "status", "closed_seq")
    found = {
        _term(r["armed_seq"], r["key"], r["base"]): [r[name] for name in columns]
        for r in proof.rows(deadline)
    }
    told = {_term(t.armed_seq, t.key, t.base): [*_ran(t), t.status, t.closed_seq] for t in proof.last.terms}
    for term, entry in proof.gone():
        if isinstance(term, Counted):
            name = _term(term.armed_seq, term.key, term.base)
            told[name] = [*_ran(term), ANNULLED, term.closed_seq or entry.seq]
    yield from compared(found, told, "os prazos que correm")


def _ran(term: Counted) -> list[Json]:
    return [iso(term.expires_at), term.task_id, _iso(term.noticed_at)]


def _next_ends(proof: Proof) -> Iterator[str]:
    """What open tasks keep as the next end of a term.

    Where it is past, the task may keep what was next before it passed: nothing that is shown rests on it then. Whoever
    audits a demo may live on a clock behind the one that its cases have lived on.
    """
    now = proof.reader.now + stored_offset(proof.reader.connection)
    found: dict[str, Json] = {}
    expected: dict[str, Json] = {}
    for row in proof.rows(work_item):
        if row["status"] == "open":
            end = row["next_end"]
            known = None if isinstance(end, Unreadable) else parse_instant(end)
            seen = now if known is None else min(now, known - timedelta.resolution)
            found[_row_key(row)], expected[_row_key(row)] = end, iso(_next_end(proof.last, seen))
    yield from compared(found, expected, "os próximos prazos guardados com as tarefas")


def _next_end(standing: Standing, now: datetime) -> datetime:
    running = (
        t for t in standing.terms if t.status == "armed" or (t.status == "window" and t.expires_at > now)
    )
    return min((term.expires_at for term in running), default=NO_END)


def _elements(proof: Proof) -> Iterator[str]:
    found = {f"registro {row['seq']}": row["changes"] for row in proof.rows(element_log)}
    told = {
        f"registro {entry.seq}": [[c.element, c.state, c.task_id] for c in step.changes]
        for entry, step in zip(proof.told, proof.steps, strict=True)
        if entry.body["command"]["op"] in MOVES and step is not None and step.changes
    }
    yield from compared(found, told, "os passos marcados no diagrama")


def _iso(instant: datetime | None) -> str | None:
    return None if instant is None else iso(instant)


_PARTS = {
    _case: "os dados do processo",
    folder.submissions: "as respostas dos formulários",
    _items: "as tarefas",
    _counted: "os prazos contados",
    _running: "os prazos que correm",
    _next_ends: "os próximos prazos guardados com as tarefas",
    folder.filings: "as petições protocoladas",
    folder.services: "as ciências",
    folder.documents: "os documentos emitidos",
    folder.renditions: "os PDF dos documentos",
    folder.notes: "as anotações",
    folder.files: "os arquivos juntados",
    _elements: "os passos marcados no diagrama",
}
