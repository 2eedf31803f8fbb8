"""The server's own drawing of a diagram with its marks: what stands on a page without scripts and on paper."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from markupsafe import Markup

from app.engine.picture import drawing
from app.errors import Invalid


def picture(diagram: bytes, marks: Mapping[str, str], title: str, around: str = "") -> Markup | None:
    """The drawing, centred on the element `around` if any; None for a diagram without coordinates.

    The entries say the same in words.
    """
    return _drawn(diagram, tuple(sorted(marks.items())), title, around)


# Many cases stand at the same step of the same diagram, and drawing is half of a page's time.
@lru_cache(maxsize=256)
def _drawn(diagram: bytes, marks: tuple[tuple[str, str], ...], title: str, around: str) -> Markup | None:
    try:
        svg = drawing.svg(diagram, dict(marks), title, around)
    except Invalid:
        return None
    return Markup(svg)  # noqa: S704 (written by the engine, which escapes every name)
