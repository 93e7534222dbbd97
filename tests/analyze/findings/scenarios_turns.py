"""The group `turns`: kinds of updates, what comes between turns, tool calls, stop reasons."""

from __future__ import annotations

from typing import Any

from tests.analyze.findings.scenario import Found, Scenario, hello, raises, spares, start
from tests.reading.talk import (
    Said,
    answer,
    ask,
    chosen,
    opened,
    permit,
    prompt,
    refuse,
    stop,
    tell,
    up,
    words,
)

_RESUME = ask(1, "session/resume", sessionId="s", cwd="/w")
_NOTICES: dict[str, Any] = {"session": {"notices": {}}}


def _tool(id: str = "c", session: str = "s", **fields: Any) -> Said:
    return up("tool_call", session, toolCallId=id, title="t", **fields)


def _step(id: str = "c", session: str = "s", **fields: Any) -> Said:
    return up("tool_call_update", session, toolCallId=id, status="completed", **fields)


def _state(state: str, **fields: Any) -> Said:
    return up("state_update", state=state, **fields)


_KINDS = [
    raises("unknown-update", "a kind of its own", [*start(), up("thinking")], Found("unknown-update", "agent", 5, "s")),
    raises("unknown-update", "with an underscore, in protocol 1", [*start(), up("_mine")], Found("unknown-update", "agent", 5, "s")),
    raises("unknown-update", "of draft 2 in protocol 1", [*start(), up("agent_message")], Found("unknown-update", "agent", 5, "s")),
    raises(
        "unknown-update", "of protocol 1 in draft 2",
        [*start(2), _tool(), up("plan", entries=[])],
        Found("unknown-update", "agent", 5, "s"), Found("unknown-update", "agent", 6, "s"),
    ),
    raises(
        "unknown-update", "no kind",
        [*start(), tell("agent", "session/update", sessionId="s", update={"content": {}})],
        Found("unknown-update", "agent", 5, "s"),
    ),
    spares("unknown-update", "unstable kinds", [*hello(client={"subagents": {}}), *opened(), up("session_message_chunk"), up("subagent_update")]),
    spares("unknown-update", "with an underscore, in draft 2", [*start(2), up("_mine")]),
    spares("unknown-update", "of draft 2, while no version is agreed on", [hello(2)[0], *opened(), up("agent_message"), hello(2)[1]]),
    raises(
        "update-not-announced", "counted by kind",
        [*hello(client={}), *opened(), up("notice"), up("compaction_update"), up("notice")],
        Found("update-not-announced", "agent", 5, "s", 2), Found("update-not-announced", "agent", 6, "s"),
    ),
    raises(
        "update-not-announced", "another one was",
        [*hello(client=_NOTICES), *opened(), up("compaction_summary_chunk")],
        Found("update-not-announced", "agent", 5, "s"),
    ),
    raises(
        "update-not-announced", "null announces nothing",
        [*hello(client={"session": {"notices": None}}), *opened(), up("notice")],
        Found("update-not-announced", "agent", 5, "s"),
    ),
    spares("update-not-announced", "it was, by an empty object", [*hello(client=_NOTICES), *opened(), up("notice")]),
    spares("update-not-announced", "draft 2 asks for nothing", [*hello(2, client={}), *opened(), up("notice")]),
    spares("update-not-announced", "kinds that everyone takes", [*hello(client={}), *opened(), up("usage_update"), up("session_info_update")]),
]  # fmt: skip

_BETWEEN = [
    raises(
        "update-after-settle", "once for each turn",
        [*start(), prompt(1), stop(1), words(), words(), prompt(2), stop(2), up("plan", entries=[])],
        Found("update-after-settle", "agent", 7, "s"), Found("update-after-settle", "agent", 11, "s"),
    ),
    raises(
        "update-after-settle", "after an error",
        [*start(), prompt(1), refuse(1, -32603), words()],
        Found("update-after-settle", "agent", 7, "s"),
    ),
    spares("update-after-settle", "before the first turn", [*start(), words()]),
    spares("update-after-settle", "before the response, and after the next prompt", [*start(), prompt(1), words(), stop(1), prompt(2), words(), stop(2)]),
    spares(
        "update-after-settle", "what is no work of a turn",
        [*start(), prompt(1), stop(1), up("usage_update"), up("session_info_update"), up("available_commands_update"), up("config_option_update", configOptions=[])],
    ),
    spares("update-after-settle", "another turn is open", [*start(), prompt(1), prompt(2), stop(1), words(), stop(2)]),
    spares("update-after-settle", "of another session", [*start(), *opened("t"), prompt(1), stop(1), words("t")]),
    spares(
        "update-after-settle", "replayed",
        [*start(), prompt(1), stop(1), ask(2, "session/load", sessionId="s"), words(), answer(2)],
    ),
    spares(
        "update-after-settle", "in draft 2 work goes on in the background",
        [*start(2), prompt(1), answer(1), _state("idle", stopReason="end_turn"), _state("idle", stopReason="end_turn"), up("agent_message")],
    ),
    raises("resume-replayed", "counted", [*hello(), _RESUME, words(), words(), answer(1)], Found("resume-replayed", "agent", 4, "s", 2)),
    raises("resume-replayed", "and then refused", [*hello(), _RESUME, words(), refuse(1, -32603)], Found("resume-replayed", "agent", 4, "s")),
    spares("resume-replayed", "after the response", [*hello(), _RESUME, answer(1), words()]),
    spares("resume-replayed", "by session/load", [*hello(), ask(1, "session/load", sessionId="s"), words(), answer(1)]),
    spares("resume-replayed", "the state of the session is no history", [*hello(), _RESUME, up("available_commands_update"), up("usage_update"), answer(1)]),
    spares("resume-replayed", "a turn is open", [*start(), prompt(2), _RESUME, words(), answer(1), stop(2)]),
    spares("resume-replayed", "another session's work", [*start(), prompt(2), ask(1, "session/resume", sessionId="t"), words(), answer(1), stop(2)]),
    spares(
        "resume-replayed", "draft 2 was asked to",
        [*hello(2), ask(1, "session/resume", sessionId="s", replayFrom={"type": "start"}), words(), _state("idle", stopReason="cancelled"), answer(1)],
    ),
]  # fmt: skip

