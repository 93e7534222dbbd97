"""The official trace: real ones beside our recordings, samples written from source, and what is special about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.formats.reading import jsons
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent
from acp_trace.formats.reading.trace_lines import traces
from tests.formats.reading.comparing import facts_without_times, sample


def read(*events: dict[str, Any] | bytes) -> list[Log]:
    lines = (event if isinstance(event, bytes) else json.dumps(event).encode() for event in events)
    return jsons.read([File("trace.jsons", b"\n".join(lines))])


def call(source: str, target: str, method: str = "x", **more: Any) -> dict[str, Any]:
    kind = "request" if "id" in more else "notification"
    ends = {"from": source, "to": target}
    return {"type": kind, "ts": 0.5, "protocol": "acp", **ends, "method": method, "params": None, **more}


def answer(source: str, target: str, id_: Any, **more: Any) -> dict[str, Any]:
    ends = {"from": source, "to": target}
    return {"type": "response", "ts": 0.75, **ends, "id": id_, "is_error": False, "payload": {}, **more}


def senders(log: Log) -> str:
    """The first letters of who sent what."""
    return "".join(str(item.sender)[0] for item in log.messages if isinstance(item, Sent))


@pytest.mark.parametrize("name", ["conductor", "conductor-1"])
def test_a_real_trace_is_what_was_recorded(name: str) -> None:
    """All facts of our recording behind the conductor, which gives ids of its own, and calls a proxy's `initialize` its way."""
    (read,) = traces(jsons.read([File("a", sample(f"jsons/{name}.jsons"))]), "jsons")
    actual = _without_ids(facts_without_times(read.data))
    expected = _without_ids(facts_without_times(sample(f"jsons/{name}.recorded.jsonl")))
    initialize = actual["exchanges"][0]
    assert initialize["method"] == ("initialize" if name == "conductor" else "_proxy/initialize")
    initialize["method"] = "initialize"
    assert actual == expected
    assert (read.log.unused, len(read.log.messages)) == ([], 30)


def test_a_long_chain() -> None:
    """Real: with two proxies, the first connection has only the client's calls, the last only the agent's."""
    logs = jsons.read([File("a", sample("jsons/conductor-2.jsons"))])
    assert [(log.labels["components"], log.lacks, len(log.messages)) for log in logs] == [
        ("Client, Proxy(0)", ("agent_calls",), 15),
        ("Proxy(0), Proxy(1)", (), 30),
        ("Proxy(1), Proxy(2)", ("client_calls",), 15),
    ]


def _without_ids(facts: dict[str, Any]) -> dict[str, Any]:
    left_out = {"id", "target_id"}
    return {
        table: [{key: value for key, value in row.items() if key not in left_out} for row in rows]
        for table, rows in facts.items()
    }


def test_client_and_agent() -> None:
    """Times since the trace was begun, to the nanosecond; no wall clock."""
    (log,) = jsons.read([File("a", sample("jsons/no-proxy.jsons"))])
    assert (len(log.messages), log.unused, log.labels, log.lacks, log.started_ns) == (14, [], {}, (), None)
    assert senders(log) == "cacacaaaaaacaa"
    assert log.messages[0].t == 276_425_883
    assert log.messages[3].data == (
        b'{"jsonrpc":"2.0","id":1,"result":{"sessionId":"44de79094efdff5ca57545a99e426900"}}'
    )


def test_one_proxy() -> None:
    """The tracer writes each half of the conversation between two others; they are put together."""
    (log,) = jsons.read([File("a", sample("jsons/one-proxy.jsons"))])
    assert log.labels == {"components": "Client, Proxy(0), Proxy(1)"}
    assert (senders(log), log.lacks, log.unused) == ("cacacaa", (), [])
    assert [json.loads(item.data).get("method", "") for item in log.messages] == [
        "_proxy/initialize", "", "session/new", "", "session/prompt", "session/update", "",
    ]  # fmt: skip


