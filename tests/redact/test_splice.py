"""The strings of a JSON text: each is visited with its path, and only what changes is written anew."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.redact import splice as spliced
from acp_trace.redact.splice import Kind, Scalar, Visit, parts, scalars, shape

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def splice(text: str, visit: Visit[Scalar]) -> str | None:
    """All scalars of a text are visited."""
    cut = parts(text)
    return spliced.splice(cut, scalars(cut), visit)


def _swap(old: str, new: str) -> Visit[Scalar]:
    """Puts one text in place of another, in strings and keys; gives all others as they are."""

    def visit(scalar: Scalar, text: str) -> str | None:
        return None if scalar.kind == "number" else text.replace(old, new)

    return visit


class _Upper:
    """Notes what it is shown; gives upper case, and 0 for a number."""

    def __init__(self, *, change: bool = True) -> None:
        self.seen: list[tuple[list[Any], str, Kind]] = []
        self.change = change

    def __call__(self, scalar: Scalar, text: str) -> str | None:
        self.seen.append((list(scalar.path), text, scalar.kind))
        if not self.change or scalar.kind == "key":
            return None
        return "0" if scalar.kind == "number" else text.upper()


def _strings(value: Any, path: list[Any]) -> list[tuple[list[Any], str, Kind]]:
    if isinstance(value, dict):
        found: list[tuple[list[Any], str, Kind]] = []
        for key, inner in value.items():
            found.append(([*path, key], key, "key"))
            found += _strings(inner, [*path, key])
        return found
    if isinstance(value, list):
        return [one for at, inner in enumerate(value) for one in _strings(inner, [*path, at])]
    if isinstance(value, str):
        return [(path, value, "string")]
    return [] if value is None or isinstance(value, bool) else [(path, json.dumps(value), "number")]


@pytest.mark.slow
@given(_JSON, st.booleans(), st.sampled_from([None, 1]))
def test_every_string_key_and_number_is_visited(value: Any, ascii: bool, indent: int | None) -> None:
    """In order, decoded, with its path, whatever the layout."""
    visit = _Upper(change=False)
    assert splice(json.dumps(value, ensure_ascii=ascii, indent=indent), visit) is None
    assert visit.seen == _strings(value, [])


def _upper(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _upper(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_upper(inner) for inner in value]
    if isinstance(value, str):
        return value.upper()
    return value if value is None or isinstance(value, bool) else 0


@pytest.mark.slow
@given(_JSON, st.booleans())
def test_what_is_given_takes_the_place(value: Any, ascii: bool) -> None:
    """And the text is JSON again."""
    text = json.dumps(value, ensure_ascii=ascii)
    assert json.loads(splice(text, _Upper()) or text) == _upper(value)


def test_all_else_stays() -> None:
    """White space, the spelling of numbers, escapes, keys that come twice and their order."""
    text = '{ "b":1e5 , "a" : [ true, 1.0,"\\u0041\\/" ],"a":"x", "b":null,"c":"\\ud83d"}'

    assert splice(text, _swap("x", "y")) == text.replace('"x"', '"y"')


def test_a_key_can_change() -> None:
    """Paths into data may hold a secret."""
    assert splice('{"a":{"b":1}}', _swap("b", "é")) == '{"a":{"é":1}}'


def test_a_lone_surrogate_stays_an_escape() -> None:
    """Nothing else can say it in JSON."""
    text = '["\\ud83d old"]'
    new = splice(text, _swap("old", "new"))
    assert new == '["\\ud83d new"]'


def test_no_depth_is_too_deep() -> None:
    """Deeper than parsers follow."""
    text = '{"a":[' * 50_000 + '"x"' + "]}" * 50_000
    new = splice(text, _swap("x", "y"))
    assert new == text.replace("x", "y")


@pytest.mark.parametrize(
    "text", ["", "{", '{"a', '}]"x"', '{"a":"\\q"}', ',,"a":1', '"\\', "[1,", '{"a":"b",,}']
)
def test_never_raises(text: str) -> None:
    """What is no JSON changes somehow, or not at all."""
    splice(text, _Upper())


@given(st.text('{}[]:,"\\\\a1 -', max_size=40), st.text('{}[]:,"\\\\b2 ', max_size=12), st.integers(0, 40))
def test_texts_of_one_shape_have_the_same_scalars(text: str, more: str, at: int) -> None:
    """Whatever the strings and numbers say, and though most such texts are not JSON."""
    one, other = parts(text), parts(text[:at] + more + text[at + len(more) :])
    for swapped in (other, [re.sub("[ab12]+", "7", part) for part in one]):
        other = parts("".join(swapped))
        if shape(one) == shape(other) and _has_colons(one):
            assert _places(one) == _places(other)


def _has_colons(cut: list[str]) -> bool:
    return all(cut[one.at + 1].startswith(":") for one in scalars(cut) if one.kind == "key")


def _places(cut: list[str]) -> list[tuple[int, tuple[str | int | None, ...], Kind]]:
    return [(at, tuple(path), kind) for at, path, kind in scalars(cut)]
