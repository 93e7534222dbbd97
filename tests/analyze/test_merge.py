"""The three rules by which `_meta` is merged, and how the difference of two states is told."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze import merge
from acp_trace.trace.jsontext import canonical

#: State, patch, and what each rule makes of them.
_CASES: list[tuple[str, merge.Meta, merge.Meta | None, merge.Meta, merge.Meta, merge.Meta]] = [
    ("a new key", {"a": 1}, {"b": 2}, {"a": 1, "b": 2}, {"a": 1, "b": 2}, {"b": 2}),
    ("another value", {"a": 1, "b": 1}, {"a": 2}, {"a": 2, "b": 1}, {"a": 2, "b": 1}, {"a": 2}),
    ("an empty patch", {"a": 1}, {}, {"a": 1}, {"a": 1}, {}),
    ("null for all", {"a": 1}, None, {}, {}, {}),
    ("null for a key", {"a": 1, "b": 1}, {"a": None}, {"b": 1}, {"b": 1}, {"a": None}),
    ("null for what is not there", {}, {"a": None}, {}, {}, {"a": None}),
    ("a nested key", {"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}, {"a": {"y": 2}}, {"a": {"y": 2}}),
    ("a nested null", {"a": {"x": 1, "y": 2}}, {"a": {"x": None}}, {"a": {"y": 2}}, {"a": {"x": None}}, {"a": {"x": None}}),
    ("a nested null in a new object", {}, {"a": {"x": None, "y": {"z": None}}}, {"a": {"y": {}}}, {"a": {"x": None, "y": {"z": None}}}, {"a": {"x": None, "y": {"z": None}}}),
    ("deeper still", {"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"d": 2}}}),
    ("a value for an object", {"a": {"x": 1}}, {"a": 5}, {"a": 5}, {"a": 5}, {"a": 5}),
    ("an object for a value", {"a": 5}, {"a": {"x": 1}}, {"a": {"x": 1}}, {"a": {"x": 1}}, {"a": {"x": 1}}),
    ("an object for a nested value", {"a": {"b": 5}}, {"a": {"b": {"x": None}}}, {"a": {"b": {}}}, {"a": {"b": {"x": None}}}, {"a": {"b": {"x": None}}}),
    ("an array is a value", {"a": [1, {"x": 1}]}, {"a": [{"x": None}]}, {"a": [{"x": None}]}, {"a": [{"x": None}]}, {"a": [{"x": None}]}),
    ("an empty object for an object", {"a": {"x": 1}}, {"a": {}}, {"a": {"x": 1}}, {"a": {}}, {"a": {}}),
    ("false and nothing are values", {"a": 1, "b": 1}, {"a": False, "b": ""}, {"a": False, "b": ""}, {"a": False, "b": ""}, {"a": False, "b": ""}),
]  # fmt: skip

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab/~"), inner, max_size=3),
    max_leaves=8,
)
_META = st.dictionaries(st.sampled_from("abc"), _JSON, max_size=3)


@pytest.mark.parametrize(
    ("state", "patch", *merge.RULES), [case[1:] for case in _CASES], ids=[case[0] for case in _CASES]
)
def test_the_rules(
    state: merge.Meta, patch: merge.Meta | None, rfd: merge.Meta, shallow: merge.Meta, replace: merge.Meta
) -> None:
    """`rfd` merges all the way down, `shallow` the top level only, `replace` not at all; null clears."""
    for rule, expected in zip(merge.RULES, (rfd, shallow, replace), strict=True):
        made = deepcopy(state)
        merge.apply(rule, made, patch)
        assert made == expected, rule


def test_the_rule_of_a_version() -> None:
    """Draft 2 says shallow; protocol 1 has only the proposal's rule, and so has what is not known."""
    assert [merge.default(version) for version in (None, 1, 2, 3)] == ["rfd", "rfd", "shallow", "rfd"]


@given(_META, st.none() | _META)
def test_a_patch_is_never_changed_and_shares_nothing_that_is(
    state: merge.Meta, patch: merge.Meta | None
) -> None:
    """A state that a later patch changes leaves the messages as they were, and the other rules' states."""
    before = deepcopy(patch)
    states: dict[merge.Rule, merge.Meta] = {rule: deepcopy(state) for rule in merge.RULES}
    for rule, made in states.items():
        merge.apply(rule, made, patch)
    untouched = deepcopy(states["shallow"])
    merge.apply("rfd", states["rfd"], {key: {"new": {"deep": 1}} for key in "abc"})
    assert patch == before
    assert states["shallow"] == untouched


@given(_META, st.none() | _META)
def test_the_rules_agree_where_no_object_is_patched(state: merge.Meta, patch: merge.Meta | None) -> None:
    """`rfd` and `shallow` differ only where the patch holds an object (docs/report.md, Merging metadata)."""
    deep, shallow = deepcopy(state), deepcopy(state)
    merge.apply("rfd", deep, patch)
    merge.apply("shallow", shallow, patch)
    assert deep == shallow or any(isinstance(item, dict) for item in (patch or {}).values())


