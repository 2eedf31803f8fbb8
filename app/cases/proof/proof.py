"""What a case is compared with: its row, the norm it is pinned to, its journal, and how it stood after each entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Table, select

from app.audit import Entry
from app.audit.rows import Unreadable, bare, kept
from app.cases.proof.standing import Counted, Item, Standing
from app.engine.step import Step
from app.law.norm import Norm
from app.store import Reader
from app.store.tables import sealed
from app.values import Json, canonical, digest

# What reading a history that no act has written may raise.
UNREAD = (LookupError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True)
class Proof:
    """One case. `history[n]` is how it stood after entry n, `steps[n - 1]` the engine's step then."""

    reader: Reader
    row: Mapping[str, Json]
    norm: Norm
    told: Sequence[Entry]
    steps: Sequence[Step | None]
    history: Sequence[Standing]

    @property
    def last(self) -> Standing:
        return self.history[-1]

    def rows(self, table: Table) -> list[dict[str, Json]]:
        """The case's rows of a table, as kept."""
        return kept(self.reader, table, table.c.case_id == self.row["id"])

    def ciphertexts(self, table: Table) -> dict[str, str]:
        """Digests of what the table's rows have sealed for the case's people, by the seal's id."""
        own = {self.row["subject_id"], *(entry.body.get("subject") for entry in self.told)}
        its = select(table.c.sealed_id).where(table.c.case_id == self.row["id"])
        query = select(*bare(self.reader, sealed, "id", "subject_id", "ciphertext")).where(
            sealed.c.id.in_(its)
        )
        rows = self.reader.all(query)
        whole = [r for r in rows if isinstance(r["ciphertext"], bytes) and r["subject_id"] in own]
        return {row["id"]: digest(row["ciphertext"]) for row in whole}

    def gone(self) -> Iterator[tuple[Item | Counted, Entry]]:
        """Tasks and terms that no longer stand, as they last stood, with the entry that annulled them."""
        last: dict[tuple[Json, ...], tuple[Item | Counted, int]] = {}
        for number, standing in enumerate(self.history):
            both: list[Item | Counted] = [*standing.items, *standing.terms]
            for one in both:
                last[name_of(one)] = (one, number)
        for one, number in last.values():
            if number < len(self.told):
                yield one, self.told[number]


def name_of(one: Item | Counted) -> tuple[Json, ...]:
    """What tells a task or a term of a case from all others."""
    return (one.opened_seq, one.task.id) if isinstance(one, Item) else (one.armed_seq, one.key, one.base)


def compared(found: Mapping[str, Json], expected: Mapping[str, Json], what: str) -> Iterator[str]:
    different = sorted(k for k in {*found, *expected} if found.get(k) != expected.get(k))
    if different:
        yield f"{what} não conferem com o histórico ({', '.join(different)})"


def digest_of(value: Json) -> Json:
    """The digest of a JSON value; `Unreadable` for what is none."""
    try:
        return digest(canonical(value))
    except ValueError:
        return Unreadable()
