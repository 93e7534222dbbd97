"""What an agent does in a turn: the history of a tool call, the kinds of a permission's options."""

from __future__ import annotations

from typing import Any

from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, call, chosen, prompt, stop, up
from tests.support import facts_of


def _tool(status: Any, kind: str = "tool_call_update") -> Said:
    return up(kind, toolCallId="c", status=status)


def test_a_tool_call_that_does_not_end_has_no_duration() -> None:
    """Each status that it took on is a step; the same one again is none."""
    found = facts_of(
        *start(),
        prompt(1),
        _tool("pending", "tool_call"),
        _tool("in_progress"),
        _tool("in_progress"),
        stop(1),
    )
    (tool,) = found.tool_calls
    assert (tool.status, tool.t_ns, tool.duration_ns) == ("in_progress", 6000, None)
    assert [(one.frame, one.t_ns, one.status) for one in found.tool_call_steps] == [
        (6, 6000, "pending"),
        (7, 7000, "in_progress"),
    ]


def test_the_first_end_counts() -> None:
    """A later one changes the status, and not the duration."""
    found = facts_of(
        *start(), prompt(1), _tool(None, "tool_call"), _tool("completed"), _tool("failed"), stop(1)
    )
    (tool,) = found.tool_calls
    assert (tool.status, tool.duration_ns) == ("failed", 1000)
    assert [one.status for one in found.tool_call_steps] == ["completed", "failed"]


def test_an_option_without_an_id_or_a_kind_has_none() -> None:
    """Which of the two is missing does not matter."""
    options = [{"optionId": "a"}, {"kind": "allow_once"}, {"optionId": "b", "kind": "reject_once"}, 5]
    said: list[Said] = [prompt(1)]
    for number, option in enumerate(("a", "b", "c")):
        said += [
            call(number, "session/request_permission", sessionId="s", options=options),
            chosen(number, optionId=option),
        ]
    found = facts_of(*start(), *said, stop(1))
    assert [(one.option_id, one.option_kind) for one in found.permissions] == [
        ("a", None),
        ("b", "reject_once"),
        ("c", None),
    ]
