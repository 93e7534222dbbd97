"""The group `wire`, what is about methods: which there are, who sends them, and as what."""

from __future__ import annotations

from tests.analyze.findings.scenario import Found, Scenario, hello, raises, spares, start
from tests.reading.talk import (
    answer,
    ask,
    call,
    decline,
    opened,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    up,
    words,
)

_UPDATE = {"sessionId": "s", "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}

SCENARIOS: list[Scenario] = [
    raises(
        "unknown-method", "a request",
        [*hello(), ask(1, "session/promt", sessionId="s"), refuse(1, -32601)],
        Found("unknown-method", "client", 3, "s"),
    ),
    raises(
        "unknown-method", "a notification of the agent, each time",
        [*hello(), tell("agent", "log", text="a"), tell("agent", "log", text="b")],
        Found("unknown-method", "agent", 3), Found("unknown-method", "agent", 4),
    ),
    raises(
        "unknown-method", "draft 2 has it, protocol 1 has not",
        [*hello(), ask(1, "auth/login"), refuse(1, -32601)],
        Found("unknown-method", "client", 3),
    ),
    raises(
        "unknown-method", "protocol 1 has it, draft 2 has not",
        [*start(2), call(1, "fs/read_text_file", sessionId="s", path="/a"), decline(1, -32601)],
        Found("unknown-method", "agent", 5, "s"),
    ),
    raises(
        "unknown-method", "an underscore inside",
        [*hello(), ask(1, "session/_mine"), refuse(1, -32601)],
        Found("unknown-method", "client", 3),
    ),
    spares(
        "unknown-method", "extensions, which begin with an underscore",
        [*hello(), ask(1, "_x/y"), refuse(1, -32601), tell("agent", "_zed.dev/log"), call(1, "_z"), reply(1)],
    ),
    spares("unknown-method", "$/ may be ignored", [*hello(), tell("agent", "$/progress"), tell("client", "$/x")]),
    spares(
        "unknown-method", "unstable ones of the version",
        [*hello(agent={"providers": {}, "sessionCapabilities": {"title": {}}}), *opened(),
         ask(1, "session/set_title", sessionId="s", title="t"), answer(1, title="t"), ask(2, "providers/list"), answer(2)],
    ),
    spares(
        "unknown-method", "draft 2 before a version is agreed on",
        [ask("i", "initialize", protocolVersion=2), ask(1, "auth/status"), answer("i", protocolVersion=2), answer(1)],
    ),
    spares(
        "unknown-method", "a client that asks for draft 2 gets protocol 1",
        [ask("i", "initialize", protocolVersion=2), answer("i", protocolVersion=1), ask(1, "authenticate"), answer(1)],
    ),
    raises(
        "retired-method", "session/set_model, counted",
        [*start(), ask(1, "session/set_model", sessionId="s", modelId="m"), answer(1), ask(2, "session/set_model", sessionId="s"), answer(2)],
        Found("retired-method", "client", 5, "s", 2),
    ),
    raises(
        "retired-method", "each method by itself",
        [*hello(), tell("client", "document/didOpen"), tell("client", "document/didClose"), tell("client", "document/didOpen")],
        Found("retired-method", "client", 3, count=2), Found("retired-method", "client", 4),
    ),
    raises(
        "retired-method", "the proposal's name of $/cancel_request",
        [*start(), prompt(1), tell("client", "$/cancelRequest", id=1), stop(1, "cancelled")],
        Found("retired-method", "client", 6),
    ),
    spares(
        "retired-method", "session/set_mode is still there",
        [*start(), ask(1, "session/set_mode", sessionId="s", modeId="m"), answer(1)],
    ),
    spares(
        "retired-method", "in draft 2 session/set_mode is a method of another version",
        [*start(2), ask(1, "session/set_mode", sessionId="s", modeId="m"), refuse(1, -32601)],
        Found("unknown-method", "client", 5, "s"),
    ),
    spares(
        "retired-method", "$/cancel_request itself",
        [*start(), prompt(1), tell("client", "$/cancel_request", requestId=1), stop(1, "cancelled")],
    ),
    raises(
        "wrong-side", "a prompt of the agent",
        [*start(), call(1, "session/prompt", sessionId="s", prompt=[]), decline(1, -32601)],
        Found("wrong-side", "agent", 5, "s"),
    ),
    raises(
        "wrong-side", "an update of the client",
        [*start(), tell("client", "session/update", **_UPDATE)],
        Found("wrong-side", "client", 5, "s"),
    ),
    raises(
        "wrong-side", "a file that the client asks for",
        [*start(), ask(1, "fs/read_text_file", sessionId="s", path="/a"), refuse(1, -32601)],
        Found("wrong-side", "client", 5, "s"),
    ),
    spares(
        "wrong-side", "methods of both sides",
        [*start(), prompt(1), call(1, "mcp/message"), reply(1), tell("agent", "mcp/message"), ask(2, "mcp/message"), answer(2), stop(1)],
    ),
    spares(
        "wrong-side", "$/cancel_request of the agent",
        [*start(), call(1, "fs/read_text_file", sessionId="s", path="/a"), tell("agent", "$/cancel_request", requestId=1), decline(1, -32800)],
    ),
    raises(
        "wrong-kind", "session/cancel as a request",
        [*start(), ask(1, "session/cancel", sessionId="s"), answer(1)],
        Found("wrong-kind", "client", 5, "s"),
    ),
    raises(
        "wrong-kind", "session/prompt without an id",
        [*start(), tell("client", "session/prompt", sessionId="s", prompt=[])],
        Found("wrong-kind", "client", 5, "s"),
    ),
    raises(
        "wrong-kind", "session/update with an id",
        [*start(), call(1, "session/update", **_UPDATE), reply(1)],
        Found("wrong-kind", "agent", 5, "s"),
    ),
    raises(
        "wrong-kind", "an id that is null makes a request",
        [*start(), ask(None, "session/cancel", sessionId="s"), answer(None)],
        Found("wrong-kind", "client", 5, "s"),
    ),
    spares(
        "wrong-kind", "as they should be",
        [*start(), prompt(1), tell("client", "session/cancel", sessionId="s"), words(), stop(1, "cancelled"), up("usage_update")],
    ),
    spares(
        "wrong-kind", "extensions may be both",
        [*hello(), ask(1, "_x/y"), answer(1), tell("client", "_x/y")],
    ),
]  # fmt: skip
