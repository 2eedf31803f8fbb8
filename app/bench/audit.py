"""How fast an auditor has an answer: a long journal verified, its last entry replayed."""

from __future__ import annotations

from collections.abc import Iterator

from app.audit import GENESIS, link
from app.audit.verify import verify
from app.bench.figures import Figure
from app.bench.town import Town, founded
from app.cases.proof.replay import case_ids, replay
from app.clock import monotonic
from app.store import INSTALLER
from app.store.tables import journal, stream
from app.values import canonical, iso

ENTRIES = 100_000
_PER_STREAM = 20
_BATCH = 5_000
_PLAYED = 30


def measure(url: str) -> Iterator[Figure]:
    """Seconds to verify a journal of 100,000 entries, and entries replayed a second, on one database."""
    with founded(url) as town:
        for _ in range(_PLAYED):
            town.play("longo")
        with town.store.read(long=True) as reader:
            began, played = monotonic(), 0
            for case_id in case_ids(reader):
                played += replay(reader, case_id).entries
            rate = played / (monotonic() - began)
        yield Figure("audit.replayed", town.dialect, rate, "/s", note="registros reproduzidos e comparados")
        _grow(town)
        with town.store.read(long=True) as reader:
            began = monotonic()
            result = verify(reader)
            spent = monotonic() - began
        if result.faults or result.entries < ENTRIES:
            raise RuntimeError(f"the journal of the measure is not sound: {result.faults[:3]}")
        yield Figure("audit.verified", town.dialect, spent, "s", 5.0, note=f"{result.entries} registros")


def _grow(town: Town) -> None:
    """Entries as acts write them, in chains of twenty, written in batches."""
    rows, heads = [], []
    for number in range(ENTRIES // _PER_STREAM):
        name, prev = f"medida:{number}", GENESIS
        for seq in range(1, _PER_STREAM + 1):
            told = {"stream": name, "seq": seq, "actor": str(INSTALLER), "act": "measure"}
            now = town.clock.now()
            instants = {"at": iso(now), "effective_at": iso(now)}
            body = canonical(
                {"schema": 1, **told, **instants, "body": {"state": "0" * 64, "text": "x" * 400}}
            )
            digest = link(prev, body)
            rows.append({**told, "at": now, "effective_at": now, "body": body, "prev": prev, "hash": digest})
            prev = digest
        heads.append({"name": name, "seq": _PER_STREAM, "head": prev})
        if len(rows) >= _BATCH:
            _keep(town, rows, heads)
            rows, heads = [], []
    _keep(town, rows, heads)


def _keep(town: Town, rows: list[dict[str, object]], heads: list[dict[str, object]]) -> None:
    with town.store.silent_act(INSTALLER) as tx:
        tx.add_all(journal, rows)
        tx.add_all(stream, heads)
