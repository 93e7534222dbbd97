"""Parts of JSON texts, as they stand in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading import json_parts

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
ODD = rb'{"a" : 1.50 , "b":"\ud83d \" ]}", "c":[1, {"x": -0e5}], "":9999999999999999999999}'


def test_parts_keep_their_spelling() -> None:
    """Numbers and escapes stay as they are, also where a lone surrogate needs the slower way."""
    assert json_parts.members(ODD) == {
        "a": b"1.50",
        "b": rb'"\ud83d \" ]}"',
        "c": b'[1, {"x": -0e5}]',
        "": b"9999999999999999999999",
    }
    assert json_parts.items(rb'[ 1.0,"\ud83d,", [2 ,3],{} ]') == [b"1.0", rb'"\ud83d,"', b"[2 ,3]", b"{}"]
    assert json_parts.compact(rb' {"a b" : "c \" d" , "e":[ 1 ,2 ]} ') == rb'{"a b":"c \" d","e":[1,2]}'


@pytest.mark.parametrize("text", [b"", b"5", b"[1", b"{", b'{"a":1', b'"{"', b"\xff", b"[" * 5000])
def test_what_has_no_parts(text: bytes) -> None:
    """No object and no array, or no JSON."""
    assert json_parts.members(text) is None
    assert json_parts.items(text) is None


def test_messages_are_put_together() -> None:
    """Without params of null, which JSON-RPC does not have; on one line."""
    assert json_parts.request(b'"a/b"', b'{\n "x": 1}', b"7") == (
        b'{"jsonrpc":"2.0","id":7,"method":"a/b","params":{"x":1}}'
    )
    assert json_parts.request(b'"a"', b"null", None) == b'{"jsonrpc":"2.0","method":"a"}'
    assert json_parts.response(b"1", b"null", is_error=False) == b'{"jsonrpc":"2.0","id":1,"result":null}'
    assert json_parts.response(b"1", b"{}", is_error=True) == b'{"jsonrpc":"2.0","id":1,"error":{}}'


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b'{"code":-32603,"message":"no"}', True),
        (b'{"code":1,"message":"no","data":{}}', True),
        (b'{"code":1}', False),
        (b'{"code":true,"message":"no"}', False),
        (b'{"code":"1","message":"no"}', False),
        (b'{"code":1,"message":"no","stopReason":"end_turn"}', False),
        (b"null", False),
    ],
)
def test_errors_are_told_by_shape(payload: bytes, expected: bool) -> None:
    """A whole number and a string, and nothing that an error object has not."""
    assert json_parts.looks_like_error(payload) is expected


@given(JSON, st.booleans())
def test_any_json(value: Any, spaced: bool) -> None:
    """Parts and compact texts say what the whole says."""
    text = json.dumps(value, indent=2 if spaced else None).encode()
    assert json.loads(json_parts.compact(text)) == value
    assert b"\n" not in json_parts.compact(text)
    parts, listed = json_parts.members(text), json_parts.items(text)
    assert (parts is not None) == isinstance(value, dict)
    assert (listed is not None) == isinstance(value, list)
    if parts is not None:
        assert {key: json.loads(part) for key, part in parts.items()} == value
    if listed is not None:
        assert [json.loads(part) for part in listed] == value


@given(st.binary())
def test_any_bytes(text: bytes) -> None:
    """Nothing raises."""
    json_parts.members(text)
    json_parts.items(text)
    json_parts.string(text)
    json_parts.looks_like_error(text)


def test_a_long_text_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many readers look at it; a short one needs no memory of it."""
    calls = list[bytes]()
    monkeypatch.setattr(json_parts, "_read_members", calls.append)
    for size in (10, 100_000):
        for _ in range(3):
            json_parts.members(b"%d%b" % (size, b" " * size))
    assert [len(text) for text in calls] == [12, 12, 12, 100_006]
