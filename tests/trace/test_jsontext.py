"""What counts as JSON, checked against the standard library."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.trace.jsontext import (
    NotJson,
    is_json,
    is_too_deep,
    value,
    value_or_none,
    without_lone_surrogates,
)

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def _refuse(_: str) -> None:
    raise ValueError


def _standard_library_accepts(line: bytes) -> bool:
    try:
        json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


@given(
    st.binary(max_size=40)
    | st.text(alphabet='{}[]",:0123456789.eE+-\\utrnflas d8', max_size=30).map(str.encode)
)
def test_agrees_with_the_standard_library_on_any_bytes(line: bytes) -> None:
    """Also where msgspec by itself is laxer (UTF-8) or stricter (lone surrogates)."""
    if line.startswith(b"\xef\xbb\xbf") or b"\x00" in line:
        return  # the standard library's own extras
    assert is_json(line) == _standard_library_accepts(line)


@pytest.mark.slow
@given(_json)
def test_accepts_and_reads_all_json(thing: object) -> None:
    """Whatever the standard library writes is read back equal."""
    text = json.dumps(thing).encode()
    assert is_json(text)
    assert json.dumps(value(text)) == json.dumps(thing) or "\\ud" in text.decode().lower()


def test_a_lone_surrogate_is_json_and_reads_as_a_replacement() -> None:
    """JavaScript agents cut texts in the middle of an emoji and escape the half."""
    assert is_json(rb'{"text":"cut \ud83d"}')
    assert value(rb'{"text":"cut \ud83d","more":["\uDE00"]}') == {"text": "cut \ufffd", "more": ["\ufffd"]}


@pytest.mark.parametrize("line", [b"", b" ", b"{} {}", b"{}{}", b"NaN", b'"\xff"', b"\xef\xbb\xbf{}"])
def test_refuses(line: bytes) -> None:
    """None of these is one JSON text in UTF-8."""
    assert not is_json(line)
    assert value_or_none(line) is None


def test_giant_numbers_and_deep_nesting_raise_only_our_error() -> None:
    """An integer that Python will not convert is kept as text; depth has an end."""
    digits = b"1" * 100_000
    assert value_or_none(digits) is not None
    assert value(b'{"a":"\\ud83d","n":' + digits + b"}")["n"] == digits.decode()
    deep = b"[" * 100_000 + b"]" * 100_000
    assert not is_json(deep)
    with pytest.raises(NotJson) as caught:
        value(deep)
    assert caught.value.too_deep
    assert not is_too_deep(b"[" + b'{"a":["]",[]]},' * 1000 + b'"' + b"[" * 2000 + b'"]')


@pytest.mark.parametrize(
    ("escapes", "without"),
    [
        (rb"\ud83d\ude00", rb"\ud83d\ude00"),
        (rb"\ud83d", rb"\ufffd"),
        (rb"\ude00\uD83D", rb"\ufffd\ufffd"),
        (rb"\uD83D\uD83D\uDE00\uDE00", rb"\ufffd\uD83D\uDE00\ufffd"),
        (rb"\\ud83d\n\ud7ff", rb"\\ud83d\n\ud7ff"),
    ],
)
def test_half_of_a_surrogate_pair_is_found_where_it_is_alone(escapes: bytes, without: bytes) -> None:
    """Not in a pair, and not behind an escaped backslash."""
    assert without_lone_surrogates(b'"%b"' % escapes) == b'"%b"' % without
    expected = json.loads(escapes.join([b'"', b'"'])).encode("utf-16", "surrogatepass")
    assert value(b'["\\ud800","%b"]' % escapes)[1] == expected.decode("utf-16", "replace")
