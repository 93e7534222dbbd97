"""What is inside of an envelope, and what answers it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.protocol.envelopes import InnerConnection, carries, inner, inner_response
from acp_trace.protocol.message import read

_PROMPT = {"method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
_CALL = {"serverId": "m", "requestId": "9", "method": "tools/call", "params": {"name": "add"}}


def _message(**members: Any) -> Any:
    return read(json.dumps({"jsonrpc": "2.0", **members}).encode())


@pytest.mark.parametrize(
    ("method", "connection"),
    [
        ("proxy/successor", InnerConnection.SUCCESSOR),
        ("_proxy/successor", InnerConnection.SUCCESSOR),
        ("_proxy/successor/request", InnerConnection.SUCCESSOR),
        ("_proxy/successor/send/notification", InnerConnection.SUCCESSOR),
        ("mcp/message", InnerConnection.MCP),
        ("_mcp/message", InnerConnection.MCP),
        ("proxy/successors", None),
        ("proxy/initialize", None),
        ("mcp/connect", None),
        ("session/prompt", None),
        (None, None),
    ],
)
def test_which_methods_are_envelopes(method: str | None, connection: InnerConnection | None) -> None:
    """Those of the specification, of the Rust SDK, and of its older versions."""
    assert carries(method) is connection


@pytest.mark.parametrize("id_", [7, "a", None])
def test_a_request_keeps_the_id_of_its_envelope(id_: Any) -> None:
    """So that the response to the one is the response to the other."""
    found = inner(_message(id=id_, method="proxy/successor", params=_PROMPT))
    assert found is not None
    assert json.loads(found.message.text) == {"jsonrpc": "2.0", "id": id_, **_PROMPT}
    assert (found.message.method, found.message.session_id) == ("session/prompt", "s")


def test_a_notification_has_no_id() -> None:
    """Also of MCP, where `requestId` names the request that it is about."""
    found = inner(_message(method="mcp/message", params=_CALL | {"method": "notifications/progress"}))
    assert found is not None
    assert found.server == "m"
    assert json.loads(found.message.text).keys() == {"jsonrpc", "method", "params"}


@pytest.mark.parametrize(
    "params", [None, [], {}, {"method": 5}, {"params": {}}, {"method": None, "params": {}}, "x"]
)
def test_an_empty_envelope_carries_nothing(params: Any) -> None:
    """Without a method that is a string, there is no message in it."""
    assert inner(_message(id=1, method="proxy/successor", params=params)) is None


@pytest.mark.parametrize(
    ("result", "inside"),
    [
        ({"result": {"content": []}}, {"result": {"content": []}}),
        ({"error": {"code": -32602, "message": "no"}}, {"error": {"code": -32602, "message": "no"}}),
        ({"content": []}, {"result": {"content": []}}),  # as it was before the result was wrapped
        (5, {"result": 5}),
    ],
)
def test_an_mcp_response_is_in_the_result(result: Any, inside: Any) -> None:
    """An error of the MCP server is a result of the envelope."""
    answer = inner_response(_message(id=3, result=result), InnerConnection.MCP, "m")
    assert json.loads(answer.text) == {"jsonrpc": "2.0", "id": 3, **inside}
    assert answer.is_error == ("error" in inside)


@pytest.mark.parametrize(
    ("members", "connection", "server"),
    [
        ({"result": {"result": 1}}, InnerConnection.SUCCESSOR, None),
        ({"result": {"result": 1}}, InnerConnection.MCP, None),  # of a version that had no `serverId`
        ({"error": {"code": 1, "message": "no"}}, InnerConnection.MCP, "m"),
    ],
)
def test_other_responses_are_the_inner_ones(
    members: Any, connection: InnerConnection, server: str | None
) -> None:
    """A successor's result is passed on unwrapped, and so is an error of the envelope itself."""
    message = _message(id=3, **members)
    assert inner_response(message, connection, server) is message
