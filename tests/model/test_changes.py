"""What a new build tells its model: each change once, in one line, with all calls that have it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from acp_trace.model import change_words
from acp_trace.model.calls import ModelCall, model_calls
from acp_trace.model.changes import ModelChange, changes, taken_apart
from acp_trace.model.exchange import ModelExchange
from acp_trace.model.prompt_diff import PromptDiff, ToolChange
from acp_trace.model.text_diff import Hunk
from acp_trace.model.value_diff import ValueChange

SYSTEM = "You help.\nBe brief.\nBe kind."
TIMEOUT = {"type": "number", "description": "Seconds"}
USER = {"role": "user", "content": "Go."}
HELLO = {"role": "assistant", "content": "Hello."}
RUN = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c-1", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}],
}
RESULT = {"role": "tool", "tool_call_id": "c-1", "content": "a\nb"}


@dataclass(frozen=True)
class Pair:
    """A pair of calls."""

    recorded: ModelCall | None
    actual: ModelCall | None


def tool(name: str, description: str = "Runs.", **properties: Any) -> dict[str, Any]:
    """A tool with these parameters."""
    schema = {"type": "object", "properties": properties, "required": sorted(properties)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema},
    }


def body(
    *messages: Any, system: str = SYSTEM, tools: Any = None, model: str = "m-1", **more: Any
) -> dict[str, Any]:
    """A request."""
    told = [{"role": "system", "content": system}, *(messages or (USER,))]
    given = [tool("bash", timeout=TIMEOUT)] if tools is None else tools
    return {"model": model, "messages": told, "tools": given, **more}


def calls(*bodies: dict[str, Any]) -> list[ModelCall]:
    """The calls of requests, one after the other."""
    return model_calls(
        ModelExchange(
            at,
            at,
            method="POST",
            host="h",
            path="/v1/chat/completions",
            request_body=json.dumps(each).encode(),
            status=200,
        )
        for at, each in enumerate(bodies, 1)
    )


def pairs(recorded: list[dict[str, Any]], actual: list[dict[str, Any]]) -> list[Pair]:
    """Each call with the one at its place."""
    return [Pair(was, now) for was, now in zip(calls(*recorded), calls(*actual), strict=True)]


def told(*bodies: tuple[dict[str, Any], dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Code, calls and message of each change."""
    found = changes(pairs([was for was, _ in bodies], [now for _, now in bodies]))
    return [(change.code, change.where, change.message) for change in found]


def test_equal_calls_have_no_changes() -> None:
    """Nor if only the order of keys differs, or what names the call."""
    assert told((body(), body(user="u-2")), (body(USER, HELLO), body(USER, HELLO))) == []
    assert changes([]) == []


def test_one_change_in_all_calls_is_told_once() -> None:
    """A line of the system prompt and a schema: two lines, whatever the number of calls."""
    conversation = ((USER,), (USER, RUN, RESULT), (USER, RUN, RESULT, HELLO))
    newer = [tool("bash", timeout={**TIMEOUT, "description": "Milliseconds"})]
    system = SYSTEM.replace("brief", "short")
    assert told(*((body(*each), body(*each, system=system, tools=newer)) for each in conversation)) == [
        ("model-prompt-changed", "calls 1–3", "system prompt: 1 line changed"),
        ("model-tools-changed", "calls 1–3", "tool bash: schema of timeout changed"),
    ]


def test_changes_that_other_calls_have_stand_alone() -> None:
    """A line that all calls have, and one that only the second has."""
    both = SYSTEM.replace("brief", "short")
    found = told((body(), body(system=both)), (body(), body(system=both + "\nBe good.\n")))
    assert found == [
        ("model-prompt-changed", "calls 1, 2", "system prompt: 1 line changed"),
        ("model-prompt-changed", "call 2", "system prompt: 2 lines added"),
    ]


