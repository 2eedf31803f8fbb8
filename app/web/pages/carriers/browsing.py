"""Carriers: the list, the record of one, and of one of its traffic staff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, g, render_template, request

from app.cases import registers
from app.registry import carriers, directory
from app.store import Reader
from app.web.forms.reading import clean
from app.web.pages.inbox import page_asked, page_count
from app.web.session import as_actor, store, today
from app.web.sheets import holders
from app.web.sheets.carrier import files, history, identity, record, words

routes = Blueprint("carriers", __name__)
PAGE = 50
MOST = 25  # lines of a long section that are shown before somebody asks for all


@routes.get("/transportadores")
def browse() -> Any:
    name, line = clean(request.args.get("busca", ""))[:200], clean(request.args.get("linha", ""))[:40]
    page = page_asked()
    with store().read() as reader:
        rows, total = directory.search(
            reader, name.strip(), line.strip(), today(g.norm), page=page, size=PAGE
        )
        may = _may(reader)
    pages = page_count(total, PAGE)
    return render_template(
        "carriers.html",
        rows=rows,
        total=total,
        name=name,
        line=line,
        may=may,
        page=min(page, pages),
        pages=pages,
    )


@routes.get("/transportadores/<id:carrier_id>")
def show(carrier_id: str) -> Any:
    with store().read() as reader:
        carrier, day = carriers.carrier_by_id(reader, carrier_id), today(g.norm)
        read, stream = record.reading(reader, g.norm, day), carriers.stream_of(carrier_id)
        charges = files.charges_of(reader, g.norm, carrier_id)
        told = history.history(reader, stream, g.norm.unit_name)
        return render_template(
            "carrier.html",
            carrier=carrier,
            certain=identity.certain(carrier["document"]),
            grants=identity.grants(reader, carrier_id, stream, read.whole, day),
            staff=identity.staff(reader, carrier_id),
            cases=files.of_carrier(reader, carrier_id),
            charges=charges,
            total=files.total(charges),
            record=record.of_carrier(reader, g.norm, read, carrier_id, day),
            **_shared(reader, read, told),
        )


@routes.get("/pessoal-de-trafego/<id:staff_id>")
def staff(staff_id: str) -> Any:
    with store().read() as reader:
        row, day = carriers.staff_by_id(reader, staff_id), today(g.norm)
        read, stream = record.reading(reader, g.norm, day), f"pessoal:{staff_id}"
        told = history.history(reader, stream, g.norm.unit_name)
        return render_template(
            "staff.html",
            member=identity.member(reader, row),
            carrier=carriers.carrier_by_id(reader, row["carrier_id"]),
            grants=identity.grants(reader, row["carrier_id"], stream, read.whole, day),
            cases=files.of_person(reader, staff_id),
            record=record.of_person(reader, g.norm, read, staff_id, day),
            **_shared(reader, read, told),
        )


def _shared(reader: Reader, read: record.Reading, told: Sequence[history.Told]) -> dict[str, Any]:
    """What both records have; `most` lines of each section unless all were asked for (`?tudo=1`)."""
    done = next((line for line in told if str(line.seq) == request.args.get("registro")), None)
    most = None if request.args.get("tudo") else MOST
    return {
        "reading": read,
        "history": told,
        "done": done,
        "most": most,
        "may": _may(reader),
        "words": words,
    }


def _may(reader: Reader) -> dict[str, bool]:
    return {act: holders.may(as_actor(reader), g.norm, act) for act in registers.ACTS}
