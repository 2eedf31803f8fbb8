"""The municipalities of this repository: their content is whole, and their terms end where a lawyer expects."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from app.law.counting import count
from app.law.norm import Norm, load_norm

ROOT = Path(__file__).parents[2]
SLUGS = sorted(path.parent.name for path in ROOT.glob("bpmn/*/norma.toml"))


def load(slug: str) -> Norm:
    folders = (ROOT / "bpmn" / slug, ROOT / "forms" / slug)
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return load_norm({path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths})


@pytest.mark.parametrize("slug", SLUGS)
def test_the_content_of_every_municipality_has_no_fault(slug: str):
    assert load(slug).slug == slug


def test_the_two_terms_against_an_auto_in_jequie_end_on_the_days_the_law_gives():
    norm = load("jequie")
    served = datetime(2026, 3, 6, 11, tzinfo=norm.zone)
    # Friday 6 March: five business days are 9 to 13; ten days end on Monday 16.
    ends = [count(norm.deadlines[key], served, norm.calendar).due_at for key in ("defesa", "recurso1")]
    assert [end.astimezone(norm.zone).date() for end in ends] == [date(2026, 3, 13), date(2026, 3, 16)]