@pytest.mark.parametrize(
    ("newer", "code", "message"),
    [
        (body(model="m-2"), "params", "model: m-1 → m-2"),
        (body(temperature=0), "params", "parameter temperature added: 0"),
        (body(reasoning={"effort": "high"}), "params", 'parameter reasoning added: {"effort":"high"}'),
        (body(tools=[]), "tools", "tool bash removed"),
        (
            body(tools=[tool("bash", timeout=TIMEOUT), tool("a"), tool("b")]),
            "tools",
            "tools a, b added",
        ),
        (
            body(tools=[tool("bash", "Runs.\nAll.", cwd={}, timeout=TIMEOUT)]),
            "tools",
            "tool bash: description: 1 line added; parameter cwd added",
        ),
        (body(tools=[tool("bash")]), "tools", "tool bash: parameter timeout removed"),
        (body({"role": "user", "content": "Stop."}), "prompt", "message 1 (user): 1 line changed"),
        (body(USER, HELLO), "prompt", "message 2 (assistant) added: Hello."),
    ],
)  # fmt: skip
def test_what_is_told(newer: dict[str, Any], code: str, message: str) -> None:
    """Of each kind of change: its code, and one line."""
    assert told((body(), newer)) == [(f"model-{code}-changed", "call 1", message)]


def test_what_is_told_of_messages() -> None:
    """Tool calls by their arguments, results by their lines, wherever they stand; equal ones together."""
    function = {"name": "bash", "arguments": '{"command":"ls -l"}'}
    other = {**RUN, "tool_calls": [{"id": "c-9", "function": function}]}
    reminder = {"role": "user", "content": "Left: 5"}
    assert told(
        (body(USER, RUN, RESULT), body(USER, other, {**RESULT, "content": "a\nc\nd"})),
        (body(USER, HELLO, USER), body(USER, reminder, HELLO, USER, reminder)),
    ) == [
        ("model-prompt-changed", "call 1", "message 2 (assistant): tool call bash: command changed"),
        ("model-prompt-changed", "call 1", "message 3 (tool): tool result: 1 line changed, 1 added"),
        ("model-prompt-changed", "call 2", "message 2 (user) added: Left: 5 (and 1 more like it)"),
    ]


def test_calls_that_stand_alone() -> None:
    """They are told with what they ask; at once, if that is the same, wherever in a conversation."""
    title = body({"role": "user", "content": "A title\nplease"}, tools=[], system="")
    words = title["messages"][-1]
    alone = calls(body(), title, body(HELLO, words, tools=[], system="Titles."))
    found = changes([Pair(alone[0], None), *(Pair(None, call) for call in alone[1:])])
    assert [(change.code, change.where, change.message, change.diff) for change in found] == [
        ("model-call-missing", "call 1", "m-1, 1 tool; last user: Go.", None),
        ("model-call-extra", "calls 2, 3", "m-1, no tools; last user: A title please", None),
    ]
    assert (found[1].expected_calls, found[1].actual_calls) == ((), (2, 3))


def test_the_numbers_of_both_traces() -> None:
    """A call may have another number in the other trace."""
    assert ModelChange(code="model-prompt-changed", message="", expected_calls=(1, 2, 3, 7), actual_calls=(2,)).where == (
        "calls 1–3, 7 (actual: 2)"
    )  # fmt: skip


def test_texts_in_one_form_do_not_differ() -> None:
    """Each text is put into that form once, however many calls have it."""
    seen: list[str] = []

    def normalise(text: str) -> str:
        seen.append(text)
        return text.replace("/new", "/old")

    old, new = (body(system=f"In /{word}.") for word in ("old", "new"))
    assert changes(pairs([old, old], [new, new]), normalise) == []
    assert seen.count("In /new.") == 1