def test_two_proxies() -> None:
    """A connection for each two neighbours, and MCP counted for itself, with its responses."""
    logs = jsons.read([File("a", sample("jsons/two-proxies.jsons"))])
    assert [log.labels["components"] for log in logs] == [
        "Client, Proxy(0)",
        "Proxy(0), Proxy(1)",
        "Proxy(1), Proxy(2)",
    ]
    assert [senders(log) for log in logs] == ["cacaca", "cacacacaa", "a"]
    assert [log.lacks for log in logs] == [("agent_calls",), (), ("client_calls",)]
    assert [(one.where, one.why) for log in logs for one in log.unused] == [
        ("line 13", "is a message of MCP"),
        ("line 14", "is a response to a message of MCP"),
        ("line 15", "is a message of MCP"),
    ]


def test_errors_and_null() -> None:
    """`is_error` says what the payload is; params of null are absent; an id may be null."""
    error = {"code": -32603, "message": "no"}
    (log,) = read(
        call("Client", "Agent", id=None),
        answer("Agent", "Client", None, is_error=True, payload=error),
        call("Agent", "Client", params={"a": 1}),
        answer("Client", "Agent", 5, payload=None),
    )
    assert [json.loads(item.data) for item in log.messages] == [
        {"jsonrpc": "2.0", "id": None, "method": "x"},
        {"jsonrpc": "2.0", "id": None, "error": error},
        {"jsonrpc": "2.0", "method": "x", "params": {"a": 1}},
        {"jsonrpc": "2.0", "id": 5, "result": None},
    ]


def test_a_request_without_id_is_a_notification() -> None:
    """As older files have it."""
    (log,) = read({**call("Client", "Agent"), "type": "request"})
    assert log.messages == [Sent(b'{"jsonrpc":"2.0","method":"x"}', "client", 500_000_000)]


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (("client", "agent"), "c"),
        (("agent", "proxy:1"), "a"),
        (("proxy:1", "proxy:0"), "a"),
        (("Proxy(9)", "Proxy(10)"), "c"),
        (("editor", "tool"), "c"),
        (("Client", "tool"), "c"),
        (("tool", "Client"), "a"),
    ],
)
def test_who_is_nearer_to_the_client(ends: tuple[str, str], expected: str) -> None:
    """By the names of components, older ones too; of others, who calls first."""
    (log,) = read(call(*ends, "_x/y", id=1))
    assert senders(log) == expected


def test_of_unknown_components_methods_tell() -> None:
    """What only an agent calls makes its caller one; so does a response that comes first."""
    assert senders(read(call("b", "a", "session/update"), call("a", "b", "session/prompt", id=1))[0]) == "ac"
    assert senders(read(answer("b", "a", 1), call("a", "b", "session/prompt", id=1))[0]) == "ac"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"type":"requ', "is not JSON"),
        (b"5", "is not an object"),
        (b"{}", "is not an event"),
        (call("Client", "Client"), "is not an event"),
        ({**call("Client", "Agent"), "type": "other"}, "is not an event"),
        ({**call("Client", "Agent"), "method": 5}, "is a call without a method"),
        ({**call("Client", "Agent"), "ts": "0.1"}, "has a time that is not a number"),
        ({**call("Client", "Agent"), "ts": -1}, "has a time out of range"),
        ({"type": "response", "ts": 1, "from": "a", "to": "b"}, "is a response without an id or a payload"),
        ({"type": "notification", "from": "Client", "to": "Agent", "method": "x"}, "has no time, while others have"),
    ],
)  # fmt: skip
def test_other_lines_are_counted(line: dict[str, Any] | bytes, why: str) -> None:
    """With their number and a reason."""
    (log,) = read(call("Client", "Agent"), line)
    assert (len(log.messages), [(one.where, one.why) for one in log.unused]) == (1, [("line 2", why)])


def test_a_file_without_times() -> None:
    """Then no message has one, and one that has is not mixed in."""
    event = {key: value for key, value in call("Client", "Agent").items() if key != "ts"}
    (log,) = read(event, event, call("Client", "Agent"))
    assert ([item.t for item in log.messages], len(log.unused)) == ([None, None], 1)


def test_only_messages_of_mcp() -> None:
    """That is no connection of ACP."""
    with pytest.raises(NotThisFormat):
        read(call("Client", "Agent", protocol="mcp"))
