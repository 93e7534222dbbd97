"""What was announced, offered or opened, against what came later: a scenario of each kind, and what is legal but odd."""

from __future__ import annotations

from typing import Any

from tests.analyze.findings.scenario import AGENT, CLIENT, Found, Scenario, hello, raises, spares, start
from tests.analyze.model_side import called
from tests.reading.talk import (
    Said,
    answer,
    ask,
    call,
    cancel,
    chosen,
    decline,
    opened,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    up,
    words,
)  # fmt: skip
from tests.support import INFO

_GOES = [prompt(1), words(), stop(1)]  #: a turn
_METHODS = [{"id": "key", "name": "Key"}]
_OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
_MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
_CHOICE = {
    "id": "model",
    "name": "Model",
    "type": "select",
    "currentValue": "a",
    "options": [{"value": "a", "name": "A"}],
}
_IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}
_SECOND = 1_000_000_000


def _tool(kind: str = "tool_call", **fields: Any) -> Said:
    return up(kind, **{"toolCallId": "c", **({"title": "Look"} if kind == "tool_call" else {}), **fields})


def _done(*ids: str) -> list[Said]:
    return [_tool(status="completed", toolCallId=id) for id in ids]


_TWO_CALLS = [*start(), prompt(1), *_done("a"), stop(1), prompt(2), *_done("b"), stop(2)]


#: Frames 1 to 10.
_TWO_TEXTS = [*start(), prompt(1, text="one"), words(), stop(1), prompt(2, text="two"), words(), stop(2)]


def _user(text: str = "go") -> Said:
    return up("user_message_chunk", content={"type": "text", "text": text})


def _load(*history: Said) -> list[Said]:
    return [ask(3, "session/load", sessionId="s"), *history, answer(3)]


def _asks(id: Any = "p", options: Any = None, **fields: Any) -> Said:
    """A permission for the tool call `c`."""
    return call(id, "session/request_permission", sessionId="s", toolCall={"toolCallId": "c", **fields},
                options=_OPTIONS if options is None else options)  # fmt: skip


_LINKS: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}


def _link(id: int) -> Said:
    return call(
        id,
        "elicitation/create",
        sessionId="s",
        mode="url",
        message="",
        url="http://localhost",
        elicitationId="e",
    )


def _logs_in(**agent: Any) -> list[Said]:
    return [ask("i", "initialize", protocolVersion=1, clientCapabilities=CLIENT),
            answer("i", protocolVersion=1, agentCapabilities=AGENT, **agent)]  # fmt: skip


def _state(state: str, **fields: Any) -> Said:
    return up("state_update", state=state, **fields)


def _typed(message: str = "m") -> Said:
    return up("user_message_chunk", messageId=message, content={"type": "text", "text": "go"})


_RUNS_2 = [prompt(1), answer(1, messageId="m"), _typed(), _state("running")]
_WORDS_2 = up("agent_message_chunk", messageId="a", content={"type": "text", "text": "…"})

