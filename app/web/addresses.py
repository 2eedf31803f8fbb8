"""What may stand in an address: numbers of cases, ids of the house, keys of the norm. Anything else is not found."""

from __future__ import annotations

from flask import Flask
from werkzeug.routing import BaseConverter


class _Number(BaseConverter):
    """A case number in an address: `00001/2026-5`."""

    regex = r"\d{5,9}/\d{4}-\d"
    part_isolating = False


class _Id(BaseConverter):
    """An id of the house. Anything else is not found before a database sees it."""

    regex = r"[0-9a-f][0-9a-f-]{7,63}"


class _Key(BaseConverter):
    """A key of the norm."""

    regex = r"[A-Za-z][A-Za-z0-9_.]{0,79}"


def install(app: Flask) -> None:
    app.url_map.converters.update(number=_Number, id=_Id, key=_Key)
