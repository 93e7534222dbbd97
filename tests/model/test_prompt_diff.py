"""How two prompts differ: as short as a person wants it, and nothing where they are equal."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.model.prompt_diff import MessageChange, PartChange, PromptDiff, ToolChange, difference
from acp_trace.model.shapes import Prompt, PromptMessage, Text, Tool, ToolResult, ToolUse
from acp_trace.model.text_diff import Hunk, hunks, words
from acp_trace.model.value_diff import ValueChange, changes
from tests.model.test_prompts import REQUESTS

SCHEMA = {
    "type": "object",
    "properties": {
        "filePath": {"type": "string", "description": "The path"},
        "mode": {"type": "string", "enum": ["a", "w"]},
    },
    "required": ["filePath"],
}
SYSTEM = "\n".join(f"Rule {number}" for number in range(200))


def _prompt(**more: Any) -> Prompt:
    messages = (
        PromptMessage("user", (Text("Go."),)),
        PromptMessage("assistant", (ToolUse("call_7f", "read", {"filePath": "/w/a"}),)),
        PromptMessage("tool", (ToolResult("call_7f", "Eggs\nMilk"),)),
    )
    given = {
        "model": "m",
        "system": SYSTEM,
        "tools": (Tool("read", "Reads.", SCHEMA), Tool("run", "Runs.\nAnything.", {})),
        "parameters": {"temperature": 0, "reasoning": {"effort": "low"}},
        "messages": messages,
        "labels": {"prompt_cache_key": "s-1"},
    }
    return Prompt(**{**given, **more})


def test_two_versions_differ_in_a_line_and_a_schema() -> None:
    """So short is the answer: one line, one place in one tool."""
    schema = copy.deepcopy(SCHEMA)
    schema["properties"]["filePath"]["description"] = "The absolute path"  # type: ignore[index]
    newer = _prompt(
        system=SYSTEM.replace("Rule 77\n", "Rule 77, but better\n"),
        tools=(Tool("read", "Reads.", schema), Tool("run", "Runs.\nAnything.", {})),
        labels={"prompt_cache_key": "s-2"},
    )
    path = "/properties/filePath/description"
    assert difference(_prompt(), newer) == PromptDiff(
        system=(Hunk(78, 78, ("Rule 77",), ("Rule 77, but better",)),),
        tools_changed=(ToolChange("read", (), (ValueChange(path, '"The path"', '"The absolute path"'),)),),
        messages_common=3,
    )


def test_what_is_added_and_removed() -> None:
    """Tools, parameters, a model, the order of tools."""
    newer = _prompt(
        model="m-2",
        tools=(Tool("run", "Runs.\nNothing.", {}), Tool("read", "Reads.", SCHEMA), Tool("ask", "", None)),
        parameters={"reasoning": {"effort": "high"}, "top_p": 1},
    )
    diff = difference(_prompt(tools=(*_prompt().tools, Tool("old", "", None))), newer)
    assert diff.changed == ("model", "tools", "parameters")
    assert diff.model == ValueChange("", '"m"', '"m-2"')
    assert (diff.tools_added, diff.tools_removed) == (("ask",), ("old",))
    assert diff.tools_order == (("read", "run"), ("run", "read"))
    assert diff.tools_changed == (ToolChange("run", (Hunk(2, 2, ("Anything.",), ("Nothing.",)),), ()),)
    assert diff.parameters == (
        ValueChange("/temperature", "0", None),
        ValueChange("/top_p", None, "1"),
        ValueChange("/reasoning/effort", '"low"', '"high"'),
    )


def test_a_setting_of_a_tool_is_told() -> None:
    """Nothing else of the tool has changed."""
    newer = _prompt(tools=(Tool("read", "Reads.", SCHEMA, {"strict": True}), _prompt().tools[1]))
    change = ToolChange("read", (), (), (ValueChange("/strict", None, "true"),))
    assert difference(_prompt(), newer) == PromptDiff(tools_changed=(change,), messages_common=3)


def test_messages_from_where_they_part() -> None:
    """What is common is counted; what stands in for another is compared part by part."""
    before = _prompt()
    result = PromptMessage("tool", (ToolResult("toolu_9", "Eggs\nBread"),))
    again = PromptMessage("assistant", (ToolUse("toolu_9", "read", {"filePath": "/w/b"}),))
    more = PromptMessage("user", (Text("And?"),))
    diff = difference(before, _prompt(messages=(before.messages[0], again, result, more)))
    assert diff.messages_common == 1
    call, told, new = diff.messages
    assert (call.change, call.role, call.expected_place, call.actual_place) == ("changed", "assistant", 2, 2)
    assert call.parts[0].arguments == (ValueChange("/filePath", '"/w/a"', '"/w/b"'),)
    assert (call.parts[0].expected, call.parts[0].actual) == (before.messages[1].parts[0], again.parts[0])
    assert told.parts[0].text == (Hunk(2, 2, ("Milk",), ("Bread",)),)
    assert new == MessageChange("added", "user", None, 4, more)
    gone = difference(before, _prompt(messages=before.messages[:2])).messages
    assert gone == (MessageChange("removed", "tool", 3, None, before.messages[2]),)
    swapped = difference(
        before, _prompt(messages=(PromptMessage("user", (ToolUse(None, "x", 1),)),))
    ).messages
    assert swapped[0].parts == (PartChange(Text("Go."), ToolUse(None, "x", 1)),)
    assert [change.change for change in swapped] == ["changed", "removed", "removed"]


def test_ids_of_tool_calls_count_by_their_order() -> None:
    """Models make them anew; that two results were swapped shows."""

    def told(*ids: str) -> Prompt:
        calls = tuple(ToolUse(id, "read", {}) for id in ids[:2])
        results = tuple(PromptMessage("tool", (ToolResult(id, "x"),)) for id in ids[2:])
        return _prompt(messages=(PromptMessage("assistant", calls), *results))

    assert difference(told("a", "b", "a", "b"), told("c", "d", "c", "d")).changed == ()
    assert difference(told("a", "b", "a", "b"), told("c", "d", "d", "c")).changed == ("messages",)


def test_texts_are_put_into_one_form_first() -> None:
    """Directories that moved are no change, wherever they stand."""

    def told(at: str) -> Prompt:
        schema = {"properties": {"path": {"description": f"Below {at}"}}}
        return _prompt(
            system=f"You are in {at}.",
            tools=(Tool("read", f"Reads {at}.", schema),),
            parameters={"stop": [at]},
            messages=(PromptMessage("assistant", (ToolUse("c", "read", {"path": f"{at}/a"}), Text(at))),),
        )

    assert difference(told("/a"), told("/b")).changed == ("system", "tools", "parameters", "messages")
    assert difference(told("/a"), told("/b"), lambda text: text.replace("/b", "/a")).changed == ()


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ({"a": 1}, {"a": True}, [("/a", "1", "true")]),
        ({"a/b": {"c": [1]}}, {}, [("/a~1b", '{"c":[1]}', None)]),
        (["x", "y"], ["y", "x"], [("", '["x","y"]', '["y","x"]')]),
        (
            {"required": ["x", "y"]},
            {"required": ["x", "z"]},
            [("/required", '"y"', None), ("/required", None, '"z"')],
        ),
        (
            {"anyOf": [{"a": 1}]},
            {"anyOf": [{"a": 2}, {}]},
            [("/anyOf/1", None, "{}"), ("/anyOf/0/a", "1", "2")],
        ),
        ({"anyOf": [{}, {"b": 1}]}, {"anyOf": [{}]}, [("/anyOf/1", '{"b":1}', None)]),
        (None, {"a": 1}, [("", "null", '{"a":1}')]),
        ({"a": {}}, {"a": []}, [("/a", "{}", "[]")]),
    ],
)
def test_values_differ_by_path(
    expected: Any, actual: Any, found: list[tuple[str, str | None, str | None]]
) -> None:
    """A part that is new or gone is one change; lists of plain values differ by what is in them."""
    assert [(change.path, change.expected, change.actual) for change in changes(expected, actual)] == found


def test_long_texts_in_values_differ_by_lines() -> None:
    """A description of several lines."""
    (change,) = changes({"d": "a\nb\nc"}, {"d": "a\nB\nc"})
    assert change.text == (Hunk(2, 2, ("b",), ("B",)),)


_LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


@settings(max_examples=50)
@given(_LINES, _LINES)
def test_hunks_turn_one_text_into_the_other(expected: list[str], actual: list[str]) -> None:
    """And say only what differs: no hunk begins or ends with a line that both have."""
    was, now = "\n".join(expected), "\n".join(actual)
    lines = was.split("\n") if was else []
    for hunk in reversed(hunks(was, now)):
        begin = hunk.expected_line - 1
        assert tuple(lines[begin : begin + len(hunk.expected)]) == hunk.expected
        lines[begin : begin + len(hunk.expected)] = hunk.actual
        assert hunk.expected[:1] != hunk.actual[:1]
    assert "\n".join(lines) == now
    assert bool(hunks(was, now)) == (was != now)


def test_lines_that_repeat_often_are_compared_too() -> None:
    """Empty lines, brackets: what stands between two changes is no change."""
    lines = ["}"] * 300
    changed = [*lines]
    changed[10], changed[290] = "a", "b"
    found = hunks("\n".join(lines), "\n".join(changed))
    assert len(found) == 2
    assert sum(len(hunk.expected) + len(hunk.actual) for hunk in found) == 4


def test_a_long_line_differs_by_words() -> None:
    """One sees what was changed in a paragraph."""
    assert words("Answer in 4 lines, please.", "Answer in 3 lines.") == (
        ("=", "Answer in "), ("-", "4"), ("+", "3"), ("=", " lines"), ("-", ", please"), ("=", "."),
    )  # fmt: skip
    assert words("same", "same") == (("=", "same"),)


def test_texts_that_are_too_long_to_compare_are_one_hunk() -> None:
    """In no time: a tool may print a million lines."""
    started = time.process_time()
    (hunk,) = hunks("\n".join(f"a{i}" for i in range(9000)), "\n".join(f"b{i}" for i in range(9000)))
    assert len(hunk.expected) == 9000
    assert time.process_time() - started < 1


@pytest.mark.parametrize("row", REQUESTS, ids=[form.name for form, *_ in REQUESTS])
def test_a_prompt_does_not_differ_from_itself(row: Any) -> None:
    """And any change of a request is told in the area that it is in."""
    form, body, *_ = row
    prompt = form.prompt(body)
    assert difference(prompt, form.prompt(json.loads(json.dumps(body)))) == PromptDiff(
        messages_common=len(prompt.messages)
    )
    other = msgspec.structs.replace(prompt, system="", tools=(), parameters={}, messages=(), model="x")
    assert difference(prompt, other).changed == ("model", "system", "tools", "parameters", "messages")
    assert difference(other, prompt).messages_common == 0
