"""What is cut fits, keeps its shape, and says what is missing."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.mcp_server.cutting import CutValue, cut
from acp_trace.mcp_server.documents import part
from acp_trace.trace import jsontext

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3000),
    lambda inner: st.lists(inner, max_size=150) | st.dictionaries(st.text(max_size=200), inner, max_size=120),
    max_leaves=40,
)


@settings(max_examples=60)
@given(JSON, st.integers(500, 5000))
def test_whatever_is_cut_fits(value: Any, most: int) -> None:
    """And what fits already is left as it is."""
    fitting = cut(value, most)
    assert len(jsontext.text(fitting.value)) <= most
    if len(jsontext.text(value)) <= most:
        assert fitting == CutValue(value, [])
    else:
        assert fitting.places


def test_a_cut_value_keeps_its_shape() -> None:
    """All keys are there; the places name strings and lists with their lengths."""
    value = {"a": "x" * 5000, "b": {"c/d": list(range(4000))}, "e": 1}
    fitting = cut(value, 2000)
    assert set(fitting.value) == {"a", "b", "e"}
    assert [place.as_json() for place in fitting.places] == [
        {"pointer": "/a", "type": "string", "total": 5000},
        {"pointer": "/b/c~1d", "type": "array", "total": 4000},
    ]
    for place in fitting.places:  # which leads to what was cut
        assert part(value, place.pointer, 0)["total"] == place.total


def test_what_has_too_many_parts_is_its_beginning() -> None:
    """A value of which no cut fits becomes text, and its place is its own."""
    value = [[["x" * 50] * 50] * 50] * 50
    fitting = cut(value, 500, ("deep",))
    assert isinstance(fitting.value, str)
    assert fitting.value.startswith('[[["xx')
    assert fitting.places[0].as_json() == {"pointer": "/deep", "type": "array", "total": 50}


@settings(max_examples=40)
@given(st.text(max_size=30_000) | st.lists(st.text(max_size=300), max_size=200) | st.dictionaries(st.text(max_size=50), st.text(max_size=300), max_size=200))  # fmt: skip
def test_the_pieces_are_the_whole(value: Any) -> None:
    """Of a string, an array and an object: piece after piece, nothing twice and nothing missing."""
    pieces: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        piece = part({"v": value}, "/v", offset)
        pieces.append(piece["value"])
        offset = piece["next_offset"]
        assert piece["total"] == len(value)
    if isinstance(value, str):
        assert "".join(pieces) == value
    elif isinstance(value, list):
        assert [item for piece in pieces for item in piece] == value
    else:
        assert {key: item for piece in pieces for key, item in piece.items()} == value


def test_an_item_that_is_long_is_cut_in_its_page() -> None:
    """With a place that leads from the whole document."""
    value = {"rows": [{"text": "x" * 20_000}, {"text": "y" * 20_000}]}
    piece = part(value, "/rows", 0)
    assert [place["pointer"] for place in piece["cut"]] == ["/rows/0/text", "/rows/1/text"]
    assert part(value, "/rows/1/text", 0)["value"] == "y" * 8000