CONNECTION: list[Scenario] = [
    raises("auth-method-terminal", "it has to be run", [*_logs_in(authMethods=[{"id": "t", "name": "T", "type": "terminal"}]), ask(1, "authenticate", methodId="t"), answer(1)],
           Found("parameter-unannounced", "agent", 2), Found("auth-method-terminal", "client", 3)),
    spares("auth-method-terminal", "another one that is offered", [*_logs_in(authMethods=_METHODS), ask(1, "authenticate", methodId="key"), answer(1)]),
    raises("session-id-reused", "by a second session/new", [*start(), ask(1, "session/new"), answer(1, sessionId="s")],
           Found("session-id-reused", "agent", 6, "s")),
    spares("session-id-reused", "after it was closed, or for the same session",
           [*start(), ask(1, "session/close", sessionId="s"), answer(1), ask(2, "session/new"), answer(2, sessionId="s"), *_load()]),
    raises("announced-not-found", "a method that was announced, and one that every agent has",
           [*start(), ask(1, "session/list"), refuse(1, -32601), ask(2, "session/new"), refuse(2, -32601)],
           Found("announced-not-found", "agent", 6), Found("announced-not-found", "agent", 8)),
    raises("announced-not-found", "of the client",
           [*start(), call(1, "fs/read_text_file", sessionId="s"), decline(1, -32601)],
           Found("announced-not-found", "client", 6, "s")),
    spares("announced-not-found", "it was not announced, or is nobody's",
           [*hello(agent={}), ask(1, "session/list"), refuse(1, -32601), ask(2, "_x/y"), refuse(2, -32601)],
           Found("capability-missing", "client", 3)),
    spares("announced-not-found", "another error", [*start(), ask(1, "session/list"), refuse(1, -32603)]),
    raises("auth-method-unknown", "not offered", [*_logs_in(authMethods=_METHODS), ask(1, "authenticate", methodId="web"), refuse(1, -32602)],
           Found("auth-method-unknown", "client", 3)),
    spares("auth-method-unknown", "offered", [*_logs_in(authMethods=_METHODS), ask(1, "authenticate", methodId="key"), answer(1)]),
    raises("auth-still-required", "after it succeeded, once",
           [*_logs_in(authMethods=_METHODS), ask(1, "authenticate", methodId="key"), answer(1),
            ask(2, "session/new"), refuse(2, -32000, "Authentication required"), ask(3, "session/new"), refuse(3, -32000, "")],
           Found("auth-still-required", "agent", 6)),
    spares("auth-still-required", "after a session had been made, it may have run out",
           [*_logs_in(authMethods=_METHODS), ask(1, "authenticate", methodId="key"), answer(1), *opened(),
            prompt(2), refuse(2, -32000, "Authentication required")]),
    spares("auth-still-required", "it was refused, or is over",
           [*_logs_in(authMethods=_METHODS), ask(1, "authenticate", methodId="key"), refuse(1, -32603), ask(2, "session/new"),
            refuse(2, -32000, "Authentication required"), ask(3, "authenticate", methodId="key"), answer(3), ask(4, "logout"), answer(4),
            ask(5, "session/new"), refuse(5, -32000, "Authentication required")]),
    spares("auth-still-required", "another error with that code",
           [*_logs_in(authMethods=_METHODS), ask(1, "authenticate", methodId="key"), answer(1), ask(2, "session/new"), refuse(2, -32000, "busy")]),
    raises("auth-not-tried", "methods were offered", [*_logs_in(authMethods=_METHODS), ask(1, "session/new"), refuse(1, -32000, "Authentication required")],
           Found("auth-not-tried", "client", 4)),
    spares("auth-not-tried", "none were", [*_logs_in(authMethods=[]), ask(1, "session/new"), refuse(1, -32000, "Authentication required")]),
    raises("version-unsupported", "one that never was", [ask("i", "initialize", protocolVersion=1), answer("i", protocolVersion=7), *opened()],
           Found("version-unsupported", "client", 3)),
    spares("version-unsupported", "an older one", [ask("i", "initialize", protocolVersion=2, info=INFO), answer("i", protocolVersion=1), *opened()]),
    spares("version-unsupported", "the client leaves", [ask("i", "initialize", protocolVersion=1), answer("i", protocolVersion=0)]),
    raises("initialized-again", "after it was answered", [*hello(), *hello()], Found("initialized-again", "client", 3)),
    spares("initialized-again", "after it was refused", [ask("i", "initialize", protocolVersion=1), refuse("i", -32603), *hello()]),
    raises("session-gone", "in a prompt, by the code", [*start(), prompt(1), refuse(1, -32002, "Resource not found")],
           Found("session-gone", "agent", 6, "s")),
    raises("session-gone", "by its words", [*start(), ask(1, "session/load", sessionId="s"), refuse(1, -32603, "Session not found: s")],
           Found("session-gone", "agent", 6, "s")),
    spares("session-gone", "it was deleted", [*start(), ask(1, "session/delete", sessionId="s"), answer(1),
                                              ask(2, "session/load", sessionId="s"), refuse(2, -32002)]),
    spares("session-gone", "a file is missing",
           [*start(), ask(1, "session/prompt", sessionId="s", prompt=[{"type": "resource_link", "uri": "file:///a", "name": "a"}]),
            refuse(1, -32002, "Resource not found")]),
    spares("session-gone", "one that was never opened", [*hello(), ask(1, "session/load", sessionId="t"), refuse(1, -32002)]),
    raises("mcp-server-unannounced", "http",
           [*hello(), ask(1, "session/new", mcpServers=[{"type": "http", "name": "t", "url": "http://localhost", "headers": []}]), answer(1, sessionId="s")],
           Found("mcp-server-unannounced", "client", 3)),
    spares("mcp-server-unannounced", "stdio, and one that was announced",
           [*hello(agent={**AGENT, "mcpCapabilities": {"http": True}}),
            ask(1, "session/new", mcpServers=[{"name": "t", "command": "/t", "args": [], "env": []},
                                              {"type": "http", "name": "t", "url": "http://localhost", "headers": []}]), answer(1, sessionId="s")]),
    raises("parameter-unannounced", "a directory, a mode of elicitation, a terminal",
           [ask("i", "initialize", protocolVersion=1, clientCapabilities={"elicitation": {"form": {}}}),
            answer("i", protocolVersion=1, agentCapabilities={}, authMethods=[{"type": "terminal", "id": "t", "name": "T"}]),
            ask(1, "session/new", additionalDirectories=["/x"]), answer(1, sessionId="s"),
            call(2, "elicitation/create", sessionId="s", mode="url", message="", url="http://localhost", elicitationId="e"), reply(2, action="decline")],
           Found("parameter-unannounced", "agent", 2), Found("parameter-unannounced", "client", 3),
           Found("parameter-unannounced", "agent", 5, "s")),
    spares("parameter-unannounced", "an empty list, and an empty object that announces forms",
           [*hello(client={"elicitation": {}}), ask(1, "session/new", additionalDirectories=[]), answer(1, sessionId="s"),
            call(2, "elicitation/create", sessionId="s", mode="form", message="", requestedSchema={}), reply(2, action="decline")]),
    raises("update-before-session", "counted",
           [*hello(), ask("n", "session/new"), words(), words(), answer("n", sessionId="s")],
           Found("update-before-session", "agent", 4, "s", 2)),
    spares("update-before-session", "while it is loaded", [*hello(), ask(1, "session/load", sessionId="s"), words(), answer(1)]),
    raises("agent-never-spoke", "not a word of either side", [], Found("agent-never-spoke", "agent", 0)),
    spares("agent-never-spoke", "the client left", [], client_left=True),
    raises("large-last-frame", "then the client left", [*start(), prompt(1, text="x" * 70_000)],
           Found("large-last-frame", "agent", 5), Found("never-answered", "agent", 5, "s")),
    spares("large-last-frame", "others came after it",
           [*start(), up("agent_message_chunk", content={"type": "text", "text": "x" * 70_000}), prompt(1)],
           Found("never-answered", "agent", 6, "s")),
    raises("name-unprefixed", "a kind of authentication",
           [ask("i", "initialize", protocolVersion=2, info=INFO, capabilities={}),
            answer("i", protocolVersion=2, info=INFO, capabilities={}, authMethods=[{"type": "oauth", "methodId": "o", "name": "O"}])],
           Found("name-unprefixed", "agent", 2)),
    spares("name-unprefixed", "with an underscore, and in version 1",
           [ask("i", "initialize", protocolVersion=2, info=INFO, capabilities={}),
            answer("i", protocolVersion=2, info=INFO, capabilities={}, authMethods=[{"type": "_oauth", "methodId": "o", "name": "O"}])]),
]  # fmt: skip

