"""How a board has voted: the result of its newest finished round, the count, each seat's vote by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app import people
from app.cases.display import vote_in
from app.cases.history import Folder
from app.cases.vocabulary import maioria
from app.law.norm import Norm
from app.store import Reader, Row
from app.web.sheets.facts import open_round


@dataclass(frozen=True)
class Cast:
    """One vote: the seat, who voted in it, what, and the entry that says why."""

    seat: str
    who: str
    vote: str
    seq: int


@dataclass(frozen=True)
class Round:
    """A finished vote. `result` is empty when no option has more than half of the votes."""

    board: str
    name: str
    result: str
    votes: int
    against: int
    cast: tuple[Cast, ...]

    @property
    def entries(self) -> set[int]:
        return {vote.seq for vote in self.cast}


def newest(reader: Reader, norm: Norm, folder: Folder) -> Round | None:
    """The last round in which every seat has voted; nothing of a round that is still open."""
    hidden, answers = open_round(folder), {row["work_item_id"]: row for row in folder.submissions}
    rounds: dict[tuple[str, int], list[Row]] = {}
    for item in folder.items:
        given = answers.get(item["id"])
        told = given is not None and vote_in(norm, item["form"], given["answers"])
        if told and item["seat"] and item["board"] in norm.boards and item["id"] not in hidden:
            rounds.setdefault((item["element"], item["opened_seq"]), []).append(item)
    if not rounds:
        return None
    items = rounds[max(rounds, key=lambda key: key[1])]
    board = norm.boards[items[0]["board"]]
    seats = {seat.key: seat.name for seat in board.seats}
    names = people.names_of(reader, {item["closed_by"] or "" for item in items})
    cast = tuple(
        Cast(
            seats.get(item["seat"] or "", ""),
            names[item["closed_by"] or ""],
            vote_in(norm, item["form"], answers[item["id"]]["answers"]),
            answers[item["id"]]["seq"],
        )
        for item in in_seat_order(norm, items)
    )
    result = maioria({vote.seat: vote.vote for vote in cast})
    count = Counter(vote.vote for vote in cast)[result]
    return Round(board.key, board.name, result, count, len(cast) - count, cast)


def in_seat_order(norm: Norm, items: Sequence[Row]) -> list[Row]:
    """Tasks as they were opened, those of a board's seats in the order of its seats."""
    order = [(board.key, seat.key) for board in norm.boards.values() for seat in board.seats]
    place = {key: number for number, key in enumerate(order)}
    return sorted(items, key=lambda i: (i["opened_seq"], place.get((i["board"], i["seat"]), -1), i["id"]))
