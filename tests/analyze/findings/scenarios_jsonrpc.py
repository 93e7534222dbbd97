"""The group `wire`, what is about JSON-RPC: lines, ids, requests and their responses."""

from __future__ import annotations

from tests.analyze.findings.scenario import Found, Scenario, hello, raises, spares, start
from tests.reading.talk import (
    answer,
    ask,
    call,
    chosen,
    decline,
    permit,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    words,
)  # fmt: skip

_TOOL = ("agent", {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c"}}})  # fmt: skip

_LINES = [
    raises("not-json", "text", [*hello(), ("agent", b"npm WARN deprecated")], Found("not-json", "agent", 3)),
    raises("not-json", "no UTF-8", [*hello(), ("agent", b"\xff{}")], Found("not-json", "agent", 3)),
    raises(
        "not-json", "of the client, two in a row",
        [*hello(), ("client", b"WARN"), ("client", b"NaN")],
        Found("not-json", "client", 3), Found("not-json", "client", 4),
    ),
    raises(
        "not-json", "one message over three lines, of which the answer is what was asked for",
        [*hello(), ask(1, "_x/y"), ("agent", b"{"), ("agent", b'"jsonrpc": "2.0", "id": 1, "result": {}'), ("agent", b"}")],
        Found("never-answered", "agent", 3), Found("not-json", "agent", 4, count=3),
    ),
    raises(
        "not-json", "pieces with a message between them",
        [*hello(), ("agent", b"{"), tell("agent", "_x/y"), ("agent", b"}")],
        Found("not-json", "agent", 3), Found("not-json", "agent", 5),
    ),
    spares("not-json", "an empty line", [*hello(), ("agent", b"")], Found("blank-line", "agent", 3)),
    spares("not-json", "JSON that is not a message", [*hello(), ("agent", "WARN")], Found("not-jsonrpc", "agent", 3)),
    raises(
        "blank-line", "two are counted",
        [*hello(), ("agent", b""), ("agent", b"\r")],
        Found("blank-line", "agent", 3, count=2),
    ),
    raises(
        "blank-line", "of both sides",
        [*hello(), ("agent", b""), ("client", b"  ")],
        Found("blank-line", "agent", 3), Found("blank-line", "client", 4),
    ),
    spares("blank-line", "a NUL", [*hello(), ("agent", b"\0")], Found("not-json", "agent", 3)),
    raises(
        "not-jsonrpc", "no version",
        [*hello(), ("agent", {"method": "_x/y"})],
        Found("not-jsonrpc", "agent", 3),
    ),
    raises(
        "not-jsonrpc", "the version of 1.0",
        [*hello(), ("agent", {"jsonrpc": "1.0", "method": "_x/y"})],
        Found("not-jsonrpc", "agent", 3),
    ),
    raises(
        "not-jsonrpc", "a result and an error",
        [*hello(), ask(1, "_x/y"), ("agent", {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": ""}})],
        Found("not-jsonrpc", "agent", 4),
    ),
    raises(
        "not-jsonrpc", "an id that is an object",
        [*hello(), ask({}, "_x/y"), answer({})],
        Found("not-jsonrpc", "client", 3), Found("not-jsonrpc", "agent", 4),
    ),
    raises(
        "not-jsonrpc", "an error without a code",
        [*hello(), ask(1, "_x/y"), ("agent", {"jsonrpc": "2.0", "id": 1, "error": {"message": "broke"}})],
        Found("not-jsonrpc", "agent", 4),
    ),
    raises(
        "not-jsonrpc", "an error that is a text, for a session",
        [*start(), prompt(1), ("agent", {"jsonrpc": "2.0", "id": 1, "error": "broke"})],
        Found("not-jsonrpc", "agent", 6, "s"),
    ),
    raises("not-jsonrpc", "an empty object", [*hello(), ("client", {})], Found("not-jsonrpc", "client", 3)),
    raises(
        "not-jsonrpc", "params that are a text",
        [*hello(), ("client", {"jsonrpc": "2.0", "method": "_x/y", "params": "z"})],
        Found("not-jsonrpc", "client", 3),
    ),
    raises(
        "not-jsonrpc", "an update without a version",
        [*start(), ("agent", {"method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "usage_update"}}})],
        Found("not-jsonrpc", "agent", 5, "s"),
    ),
    spares(
        "not-jsonrpc", "params, data and result that are null",
        [
            *hello(),
            ("client", {"jsonrpc": "2.0", "id": 1, "method": "_x/y", "params": None}),
            ("agent", {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "", "data": None}}),
            ("client", {"jsonrpc": "2.0", "id": 2, "method": "_x/y", "params": [1]}),
            ("agent", {"jsonrpc": "2.0", "id": 2, "result": None, "_extra": 1}),
        ],
    ),
    raises(
        "not-jsonrpc", "a fraction as an id, which SHOULD not be",
        [*hello(), ask(1.5, "_x/y"), answer(1.5)],
        Found("not-jsonrpc", "client", 3), Found("not-jsonrpc", "agent", 4),
    ),
    spares("not-jsonrpc", "null as an id, which SHOULD not be", [*hello(), ask(None, "_x/y"), answer(None)]),
    raises(
        "not-jsonrpc", "a list of params, though ACP names them",
        [*hello(), ("client", {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": ["/w"]}), answer(1, sessions=[])],
        Found("not-jsonrpc", "client", 3),
    ),
    raises(
        "batch", "of one",
        [*hello(), ("agent", [words()[1]])],
        Found("batch", "agent", 3), Found("update-unknown-session", "agent", 3, session="s"),
    ),
    raises("batch", "empty", [*hello(), ("client", [])], Found("batch", "client", 3)),
    spares(
        "batch", "params that are an array",
        [*hello(), ("client", {"jsonrpc": "2.0", "method": "_x/y", "params": [{}]})],
    ),
    spares("batch", "an array that is cut off", [*hello(), ("client", b"[{}")], Found("not-json", "client", 3)),
]  # fmt: skip

_PAIRS = [
    raises("response-to-nothing", "no such id", [*hello(), answer(9)], Found("response-to-nothing", "agent", 3)),
    raises(
        "response-to-nothing", '1 is not "1"',
        [*hello(), ask(1, "_x/y"), answer("1"), answer(1)],
        Found("response-to-nothing", "agent", 4),
    ),
    raises(
        "response-to-nothing", "by the side that asked",
        [*hello(), ask(1, "_x/y"), reply(1), answer(1)],
        Found("response-to-nothing", "client", 4),
    ),
    raises(
        "response-to-nothing", "without an id",
        [*hello(), ("client", b"{"), ("agent", {"jsonrpc": "2.0", "error": {"code": -32700, "message": ""}})],
        Found("not-json", "client", 3), Found("response-to-nothing", "agent", 4),
    ),
    raises(
        "response-to-nothing", "an error for a line that was fine",
        [*hello(), ("agent", b"noise"), refuse(None, -32700)],
        Found("not-json", "agent", 3), Found("response-to-nothing", "agent", 4),
    ),
    raises(
        "response-to-nothing", "two errors for one line",
        [*hello(), ("client", b"{"), refuse(None, -32700), refuse(None, -32700)],
        Found("not-json", "client", 3), Found("response-to-nothing", "agent", 5),
    ),
    spares(
        "response-to-nothing", "an error without an id after a line that is not JSON",
        [*hello(), ("client", b"{"), refuse(None, -32700)],
        Found("not-json", "client", 3),
    ),
    spares(
        "response-to-nothing", "an error without an id after a batch, and after half a message",
        [*hello(), ("agent", []), decline(None, -32600), ("agent", {"jsonrpc": "2.0", "id": 5}), decline(None, -32600)],
        Found("batch", "agent", 3), Found("not-jsonrpc", "agent", 5),
    ),
    spares("response-to-nothing", "a request whose id is null", [*hello(), ask(None, "_x/y"), answer(None)]),
    raises(
        "second-answer", "a result after a result",
        [*start(), prompt(1), stop(1), stop(1, "cancelled")],
        Found("second-answer", "agent", 7),
    ),
    raises(
        "second-answer", "an error after a result, of the client",
        [*start(), _TOOL, prompt(1), permit(0), chosen(0), decline(0, -32603), stop(1)],
        Found("second-answer", "client", 9),
    ),
    spares(
        "second-answer", "the id is used again",
        [*start(), prompt(1), stop(1), prompt(1), stop(1)],
    ),
    spares(
        "second-answer", "the same id in both directions",
        [*start(), _TOOL, prompt(0), permit(0), chosen(0), stop(0)],
    ),
    spares("second-answer", '1 and "1"', [*hello(), ask(1, "_x/y"), ask("1", "_x/y"), answer(1), answer("1")]),
    raises("never-answered", "by the agent", [*start(), prompt(1)], Found("never-answered", "agent", 5, "s")),
    raises(
        "never-answered", "by the client",
        [*start(), call(1, "fs/read_text_file", sessionId="s", path="/a")],
        Found("never-answered", "client", 5, "s"),
    ),
    raises(
        "never-answered", "an extension",
        [*hello(), ask(1, "_x/y")],
        Found("never-answered", "agent", 3),
    ),
    spares("never-answered", "answered with an error", [*hello(), ask(1, "_x/y"), refuse(1, -32601)]),
    spares(
        "never-answered", "a notification",
        [*hello(), tell("client", "_x/y"), tell("client", "session/cancel")],
    ),
    spares(
        "never-answered", "draft 2: the turn is open, its prompt is answered",
        [*start(2), prompt(1), answer(1, messageId="m")],
    ),
    raises(
        "id-reused", "while open, answered first in, first out",
        [*start(), prompt(1), ask(1, "_x/y"), stop(1), answer(1)],
        Found("id-reused", "client", 6),
    ),
    raises(
        "id-reused", "by the agent, for a session",
        [*start(), call("a", "_x/y"), call("a", "fs/read_text_file", sessionId="s", path="/"), reply("a"), reply("a")],
        Found("id-reused", "agent", 6, "s"),
    ),
    spares("id-reused", "once it was answered", [*hello(), ask(1, "_x/y"), answer(1), ask(1, "_x/y"), answer(1)]),
    spares(
        "id-reused", "by the other side",
        [*hello(), ask(1, "_x/y"), call(1, "_x/y"), reply(1), answer(1)],
    ),
    spares(
        "id-reused", '1 and "1"', [*hello(), ask(1, "_x/y"), ask("1", "_x/y"), answer("1"), answer(1)],
    ),
    spares(
        "response-to-nothing", "1 answers 1.0: they are one number",
        [*hello(), ask(1.0, "_x/y"), answer(1)], Found("not-jsonrpc", "client", 3),
    ),
]  # fmt: skip

SCENARIOS: list[Scenario] = [*_LINES, *_PAIRS]