TURNS: list[Scenario] = [
    raises("content-unannounced", "each kind once",
           [*hello(agent={}), *opened(), ask(1, "session/prompt", sessionId="s", prompt=[_IMAGE, _IMAGE, {"type": "text", "text": ""}]), words(), stop(1)],
           Found("content-unannounced", "client", 5, "s")),
    spares("content-unannounced", "a link needs nothing",
           [*hello(agent={"promptCapabilities": {"image": True}}), *opened(),
            ask(1, "session/prompt", sessionId="s", prompt=[_IMAGE, {"type": "resource_link", "uri": "file:///a", "name": "a"}]), words(), stop(1)]),
    raises("prompt-overlaps", "the second is refused", [*start(), prompt(1), prompt(2), refuse(2, -32600, "busy"), words(), stop(1)],
           Found("prompt-overlaps", "client", 7, "s")),
    spares("prompt-overlaps", "it is queued", [*start(), prompt(1), prompt(2), words(), stop(1), words(), stop(2)]),
    spares("prompt-overlaps", "it is refused for itself", [*start(), prompt(1), refuse(1, -32603)]),
    raises("turn-empty", "in version 2, too", [*start(2), *_RUNS_2, _state("idle", stopReason="end_turn")], Found("turn-empty", "agent", 9, "s")),
    raises("turn-empty", "usage is no output", [*start(), prompt(1), up("usage_update", used=1, size=2), stop(1)], Found("turn-empty", "agent", 7, "s")),
    spares("turn-empty", "a plan, another mode, a permission, a request",
           [*start(), prompt(1), up("plan", entries=[]), stop(1), prompt(2), up("current_mode_update", currentModeId="m"), stop(2),
            prompt(3), _tool(status="failed"), _asks(), chosen("p", optionId="no"), stop(3), prompt(4), call(5, "fs/read_text_file", sessionId="s"), reply(5, content=""), stop(4)]),
    spares("turn-empty", "it was cancelled, refused, or failed",
           [*start(), prompt(1), cancel(), stop(1, "cancelled"), prompt(2), stop(2, "refusal"), prompt(3), refuse(3, -32603)]),
    spares("turn-empty", "a line that could not be read", [*start(), prompt(1), ("agent", b"{"), stop(1)], Found("not-json", "agent", 6)),
    raises("error-after-decline", "a rejected tool call", [*start(), prompt(1), _tool(), _asks(), chosen("p", optionId="no"), refuse(1, -32603)],
           Found("error-after-decline", "agent", 9, "s")),
    spares("error-after-decline", "an allowed one, and work after a declined one",
           [*start(), prompt(1), _tool(), _asks(), chosen("p", optionId="yes"), refuse(1, -32603),
            prompt(2), _asks("q"), chosen("q", optionId="no"), _tool("tool_call_update", status="in_progress"), refuse(2, -32603)]),
    spares("error-after-decline", "words after a declined one",
           [*start(), prompt(1), _tool(), _asks(), chosen("p", optionId="no"), words(), refuse(1, -32603)]),
    raises("update-before-prompt", "once a session", [*start(), words(), words(), *_GOES], Found("update-before-prompt", "agent", 5, "s")),
    spares("update-before-prompt", "commands, options and names are no work",
           [*start(), up("available_commands_update", availableCommands=[]), up("session_info_update", title="t"), *_GOES]),
    spares("update-before-prompt", "a fork tells the history of its parent",
           [*start(), ask(1, "session/fork", sessionId="s", cwd="/w"), answer(1, sessionId="f"), words("f"), words("f"), *_GOES]),
    raises("tool-call-unfinished", "at end_turn", [*start(), prompt(1), _tool(status="in_progress"), stop(1)],
           Found("tool-call-unfinished", "agent", 6, "s")),
    spares("tool-call-unfinished", "it failed, was completed, or the turn was cancelled",
           [*start(), prompt(1), _tool(status="completed"), _tool(toolCallId="d"), _tool("tool_call_update", toolCallId="d", status="failed"), stop(1),
            prompt(2), _tool(toolCallId="e"), cancel(), stop(2, "cancelled"), prompt(3), _tool(toolCallId="f"), stop(3, "max_tokens")]),
    spares("tool-call-unfinished", "history is not judged again",
           [*hello(), ask(1, "session/load", sessionId="s"), _tool(), answer(1), *_GOES]),
    raises("tool-call-restarted", "after it was completed",
           [*start(), prompt(1), _tool(status="completed"), _tool("tool_call_update", status="in_progress"), stop(1)],
           Found("tool-call-restarted", "agent", 7, "s")),
    spares("tool-call-restarted", "the same end twice, and more of what it shows",
           [*start(), prompt(1), _tool(status="completed"), _tool("tool_call_update", status="completed"), _tool("tool_call_update", title="x"), stop(1)]),
    raises("tool-call-id-reused", "in another turn",
           [*start(), prompt(1), _tool(status="completed"), stop(1), prompt(2), _tool(status="failed"), stop(2)],
           Found("tool-call-id-reused", "agent", 9, "s")),
    spares("tool-call-id-reused", "announced twice before its end, and in another session",
           [*start(), *opened("t"), prompt(1), _tool(), _tool(status="completed"), stop(1), prompt(2, "t"),
            up("tool_call", session="t", toolCallId="c", title="x", status="completed"), stop(2)]),
    raises("resume-replayed", "a tool call, which is no second call with its id",
           [*start(), prompt(1), _tool(status="completed"), stop(1), ask(2, "session/resume", sessionId="s"), _tool(), _tool("tool_call_update", status="completed"), answer(2)],
           Found("resume-replayed", "agent", 9, "s", 2)),
    raises("message-repeated", "as one chunk, after its pieces",
           [*start(), prompt(1), *[up("agent_message_chunk", content={"type": "text", "text": text}) for text in ("Hello, dear ", "reader!", "Hello, dear reader!")], stop(1)],
           Found("message-repeated", "agent", 8, "s")),
    spares("message-repeated", "a short word, and the same after a tool call",
           [*start(), prompt(1), *[up("agent_message_chunk", content={"type": "text", "text": text}) for text in ("ha", "ha", "haha", "Hello, dear ", "reader!")],
            _tool(status="completed"), up("agent_message_chunk", content={"type": "text", "text": "Hello, dear reader!"}), stop(1)]),
    raises("prompt-echoed", "in version 1", [*start(), prompt(1), up("user_message_chunk", content={"type": "text", "text": "go"}), words(), stop(1)],
           Found("prompt-echoed", "agent", 6, "s")),
    spares("prompt-echoed", "version 2 asks for it, and history is no echo",
           [*start(2), *_RUNS_2, _WORDS_2, _state("idle", stopReason="end_turn")]),
    raises("stalled", "the agent waits for nobody", [*start(), prompt(1), words(), stop(1)],
           Found("stalled", "agent", 5, "s"), step=30 * _SECOND),
    spares("stalled", "half a second less", [*start(), prompt(1), words(), stop(1)], step=29 * _SECOND),
    raises("history-missing", "nothing came", [*start(), *_GOES, ask(2, "session/load", sessionId="s"), answer(2), prompt(3), words(), stop(3)],
           Found("history-missing", "agent", 9, "s")),
    spares("history-missing", "a message came, or there was nothing to tell",
           [*start(), ask(2, "session/load", sessionId="s"), answer(2), *_GOES, ask(3, "session/load", sessionId="s"), words(), answer(3)]),
    raises("history-differs", "a tool call is missing", [*_TWO_CALLS, *_load(_tool(status="completed", toolCallId="a"))],
           Found("history-differs", "agent", 13, "s")),
    raises("history-differs", "another order of turns", [*_TWO_CALLS, *_load(*_done("b", "a"))],
           Found("history-differs", "agent", 14, "s")),
    raises("history-differs", "other ids", [*_TWO_CALLS, *_load(*_done("c", "d"))],
           Found("history-differs", "agent", 14, "s")),
    raises("history-differs", "another title", [*_TWO_CALLS, *_load(*_done("a"), _tool(status="completed", toolCallId="b", title="Ls"))],
           Found("history-differs", "agent", 14, "s")),
    spares("history-differs", "the same, with more, and by updates alone",
           [*_TWO_CALLS, *_load(_user(), *_done("0", "a"), _tool("tool_call_update", status="completed", toolCallId="b"))]),
    spares("history-differs", "a tool call that never ended",
           [*start(), prompt(1), _tool(status="pending"), stop(1), *_load(_user())], Found("tool-call-unfinished", "agent", 6, "s")),
    raises("history-differs", "nothing of the user", [*_TWO_TEXTS, *_load(words())], Found("history-differs", "agent", 13, "s")),
    raises("history-differs", "nothing of the agent", [*_TWO_TEXTS, *_load(_user("one"), _user("two"))], Found("history-differs", "agent", 14, "s")),
    raises("history-differs", "a prompt is missing", [*_TWO_TEXTS, *_load(_user("one"), words())], Found("history-differs", "agent", 14, "s")),
    raises("history-differs", "all of it twice", [*_TWO_TEXTS, *_load(*2 * [_user("one"), words(), _user("two"), words()])],
           Found("history-differs", "agent", 20, "s")),
    spares("history-differs", "prompts in pieces, with more around them, after a compaction",
           [*_TWO_TEXTS, *_load(_user("<q>o"), _user("ne</q>"), words(), _user("two"), words()),
            ask(4, "session/load", sessionId="s"), up("compaction_update", compactionId="c", status="completed"), words(), answer(4)]),
    raises("history-late", "after the answer", [*hello(), ask(2, "session/load", sessionId="s"), answer(2), words(), *_GOES],
           Found("history-late", "agent", 5, "s")),
    spares("history-late", "commands are no history",
           [*hello(), ask(2, "session/load", sessionId="s"), words(), answer(2), up("available_commands_update", availableCommands=[]), *_GOES]),
    raises("state-skipped", "idle without running", [*start(2), prompt(1), answer(1, messageId="m"), _typed(), _state("idle", stopReason="end_turn")],
           Found("state-skipped", "agent", 8, "s")),
    spares("state-skipped", "running, then idle", [*start(2), *_RUNS_2, _WORDS_2, _state("idle", stopReason="end_turn")]),
    raises("turn-unfinished", "the prompt is accepted, and nothing more comes", [*start(2), prompt(1), answer(1, messageId="m"), words()],
           Found("turn-unfinished", "agent", 5, "s")),
    spares("turn-unfinished", "it ended, is refused, or is one of version 1",
           [*start(2), prompt(1), answer(1, messageId="m"), _state("running"), _typed(), _state("idle", stopReason="end_turn"),
            prompt(2), refuse(2, -32603)]),
    raises("prompt-not-echoed", "another message", [*start(2), prompt(1), answer(1, messageId="m"), _typed("n"), _state("running"), _state("idle", stopReason="end_turn")],
           Found("prompt-not-echoed", "agent", 9, "s")),
    spares("prompt-not-echoed", "before its answer", [*start(2), prompt(1), _typed(), answer(1, messageId="m"), _state("running"), _state("idle", stopReason="end_turn")]),
]  # fmt: skip

