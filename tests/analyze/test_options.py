"""How a list of config options is read, and how two states differ (docs/report.md, Configuration)."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.options import Complaint, OptionChange, State, changes, read


def _choices(*values: str, **names: str) -> list[dict[str, Any]]:
    return [{"value": one, "name": names.get(one, one)} for one in values]


def _select(id: str = "model", value: Any = "a", listed: Any = None, **more: Any) -> dict[str, Any]:
    listed = _choices("a", "b") if listed is None else listed
    return {"id": id, "name": "Model", "type": "select", "currentValue": value, "options": listed, **more}


def _flag(id: str = "fast", value: Any = True) -> dict[str, Any]:
    return {"id": id, "name": "Fast", "type": "boolean", "currentValue": value}


def _group(id: str, *values: str) -> dict[str, Any]:
    return {"group": id, "name": id.title(), "options": _choices(*values)}


def _state(*listed: Any) -> State:
    return read(list(listed), booleans=True, say=[])


def _complaints(*listed: Any, booleans: bool = True) -> list[Complaint]:
    say: list[Complaint] = []
    read(list(listed), booleans=booleans, say=say)
    return say


def _changes(before: list[Any], after: list[Any]) -> list[OptionChange]:
    return list(changes(_state(*before), _state(*after)))


def test_an_option_and_its_parts() -> None:
    """Values are JSON texts, choices the bare words; what has no place of its own is a detail."""
    (option,) = _state(_select(category="model", description=None, _meta={"b": 1, "a": 2})).values()
    assert (option.id, option.type, option.category, option.value) == ("model", "select", "model", '"a"')
    assert option.choices == ("a", "b")
    assert option.values == {'"a"', '"b"'}
    assert option.names == ("a", "b")
    assert option.details == {
        "name": '"Model"',
        "type": '"select"',
        "category": '"model"',
        "description": "null",
        "_meta": '{"a":2,"b":1}',
    }


def test_options_keep_their_order() -> None:
    """The array is ordered, and so is the state."""
    assert list(_state(_select("z"), _flag("a"), _select("m"))) == ["z", "a", "m"]


def test_groups_are_part_of_a_choice_and_not_of_a_value() -> None:
    """`group/value` to compare choices, the bare value to check the current one."""
    (option,) = _state(_select(value="b", listed=[_group("g", "a", "b"), _group("h", "c")])).values()
    assert option.choices == ("g/a", "g/b", "h/c")
    assert option.values == {'"a"', '"b"', '"c"'}


def test_draft_2_names_things_otherwise() -> None:
    """`configId` for `id`, `groupId` for `group`: the same option, and no change between the two."""
    one = _select(value="a", listed=[_group("g", "a")])
    two = {**one, "configId": one["id"], "options": [{**one["options"][0], "groupId": "g"}]}
    del two["id"], two["options"][0]["group"]
    assert _changes([one], [two]) == []


@pytest.mark.parametrize(
    "listed", [None, 5, "a", {"a": 1}, [None, 5, "a", [], {}, {"value": 5}, {"options": 5}]]
)
def test_choices_of_any_shape_are_read(listed: object) -> None:
    """What is no choice is none."""
    option = _state({"id": "x", "type": "select", "currentValue": "a", "options": listed})["x"]
    assert (option.choices, option.values) == ((), frozenset())


def test_only_a_select_has_choices() -> None:
    """Of a boolean, or of a type that we do not know, `options` says nothing."""
    for type_ in ("boolean", "_slider", None, 5):
        assert _state({**_select(), "type": type_})["model"].choices == ()


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ([_select()], []),
        ([_flag(value=False)], []),
        ([], []),
        ([{"name": "x"}], [("option-malformed", "")]),
        ([None, "x", {"id": 5}], [("option-malformed", "")] * 3),
        ([{"id": "x", "currentValue": 1}], [("option-malformed", "x")]),
        ([{**_select(), "type": 5}], [("option-malformed", "model")]),
        ([_select(), _flag(), _select()], [("option-malformed", "model")]),
        ([_select(value=None)], [("option-no-value", "model")]),
        ([_select(value="z")], [("option-no-value", "model")]),
        ([_select(value=5)], [("option-no-value", "model")]),
        ([_select(listed=[])], [("option-no-value", "model")]),
        ([_flag(value="true")], [("option-no-value", "fast")]),
        ([_flag(value=1)], [("option-no-value", "fast")]),
        ([_flag(value=None)], [("option-no-value", "fast")]),
        ([{**_select(), "type": "_slider", "currentValue": 0.5}], []),
        ([_select(listed=[*_choices("a"), _group("g", "b")])], [("option-mixed-choices", "model")]),
        ([_select(listed=[_group("g", "a"), {"group": "h", "options": []}])], []),
    ],
)
def test_what_is_wrong_with_a_list(listed: list[Any], expected: list[tuple[str, str]]) -> None:
    """Each complaint has its code and the option that it is about."""
    assert [(one.code, one.option) for one in _complaints(*listed)] == expected


def test_booleans_are_for_clients_that_can_show_them() -> None:
    """Only there, and only where they were not announced."""
    assert [one[:2] for one in _complaints(_flag(), booleans=False)] == [
        ("option-boolean-unannounced", "fast")
    ]
    assert _complaints(_select(), booleans=False) == []


def test_of_an_option_that_is_there_twice_the_first_counts() -> None:
    """As for readers that skip what they cannot read."""
    assert _state(_select(value="a"), _select(value="b"))["model"].value == '"a"'


def test_the_same_state_changes_nothing() -> None:
    """Whatever the order of keys inside."""
    option = _select(_meta={"a": 1, "b": 2})
    assert _changes([option], [{**dict(reversed(option.items())), "_meta": {"b": 2, "a": 1}}]) == []
    assert _changes([], []) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [_select()], [("model", "added", None, '"a"')]),
        ([], [{"id": "x", "type": "select"}], [("x", "added", None, None)]),
        ([_flag()], [], [("fast", "removed", "true", None)]),
        ([_select()], [_select(value="b")], [("model", "value", '"a"', '"b"')]),
        ([_flag()], [_flag(value="true")], [("fast", "value", "true", '"true"')]),
        ([_select()], [_select(value=None)], [("model", "value", '"a"', "null")]),
        ([_select()], [_select(listed=_choices("b", "a"))], [("model", "choices", '["a","b"]', '["b","a"]')]),
        ([_select()], [_select(listed=[_group("g", "a", "b")])], [("model", "choices", '["a","b"]', '["g/a","g/b"]')]),
        ([_select()], [_select(name="M", category="model")], [("model", "details", '{"name":"Model"}', '{"name":"M","category":"model"}')]),
        ([_select(description="d")], [_select()], [("model", "details", '{"description":"d"}', "{}")]),
        ([_select()], [_select(listed=_choices("a", "b", a="A"))], [("model", "details", '{"choice_names":["a","b"]}', '{"choice_names":["A","b"]}')]),
        ([_select(), _flag()], [_flag(), _select()], [(None, "order", '["model","fast"]', '["fast","model"]')]),
    ],
)  # fmt: skip
def test_each_kind_of_change(
    before: list[Any], after: list[Any], expected: list[tuple[str | None, ...]]
) -> None:
    """Before and after are JSON texts: the value, the list of choices, the details that differ."""
    assert [tuple(one) for one in _changes(before, after)] == expected


def test_names_of_other_choices_are_no_change_of_names() -> None:
    """Where the choices themselves differ, that says it."""
    found = _changes([_select()], [_select(listed=_choices("a", "c", a="A"))])
    assert [one.change for one in found] == ["choices"]


def test_another_type_is_a_detail_and_takes_the_choices_along() -> None:
    """A select that becomes a boolean changes its value, its choices and its type."""
    found = _changes([_select("x")], [_flag("x")])
    assert [one.change for one in found] == ["value", "choices", "details"]
    assert found[2].before == '{"name":"Model","type":"select"}'


def test_what_is_removed_comes_first_then_the_new_order() -> None:
    """A model change that takes the effort away and brings another option."""
    before = [_select("model"), _select("effort"), _select("mode")]
    after = [_select("new"), _select("model", value="b"), _select("mode", name="M", value="b")]
    assert [(one.option, one.change) for one in _changes(before, after)] == [
        ("effort", "removed"),
        ("new", "added"),
        ("model", "value"),
        ("mode", "value"),
        ("mode", "details"),
    ]


def test_only_options_that_stay_have_an_order() -> None:
    """What comes and goes does not move the others; the change names all of them."""
    one, two, three = _select("one"), _select("two"), _select("three")
    assert [one.change for one in _changes([one, two], [three, one, two])] == ["added"]
    assert [one.change for one in _changes([one, two, three], [one, three])] == ["removed"]
    found = _changes([one, two], [two, three, one])
    assert found[-1] == OptionChange(None, "order", '["one","two"]', '["two","three","one"]')
