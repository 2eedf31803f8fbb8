"""The registry's rows as the journal tells them: what the acts that wrote them said, by the id of the row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from app.audit.rows import bare
from app.audit.verify import read
from app.store import Reader
from app.store.tables import journal
from app.values import Json, iso, parse_instant

_AT_ONCE = 1000
Rows = dict[str, Mapping[str, Json]]

_ACTS = (
    "publish_norm",
    "record_closures",
    "record_value",
    "register_person",
    "appoint",
    "set_email",
    "register_carrier",
    "grant_line",
    "register_staff",
    "record_occurrence",
    "change_occurrence",
    "owe",
    "withdraw",
    "pay",
    "refund",
)
_ABOUT_PEOPLE = ("open", "correct", "file", "register_staff")  # acts that may begin to keep somebody's data


@dataclass(frozen=True)
class Said:
    """One entry: the chain, the record whose chain it is, its instant, its act and its body."""

    stream: str
    at: str
    act: str
    body: Mapping[str, Json]

    @property
    def record(self) -> str:
        return self.stream.partition(":")[2]


class Told:
    """What the journal's entries of the registry's acts say, chain after chain in their order.

    Entries that cannot be read are left out: the verification of the chains names them, and their rows differ.
    """

    def __init__(self, reader: Reader) -> None:
        self._said = list(said_by(reader, _ACTS))

    def of(self, *acts: str) -> Iterator[Said]:
        return (said for said in self._said if said.act in acts)

    def rows(self, act: str, key: str = "id") -> Rows:
        """Rows whose entry tells their id, or several rows at once."""
        flat = [(s, row) for s in self.of(act) for row in s.body.get("closures", [s.body])]
        return {row[key]: {"recorded_at": said.at, "published_at": said.at, **row} for said, row in flat}

    def own(self, act: str, more: Callable[[Said], Mapping[str, Json]] | None = None) -> Rows:
        """The rows that have a chain of their own, whose name is their id."""
        return {s.record: {**s.body, **(more(s) if more else {})} for s in self.of(act)}

    def occurrences(self) -> Rows:
        rows: dict[str, dict[str, Json]] = {k: dict(row) for k, row in self.rows("record_occurrence").items()}
        for said in self.of("change_occurrence"):
            if said.body["id"] in rows:
                rows[said.body["id"]]["status"] = said.body["to"]
        return {**rows}

    def charges(self) -> Rows:
        rows: dict[str, dict[str, Json]] = {}
        for said in self.of("owe", "withdraw", "refund"):
            never = {"refund_percent": None, "refund_cents": None, "carrier_id": said.record}
            owed = {"withdrawn": False} if said.act == "owe" else {}
            rows.setdefault(said.body["case_id"], never).update({**owed, **said.body})
        return {**rows}

    def people(self) -> Rows:
        """Name and address as the digests that the newest entry tells; neither where none does."""
        rows: dict[str, dict[str, Json]] = {}
        for said in self.of("register_person", "set_email"):
            new = {"active": True, "email": None} if said.act == "register_person" else {}
            rows.setdefault(said.record, {}).update({**new, **said.body})
        return {**rows}


def subjects(reader: Reader) -> dict[str, str]:
    """Ids of the data subjects that entries tell of, each with the instant since which it is kept."""
    since: dict[str, str] = {}
    for said in said_by(reader, _ABOUT_PEOPLE):
        name = said.body.get("subject") or said.body.get("subject_id")
        if isinstance(name, str):
            since.setdefault(name, said.at)
    return since


def said_by(reader: Reader, acts: Sequence[str]) -> Iterator[Said]:
    """The entries of some acts that can be read, chain after chain."""
    columns = bare(reader, journal, "stream", "act", "body")
    query = select(*columns).where(journal.c.act.in_(acts)).order_by(journal.c.stream, journal.c.seq)
    for row in reader.connection.execute(query, execution_options={"yield_per": _AT_ONCE}).mappings():
        told = read(row["body"])
        if told is None:
            continue
        try:
            at = iso(parse_instant(told["at"]))
        except (KeyError, TypeError, ValueError):
            continue
        yield Said(str(row["stream"]), at, str(row["act"]), told["body"])