PERMISSIONS: list[Scenario] = [
    raises("permission-option-repeated", "the second one", [*start(), prompt(1), _tool(), _asks(options=[*_OPTIONS, *_OPTIONS]), chosen("p", optionId="no"), stop(1)],
           Found("permission-option-repeated", "agent", 7, "s")),
    spares("permission-option-repeated", "one name, two ids",
           [*start(), prompt(1), _tool(), _asks(options=[{**one, "name": "Go"} for one in _OPTIONS]), chosen("p", optionId="no"), stop(1)]),
    raises("permission-without-options", "an empty list", [*start(), prompt(1), _tool(), _asks(options=[]), chosen("p", "cancelled"), stop(1)],
           Found("permission-without-options", "agent", 7, "s"), Found("permission-cancelled-alone", "client", 8, "s")),
    spares("permission-without-options", "one is enough", [*start(), prompt(1), _tool(status="completed"), _asks(options=_OPTIONS[:1]), chosen("p", optionId="yes"), stop(1)]),
    raises("permission-option-unknown", "not offered", [*start(), prompt(1), _tool(), _asks(), chosen("p", optionId="always"), stop(1)],
           Found("permission-option-unknown", "client", 8, "s")),
    spares("permission-option-unknown", "offered", [*start(), prompt(1), _tool(), _asks(), chosen("p", optionId="yes"), stop(1)]),
    raises("permission-cancelled-alone", "what the agent makes of it follows from it",
           [*start(), prompt(1), _tool(), _asks(), chosen("p", "cancelled"), stop(1, "cancelled")],
           Found("permission-cancelled-alone", "client", 8, "s"), Found("internal-cancel", "agent", 9, "s")),
    spares("permission-cancelled-alone", "before its cancel, and after",
           [*start(), prompt(1), _tool(), _asks(), chosen("p", "cancelled"), cancel(), stop(1, "cancelled"),
            prompt(2), _asks("q"), cancel(), chosen("q", "cancelled"), stop(2, "cancelled")]),
    spares("permission-cancelled-alone", "the agent took it back, or the session was closed",
           [*start(), prompt(1), _tool(), _asks(), tell("agent", "$/cancel_request", requestId="p"), chosen("p", "cancelled"), words(), stop(1),
            prompt(2), _asks("q"), chosen("q", "cancelled"), ask(3, "session/close", sessionId="s"), stop(2, "cancelled"), answer(3)]),
    raises("permission-input-emptied", "it was known", [*start(), prompt(1), _tool(rawInput={"a": 1}), _asks(rawInput={}), chosen("p", optionId="no"), words(), stop(1)],
           Found("permission-input-emptied", "agent", 7, "s")),
    spares("permission-input-emptied", "it is left out, or never was",
           [*start(), prompt(1), _tool(rawInput={"a": 1}), _asks(), chosen("p", optionId="no"), _tool(toolCallId="d"),
            call("q", "session/request_permission", sessionId="s", toolCall={"toolCallId": "d", "rawInput": {}}, options=_OPTIONS),
            chosen("q", optionId="no"), words(), stop(1)]),
]  # fmt: skip

