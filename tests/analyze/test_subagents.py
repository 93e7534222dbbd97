"""Subagents in the forms of real agents: whose work it is, how long it took, and what a turn waited for."""

from __future__ import annotations

import pytest

from acp_trace.analyze.facts import Facts
from tests.reading.talk import opened, prompt, stop, up
from tests.subagents import announces, below_a_call, claude, in_sessions, of_grok, qwen
from tests.support import facts_of

_MS = 1_000


@pytest.mark.parametrize(("meta", "says"), [(claude, True), (qwen, False)])
def test_work_below_a_tool_call(meta: object, says: bool) -> None:
    """By what an update says; a permission that says nothing is of its tool call."""
    found = facts_of(*below_a_call(meta, says_in_permission=says))
    assert found.findings == []
    assert {call.id: call.parent_id for call in found.tool_calls} == {
        "explore": None, "plan": None, "read": "explore", "run": "explore",
    }  # fmt: skip
    assert [permission.parent_id for permission in found.permissions] == ["explore"]


def _told(found: Facts) -> list[tuple[str, str | None, str | None, str | None, int | None]]:
    return [
        (one.session_id, one.title, one.parent_session_id, one.parent_tool_call_id, one.subagent_ns)
        for one in found.sessions
    ]


def test_sessions_of_subagents() -> None:
    """Who announced them, for which call, and how long they worked; nobody is blamed for them."""
    found = facts_of(*in_sessions())
    assert found.findings == []
    assert _told(found) == [
        ("main", None, None, None, None),
        ("outer", "Plan the work", "main", "toolu_outer", 9 * _MS),
        ("inner", "Read the spec", "outer", "toolu_inner", 5 * _MS),
    ]


def test_sessions_that_grok_announces() -> None:
    """Its own notifications open a session as `subagent_update` does: what is said there has a session."""
    found = facts_of(*of_grok())
    assert {finding.code for finding in found.findings} <= {"unknown-method"}
    assert _told(found) == [("main", None, None, None, None), ("child", "Say hello", "main", None, 4 * _MS)]


def test_a_turn_waits_for_its_subagents() -> None:
    """Their work is that of tools, also without a tool call; what they ask is waiting for the user."""
    (turn,) = facts_of(*in_sessions()).turns
    assert (turn.duration_ns, turn.tools_ns, turn.permissions_ns, turn.rest_ns) == (
        11 * _MS, 8 * _MS, 1 * _MS, 0,
    )  # fmt: skip


def test_one_that_works_again_and_one_that_never_ends() -> None:
    """Runs are summed; while one goes on, there is no sum."""
    run, idle = {"state": {"state": "running"}}, {"state": {"state": "idle"}}
    said = [*in_sessions()[:2], *opened("main"), prompt(1, "main"), announces("main", "a", title="A"),
            announces("main", "a", **idle), announces("main", "a", **idle), announces("main", "a", **run),
            announces("main", "a", **idle), announces("main", "b", **run), stop(1)]  # fmt: skip
    assert [row[4] for row in _told(facts_of(*said))] == [None, 2 * _MS, None]


def test_circles_end() -> None:
    """A trace may say anything: each announces the other, or itself; a call is below itself."""
    said = [*in_sessions()[:2], *opened("a"), prompt(1, "a"), announces("a", "b"), announces("b", "a"),
            announces("a", "a"), up("tool_call", "a", toolCallId="x", title="x", **claude("x")),
            up("tool_call", "a", toolCallId="y", title="y", **claude("z")),
            up("tool_call", "a", toolCallId="z", title="z", **claude("y")), stop(1)]  # fmt: skip
    found = facts_of(*said)
    assert {call.id: call.parent_id for call in found.tool_calls} == {"x": None, "y": "z", "z": "y"}
    assert [row[2] for row in _told(found)] == ["b", "a"]


@pytest.mark.parametrize(
    "meta",
    [None, 7, [], {"claudeCode": 1}, {"parentToolUseId": 3}, {"claudeCode": {"parentToolUseId": None}}],
)
def test_what_names_no_call(meta: object) -> None:
    """`_meta` may hold anything."""
    said = [*opened("s"), prompt(1), up("tool_call", toolCallId="c", title="c", _meta=meta), stop(1)]
    assert [call.parent_id for call in facts_of(*said).tool_calls] == [None]
