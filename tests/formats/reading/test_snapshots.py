"""The snapshots that claude-agent-acp and codex-acp keep of their tests, rebuilt: what the agent has sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File, Sent
from tests.support import analyzed

_UPDATE = {"sessionId": "<session>", "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}
_CALL = {"sessionId": "<session>", "toolCall": {"toolCallId": "<id-1>"}, "options": []}


def _read(*lines: Any) -> list[tuple[str, Any]]:
    text = "\n".join(json.dumps(one) for one in lines)
    best = explained([File("goal.jsonl", text.encode())], readers_for(None)).best
    assert best is not None
    assert best.format == "snapshots"
    ((trace),) = best.traces
    return [
        (str(item.sender), json.loads(item.data)) for item in trace.log.messages if isinstance(item, Sent)
    ]


_SESSION = {"jsonrpc": "2.0", "id": None, "result": {"sessionId": "<session>"}}
_TOLD = {"jsonrpc": "2.0", "method": "session/update", "params": _UPDATE}
_ASKED = {"jsonrpc": "2.0", "id": None, "method": "session/request_permission", "params": _CALL}
_EXTENSION = {"jsonrpc": "2.0", "method": "_x/y", "params": {"a": 1}}


@pytest.mark.parametrize(
    ("lines", "messages"),
    [
        (
            [
                {"kind": "newSession", "payload": {"sessionId": "<session>"}},
                {"kind": "sessionUpdate", "payload": _UPDATE},
                {"kind": "requestPermission", "payload": _CALL},
                {"kind": "extNotification", "payload": {"method": "_x/y", "params": {"a": 1}}},
            ],
            [_SESSION, _TOLD, _ASKED, _EXTENSION],
        ),
        (
            [
                {"kind": "response", "method": "session/new", "payload": {"sessionId": "<session>"}},
                {"kind": "notification", "method": "session/update", "payload": _UPDATE},
                {"kind": "request", "method": "session/request_permission", "payload": _CALL},
            ],
            [_SESSION, _TOLD, _ASKED],
        ),
        (
            [
                {"direction": "response", "method": "session/new", "params": {"sessionId": "<session>"}},
                {"direction": "notify", "method": "session/update", "params": _UPDATE},
                {"direction": "request", "method": "session/request_permission", "params": _CALL},
                {"direction": "codexResponse", "method": "thread/start", "params": {}},
            ],
            [_SESSION, _TOLD, _ASKED],
        ),
        (
            [
                {"method": "sessionUpdate", "args": [_UPDATE]},
                {"method": "requestPermission", "args": [_CALL]},
                {"method": "notify", "args": ["_x/y", {"a": 1}]},
            ],
            [_TOLD, _ASKED, _EXTENSION],
        ),
        (
            [
                [
                    {"codexRequest": "turn/start", "params": {}},
                    {"sessionUpdate": _UPDATE["update"]},
                    {"promptError": {"code": -32600, "message": "busy"}},
                ]
            ],
            [
                {**_TOLD, "params": {"update": _UPDATE["update"]}},
                {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "busy"}},
            ],
        ),
    ],
    ids=["kind", "kind and method", "direction", "calls", "transcript"],
)
def test_each_form(lines: list[Any], messages: list[Any]) -> None:
    """All of the agent; null stands for the ids that are not there."""
    assert _read(*lines) == [("agent", message) for message in messages]


def test_nothing_is_said_of_payloads() -> None:
    """What was replaced is not the agent's fault, and what it answers is not in the snapshot."""
    lines = [
        {"kind": "sessionUpdate", "payload": {**_UPDATE, "update": {"sessionUpdate": "usage_update"}}}
    ] * 2
    text = "\n".join(json.dumps(one) for one in lines)
    best = explained([File("goal.jsonl", text.encode())], readers_for(None)).best
    assert best is not None
    codes = {one.code for one in analyzed(best.traces[0].data)[0].findings}
    assert not {code for code in codes if code.startswith("payload")}


def test_traffic_with_codex_is_refused() -> None:
    """It looks like messages, and is none of ACP."""
    lines = [{"eventType": "request", "method": "initialize", "params": {}}] * 3
    text = "\n".join(json.dumps(one, indent=2) for one in lines)
    log = explained([File("start.json", text.encode())], readers_for(None))
    assert log.best is None
    assert "not ACP" in log.why_none