REQUESTS: list[Scenario] = [
    raises("path-relative", "what is read, and what is shown",
           [*start(), prompt(1), call(1, "fs/read_text_file", sessionId="s", path="a.txt"), reply(1, content=""),
            _tool(locations=[{"path": "src/a"}], status="completed"), stop(1)],
           Found("path-relative", "agent", 6, "s"), Found("path-relative", "agent", 8, "s")),
    raises("path-relative", "version 2: a command, a terminal, a change, and what a list tells",
           [*start(2), prompt(1), answer(1, messageId="m"), _typed(), _state("running"),
            call(7, "session/request_permission", sessionId="s", title="Run?", subject={"type": "command", "command": "ls", "cwd": "w"}, options=_OPTIONS),
            reply(7, outcome={"outcome": "selected", "optionId": "yes"}),
            up("terminal_update", terminalId="t", command="ls", cwd="w"),
            up("tool_call_update", toolCallId="c", title="Edit", content=[{"type": "diff", "changes": [{"operation": "modify", "path": "a"}]}]),
            _state("idle", stopReason="end_turn"), ask(8, "session/list"), answer(8, sessions=[{"sessionId": "s", "cwd": "w"}])],
           *(Found("path-relative", "agent", frame, session) for frame, session in ((9, "s"), (11, "s"), (12, "s"), (15, None)))),
    spares("path-relative", "of other systems", [*hello(), ask(1, "session/new", cwd="C:\\w"), answer(1, sessionId="s"), ask(2, "session/new", cwd="\\\\host\\w"),
                                                answer(2, sessionId="t"), ask(3, "session/new", cwd="D:/w"), answer(3, sessionId="u")]),
    raises("line-out-of-range", "line 0", [*start(), call(1, "fs/read_text_file", sessionId="s", line=0), reply(1, content="")],
           Found("line-out-of-range", "agent", 5, "s")),
    spares("line-out-of-range", "line 1, and none", [*start(), call(1, "fs/read_text_file", sessionId="s", line=1, limit=0), reply(1, content=""),
                                                     call(2, "fs/read_text_file", sessionId="s", line=None), reply(2, content="")]),
    raises("read-range-ignored", "a line more", [*start(), call(1, "fs/read_text_file", sessionId="s", limit=2), reply(1, content="a\nb\nc")],
           Found("read-range-ignored", "client", 6, "s")),
    spares("read-range-ignored", "fewer, and an end of line", [*start(), call(1, "fs/read_text_file", sessionId="s", limit=2), reply(1, content="a\nb\n")]),
    raises("terminal-unknown", "never created, and released",
           [*start(), call(1, "terminal/kill", sessionId="s", terminalId="x"), decline(1, -32602), call(2, "terminal/create", sessionId="s"),
            reply(2, terminalId="t"), call(3, "terminal/release", sessionId="s", terminalId="t"), reply(3),
            call(4, "terminal/output", sessionId="s", terminalId="t"), decline(4, -32602)],
           Found("terminal-unknown", "agent", 5, "s"), Found("terminal-unknown", "agent", 11, "s")),
    spares("terminal-unknown", "used, then released",
           [*start(), call(1, "terminal/create", sessionId="s"), reply(1, terminalId="t"), call(2, "terminal/output", sessionId="s", terminalId="t"),
            reply(2, output="", truncated=False), call(3, "terminal/release", sessionId="s", terminalId="t"), reply(3)]),
    raises("terminal-not-released", "its turn is over", [*start(), prompt(1), call(1, "terminal/create", sessionId="s"), reply(1, terminalId="t"), words(), stop(1)],
           Found("terminal-not-released", "agent", 6, "s")),
    raises("terminal-not-released", "its command had ended long before the client left",
           [*start(), prompt(1), call(1, "terminal/create", sessionId="s"), reply(1, terminalId="t"),
            call(2, "terminal/wait_for_exit", sessionId="s", terminalId="t"), reply(2, exitCode=0), words(), stop(1)],
           Found("terminal-not-released", "agent", 6, "s"), step=400_000_000, client_left=True),
    spares("terminal-not-released", "its command was running when the turn ended, and the client left",
           [*start(), prompt(1), call(1, "terminal/create", sessionId="s"), reply(1, terminalId="t"),
            call(2, "terminal/output", sessionId="s", terminalId="t"), reply(2, output="", truncated=False), words(), stop(1)],
           step=400_000_000, client_left=True),
    spares("terminal-not-released", "its turn goes on", [*start(), prompt(1), call(1, "terminal/create", sessionId="s"), reply(1, terminalId="t")],
           Found("never-answered", "agent", 5, "s")),
    raises("elicitation-id-reused", "while the first is not complete", [*hello(client=_LINKS), *opened(), _link(1), reply(1, action="accept"), _link(2), reply(2, action="decline")],
           Found("elicitation-id-reused", "agent", 7, "s")),
    spares("elicitation-id-reused", "after it was completed, or declined",
           [*hello(client=_LINKS), *opened(), _link(1), reply(1, action="accept"), tell("agent", "elicitation/complete", elicitationId="e"),
            _link(2), reply(2, action="decline"), _link(3), reply(3, action="cancel")]),
    raises("elicitation-incomplete", "a required member",
           [*start(), call(1, "elicitation/create", sessionId="s", mode="form", message="", requestedSchema={"required": ["a", "b"]}),
            reply(1, action="accept", content={"a": 1})],
           Found("elicitation-incomplete", "client", 6, "s")),
    spares("elicitation-incomplete", "declined, or whole",
           [*start(), call(1, "elicitation/create", sessionId="s", mode="form", message="", requestedSchema={"required": ["a"]}), reply(1, action="decline"),
            call(2, "elicitation/create", sessionId="s", mode="form", message="", requestedSchema={"required": ["a"]}), reply(2, action="accept", content={"a": 0})]),
    raises("elicitation-unknown", "never created", [*start(), tell("agent", "elicitation/complete", elicitationId="e")],
           Found("elicitation-unknown", "agent", 5)),
    spares("elicitation-unknown", "created",
           [*hello(client={"elicitation": {"url": {}}}), *opened(), call(1, "elicitation/create", sessionId="s", mode="url", message="", url="http://localhost", elicitationId="e"),
            reply(1, action="accept"), tell("agent", "elicitation/complete", elicitationId="e")]),
]  # fmt: skip

