"""What was answered in each form of a case, in the words of the forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app import people
from app.audit import seal
from app.cases.display import shown
from app.cases.forms import field_spec, properties
from app.cases.history import Folder
from app.law.norm import Norm
from app.store import Reader, Row
from app.values import Json
from app.web.forms.choices import called

Pair = tuple[str, str]  # label and text, both as the norm says them


@dataclass(frozen=True)
class Answered:
    """The answers of one form, by whom and when."""

    seq: int
    title: str
    who: str
    at: Any
    pairs: tuple[Pair, ...]


def answered(reader: Reader, norm: Norm, folder: Folder) -> list[Answered]:
    """Every form answered in the case, oldest first, without the votes of a round that is still open."""
    hidden = open_round(folder)
    names = people.names_of(reader, {row["by"] for row in folder.submissions})
    return [
        Answered(
            row["seq"],
            norm.forms[row["form"]][0].get("title", row["form"]),
            names[row["by"]],
            row["effective_at"],
            _pairs(reader, norm, row),
        )
        for row in folder.submissions
        if row["form"] in norm.forms and row["work_item_id"] not in hidden
    ]


def checked(shows: str, flow: Mapping[str, Json]) -> list[tuple[str, bool]]:
    """What a task shows of the flow, as its diagram says: `variable: words | variable: words`; only yes or no."""
    pairs = (part.partition(":") for part in shows.split("|") if part.strip())
    told = [(words.strip(), flow.get(name.strip())) for name, _, words in pairs]
    return [(words, value) for words, value in told if isinstance(value, bool)]


def latest(reader: Reader, folder: Folder, form: str, name: str) -> Json:
    """The newest answer to a field of a form of the case; None where there is none, or no longer."""
    row = next((r for r in reversed(folder.submissions) if r["form"] == form), None)
    if row is None:
        return None
    return {**row["answers"], **(seal.unseal(reader, row["sealed_id"]) or {})}.get(name)


def services(norm: Norm, folder: Folder) -> list[dict[str, Any]]:
    """When and how the party was served, in the words of the form that says so."""
    forms = {row["id"]: row["form"] for row in folder.submissions}
    return [
        {
            "served_at": row["served_at"],
            "fallen": row["seq"] in folder.case["fallen"],
            "mode": shown(norm, forms.get(row["submission_id"], ""), "modo", row["mode"]),
        }
        for row in folder.services
    ]


def open_round(folder: Folder) -> set[str]:
    """Tasks of seats whose colleagues have yet to vote: nobody sees a vote before all are in."""
    voting = {(i["element"], i["opened_seq"]) for i in folder.items if i["seat"] and i["status"] == "open"}
    return {i["id"] for i in folder.items if i["seat"] and (i["element"], i["opened_seq"]) in voting}


def pairs(reader: Reader, norm: Norm, form: str, answers: Mapping[str, Json]) -> tuple[Pair, ...]:
    """The answers of a form in its order, each under the title of its field."""
    if form not in norm.forms:
        return ()
    schema = norm.forms[form][0]
    names: Sequence[str] = [name for name in properties(schema) if name in answers]
    return tuple((_title(schema, name), _text(reader, norm, form, name, answers[name])) for name in names)


def _pairs(reader: Reader, norm: Norm, row: Row) -> tuple[Pair, ...]:
    opened = seal.unseal(reader, row["sealed_id"])
    shown = pairs(reader, norm, row["form"], {**row["answers"], **(opened or {})})
    gone = row["sealed_id"] is not None and opened is None
    return (*shown, ("Dados pessoais", "eliminados")) if gone else shown


def _title(schema: Json, name: str) -> str:
    return str((field_spec(schema, name) or {}).get("title", name))


def _text(reader: Reader, norm: Norm, form: str, name: str, value: Json) -> str:
    spec = field_spec(norm.forms[form][0], name) or {}
    return called(reader, norm, spec, value) or shown(norm, form, name, value)
