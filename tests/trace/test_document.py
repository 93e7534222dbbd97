"""The JSON that a recorder writes of itself: what the standard library would write."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.trace.document import document

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def _standard(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def test_every_code_point_in_keys_and_strings() -> None:
    """Also those that JSON escapes; what UTF-8 cannot say, bytes of the system's strings, is `?`."""
    for start in range(0, sys.maxunicode + 1, 1 << 12):
        text = "".join(map(chr, range(start, start + (1 << 12))))
        assert document({text: text}) == _standard({text: text})
    assert document({"\ud800": "a\udcffb"}) == b'{"?":"a?b"}'


@settings(max_examples=50)
@given(st.dictionaries(st.text(), _VALUES))
def test_nested_values(value: dict[str, Any]) -> None:
    """Compact, in the order of the keys."""
    assert document(value) == _standard(value)


def test_tuples_are_lists() -> None:
    """As they are for the standard library."""
    assert document({"a": (1, ("b", None), ())}) == b'{"a":[1,["b",null],[]]}'


@pytest.mark.parametrize("value", [1.5, b"x", {1}, object(), {"a": [1.0]}, [b""]])
def test_anything_else_is_refused(value: object) -> None:
    """It would be a mistake of the recorder's, and is to be seen at once."""
    with pytest.raises(TypeError, match="no document holds a"):
        document({"key": value})