CANCELLATION: list[Scenario] = [
    raises("cancel-slow", "nothing was open", [*start(), prompt(1), words(), cancel(), stop(1, "cancelled")],
           Found("cancel-slow", "agent", 8, "s"), step=5 * _SECOND),
    spares("cancel-slow", "a permission was open",
           [*start(), prompt(1), _tool(), _asks(), cancel(), chosen("p", "cancelled"), stop(1, "cancelled")], step=4 * _SECOND),
    raises("cancel-idle", "the next turn is cut short",
           [*start(), prompt(1), *[words()] * 20, stop(1), cancel(), prompt(2), words(), stop(2)], Found("cancel-idle", "agent", 27, "s")),
    spares("cancel-idle", "the next turn is like the others", [*start(), prompt(1), words(), stop(1), cancel(), prompt(2), words(), stop(2)]),
    raises("requests-not-cancelled", "in version 2",
           [*start(2), *_RUNS_2, call(2, "session/request_permission", sessionId="s", title="Look", options=_OPTIONS), cancel(), _state("idle", stopReason="cancelled")],
           Found("never-answered", "client", 9, "s"), Found("requests-not-cancelled", "agent", 11, "s")),
    spares("requests-not-cancelled", "it was taken back",
           [*start(2), *_RUNS_2, call(2, "session/request_permission", sessionId="s", title="Look", options=_OPTIONS), cancel(),
            tell("agent", "$/cancel_request", requestId=2), decline(2, -32800), _state("idle", stopReason="cancelled")]),
]  # fmt: skip

