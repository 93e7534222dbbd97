"""Typed netstrings become values; nothing in them is evaluated."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading.tnetstring import NotTnetstring, value_at


def written(value: Any) -> bytes:
    """A value as mitmproxy writes it."""
    if isinstance(value, (list, dict)):
        items = value if isinstance(value, list) else [part for pair in value.items() for part in pair]
        mark, data = b"]" if isinstance(value, list) else b"}", b"".join(map(written, items))
    elif isinstance(value, bool):
        mark, data = b"!", b"true" if value else b"false"
    elif value is None:
        mark, data = b"~", b""
    elif isinstance(value, (int, float)):
        mark, data = b"#" if isinstance(value, int) else b"^", repr(value).encode()
    else:
        mark, data = (b",", value) if isinstance(value, bytes) else (b";", value.encode())
    return b"%d:%b%b" % (len(data), data, mark)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.binary(max_size=9)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(_VALUES, st.binary(max_size=5))
def test_values(value: Any, rest: bytes) -> None:
    """They come back, and what follows is left."""
    data = written(value)
    assert value_at(data + rest, 0) == (value, len(data))


def test_keys_are_texts() -> None:
    """Old versions wrote bytes."""
    assert value_at(b"8:1:a,1:b,}", 0)[0] == {"a": b"b"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not a flow"),
        (b"hello", "not a flow"),
        (b"5:hello", "cut off"),
        (b"9999:x,", "cut off"),
        (b"9999999999999:x,", "not a flow"),
        (b"4:9:a,]", "cut off"),
        (b"4:1:a,}", "without a value"),
        (b"1:a#", "no known type"),
        (b"3:1e5#", "no known type"),
        (b"1:a^", "no known type"),
        (b"4:yes!!", "no known type"),
        (b"1:a~", "no known type"),
        (b"1:a?", "no known type"),
        (b"-1:a,", "not a flow"),
    ],
)
def test_what_is_refused(data: bytes, why: str) -> None:
    """With the reason."""
    with pytest.raises(NotTnetstring, match=why):
        value_at(data, 0)


def test_what_is_nested_deep() -> None:
    """It ends in an error of its own."""
    data = b""
    for _ in range(300):
        data = b"%d:%b]" % (len(data), data)
    with pytest.raises(NotTnetstring, match="too deep"):
        value_at(data, 0)


@given(st.text(alphabet="0123456789:,;#^!~]}ae.-", max_size=30))
def test_any_bytes(text: str) -> None:
    """They are a value or refused."""
    try:
        value_at(text.encode(), 0)
    except NotTnetstring:
        pass
