"""The group `connection`: what was agreed on in `initialize`, and which sessions are open."""

from __future__ import annotations

from tests.analyze.findings.scenario import CLIENT, Found, Scenario, hello, raises, spares, start
from tests.reading.talk import (
    answer,
    ask,
    call,
    cancel,
    decline,
    opened,
    permit,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    up,
    words,
)  # fmt: skip

_LOAD = ask(1, "session/load", sessionId="s", cwd="/w", mcpServers=[])
_READ = call(1, "fs/read_text_file", sessionId="s", path="/a")

_MCP = {"protocolVersion": "2025-06-18", "capabilities": {}}
_SERVER = {"name": "s", "version": "1"}

_HANDSHAKE = [
    raises(
        "other-protocol", "MCP: nothing else is said of its methods",
        [
            ask(0, "initialize", **_MCP), answer(0, **_MCP, serverInfo=_SERVER), tell("client", "notifications/initialized"),
            ask(1, "tools/list"), answer(1, tools=[]), ask(2, "tools/call", name="t"), answer(2, content=[]),
        ],
        Found("other-protocol", "client", 1),
    ),
    raises(
        "other-protocol", "LSP",
        [
            ask(0, "initialize", processId=7, rootUri=None, capabilities={}), answer(0, capabilities={}, serverInfo=_SERVER),
            tell("client", "initialized"), ask(1, "shutdown"), answer(1),
        ],
        Found("other-protocol", "client", 1),
    ),
    raises(
        "other-protocol", "MCP, from the middle of a session",
        [ask(7, "tools/list"), answer(7, tools=[]), ask(8, "resources/read", uri="x:"), answer(8, contents=[])],
        Found("other-protocol", "client", 1),
    ),
    raises(
        "other-protocol", "MCP, whose server never answers",
        [ask(0, "initialize", **_MCP), tell("client", "notifications/initialized")],
        Found("never-answered", "agent", 1), Found("other-protocol", "client", 2),
    ),
    raises(
        "other-protocol", "LSP, in its own framing",
        [
            ("client", b"Content-Length: 87\r"), ("client", b"\r"),
            ("client", b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":7,"capabilities":{}}}Content-Length: 52\r'),
        ],
        Found("other-protocol", "client", 3),
    ),
    spares(
        "other-protocol", "an `initialized` that an ACP client sends by habit, before it is answered",
        [ask(0, "initialize", protocolVersion=1, clientCapabilities={}), tell("client", "initialized"), answer(0, protocolVersion=1, agentCapabilities={})],
        Found("unknown-method", "client", 2),
    ),
    spares(
        "other-protocol", "a method of MCP after methods of ACP",
        [ask(1, "session/new", cwd="/w", mcpServers=[]), ask(2, "tools/list"), answer(1, sessionId="s"), refuse(2, -32601)],
        Found("before-initialize", "client", 1, count=2), Found("unknown-method", "client", 2),
    ),
    spares(
        "other-protocol", "a date as the version of ACP, whose agent says so",
        [ask(0, "initialize", **_MCP), answer(0, protocolVersion=1, agentCapabilities={})],
    ),
    spares("other-protocol", "a date as the version, refused", [ask(0, "initialize", **_MCP), refuse(0, -32602)]),
    raises(
        "before-initialize", "two are counted",
        [ask(1, "session/new", cwd="/w"), answer(1, sessionId="s"), prompt(2), stop(2)],
        Found("before-initialize", "client", 1, count=2),
    ),
    raises(
        "before-initialize", "of the agent",
        [call(1, "_x/y"), reply(1), *hello()],
        Found("before-initialize", "agent", 1),
    ),
    spares(
        "before-initialize", "not waiting for the answer",
        [hello()[0], ask(1, "session/new", cwd="/w"), hello()[1], answer(1, sessionId="s")],
    ),
    spares("before-initialize", "a notification", [tell("agent", "_log"), *hello()]),
    raises(
        "before-initialize", "a session, though initialize was refused",
        [ask(1, "initialize", protocolVersion=9), refuse(1, -32602), ask(2, "session/new"), refuse(2, -32603)],
        Found("before-initialize", "client", 3),
    ),
    spares(
        "before-initialize", "initialize was refused, which is another matter",
        [ask(1, "initialize", protocolVersion=9), refuse(1, -32602), ask(2, "authenticate", methodId="m"), refuse(2, -32603)],
    ),
    raises(
        "capability-missing", "no member, counted for each method of each session",
        [
            *hello(agent={}), *opened(),
            ask(1, "session/list"), refuse(1, -32601),
            ask(2, "session/close", sessionId="t"), refuse(2, -32601),
            ask(3, "session/list"), refuse(3, -32601),
        ],
        Found("capability-missing", "client", 5, count=2), Found("capability-missing", "client", 7, "t"),
    ),
    raises(
        "capability-missing", "false, of the client",
        [*hello(client={"fs": {"readTextFile": False, "writeTextFile": True}}), *opened(), _READ, decline(1, -32601)],
        Found("capability-missing", "agent", 5, "s"),
    ),
    raises(
        "capability-missing", "null",
        [*hello(agent={"sessionCapabilities": {"list": None}}), ask(1, "session/list"), answer(1, sessions=[])],
        Found("capability-missing", "client", 3),
    ),
    raises(
        "capability-missing", "session/load is announced by loadSession alone",
        [*hello(agent={"sessionCapabilities": {"load": {}}}), _LOAD, answer(1)],
        Found("capability-missing", "client", 3, "s"),
    ),
    spares(
        "capability-missing", "an empty object announces",
        [
            *hello(client={"elicitation": {}}, agent={"sessionCapabilities": {"list": {}}}), *opened(),
            ask(1, "session/list"), answer(1, sessions=[]),
            call(1, "elicitation/create", sessionId="s", message="?"), reply(1, action="decline"),
        ],
    ),
    spares(
        "capability-missing", "true announces",
        [*hello(agent={"loadSession": True}), _LOAD, answer(1)],
    ),
    spares(
        "capability-missing", "what every agent must have",
        [*hello(client={}, agent={}), *opened(), prompt(1), cancel(), stop(1, "cancelled")],
    ),
    raises(
        "capability-missing", "unstable methods, and those of draft 2",
        [*hello(2, agent={"session": {}}), *opened(), ask(1, "session/status", sessionId="s"), answer(1), ask(2, "session/delete", sessionId="s"), answer(2)],
        Found("capability-missing", "client", 5, "s"), Found("capability-missing", "client", 7, "s"),
    ),
    spares(
        "capability-missing", "in draft 2 these are required",
        [*hello(2, agent={"session": {}}), ask(1, "session/list"), answer(1, sessions=[]), ask(2, "session/resume", sessionId="s"), answer(2)],
    ),
    raises(
        "capability-missing", "draft 2: an agent without sessions",
        [*hello(2, agent={}), *opened()],
        Found("capability-missing", "client", 3),
    ),
    spares("capability-missing", "while the agent has not said", [hello()[0], _LOAD, hello(agent={})[1], answer(1)]),
]  # fmt: skip

_SESSIONS = [
    raises(
        "unknown-session", "a prompt and what follows, by side",
        [*hello(), prompt(1), _READ, decline(1, -32602), _READ, decline(1, -32602), refuse(1, -32002)],
        Found("unknown-session", "client", 3, "s"), Found("unknown-session", "agent", 4, "s", 2),
    ),
    raises(
        "unknown-session", "closed before",
        [*start(), ask(1, "session/close", sessionId="s"), answer(1), prompt(2), refuse(2, -32002)],
        Found("unknown-session", "client", 7, "s"),
    ),
    raises(
        "unknown-session", "archived before",
        [*hello(agent={"sessionCapabilities": {"archive": {}}}), *opened(), ask(1, "session/archive", sessionId="s"), answer(1), cancel()],
        Found("unknown-session", "client", 7, "s"),
    ),
    raises(
        "unknown-session", "a load that was refused",
        [*hello(), _LOAD, refuse(1, -32002), prompt(2), refuse(2, -32002)],
        Found("unknown-session", "client", 5, "s"),
    ),
    raises(
        "unknown-session", "listed is not opened",
        [*hello(), ask(1, "session/list"), answer(1, sessions=[{"sessionId": "s", "cwd": "/w"}]), prompt(2), refuse(2, -32002)],
        Found("unknown-session", "client", 5, "s"),
    ),
    raises(
        "unknown-session", "the client cannot name what is only being made",
        [*hello(), ask(1, "session/new", cwd="/w"), prompt(2), answer(1, sessionId="s"), stop(2)],
        Found("unknown-session", "client", 4, "s"),
    ),
    spares(
        "unknown-session", "closed, and loaded again",
        [*start(), ask(0, "session/close", sessionId="s"), answer(0), _LOAD, answer(1), prompt(2), stop(2)],
    ),
    spares(
        "unknown-session", "a close that was refused",
        [*start(), ask(1, "session/close", sessionId="s"), refuse(1, -32603), prompt(2), stop(2)],
    ),
    spares(
        "unknown-session", "a prompt before a load was answered",
        [*hello(), _LOAD, prompt(2), answer(1), stop(2)],
    ),
    spares(
        "unknown-session", "the agent asks before it has answered session/new",
        [*hello(), ask(1, "session/new", cwd="/w"), _READ, reply(1, content=""), answer(1, sessionId="s")],
        Found("update-before-session", "agent", 4, "s"),
    ),
    spares(
        "unknown-session", "a fork, before and after its answer",
        [
            *start(), ask(1, "session/fork", sessionId="s", cwd="/w"),
            call(1, "fs/read_text_file", sessionId="f", path="/a"), reply(1, content=""),
            answer(1, sessionId="f"), prompt(2, "f"), stop(2),
        ],
        Found("update-before-session", "agent", 6, "f"),
    ),
    spares(
        "unknown-session", "methods that name sessions which are not open",
        [*hello(), ask(1, "session/delete", sessionId="s"), answer(1), ask(2, "session/close", sessionId="t"), answer(2)],
    ),
    spares(
        "unknown-session", "what a delete does to an open session, the agent decides",
        [*start(), ask(1, "session/delete", sessionId="s"), answer(1), prompt(2), stop(2)],
    ),
    spares("unknown-session", "an extension names what it likes", [*hello(), ask(1, "_x/y", sessionId="s"), answer(1)]),
    raises(
        "update-unknown-session", "counted, with no session at all",
        [*hello(), up("available_commands_update"), words()],
        Found("update-unknown-session", "agent", 3, "s", 2),
    ),
    raises(
        "update-unknown-session", "after the close",
        [*start(), ask(1, "session/close", sessionId="s"), answer(1), up("usage_update", used=1, size=2)],
        Found("update-unknown-session", "agent", 7, "s"),
    ),
    raises(
        "update-unknown-session", "another id than the one that was made",
        [*hello(), ask(1, "session/new", cwd="/w"), words("t"), answer(1, sessionId="s")],
        Found("update-unknown-session", "agent", 4, "t"),
    ),
    raises(
        "update-unknown-session", "before the request that opens it",
        [*hello(), words(), *opened()],
        Found("update-unknown-session", "agent", 3, "s"),
    ),
    raises(
        "update-unknown-session", "session/new was refused",
        [*hello(), ask(1, "session/new", cwd="/w"), up("available_commands_update"), refuse(1, -32000)],
        Found("update-unknown-session", "agent", 4, "s"),
    ),
    spares(
        "update-unknown-session", "before the response of session/new",
        [*hello(), ask(1, "session/new", cwd="/w"), up("available_commands_update"), answer(1, sessionId="s")],
        Found("update-before-session", "agent", 4, "s"),
    ),
    spares(
        "update-unknown-session", "replayed by session/load",
        [*hello(), _LOAD, words(), answer(1)],
    ),
    spares(
        "update-unknown-session", "replayed by a session/load that then fails",
        [*hello(), _LOAD, words(), refuse(1, -32603)],
    ),
    spares(
        "update-unknown-session", "between the request to close and its response",
        [*start(), ask(1, "session/close", sessionId="s"), up("usage_update"), answer(1)],
    ),
    spares("update-unknown-session", "without a session id", [*hello(client=CLIENT), tell("agent", "session/update", update={"sessionUpdate": "plan"})]),
]  # fmt: skip

_OPEN = (Found("agent-crashed", "agent", 5, "s"), Found("never-answered", "agent", 5, "s"))
_UNANSWERED = _OPEN[1]

_CRASHES = [
    raises("agent-crashed", "an exit code during a turn", [*start(), prompt(1)], *_OPEN, exit_code=1),
    raises("agent-crashed", "a signal", [*start(), prompt(1)], *_OPEN, exit_code=None, signal=11),
    raises("agent-crashed", "killed, as for want of memory", [*start(), prompt(1)], *_OPEN, exit_code=None, signal=9),
    raises(
        "agent-crashed", "another request than a prompt",
        [*hello(), ask(1, "session/new", cwd="/w")],
        Found("agent-crashed", "agent", 3), Found("never-answered", "agent", 3),
        exit_code=70,
    ),
    raises(
        "agent-crashed", "a turn of draft 2, whose prompt was answered",
        [*start(2), prompt(1), answer(1)],
        Found("agent-crashed", "agent", 5, "s"),
        exit_code=1,
    ),
    raises(
        "agent-crashed", "the prompt before other requests",
        [*start(), ask(0, "session/list"), prompt(1)],
        Found("never-answered", "agent", 5), Found("agent-crashed", "agent", 6, "s"),
        Found("never-answered", "agent", 6, "s"),
        exit_code=1,
    ),
    spares("agent-crashed", "nothing was open", [*start(), prompt(1), stop(1)], exit_code=1),
    spares("agent-crashed", "an agent that ends with 0", [*start(), prompt(1)], _UNANSWERED),
    spares("agent-crashed", "the client had left", [*start(), prompt(1)], _UNANSWERED, exit_code=1, client_left=True),
    spares("agent-crashed", "ended by others", [*start(), prompt(1)], _UNANSWERED, exit_code=None, signal=15),
    spares("agent-crashed", "ended by others, and it said so itself", [*start(), prompt(1)], _UNANSWERED, exit_code=143),
    spares("agent-crashed", "the recorder could not go on", [*start(), prompt(1)], _UNANSWERED, exit_code=1, error="out of memory"),
    spares("agent-crashed", "acp-trace ended a run", [*start(), prompt(1)], exit_code=1, aborted="timeout"),
    spares(
        "agent-crashed", "only the client owed an answer",
        [*start(), permit(0)],
        Found("permission-unannounced", "agent", 5, "s"), Found("never-answered", "client", 5, "s"),
        exit_code=1,
    ),
]  # fmt: skip

SCENARIOS: list[Scenario] = [*_HANDSHAKE, *_SESSIONS, *_CRASHES]
