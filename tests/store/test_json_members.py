"""One member of a JSON text, asked for in a query: the same on both databases, whatever its name looks like."""

from __future__ import annotations

import pytest
from sqlalchemy import Text, cast, literal, select

from app.store import Store
from app.store.types import member


@pytest.mark.parametrize(("name", "text"), [("veiculo", "1204"), ("a.b-c", "com ponto"), ("falta", None)])
def test_a_member_is_found_by_its_whole_name(store: Store, name: str, text: str | None) -> None:
    kept = cast(literal('{"veiculo": "1204", "a": {"b-c": "outro"}, "a.b-c": "com ponto"}'), Text)
    with store.read() as reader:
        assert reader.scalar(select(member(kept, literal(name)))) == text
