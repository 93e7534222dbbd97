"""acp_trace/clients/jsonc.py: positions in JSON as people write it, and one error for all else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.clients import jsonc
from acp_trace.clients.jsonc import BadJson, Node

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _check(node: Node, text: str, value: object) -> None:
    assert json.loads(text[node.start : node.end]) == value
    if isinstance(value, dict):
        assert [member.name for member in node.members] == list(value)
        for member in node.members:
            _check(member.value, text, value[member.name])
    elif isinstance(value, list):
        assert len(node.items) == len(value)
        for item, one in zip(node.items, value, strict=True):
            _check(item, text, one)
    elif isinstance(value, str):
        assert node.string == value


@given(_JSON, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_value_is_where_it_stands(value: object, indent: int | None, ascii_: bool) -> None:
    """Each node is the JSON of its value."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    _check(jsonc.parse(text), text, value)


def _refuse(name: str) -> None:
    raise ValueError(f"the constant {name}")  # NaN and Infinity are Python's own


@given(st.text(st.sampled_from('{}[]:,"\\/* \n\r\t01-.etrufalsn\ufeff')) | st.text())
def test_anything_else_gives_its_own_error(text: str) -> None:
    """No other exception; and what Python's parser takes is taken."""
    try:
        jsonc.parse(text)
    except BadJson:
        with pytest.raises(ValueError, match=r"char [0-9]+|BOM|constant"):
            json.loads(text, parse_constant=_refuse)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty: write {} into it first"),
        ("{\n  a: 1}", "line 2, column 3: a name in quotes is expected"),
        ('{"a" 1}', "column 6: a colon is expected"),
        ('{"a": 1 "b": 2}', "column 9: a comma or } is expected"),
        ("[1 2]", "a comma or ] is expected"),
        ("[1", "it ends too early"),
        ('{"a": x}', "a value is expected"),
        ("[,]", "a value is expected"),
        ("{} x", "text after the end"),
        ("{ /* x", "a comment without an end"),
        ('{"a', "unterminated string"),
        ("[" * 200, "nested too deeply"),
    ],
)
def test_errors_say_where_and_what(text: str, why: str) -> None:
    """A line and a column, counted from 1."""
    with pytest.raises(BadJson, match=r"^line [0-9]+, column [0-9]+: ") as raised:
        jsonc.parse(text)
    assert why in str(raised.value)


def test_nothing_follows_the_reason() -> None:
    """The line ends with it, in whole words."""
    with pytest.raises(BadJson, match=r"column [0-9]+: it is nested too deeply$"):
        jsonc.parse("[" * 200)
