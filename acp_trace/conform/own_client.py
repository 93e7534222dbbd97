"""Our own requirements of clients: the kit has none. A table.

Each is a rule about what a client sends, or about what it survives. The scripted agent (`behaviours`) gives
it the occasion.
"""

from __future__ import annotations

from functools import partial

from acp_trace.conform.requirement import Requirement, row

_row = partial(row, 0, side="client")

ROWS: tuple[Requirement, ...] = (
    _row(
        "ACT-CLIENT-TRANSPORT-001",
        "mandatory",
        "Each line that the client writes is one JSON-RPC message",
        seen="message",
        codes="not-json not-jsonrpc batch",
    ),
    _row(
        "ACT-CLIENT-INIT-001",
        "mandatory",
        "The client initializes the connection before it asks for anything else",
        seen="reply initialize",
        codes="before-initialize",
    ),
    _row(
        "ACT-CLIENT-INIT-002",
        "advisory",
        "The client initializes a connection once",
        seen="reply initialize",
        codes="initialized-again",
    ),
    _row(
        "ACT-CLIENT-INIT-003",
        "mandatory",
        "The client does not continue with a protocol version that does not exist",
        seen="reply initialize",
        codes="version-unsupported",
    ),
    _row(
        "ACT-CLIENT-SCHEMA-001",
        "mandatory",
        "Parameters and results of the client fit the schema",
        seen="reply",
        codes="payload-field-missing payload-wrong-type payload-unknown-value",
    ),
    _row(
        "ACT-CLIENT-SCHEMA-002",
        "advisory",
        "The client adds no members that the schema does not have",
        seen="reply",
        codes="payload-extra-field",
    ),
    _row(
        "ACT-CLIENT-ID-001",
        "mandatory",
        "The client does not use the same id for two requests that are open at once",
        seen="reply",
        codes="id-reused",
    ),
    _row(
        "ACT-CLIENT-ANSWER-001",
        "mandatory",
        "The client answers each request of the agent, once",
        seen="asked",
        codes="never-answered second-answer response-to-nothing",
    ),
    _row(
        "ACT-CLIENT-ANSWER-002",
        "advisory",
        "The client answers an unknown request with -32601",
    ),
    _row(
        "ACT-CLIENT-METHODS-001",
        "mandatory",
        "The client uses only methods of the protocol, or names with an underscore",
        seen="reply",
        codes="unknown-method wrong-side wrong-kind",
    ),
    _row(
        "ACT-CLIENT-CAPABILITY-001",
        "mandatory",
        "The client uses nothing that the agent did not announce",
        seen="reply session/new",
        codes="capability-missing parameter-unannounced content-unannounced mcp-server-unannounced",
    ),
    _row(
        "ACT-CLIENT-CAPABILITY-002",
        "mandatory",
        "The client supports what it announced",
        seen="asked",
        codes="announced-not-found",
    ),
    _row(
        "ACT-CLIENT-PERMISSION-001",
        "mandatory",
        "The client chooses a permission option that the agent offered",
        seen="answered session/request_permission",
        codes="permission-option-unknown",
    ),
    _row(
        "ACT-CLIENT-PERMISSION-002",
        "mandatory",
        "The client answers open permission requests with `cancelled` when it cancels",
        seen="cancel with permission",
        codes="permission-not-cancelled",
    ),
    _row(
        "ACT-CLIENT-PERMISSION-003",
        "advisory",
        "The client answers a permission request with `cancelled` only if it cancels the turn",
        seen="answered session/request_permission",
        codes="permission-cancelled-alone",
    ),
    _row(
        "ACT-CLIENT-SESSION-001",
        "mandatory",
        "The client sends messages only about open sessions, and none after session/close",
        seen="sent session/prompt",
        codes="unknown-session",
    ),
    _row(
        "ACT-CLIENT-CONFIG-001",
        "mandatory",
        "The client chooses only modes, options and values that the session has",
        seen="sent session/set_mode session/set_config_option",
        codes="config-unknown-option config-unknown-value mode-unknown",
    ),
    _row(
        "ACT-CLIENT-AUTH-001",
        "mandatory",
        "The client authenticates only with an offered method, and never with a terminal one",
        seen="sent authenticate auth/login",
        codes="auth-method-unknown auth-method-terminal",
        capability="offers authMethods",
    ),
    _row(
        "ACT-CLIENT-FILES-001",
        "mandatory",
        "The client obeys `line` and `limit` when it reads a file for the agent",
        seen="answered fs/read_text_file",
        codes="read-range-ignored",
    ),
    _row(
        "ACT-CLIENT-SURVIVES-001",
        "mandatory",
        "The client survives an update of a kind that it does not know",
    ),
    _row("ACT-CLIENT-SURVIVES-002", "mandatory", "The client survives an error in place of a result"),
    _row("ACT-CLIENT-SURVIVES-003", "mandatory", "The client notices that its agent has ended during a turn"),
    _row("ACT-CLIENT-CRASH-001", "mandatory", "The client does not crash"),
    _row(
        "ACT-CLIENT-ERRORS-001",
        "mandatory",
        "The client breaks no other rule of the protocol for which acp-trace reports an error",
        seen="reply",
    ),
)