_TOOLS = [
    raises("tool-call-unannounced", "no tool_call", [*start(), prompt(1), _step(), _step(), stop(1)], Found("tool-call-unannounced", "agent", 6, "s")),
    raises(
        "tool-call-unannounced", "announced in another session",
        [*start(), *opened("t"), prompt(1), _tool(), prompt(2, "t"), _step(session="t"), stop(1), stop(2)],
        Found("tool-call-unannounced", "agent", 10, "t"),
    ),
    spares("tool-call-unannounced", "announced", [*start(), prompt(1), _tool(), _step(), stop(1)]),
    spares("tool-call-unannounced", "announced in the turn before", [*start(), prompt(1), _tool(), stop(1), prompt(2), _step(), stop(2)]),
    spares("tool-call-unannounced", "announced while history was replayed", [*hello(), ask(0, "session/load", sessionId="s"), _tool(), answer(0), prompt(1), _step(), stop(1)]),
    spares("tool-call-unannounced", "without an id", [*start(), prompt(1), up("tool_call_update", status="failed"), stop(1)]),
    spares(
        "tool-call-unannounced", "a permission named it first",
        [*start(), prompt(1), permit(0), chosen(0), _step(), stop(1)],
        Found("permission-unannounced", "agent", 6, "s"),
    ),
    spares("tool-call-unannounced", "in draft 2 an update makes what it names", [*start(2), prompt(1), answer(1), _step(), _state("idle", stopReason="end_turn")]),
    raises(
        "permission-unannounced", "counted",
        [*start(), prompt(1), permit(0), permit(1), chosen(0), chosen(1), stop(1)],
        Found("permission-unannounced", "agent", 6, "s", 2),
    ),
    spares("permission-unannounced", "announced", [*start(), prompt(1), _tool(), permit(0), chosen(0), stop(1)]),
    spares(
        "permission-unannounced", "an update has named it",
        [*start(), prompt(1), _step(), permit(0), chosen(0), stop(1)],
        Found("tool-call-unannounced", "agent", 6, "s"),
    ),
    spares(
        "permission-unannounced", "for no tool call",
        [*start(), prompt(1), ("agent", {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s", "options": []}}), chosen(0), stop(1)],
    ),
]  # fmt: skip

_REASONS = [
    raises("stop-reason-unknown", "none", [*start(), prompt(1), answer(1)], Found("stop-reason-unknown", "agent", 6, "s")),
    raises("stop-reason-unknown", "a word of its own", [*start(), prompt(1), stop(1, "done")], Found("stop-reason-unknown", "agent", 6, "s")),
    raises("stop-reason-unknown", "of draft 2", [*start(), prompt(1), stop(1, "error")], Found("stop-reason-unknown", "agent", 6, "s")),
    raises("stop-reason-unknown", "a null result", [*start(), prompt(1), ("agent", {"jsonrpc": "2.0", "id": 1, "result": None})], Found("stop-reason-unknown", "agent", 6, "s")),
    spares("stop-reason-unknown", "the five", [*start(), *(said for id, reason in enumerate(("end_turn", "max_tokens", "max_turn_requests", "refusal")) for said in (prompt(id), stop(id, reason))), prompt(9), tell("client", "session/cancel", sessionId="s"), stop(9, "cancelled")]),
    spares("stop-reason-unknown", "an error has none", [*start(), prompt(1), refuse(1, -32603)]),
    spares("stop-reason-unknown", "draft 2 answers with a message id, and leaves the list open", [*start(2), prompt(1), answer(1, messageId="m"), _state("idle", stopReason="_tired"), prompt(2), answer(2), _state("idle", stopReason="end_turn")]),
    raises("stop-reason-unknown", "draft 2: an end without one", [*start(2), prompt(1), answer(1, messageId="m"), _state("idle")],
           Found("stop-reason-unknown", "agent", 7, "s")),
]  # fmt: skip

SCENARIOS: list[Scenario] = [*_KINDS, *_BETWEEN, *_TOOLS, *_REASONS]
