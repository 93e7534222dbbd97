"""The methods of ACP, version by version: the side that handles each, its kind, and the places of its ids.

Only a table and its look-ups; `analyze` has the effects of methods, and `compare.pairing.request_keys` what
is compared of their requests and answers, also in a replay. Made from the facts of the ACP schemas (npm
`@agentclientprotocol/sdk` 2.4.0: v1, v1 unstable, v2, v2 unstable; each definition names its method and side)
and of the pages named beside the rows.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

Side = Literal["agent", "client", "both"]
Kind = Literal["request", "notification", "both"]

#: The publication date of the newest schema behind the tables of methods and of updates.
AS_OF = "2026-11-02"
#: The stage of a method, an update or an error: stable and unstable protocol 1, draft 2 and its unstable
#: part, and what older agents still send.
STAGES = {"1": "1", "1u": "1 unstable", "2": "draft 2", "2u": "draft 2 unstable", "old": "older"}

INITIALIZE = "initialize"
#: The methods that may come first. The Rust SDK 2.0.0 still sends the proxies' methods with an underscore.
INITIALIZERS = (INITIALIZE, "proxy/initialize", "_proxy/initialize")
PROMPT = "session/prompt"
UPDATE = "session/update"
PERMISSION = "session/request_permission"
CANCEL = "session/cancel"
SET_MODE = "session/set_mode"
SET_OPTION = "session/set_config_option"
NEW, LOAD, RESUME, FORK = "session/new", "session/load", "session/resume", "session/fork"
CLOSE, ARCHIVE, DELETE = "session/close", "session/archive", "session/delete"
LIST = "session/list"
SET_TITLE = "session/set_title"
ELICITATION, ELICITATION_DONE = "elicitation/create", "elicitation/complete"
READ_FILE, WRITE_FILE = "fs/read_text_file", "fs/write_text_file"
TERMINAL_CREATE, TERMINAL_OUTPUT = "terminal/create", "terminal/output"
TERMINAL_WAIT, TERMINAL_KILL = "terminal/wait_for_exit", "terminal/kill"
TERMINAL_RELEASE = "terminal/release"
#: Methods by which a client runs commands for its agent.
TERMINALS = (TERMINAL_CREATE, TERMINAL_OUTPUT, TERMINAL_WAIT, TERMINAL_KILL, TERMINAL_RELEASE)
#: The second is the name of the proposal (RFD request-cancellation, 2025-11-20), with `id` for `requestId`.
CANCEL_REQUEST, CANCEL_REQUEST_OLD = "$/cancel_request", "$/cancelRequest"
#: Methods that withdraw a request, from either side.
CANCEL_REQUESTS = (CANCEL_REQUEST, CANCEL_REQUEST_OLD)


class Method(NamedTuple):
    """One method. `ids`: the places of ids in its messages, as `params.…` or `result.…`."""

    name: str
    handler: Side
    kind: Kind
    stages: frozenset[str]
    source: str
    ids: tuple[str, ...] = ()


def _row(name: str, handler: Side, kind: Kind, stages: str, source: str, ids: str = "") -> Method:
    return Method(name, handler, kind, frozenset(stages.split()), source, tuple(ids.split()))


_S = "params.sessionId"
_TERMINAL = f"{_S} params.terminalId"
_PERMISSION = (
    f"{_S} params.toolCall.toolCallId params.subject.toolCall.toolCallId "
    "params.options[].optionId result.outcome.optionId"
)
_ELICITATION = f"{_S} params.requestId params.elicitationId"
_ALL = "1 1u 2 2u"

METHODS = (
    # client to agent
    _row("initialize", "agent", "request", _ALL, "initialization"),
    _row("authenticate", "agent", "request", "1 1u", "initialization", "params.methodId"),
    _row("logout", "agent", "request", "1 1u", "RFD logout-method"),
    _row("auth/login", "agent", "request", "2 2u", "v2/initialization", "params.methodId"),
    _row("auth/logout", "agent", "request", "2 2u", "v2/initialization"),
    _row("auth/status", "agent", "request", "1u 2u", "RFD get-auth-state"),
    _row("session/new", "agent", "request", _ALL, "session-setup", "result.sessionId"),
    _row("session/load", "agent", "request", "1 1u", "session-setup", _S),
    _row("session/resume", "agent", "request", _ALL, "RFD session-resume", _S),
    _row("session/list", "agent", "request", _ALL, "session-list", "result.sessions[].sessionId"),
    _row("session/close", "agent", "request", _ALL, "RFD session-close", _S),
    _row("session/delete", "agent", "request", _ALL, "RFD session-delete", _S),
    _row("session/fork", "agent", "request", "1u 2u", "RFD session-fork", f"{_S} result.sessionId"),
    _row("session/archive", "agent", "request", "1u 2u", "schema, since 2026-08", _S),
    _row("session/unarchive", "agent", "request", "1u 2u", "schema, since 2026-08", _S),
    _row("session/status", "agent", "request", "1u 2u", "schema, since 2026-08", _S),
    _row("session/set_title", "agent", "request", "1u 2u", "schema, since 2026-08", _S),
    _row("session/set_mode", "agent", "request", "1 1u", "session-modes", f"{_S} params.modeId"),
    _row("session/set_config_option", "agent", "request", _ALL, "config-options", f"{_S} params.configId"),
    _row("session/prompt", "agent", "request", _ALL, "prompt-turn", f"{_S} result.messageId"),
    _row("session/cancel", "agent", "notification", _ALL, "prompt-turn#cancellation", _S),
    _row("tool_call/cancel", "agent", "request", "2 2u", "v2/tool-calls", f"{_S} params.toolCallId"),
    _row("terminal/cancel", "agent", "request", "2 2u", "v2/tool-calls", _TERMINAL),
    _row("providers/list", "agent", "request", "1u 2u", "RFD custom-llm-endpoint"),
    _row("providers/set", "agent", "request", "1u 2u", "RFD custom-llm-endpoint"),
    _row("providers/disable", "agent", "request", "1u 2u", "RFD custom-llm-endpoint"),
    # agent to client
    _row("session/update", "client", "notification", _ALL, "prompt-turn", _S),
    _row("session/request_permission", "client", "request", _ALL, "tool-calls", _PERMISSION),
    _row("fs/read_text_file", "client", "request", "1 1u", "file-system", _S),
    _row("fs/write_text_file", "client", "request", "1 1u", "file-system", _S),
    _row("terminal/create", "client", "request", "1 1u", "terminals", f"{_S} result.terminalId"),
    _row("terminal/output", "client", "request", "1 1u", "terminals", _TERMINAL),
    _row("terminal/wait_for_exit", "client", "request", "1 1u", "terminals", _TERMINAL),
    _row("terminal/kill", "client", "request", "1 1u", "terminals", _TERMINAL),
    _row("terminal/release", "client", "request", "1 1u", "terminals", _TERMINAL),
    _row(ELICITATION, "client", "request", _ALL, "RFD elicitation", _ELICITATION),
    _row(ELICITATION_DONE, "client", "notification", _ALL, "RFD elicitation", "params.elicitationId"),
    _row("auth/status_update", "client", "notification", "1u 2u", "RFD get-auth-state"),
    # both ways
    _row("$/cancel_request", "both", "notification", _ALL, "cancellation", "params.requestId"),
    _row("mcp/message", "both", "both", "1u 2u", "RFD mcp-over-acp", "params.serverId params.requestId"),
    _row("proxy/initialize", "both", "request", "1u 2u", "RFD proxy-chains"),
    _row("proxy/successor", "both", "both", "1u 2u", "RFD proxy-chains"),
    # what older agents and clients still send
    _row("$/cancelRequest", "both", "notification", "old", "RFD request-cancellation", "params.id"),
    _row("session/set_model", "agent", "request", "old", "gone 2026-06-01, #1325", f"{_S} params.modelId"),
    _row("mcp/connect", "both", "request", "old", "RFD mcp-over-acp, to 2026-08"),
    _row("mcp/disconnect", "both", "both", "old", "RFD mcp-over-acp, to 2026-08"),
    _row("nes/start", "agent", "request", "old", "RFD next-edit-suggestions"),
    _row("nes/suggest", "agent", "request", "old", "RFD next-edit-suggestions"),
    _row("nes/close", "agent", "request", "old", "RFD next-edit-suggestions"),
    _row("nes/accept", "agent", "notification", "old", "RFD next-edit-suggestions"),
    _row("nes/reject", "agent", "notification", "old", "RFD next-edit-suggestions"),
    _row("document/didOpen", "agent", "notification", "old", "RFD next-edit-suggestions"),
    _row("document/didChange", "agent", "notification", "old", "RFD next-edit-suggestions"),
    _row("document/didClose", "agent", "notification", "old", "RFD next-edit-suggestions"),
    _row("document/didSave", "agent", "notification", "old", "RFD next-edit-suggestions"),
    _row("document/didFocus", "agent", "notification", "old", "RFD next-edit-suggestions"),
)  # fmt: skip

#: Methods that name a session, which must be open (session-setup).
NEEDS_OPEN = frozenset(
    {
        "session/set_mode",
        "session/set_model",
        "session/set_config_option",
        "session/prompt",
        "session/cancel",
        "session/update",
        "session/request_permission",
        "fs/read_text_file",
        "fs/write_text_file",
        *TERMINALS,
        "tool_call/cancel",
        "terminal/cancel",
    }
)

BY_NAME = {row.name: row for row in METHODS}


@cache
def known(version: int | None) -> dict[str, Method]:
    """Return the methods of a protocol version, stable and unstable; of 1 and 2 if none is negotiated."""
    stages = {str(version), f"{version}u"} if version in (1, 2) else {"1", "1u", "2", "2u"}
    return {row.name: row for row in METHODS if row.stages & stages}


def is_answered(name: str) -> bool:
    """Whether a request of this method gets an answer: a notification that was sent as a request does not."""
    row = BY_NAME.get(name)
    return row is None or row.kind != "notification"


def is_extension(name: str) -> bool:
    """Whether the protocol leaves this name to others: `_…` (extensibility), or allows ignoring it: `$/…`."""
    return name.startswith(("_", "$/"))


#: Requests that open a session; the value is the place of its id: `params` for an existing session, `result`
#: for a new one. `params.sessionId` of a fork is the session that is copied.
OPENERS = {
    NEW: "result",
    LOAD: "params",
    RESUME: "params",
    FORK: "result",
}

#: Requests that open an existing session.
REOPENERS = (LOAD, RESUME)

#: Requests after which a session is closed. The effect of session/delete on an open session is
#: implementation-defined (session-delete), so it is not listed here.
CLOSERS = (CLOSE, ARCHIVE)

#: Requests that end the turns of their session as session/cancel would, or may (session-delete).
ENDERS = (*CLOSERS, DELETE)

#: A method whose name begins like this names a session by itself (unlike `fs/…` and extensions).
SESSION_PREFIX = "session/"


def replays_history(method: str, params: dict[str, object]) -> bool:
    """Whether the agent sends the session's past as updates before it answers this request.

    Protocol 1: `session/load` does, `session/resume` must not. Draft 2: `session/resume` does if `replayFrom`
    asks for it (RFD v2/session-resume-replay).
    """
    return method == LOAD or (method == RESUME and bool(params.get("replayFrom")))
