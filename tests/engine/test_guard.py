"""What may enter the flow, and in what form it enters."""

from typing import Any

import pytest

from app.engine.guard import flow_data, same
from app.errors import Invalid


def test_plain_values_pass_in_canonical_form() -> None:
    data = flow_data({"z": 1, "a": None, "m": {"y": True, "b": "x"}, "l": (1, "e\u0301")}, "resposta")
    assert list(data) == ["a", "l", "m", "z"]
    assert list(data["m"]) == ["b", "y"]
    assert data["l"] == [1, "\u00e9"], "text is composed, a tuple becomes a list"


def test_the_copy_shares_nothing_with_what_came_in() -> None:
    given: dict[str, Any] = {"l": [1], "m": {"a": 1}}
    data = flow_data(given, "resposta")
    given["l"].append(2)
    given["m"]["a"] = 2
    assert data == {"l": [1], "m": {"a": 1}}


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        float("nan"),
        2**53,
        -(2**53),
        "a" * 1001,
        "a" + "\u0301\u0323" * 200_000,
        "\ud800",
        b"x",
        {1, 2},
        object(),
        [[1]],
        [{"a": 1}],
        {"a": {"b": 1}},
        {"a": [1]},
        {"typename": "x"},
        {"_a": 1},
        {1: 2},
        {"a": 1.0},
        list(range(201)),
        {str(n): n for n in range(201)},
    ],
)
def test_anything_else_is_refused_under_its_name(value: object) -> None:
    with pytest.raises(Invalid) as refused:
        flow_data({"bom": 1, "mau": value}, "resposta")
    assert list(refused.value.fields) == ["mau"]
    assert refused.value.code == "dado.invalido"


@pytest.mark.parametrize(
    "key", ["typename", "_x", "__class__", "", "a b", "1a", "a" * 101, 7, "\uff54ypename", "\uff3fx"]
)
def test_reserved_and_malformed_names_are_refused(key: Any) -> None:
    with pytest.raises(Invalid) as refused:
        flow_data({key: 1}, "resposta")
    assert list(refused.value.fields) == [str(key)]


def test_too_many_values_are_refused() -> None:
    with pytest.raises(Invalid, match="200"):
        flow_data({f"v{n}": n for n in range(201)}, "resposta")


def test_same_tells_true_from_one_at_every_depth() -> None:
    assert not same(1, True)
    assert not same([0], [False])
    assert not same({"a": 1}, {"a": True})
    assert not same({"a": 1}, {"b": 1})
    assert not same([1], [1, 2])
    assert same({"a": [1, "x", None]}, {"a": [1, "x", None]})
