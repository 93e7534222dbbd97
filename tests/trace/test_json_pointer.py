"""JSON Pointers as text and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.trace import json_pointer


@pytest.mark.parametrize(
    ("path", "pointer"),
    [((), ""), (("",), "/"), (("a", "0"), "/a/0"), (("a/b", "m~n", "~1"), "/a~1b/m~0n/~01")],
)
def test_the_examples_of_the_rfc(path: tuple[str, ...], pointer: str) -> None:
    """`~` becomes `~0` before `/` becomes `~1`, and back the other way round."""
    assert json_pointer.written(path) == pointer
    assert json_pointer.read(pointer) == path


@given(st.lists(st.text("~/01ab", max_size=6), min_size=1))
def test_what_is_written_reads_back(path: list[str]) -> None:
    """Whatever the keys are."""
    assert json_pointer.read(json_pointer.written(path)) == tuple(path)