CONFIGURATION: list[Scenario] = [
    raises("mode-unknown", "asked for, and named",
           [*start(modes=_MODES), ask(1, "session/set_mode", sessionId="s", modeId="x"), refuse(1, -32602), up("current_mode_update", currentModeId="y")],
           Found("mode-unknown", "client", 5, "s"), Found("mode-unknown", "agent", 7, "s")),
    raises("mode-unknown", "of a session that has none", [*start(), ask(1, "session/set_mode", sessionId="s", modeId="x"), answer(1)],
           Found("mode-unknown", "client", 5, "s")),
    spares("mode-unknown", "an option stands for the modes", [*start(configOptions=[{**_CHOICE, "category": "mode"}]),
                                                             ask(1, "session/set_mode", sessionId="s", modeId="a"), answer(1)]),
    spares("mode-unknown", "offered, and where no list is known",
           [*start(modes=_MODES), ask(1, "session/set_mode", sessionId="s", modeId="code"), answer(1), ask(2, "session/load", sessionId="t"), answer(2), ask(3, "session/set_mode", sessionId="t", modeId="x"), answer(3)]),
    raises("config-missing", "options, and modes",
           [*start(modes=_MODES), ask(1, "session/load", sessionId="s"), answer(1),
            *opened("t", configOptions=[_CHOICE]), ask(2, "session/resume", sessionId="t"), answer(2)],
           Found("config-missing", "agent", 6, "s"), Found("config-missing", "agent", 10, "t")),
    spares("config-missing", "both are there, or an option in place of the modes",
           [*start(modes=_MODES, configOptions=[_CHOICE]), ask(1, "session/load", sessionId="s"), answer(1, modes=_MODES, configOptions=[_CHOICE]),
            *opened("t", modes=_MODES), ask(2, "session/load", sessionId="t"), answer(2, configOptions=[{**_CHOICE, "category": "mode"}])]),
]  # fmt: skip


def _lists(**info: Any) -> list[Said]:
    return [ask("l", "session/list"), answer("l", sessions=[{"sessionId": "s", "cwd": "/w", **info}])]


_OTHERS = [{"sessionId": "s", "cwd": "/w"}, {"sessionId": "t", "cwd": "/v"}]

METADATA: list[Scenario] = [
    raises("list-filter-ignored", "two directories", [*start(), ask(1, "session/list", cwd="/w"), answer(1, sessions=_OTHERS)],
           Found("list-filter-ignored", "agent", 6)),
    spares("list-filter-ignored", "no filter, or one directory by another path",
           [*start(), ask(1, "session/list"), answer(1, sessions=_OTHERS), ask(2, "session/list", cwd="/x"), answer(2, sessions=_OTHERS[:1])]),
    raises("title-only-listed", "no update told it", [*start(), *_GOES, *_lists(title="A")], Found("title-only-listed", "agent", 9, "s")),
    spares("title-only-listed", "an update told it", [*start(), up("session_info_update", title="A"), *_GOES, *_lists(title="A")]),
    raises("session-untitled", "after a turn", [*start(), *_GOES, *_lists()], Found("session-untitled", "agent", 9, "s")),
    spares("session-untitled", "before its first turn", [*start(), *_lists()]),
]  # fmt: skip


def _calls(*numbers: int, **how: Any) -> list[Said]:
    return [("model", event) for number in numbers for _, event in called(number, 0, 2, **how)]


