"""What of a payload does not fit its shape: where, what was expected, and whether a tolerant reader goes on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.protocol import methods, updates
from acp_trace.protocol.shapes.grammar import table
from acp_trace.protocol.shapes.tables import MessagePart, VersionShapes, shapes

_KINDS = "read, edit, delete, move, search, execute, think, fetch, switch_mode or other"
_STDIO = {"name": "n", "command": "c", "args": [], "env": []}
_CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
_CALL = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t"}
_OPTION = {"optionId": "y", "name": "Yes", "kind": "allow_once"}


def _faults(version: int, method: str, part: MessagePart, value: Any) -> list[tuple[str, str, str, bool]]:
    of = shapes(version)
    senders = ("agent", "client") if method in ("session/update", methods.PERMISSION) else ("client", "agent")
    name = next(name for sender in senders if (name := of.name(method, sender, part)) is not None)
    return [
        ("/".join(map(str, fault.path)), fault.kind, fault.expected, fault.is_tolerated)
        for fault in of.faults(value, name)
    ]


def _update(version: int = 1, **update: Any) -> list[tuple[str, str, str, bool]]:
    found = _faults(version, "session/update", "notification", {"sessionId": "s", "update": update})
    return [(path.removeprefix("update/"), *rest) for path, *rest in found]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("update", "faults"),
    [
        (_CHUNK, []),
        (_CHUNK | {"messageId": None, "_meta": {"any": 1}}, []),
        (_CHUNK | {"content": "x"}, [("content", "wrong-type", "an object", False)]),
        (_CHUNK | {"content": {"type": "text"}}, [("content/text", "field-missing", "a string", False)]),
        (_CHUNK | {"content": {"type": "video", "uri": "x"}},
         [("content/type", "unknown-value", "text, image, audio, resource_link or resource", False)]),
        (_CHUNK | {"_meta": []}, [("_meta", "wrong-type", "an object", True)]),
        (_CALL, []),
        (_CALL | {"kind": "bash"}, [("kind", "unknown-value", _KINDS, True)]),
        (_CALL | {"title": None}, [("title", "wrong-type", "a string", False)]),
        (_CALL | {"locations": [{"path": "/a"}, {"line": 2}]},
         [("locations/1/path", "field-missing", "a string", True)]),
        (_CALL | {"content": [{"type": "diff", "path": "/a", "newText": 1}]},
         [("content/0/newText", "wrong-type", "a string", True)]),
        (_CALL | {"rawInput": 7, "more": 1}, [("more", "extra-field", "no such member", True)]),
        ({"sessionUpdate": "plan", "entries": [{"content": "a", "status": "doing"}]},
         [("entries/0/priority", "field-missing", "high, medium or low", True),
          ("entries/0/status", "unknown-value", "pending, in_progress or completed", True)]),
        ({"sessionUpdate": "usage_update", "used": "10", "size": -4},
         [("used", "wrong-type", "an integer", False), ("size", "unknown-value", "at least 0", False)]),
        ({"sessionUpdate": "usage_update", "used": 1.0, "size": 1.5},
         [("size", "wrong-type", "an integer", False)]),
        ({"sessionUpdate": "current_mode_update", "modeId": "m"},
         [("currentModeId", "field-missing", "a string", False),
          ("modeId", "extra-field", "no such member", True)]),
        ({"sessionUpdate": "notice", "severity": "info", "title": ""},
         [("title", "unknown-value", "a string that is not empty", False)]),
    ],
)  # fmt: skip
def test_updates(update: dict[str, Any], faults: list[Any]) -> None:
    """Required members, types, closed lists, limits; what a reader replaces or skips is marked."""
    assert _update(**update) == faults


@pytest.mark.parametrize(
    ("method", "part", "value", "faults"),
    [
        ("initialize", "request", {"protocolVersion": "2026-01-01"},
         [("protocolVersion", "wrong-type", "an integer", False)]),
        ("initialize", "response",
         {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"list": True}}},
         [("agentCapabilities/sessionCapabilities/list", "wrong-type", "an object", True)]),
        ("session/new", "request", {"cwd": "/w"}, [("mcpServers", "field-missing", "a list", False)]),
        ("session/new", "request", {"cwd": "/w", "mcpServers": [_STDIO, _STDIO | {"type": "stdio"}]}, []),
        ("session/new", "request", {"cwd": "/w", "mcpServers": [{"name": "n", "command": "c"}]},
         [("mcpServers/0/args", "field-missing", "a list", False),
          ("mcpServers/0/env", "field-missing", "a list", False)]),
        ("session/new", "request", {"cwd": "/w", "mcpServers": [{"name": "n", "url": "u", "headers": []}]},
         [("mcpServers/0/type", "field-missing", "http, sse or acp", False)]),
        ("session/new", "request", {"cwd": "/w", "mcpServers": [{"type": 3, "name": "n", "url": "u"}]},
         [("mcpServers/0/type", "wrong-type", "a string", False)]),
        ("session/new", "request", {"cwd": "/w", "mcpServers": None},
         [("mcpServers", "wrong-type", "a list", True)]),
        ("session/new", "response", {}, [("sessionId", "field-missing", "a string", False)]),
        ("session/prompt", "request", {"sessionId": "s", "prompt": "hi"},
         [("prompt", "wrong-type", "a list", False)]),
        ("session/request_permission", "response", {"outcome": "selected"},
         [("outcome", "wrong-type", "an object", False)]),
        ("session/request_permission", "response", {"outcome": {"outcome": "selected"}},
         [("outcome/optionId", "field-missing", "a string", False)]),
        ("session/request_permission", "request",
         {"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": [_OPTION | {"kind": "allow_never"}]},
         [("options/0/kind", "unknown-value", "allow_once, allow_always, reject_once or reject_always", False)]),
        ("fs/read_text_file", "request", {"sessionId": "s", "path": "/a", "line": "10", "limit": -1},
         [("line", "wrong-type", "an integer", False), ("limit", "unknown-value", "at least 0", False)]),
        ("session/set_config_option", "request", {"sessionId": "s", "configId": "c", "value": True},
         [("type", "field-missing", "boolean", False)]),
        ("session/set_config_option", "request",
         {"sessionId": "s", "configId": "c", "type": "boolean", "value": True}, []),
        ("elicitation/create", "request",
         {"message": "m", "mode": "form", "requestedSchema": {"type": "object"}},
         [("", "unknown-value", "an object", False)]),
        ("$/cancel_request", "notification", {"requestId": None}, []),
        ("session/load", "response", None, [("", "wrong-type", "an object", False)]),
        ("terminal/release", "response", [], [("", "wrong-type", "an object", False)]),
    ],
)  # fmt: skip
def test_requests_and_results(
    method: str, part: MessagePart, value: Any, faults: list[tuple[str, str, str, bool]]
) -> None:
    """Unions by their tag, and without one; what fits no form of a union is one fault."""
    assert _faults(1, method, part, value) == faults


@pytest.mark.parametrize("text", ["X {a!:s", "X [s", "X <a b", "X s s", "X (s / b"])
def test_what_is_no_table_is_refused(text: str) -> None:
    """By one error, whatever is wrong with it."""
    with pytest.raises(ValueError, match=r"shape|missing"):
        table(text)


def test_a_known_tag_is_judged_by_its_form_and_another_one_by_none() -> None:
    """In version 2 unions are open: what has no form of ours may be anything."""
    assert _update(2, sessionUpdate="tool_call_update", toolCallId=5) == [
        ("toolCallId", "wrong-type", "a string", False)
    ]
    assert _update(2, sessionUpdate="_vendor", anything=[1]) == []
    assert _update(2, sessionUpdate=3) == [("sessionUpdate", "wrong-type", "a string", False)]


@pytest.mark.parametrize(("version", "stages"), [(1, {"1", "1u"}), (2, {"2", "2u"})])
def test_the_tables_have_what_the_protocol_has(version: int, stages: set[str]) -> None:
    """Each part of each method, and each kind of update that the same schema has; MCP's messages on one side."""
    of = shapes(version)
    parts: dict[str, tuple[MessagePart, ...]] = {
        "request": ("request", "response"),
        "notification": ("notification",),
        "both": (),
    }
    missing = [
        (row.name, sender, part)
        for row in methods.METHODS
        if row.stages & stages
        for sender in {"agent": ["client"], "client": ["agent"], "both": ["client", "agent"]}[row.handler]
        for part in parts[row.kind]
        if of.name(row.name, sender, part) is None
    ]
    assert missing == []
    newer = {row.kind for row in updates.UPDATES if row.source.startswith("schema crate")}
    assert all(_is_known(of, kind) for kind in updates.known(version) - newer)


def _is_known(of: VersionShapes, kind: str) -> bool:
    name = of.name("session/update", "agent", "notification") or ""
    faults = of.faults({"sessionId": "s", "update": {"sessionUpdate": kind}}, name)
    return not any(fault.path == ("update", "sessionUpdate") for fault in faults)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    _json, st.sampled_from(["InitializeRequest", "NewSessionRequest", "SessionUpdate", "ElicitationSchema"])
)
def test_any_value_is_judged(value: Any, name: str) -> None:
    """Nothing raises, whatever stands there, and each fault has its place in the value."""
    for fault in shapes(1).faults(value, name):
        at = value
        for key in fault.path[:-1]:
            at = at[key]
        assert fault.kind == "field-missing" or not fault.path or at[fault.path[-1]] == fault.value
