"""A conversation in which everything happens once, for the tests of what `show` and `follow` print."""

from __future__ import annotations

from typing import Any

from acp_trace.analyze.facts import Facts
from tests.support import analyzed, request, result, trace, update

_MODEL = {
    "id": "model",
    "name": "Model",
    "type": "select",
    "category": "model",
    "options": [{"value": "big", "name": "Big"}, {"value": "small", "name": "Small"}],
}
_EFFORT = {
    "id": "effort",
    "name": "Effort",
    "type": "select",
    "currentValue": "high",
    "options": [{"value": "high", "name": "High"}],
}
_BIG = [{**_MODEL, "currentValue": "big"}, _EFFORT]
_SMALL = [{**_MODEL, "currentValue": "small"}]


def _chunk(text: str) -> tuple[str, Any]:
    return "agent", update("s", "agent_message_chunk", content={"type": "text", "text": text})


def _prompt(number: int, text: str) -> tuple[str, Any]:
    blocks = [{"type": "text", "text": text}]
    return "client", request(number, "session/prompt", sessionId="s", prompt=blocks)


def frames() -> list[tuple[str, Any]]:
    """Frames of (sender, message)."""
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
    by_request = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 5}}
    permission = {"toolCallId": "c", "title": "Write a file"}
    return [
        (
            "client",
            request(0, "initialize", protocolVersion=1, clientInfo={"name": "Editor", "version": "1"}),
        ),
        ("agent", result(0, protocolVersion=1, agentInfo={"name": "Agent", "version": "2"})),
        ("client", request(1, "session/new", cwd="/w")),
        ("agent", result(1, sessionId="s", configOptions=_BIG)),
        ("client", request(2, "session/set_config_option", sessionId="s", configId="model", value="small")),
        ("agent", result(2, configOptions=_SMALL)),
        _prompt(3, "Write a file"),
        _chunk("On it"),
        ("agent", update("s", "session_info_update", title="A file", _meta={"tags": {"a": 1}})),
        (
            "agent",
            update("s", "tool_call", toolCallId="c", title="Write a file", kind="edit", status="pending"),
        ),
        ("agent", request(0, "session/request_permission", sessionId="s", toolCall=permission, options=[])),
        ("client", cancel),
        ("client", result(0, outcome={"outcome": "cancelled"})),
        ("agent", update("s", "tool_call_update", toolCallId="c", status="failed")),
        ("agent", result(3, stopReason="cancelled")),
        _chunk("too late"),
        ("agent", update("s", "config_option_update", configOptions=_BIG)),
        _prompt(5, "And on"),
        ("client", by_request),
        _chunk("and on"),
        _chunk("and on"),
        ("agent", result(5, stopReason="end_turn")),
        ("client", request(6, "session/close", sessionId="s")),
        ("agent", result(6)),
        *[("client", f"noise {number}") for number in range(5)],
    ]


def story(count: int | None = None) -> Facts:
    """The facts of the first frames, or of all."""
    return analyzed(trace(*frames()[:count], step=40_000_000))[0]