def _difference(before: merge.Meta, after: merge.Meta) -> list[merge.Difference]:
    return list(merge.differences(merge.all_leaves(before), merge.all_leaves(after)))


def test_differences_are_told_leaf_by_leaf() -> None:
    """What was there first, in its order; then what is new. Arrays and empty objects are leaves."""
    before = {"a": {"x": 1, "y": [1]}, "b": "t", "c": {}, "d": 1}
    after = {"d": 1, "a": {"x": 2, "y": [1, 2], "z": None}, "c": {"n": 0}}
    assert _difference(before, after) == [
        ("/_meta/a/x", "1", "2"),
        ("/_meta/a/y", "[1]", "[1,2]"),
        ("/_meta/b", '"t"', None),
        ("/_meta/c", "{}", None),
        ("/_meta/a/z", None, "null"),
        ("/_meta/c/n", None, "0"),
    ]


def test_a_value_that_becomes_an_object_is_two_differences() -> None:
    """One leaf goes, others come: a pointer names one leaf."""
    assert _difference({"a": 5}, {"a": {"b": 5}}) == [("/_meta/a", "5", None), ("/_meta/a/b", None, "5")]


def test_equal_by_python_is_not_equal_by_json() -> None:
    """`1`, `1.0` and `true` are three values."""
    assert _difference({"a": 1, "b": 1}, {"a": True, "b": 1.0}) == [
        ("/_meta/a", "1", "true"),
        ("/_meta/b", "1", "1.0"),
    ]


def test_paths_are_json_pointers() -> None:
    """`~` becomes `~0` and `/` becomes `~1`, in this order (RFC 6901); the empty key is a key."""
    found = merge.all_leaves({"a/b": {"~1": 1, "": {"ü": 2}}})
    assert found == {"/_meta/a~1b/~01": "1", "/_meta/a~1b//ü": "2"}


@given(_META, _META)
def test_differences_say_all(before: merge.Meta, after: merge.Meta) -> None:
    """The leaves before, changed as the differences say, are the leaves after."""
    leaves = merge.all_leaves(before)
    for path, was, is_ in merge.differences(leaves.copy(), merge.all_leaves(after)):
        assert leaves.pop(path, None) == was
        assert was != is_
        if is_ is not None:
            leaves[path] = is_
    assert leaves == merge.all_leaves(after)


@given(st.sampled_from(["rfd", "shallow"]), _META, _META)
def test_the_leaves_that_a_patch_names_tell_all_that_it_changes(
    rule: merge.Rule, state: merge.Meta, patch: merge.Meta
) -> None:
    """So that a small update of a large state need not look at all of it."""
    named, whole = merge.named_leaves(rule, state, patch), merge.all_leaves(state)
    merge.apply(rule, state, patch)
    found = merge.differences(named, merge.named_leaves(rule, state, patch))
    assert sorted(found, key=str) == sorted(merge.differences(whole, merge.all_leaves(state)), key=str)
    assert named.items() <= whole.items()


def test_leaves_that_a_patch_does_not_name_are_not_looked_at() -> None:
    """`rfd` goes down with the patch, `shallow` takes each key that it names whole."""
    state: merge.Meta = {"a": {"x": 1, "y": {"z": 2}}, "b": 3}
    patch: merge.Meta = {"a": {"x": 5}, "c": 1}
    assert merge.named_leaves("rfd", state, patch) == {"/_meta/a/x": "1"}
    assert merge.named_leaves("shallow", state, patch) == {"/_meta/a/x": "1", "/_meta/a/y/z": "2"}


@given(_JSON, _JSON)
def test_values_are_the_same_if_their_json_is(one: Any, other: Any) -> None:
    """Types included, the order of keys not."""
    assert merge.same(one, deepcopy(one))
    assert merge.same(one, other) == (canonical(one) == canonical(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), ({}, []), ({}, None), ({"a": 1}, {"b": 1}), ({"a": None}, {}), ("1", 1)],
)
def test_values_that_python_or_javascript_might_confuse(one: Any, other: Any) -> None:
    """None of these are the same."""
    assert not merge.same(one, other)
    assert not merge.same({"k": one}, {"k": other})


def _deep(levels: int, inner: Any) -> merge.Meta:
    for _ in range(levels):
        inner = {"a": inner}
    made: merge.Meta = inner
    return made


def test_deep_nesting_does_not_recurse() -> None:
    """Traffic may nest deeper than Python follows: nothing here is recursive."""
    levels = 5_000
    state = _deep(levels, {"x": 1})
    merge.apply("rfd", state, _deep(levels, {"y": 2}))
    pointer = f"/_meta{'/a' * levels}"
    assert merge.all_leaves(state) == {f"{pointer}/x": "1", f"{pointer}/y": "2"}
    assert merge.named_leaves("rfd", state, _deep(levels, {"y": None})) == {f"{pointer}/y": "2"}
