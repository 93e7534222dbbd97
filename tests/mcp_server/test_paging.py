"""A page has what was asked for, fits, and says where the next one begins."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.mcp_server.limits import MOST_BYTES
from acp_trace.mcp_server.paging import page
from acp_trace.trace import jsontext


@given(st.lists(st.integers(), max_size=50), st.integers(-60, 60), st.integers(1, 60))
def test_a_page_is_a_slice(items: list[int], offset: int, limit: int) -> None:
    """From the beginning or from the end; all items are counted."""
    made = page(iter(items), offset, limit)
    start = max(len(items) + offset, 0) if offset < 0 else offset
    assert made.items == items[start : start + limit]
    assert made.total == len(items)
    assert made.offset == start


@settings(max_examples=50)
@given(st.lists(st.text(max_size=6000), max_size=40), st.integers(1, 50))
def test_pages_follow_each_other(texts: list[str], limit: int) -> None:
    """None is larger than it may be, each has at least one item, and together they are all."""
    seen: list[int] = []
    offset: int | None = 0
    while offset is not None:
        made = page(enumerate(texts), offset, limit).document(
            "rows", lambda pair: {"at": pair[0], "text": pair[1]}
        )
        assert len(jsontext.text(made["rows"])) <= MOST_BYTES + 6000
        seen += [row["at"] for row in made["rows"]]
        offset = made["next_offset"]
        assert made["rows"] or not texts
    assert seen == list(range(len(texts)))


@pytest.mark.parametrize("offset", [10**30, -(10**30)])
def test_an_offset_beyond_every_list_is_beyond_the_end(offset: int) -> None:
    """Also one that no C integer holds: a model may write any number."""
    made = page(range(3), offset, 5)
    assert (made.items, made.total) == ([] if offset > 0 else [0, 1, 2], 3)


def test_values_that_are_not_there_are_left_out() -> None:
    """Of an item; not of what is in it."""
    made = page([{"a": None, "b": {"c": None}}], 0, 1).document("rows", dict)
    assert made["rows"] == [{"b": {"c": None}}]
