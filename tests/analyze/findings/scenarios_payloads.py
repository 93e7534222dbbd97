"""The group `payloads`: members that are missing, of another type, unknown; and what an older code says."""

from __future__ import annotations

from typing import Any

from tests.analyze.findings.scenario import Found, Scenario, hello, raises, spares, start
from tests.reading.talk import Said, answer, ask, call, chosen, permit, prompt, reply, stop, tell, up
from tests.support import INFO

_TEXT = {"type": "text", "text": "…"}
_CALL = {"toolCallId": "c", "title": "Look"}


def _raw(**params: Any) -> Said:
    return "agent", {"jsonrpc": "2.0", "method": "session/update", "params": params}


_MISSING, _TYPE, _VALUE, _EXTRA = (
    f"payload-{kind}" for kind in ("field-missing", "wrong-type", "unknown-value", "extra-field")
)

SCENARIOS: list[Scenario] = [
    raises(
        _MISSING, "of both sides, each place once",
        [
            *start(),
            ("client", {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/w"}}), answer(1),
            *[up("tool_call", toolCallId="c")] * 3,
        ],
        Found(_MISSING, "client", 5), Found(_MISSING, "agent", 6), Found(_MISSING, "agent", 7, "s", 3),
    ),
    raises(
        _MISSING, "no params at all",
        [*hello(), ("client", {"jsonrpc": "2.0", "id": 1, "method": "session/new"}), answer(1, sessionId="s")],
        Found(_MISSING, "client", 3),
    ),
    raises(
        _MISSING, "an entry that readers skip",
        [*start(), up("plan", entries=[{"content": "x", "status": "pending"}] * 2)], Found(_MISSING, "agent", 5, "s", 2),
    ),
    raises(
        _MISSING, "in version 2 a chunk names its message",
        [*start(2), prompt(1), up("agent_message_chunk", content=_TEXT)],
        Found("never-answered", "agent", 5, "s"), Found(_MISSING, "agent", 6, "s"),
    ),
    spares(_MISSING, "a result that says nothing may be null", [
        *start(), ask(1, "session/load", sessionId="t"), ("agent", {"jsonrpc": "2.0", "id": 1, "result": None}),
    ]),
    spares(_MISSING, "a stop reason has a code of its own",
           [*start(), prompt(1), up("agent_message_chunk", content=_TEXT), answer(1)],
           Found("stop-reason-unknown", "agent", 7, "s")),
    spares(_MISSING, "an extension is of no shape", [*hello(), ask(1, "_x/y"), answer(1), tell("agent", "_x/z")]),
    spares(_MISSING, "an error has no result", [*hello(), ask(1, "session/new"), ("agent", {
        "jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": ""}})]),
    raises(
        _TYPE, "another type, null, a list around it",
        [
            *start(),
            up("agent_message_chunk", content="…"),
            up("agent_message_chunk", content=None),
            up("agent_message_chunk", content=[_TEXT]),
        ],
        Found(_TYPE, "agent", 5, "s", 3),
    ),
    raises(
        _TYPE, "what the client answers, and what it asks",
        [*start(), permit(1), reply(1, outcome="selected"), ask(2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": 5}]), stop(2)],
        Found("permission-unannounced", "agent", 5, "s"), Found(_TYPE, "client", 6, "s"), Found(_TYPE, "client", 7, "s"),
    ),
    raises(
        _TYPE, "a capability of which readers make none",
        [ask("i", "initialize", protocolVersion=1), answer("i", protocolVersion=1, agentCapabilities={
            "sessionCapabilities": {"list": True}})],
        Found(_TYPE, "agent", 2),
    ),
    raises(
        _TYPE, "a version that is a date", [ask("i", "initialize", protocolVersion="2024-11-05"), answer("i", protocolVersion=1)],
        Found(_TYPE, "client", 1),
    ),
    raises(_TYPE, "a session that is a number", [*start(), _raw(sessionId=5, update={"sessionUpdate": "tool_call", **_CALL})],
           Found(_TYPE, "agent", 5)),
    spares(_TYPE, "params that are a list", [*start(), ("client", {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": []}),
                                             answer(1, sessions=[])],
           Found("not-jsonrpc", "client", 5)),
    spares(_TYPE, "a field of session_info_update has a code of its own", [*start(), up("session_info_update", title=5)],
           Found("info-wrong-type", "agent", 5, "s")),
    spares(_TYPE, "options have codes of their own", [*start(), up("config_option_update", configOptions=[5, {"id": "x"}])],
           Found("option-malformed", "agent", 5, "s"), Found("option-malformed", "agent", 5, "s"), Found(_MISSING, "agent", 5, "s")),
    spares(_TYPE, "a whole number may be written with a fraction", [*start(), up("usage_update", used=10.0, size=1e2)]),
    raises(
        _VALUE, "words that readers replace, and one that they refuse",
        [
            *start(), up("tool_call", **_CALL, kind="bash", status="running"),
            call(1, "session/request_permission", sessionId="s", toolCall=_CALL,
                 options=[{"optionId": "o", "name": "O", "kind": "allow_persistent"}]),
            chosen(1, optionId="o"),
        ],
        Found(_VALUE, "agent", 5, "s"), Found(_VALUE, "agent", 5, "s"), Found(_VALUE, "agent", 6, "s"),
    ),
    raises(_VALUE, "out of range", [*start(), up("usage_update", used=-1, size=2)], Found(_VALUE, "agent", 5, "s")),
    raises(
        _VALUE, "a form that the version does not have",
        [*start(), up("agent_message_chunk", content={"type": "video", "data": ""})], Found(_VALUE, "agent", 5, "s"),
    ),
    spares(_VALUE, "an unknown kind of update has a code of its own", [*start(), up("nonsense", content=5)],
           Found("unknown-update", "agent", 5, "s")),
    spares(_VALUE, "a list that version 2 leaves open", [*start(2), up("tool_call_update", toolCallId="c", kind="_bash")]),
    raises(
        _EXTRA, "once a session, however they are called",
        [*start(), up("tool_call", **_CALL, cost=1), up("tool_call_update", toolCallId="c", parent="p")],
        Found(_EXTRA, "agent", 5, "s", 2),
    ),
    spares(_EXTRA, "in _meta, and where anything may stand",
           [*start(), up("tool_call", **_CALL, rawInput={"x": {"y": 1}}, _meta={"x": 1})]),
    spares(_EXTRA, "each version has its own members", [
        ask("i", "initialize", protocolVersion=2, info=INFO, capabilities={}),
        answer("i", protocolVersion=2, info=INFO, capabilities={}),
    ]),
]  # fmt: skip