def test_each_side_may_have_its_own_form() -> None:
    """Two directories have one name, which does not make them equal on one side."""
    was, now = body(system="In /a. Not /b."), body(system="In /b. Not /a.")
    sides = [lambda text, name=name: text.replace(name, "‹home›") for name in ("/a", "/b")]
    assert changes(pairs([was], [now]), sides[0])
    assert not changes(pairs([body(system="In /a.")], [body(system="In /b.")]), *sides)
    (change,) = changes(pairs([was], [now]), *sides)
    assert change.diff == PromptDiff(system=(Hunk(1, 1, ("In /a. Not /b.",), ("In /b. Not /a.",)),))


def test_the_same_words_are_no_change() -> None:
    """A directory has a name of its own on one side only: a link may lead to where it was."""
    said = [body({"role": "user", "content": "see /a"}, system="In /a.", tools=[tool("bash", "of /a")])] * 2
    renamed = lambda text: text.replace("/a", "‹d›")  # noqa: E731
    assert changes(pairs(said[:1], said[1:]), renamed, lambda text: text) == []
    other = body({"role": "user", "content": "see /a"}, system="At /a.", tools=[tool("bash", "of /a")])
    assert [change.code for change in changes(pairs(said[:1], [other]), renamed, lambda text: text)] == [
        "model-prompt-changed"
    ]


def test_what_is_shown_is_what_was_said() -> None:
    """Texts are compared in one form, and equal changes in two directories are one; lines stay as they were."""

    def normalise(text: str) -> str:
        return text.replace("/a", "‹d›").replace("/b", "‹d›")

    def said(directory: str, word: str) -> dict[str, Any]:
        place = {"type": "string", "description": f"{word}, from {directory}"}
        lines = {"type": "string", "description": f"{word}\nfrom {directory}"}
        run = json.dumps({"cmd": f"{word} {directory}"})
        call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "r", "arguments": run}}]}
        return body(
            {"role": "user", "content": f"{word} {directory}"},
            call,
            system=f"In {directory}.\n{word} in {directory}.",
            tools=[tool("bash", f"{word} in {directory}", at=place, of=lines)],
            stop=f"{word} {directory}",
        )

    found = changes(
        pairs([said("/a", "Stay"), said("/b", "Stay")], [said("/b", "Go"), said("/a", "Go")]), normalise
    )
    assert {change.where for change in found} == {"calls 1, 2"}
    assert len(found) == 5
    written = msgspec.json.encode(found).decode()
    assert "‹d›" not in written
    assert '"expected":["Stay in /a."],"actual":["Go in /b."]' in written
    assert "Go, from /b" in written


def test_the_diff_of_a_change_is_its_own() -> None:
    """What is told beside it is not in it; two stretches of a system prompt are one change."""
    system = SYSTEM.replace("help", "assist") + "\nBe good."
    prompt, tools = changes(pairs([body()], [body(system=system, tools=[])]))
    assert prompt.diff == PromptDiff(
        system=(
            Hunk(1, 1, ("You help.",), ("You assist.",)),
            Hunk(4, 4, (), ("Be good.",)),
        )
    )
    assert tools.diff == PromptDiff(tools_removed=("bash",))
    assert prompt.message == "system prompt: 1 line changed, 1 added"


def test_one_difference_in_few_words() -> None:
    """As it is told of a call that matches none: what differs from the nearest."""
    value = ValueChange("/properties/list/items/properties/at/type", '"a"', '"b"')
    key = ValueChange("/additionalProperties", None, "false")
    diff = PromptDiff(
        parameters=(ValueChange("/top_p", "1", None), ValueChange("/a/b", '"x"', '"y"')),
        tools_changed=(ToolChange("bash", (), (value, key), (ValueChange("/strict", None, "true"),)),),
        tools_order=(("a", "b"), ("b", "a")),
    )
    assert change_words.difference(diff) == (
        "parameter top_p removed: 1; parameter a.b: x → y; "
        "tool bash: schema of list.at changed; additionalProperties changed; strict changed; "
        "tools in another order"
    )
    assert [change.code for change in taken_apart(diff)] == [
        "model-params-changed",
        "model-params-changed",
        "model-tools-changed",
        "model-tools-changed",
    ]