_FAILED = _calls(1, status=429, error="quota")


def _used(tokens: int) -> Said:
    return answer(
        1, stopReason="end_turn", usage={"inputTokens": 9, "outputTokens": tokens, "totalTokens": 9 + tokens}
    )


TURNS += [
    raises("model-error-hidden", "a call for a route went well before",
           [*start(), prompt(1), *_calls(1, says=[(1, "a")]), *_calls(2, status=429, error="quota"), stop(1)],
           Found("turn-empty", "agent", 6, "s"), Found("model-error-hidden", "agent", 6, "s")),
    raises("model-error-hidden", "a note, if the answer was there before",
           [*start(), prompt(1), *_calls(1, says=[(1, "a")]), words(), *_calls(2, status=429, error="quota"), stop(1)],
           Found("model-error-hidden", "agent", 7, "s")),
    raises("max-tokens-hidden", "the last call", [*start(), prompt(1), *_calls(1, tokens=(9, 4), reason="length"), words(), _used(4)],
           Found("max-tokens-hidden", "agent", 7, "s")),
    spares("max-tokens-hidden", "one before it, or the turn says so",
           [*start(), prompt(1), *_calls(1, tokens=(9, 4), reason="length"), *_calls(2, tokens=(9, 4)), words(), _used(8),
            prompt(2), *_calls(3, tokens=(9, 4), reason="length"), words(), stop(2, "max_tokens")]),
    raises("model-error-hidden", "the provider refused, and the turn ended well", [*start(), prompt(1), *_FAILED, stop(1)],
           Found("turn-empty", "agent", 6, "s"), Found("model-error-hidden", "agent", 6, "s")),
    spares("model-error-hidden", "another call went well, or the client was told",
           [*start(), prompt(1), *_FAILED, *_calls(2, says=[(1, "Ye")]), words(), stop(1),
            prompt(2), *_calls(3, status=429, error="quota"), refuse(2, -32603, "quota")]),
]  # fmt: skip


USAGE: list[Scenario] = [
    raises("usage-disagrees", "another sum", [*start(), prompt(1), *_calls(1, 2, tokens=(9, 4)), words(), _used(5)],
           Found("usage-disagrees", "agent", 7, "s")),
    spares("usage-disagrees", "of the turn, or of its last call",
           [*start(), prompt(1), *_calls(1, 2, tokens=(9, 4)), words(), _used(8)]),
    raises("usage-disagrees", "of the last call alone: a note", [*start(), prompt(1), *_calls(1, 2, tokens=(9, 4)), words(), _used(4)],
           Found("usage-disagrees", "agent", 7, "s")),
    spares("usage-disagrees", "of all calls but that of another model, which found a title",
           [*start(), prompt(1), *_calls(1, tokens=(9, 4), model="small"), *_calls(2, tokens=(9, 4)), words(), _used(4)]),
    raises("usage-disagrees", "of the last call alone, beside that of another model: a note",
           [*start(), prompt(1), *_calls(1, tokens=(9, 4), model="small"), *_calls(2, 3, tokens=(9, 4)), words(), _used(4)],
           Found("usage-disagrees", "agent", 7, "s")),
    raises("usage-disagrees", "a total that is less than its parts",
           [*start(), prompt(1), words(), answer(1, stopReason="end_turn", usage={"inputTokens": 9, "outputTokens": 4, "totalTokens": 12})],
           Found("usage-disagrees", "agent", 7, "s")),
    raises("usage-disagrees", "a cost that falls, a context that is too small: once each",
           [*start(), *(up("usage_update", used=used, size=2, cost={"amount": cost, "currency": "USD"}) for used, cost in ((1, 3), (3, 2), (4, 1)))],
           Found("usage-disagrees", "agent", 6, "s"), Found("usage-disagrees", "agent", 6, "s")),
    spares("usage-disagrees", "thoughts in the total, another currency, a session that is opened again",
           [*start(), prompt(1), words(), answer(1, stopReason="end_turn", usage={"inputTokens": 9, "outputTokens": 4, "thoughtTokens": 5, "totalTokens": 18}),
            *(up("usage_update", used=1, size=0, cost={"amount": cost, "currency": currency}) for cost, currency in ((3, "USD"), (2, "EUR"))),
            ask(3, "session/resume", sessionId="s"), answer(3), up("usage_update", used=1, size=0, cost={"amount": 1, "currency": "EUR"})]),
    raises("usage-missing", "neither in updates nor at the end of a turn", [*start(), prompt(1), *_calls(1, tokens=(9, 4)), words(), stop(1)],
           Found("usage-missing", "agent", 7, "s")),
    spares("usage-missing", "an update tells it", [*start(), prompt(1), *_calls(1, tokens=(9, 4)), words(), up("usage_update", used=1, size=2), stop(1)]),
    spares("usage-disagrees", "a call that nobody counted", [*start(), prompt(1), *_calls(1, tokens=(9, 4)), *_calls(2), words(), _used(5)]),
]  # fmt: skip

#: By the groups of their codes.
SCENARIOS = {
    "connection": CONNECTION,
    "turns": TURNS,
    "permissions": PERMISSIONS,
    "requests": REQUESTS,
    "cancellation": CANCELLATION,
    "configuration": CONFIGURATION,
    "metadata": METADATA,
    "usage": USAGE,
}
